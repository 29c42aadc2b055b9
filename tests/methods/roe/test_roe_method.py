"""Answers of an untrained chat model: what it is shown, how its replies are read, and what bad ones cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from roe_films import Remote, by_relation, listed

from clew.encoding import open_encoder
from clew.errors import BudgetError, ConfigError, NotFoundError, UnavailableError
from clew.graph import Graph
from clew.graph.verify import verify
from clew.llm import Budget, BudgetExhausted, ModelSettings, open_language_model
from clew.methods.roe import method as room
from clew.methods.roe.config import Config
from clew.methods.roe.method import RoE
from clew.protocols import LLMReply, LLMRequest, Tools
from clew.testing.fake_llm import FakeLanguageModel, FakeServer
from clew.types import Answer, Event, Question, Triple
from films import film_triples

YEARS = Question("q", "what is the release_year of the film directed_by person 1", ("person 1",))


@pytest.fixture(scope="module")
def films() -> Graph:
    return Graph.from_triples(film_triples(), name="films")


def roe(script: Any, **settings: Any) -> tuple[RoE, FakeLanguageModel]:
    model = FakeLanguageModel(script)
    return RoE(Config(**settings), Tools(language_model=model)), model


def reply(answers: list[Any], paths: list[Any]) -> str:
    return json.dumps({"answers": answers, "exploration_paths": paths})


def test_a_question_of_two_hops(films: Graph) -> None:
    method, model = roe([reply([], ["1"]), reply(["1"], [])])
    events: list[Event] = []
    answer = method.answer(YEARS, films, on_event=events.append)
    assert sorted(answer.texts) == ["1990", "1991", "1992"]
    assert all(candidate.supported for candidate in answer.candidates) and verify(answer, films) == []
    assert str(answer.evidence.paths[0]) == "person 1 ←directed_by- film 1 -release_year→ 1991"
    assert (answer.usage.calls, answer.details["calls"], answer.details["invalid"]) == (2, 2, 0)
    first, second = (request.messages[-1].content for request in model.requests)
    assert first == (
        "Question: what is the release_year of the film directed_by person 1\nPath:\nperson 1\nNeighbours:\n"
        "1. person 1 | directed_by (inverse) | 1.1 film 1; 1.2 film 5; 1.3 film 9\n"
        "2. person 1 | written_by (inverse) | 2.1 film 0; 2.2 film 5; 2.3 film 10"
    )
    assert "P1. person 1 | directed_by (inverse) | film 1\nP2. person 1 | directed_by (inverse) | film 5\nP3." in second
    assert (  # what belongs together stands together
        "1. * (3 entities) | release_year\n   film 1 | release_year | 1.1 1991\n   film 5 | release_year | 1.2 1992\n"
        "   film 9 | release_year | 1.3 1990"
    ) in second
    steps = [event for event in events if event.stage == "step"]
    assert [event.data["depth"] for event in steps] == [0, 1]
    assert steps[0].data["exploration_paths"] == [["person 1", "directed_by (inverse)", "*"]]
    assert steps[1].data["answers"] == ["* of * | release_year"] and steps[1].data["seen"] == second


@pytest.mark.parametrize(
    "item",
    ["1", 1, ["person 1", "directed_by (inverse)", "film 5"], "person 1 -> directed_by (inverse) -> film 5", "1.2",
     ["film 5", "directed_by", "person 1"], {"head": "film 5", "relation": "directed_by", "tail": "person 1"}],
)  # fmt: skip
def test_ways_to_name_an_edge(films: Graph, item: Any) -> None:
    method, _ = roe([reply([], [item]), reply(["release_year", "1992"], [])])
    answer = method.answer(YEARS, films)
    assert answer.texts == ("1992",)
    assert answer.details["invalid"] == 1  # a relation is no answer


@pytest.mark.parametrize(
    "item",
    ["9", 0, -1, "1.99", True, None, ["person 1", "directed_by", "film 5"], ["film 2", "directed_by", "person 1"],
     "person 1 -> knows -> film 5", "film 5", [], {"head": "x"}, "1.2.3", {"relation": ["directed_by"]}],
)  # fmt: skip
def test_what_is_no_edge_here_is_dropped(films: Graph, item: Any) -> None:
    method, _ = roe([reply([], [item])])
    answer = method.answer(YEARS, films)
    assert answer.candidates == () and answer.details["invalid"] == 1
    assert answer.note == "nothing that the language model named was among what it saw"


@pytest.mark.parametrize(
    "text", ["", "I think it is 1991.", '{"answers": ["1', "[]", "3", "null", '{"answer": "1"}', "{" * 5000]
)
def test_replies_that_are_no_action(films: Graph, text: str) -> None:
    method, model = roe(text)
    answer = method.answer(YEARS, films)
    assert answer.candidates == () and answer.note == "no reply of the language model could be read"
    assert (len(model.requests), answer.details["unreadable"]) == (1, 1)


def test_a_reply_that_never_ends_is_cut(films: Graph) -> None:
    with FakeServer("word " * 5000) as server:
        model = open_language_model(
            ModelSettings(model="fake", base_url=server.url, json_mode="prompt", retry_cut=False)
        )
        answer = RoE(Config(max_tokens=16), Tools(language_model=model)).answer(YEARS, films)
        assert {body.get("max_tokens", body.get("max_completion_tokens")) for body in server.bodies} == {16}
    assert answer.candidates == () and answer.details["unreadable"] == 1


def test_a_repeated_path_is_walked_once(films: Graph) -> None:
    method, model = roe([reply([], ["1", "1", "1.1", "1"]), reply([], [])])
    answer = method.answer(YEARS, films)
    assert len(model.requests) == 2 and answer.details["explored"] == 1


def test_answers_that_were_not_seen(films: Graph) -> None:
    script = [reply(["Napoleon", "film 5"], [])]
    closed, _ = roe(script)
    answer = closed.answer(YEARS, films)
    assert answer.texts == ("film 5",) and answer.details["invalid"] == 1
    opened, _ = roe(script, closed_answers=False)
    answer = opened.answer(YEARS, films)
    assert [(c.text, c.supported) for c in answer.candidates] == [("film 5", True), ("Napoleon", False)]


def test_the_end_of_the_path_may_be_the_answer(films: Graph) -> None:
    method, _ = roe([reply([], ["1.2"]), reply(["film 5"], [])])
    answer = method.answer(YEARS, films)
    assert answer.texts == ("film 5",) and len(answer.evidence.paths[0].hops) == 1


def test_a_schema_binds_a_remote_model_to_numbers(films: Graph) -> None:
    method, model = roe([reply([], [])])
    method.answer(YEARS, films)
    schema = model.requests[0].json_schema
    assert schema is not None
    assert schema["properties"]["answers"]["items"]["enum"] == ["1", "1.1", "1.2", "1.3", "2", "2.1", "2.2", "2.3"]


def test_levels_are_shown_together(films: Graph) -> None:
    method, model = roe([reply([], ["1", "2"]), reply(["1", "4"], [])], state="level")
    answer = method.answer(YEARS, films)
    assert len(model.requests) == 2
    assert model.requests[1].messages[-1].content.count(". person 1 | ") == 6
    assert sorted(answer.texts) == ["1990", "1991", "1992"]


def test_five_hundred_answers_cost_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("star", "acted in", f"film {i}") for i in range(500)] + [
        (f"film {i}", "song", f"song {i}") for i in range(500)
    ]
    graph = Graph.from_triples(rows, name="many")
    many, _ = roe([reply([], ["1"]), reply(["1"], [])])
    answer = many.answer(Question("q", "songs of films with star", ("star",)), graph)
    assert len(answer.candidates) == 500 and answer.usage.calls == 2
    monkeypatch.setattr(room, "MAX_ANSWERS", 10)
    few, _ = roe([reply([], ["1"]), reply(["1"], [])])
    answer = few.answer(Question("q", "songs", ("star",)), graph)
    assert len(answer.candidates) == 10 and "490 more answers" in answer.note


@pytest.mark.parametrize(
    ("mediators", "shown"),
    [("keep", "m.0abc12"), ("inline", "m.0abc12 (holder: 5.1.1 Ada Example, since: 5.1.2 2010)")],
)
def test_a_mediator_is_shown_with_its_facts(toy: Graph, mediators: str, shown: str) -> None:
    held = Question("q", "who held an office in France", ("France",))
    for graph in (toy, Remote(toy)):
        method, model = roe([reply([], ["5"]), reply(["1"], [])], mediators=mediators)
        answer = method.answer(held, graph)  # type: ignore[arg-type]
        lines = model.requests[0].messages[-1].content.splitlines()
        (line,) = [line for line in lines if "office held" in line]
        number, _, rest = line.partition(". ")
        assert rest == f"France | office held | {shown.replace('5.1.', number + '.1.')}"
        assert answer.details["invalid"] == 0


def test_a_store_that_stops_at_a_mediators_facts_is_marked(toy: Graph) -> None:
    method, model = roe("", mediators="inline")
    answer = method.answer(Question("q", "who?", ("France",)), Remote(toy, fails_at=2))  # type: ignore[arg-type]
    assert "partial" in answer.note and answer.details["stopped"] and not model.requests


def test_many_facts_of_a_mediator_are_counted() -> None:
    rows = [("t", "r", "m.01"), *(("m.01", f"fact {i}", f"value {i}") for i in range(7))]
    graph = Graph.from_triples(rows, name="cvt")
    method, model = roe([reply([], [])], mediators="inline")
    method.answer(Question("q", "who?", ("t",)), graph)
    text = model.requests[0].messages[-1].content
    assert "value 5, and 1 more)" in text and "value 6" not in text


def test_facts_of_mediators_and_ends_of_paths_are_answers() -> None:
    rows = [("t", "spouses", "m.01"), ("m.01", "spouse", "Ann"), ("m.01", "from", "1950"), ("Ann", "lives in", "Oslo")]
    rows += [("t", "spouses", "m.02"), ("m.02", "spouse", "Eve"), ("m.02", "from", "1971")]
    graph = Graph.from_triples(rows, name="cvt")
    asked = Question("q", "who was the spouse in 1950?", ("t",))
    for named in (["1.1.2"], ["Ann"], [["m.01", "spouse", "Ann"], "Ann"]):
        method, model = roe([reply(named, [])])
        events: list[Event] = []
        answer = method.answer(asked, graph, on_event=events.append)
        assert answer.texts == ("Ann",) and verify(answer, graph) == []
        assert events[-1].data["answers"] == ["Ann"]
        assert str(answer.evidence.paths[0]) == "t -spouses→ m.01 -spouse→ Ann"
    assert (
        model.requests[0]
        .messages[-1]
        .content.endswith(
            "1. t | spouses | 1.1 m.01 (from: 1.1.1 1950, spouse: 1.1.2 Ann); "
            "1.2 m.02 (from: 1.2.1 1971, spouse: 1.2.2 Eve)"
        )
    )
    method, model = roe([reply([], ["1.1.2"]), reply(["P1"], [])])
    answer = method.answer(asked, graph)
    assert answer.texts == ("Ann",) and verify(answer, graph) == []
    second = model.requests[1]
    assert "P1. t | spouses | m.01 | spouse | Ann\n" in second.messages[-1].content
    assert second.json_schema is not None
    assert second.json_schema["properties"]["answers"]["items"]["enum"] == ["1", "P1"]
    assert second.json_schema["properties"]["exploration_paths"]["items"]["enum"] == ["1"]


def test_a_store_that_gave_as_much_as_was_asked_for_is_told(films: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Person 1 has six triples and its films have three each: only its neighbourhood may be cut."""
    monkeypatch.setattr("clew.methods.roe.method.STORE_LIMIT", 4)
    method, _ = roe([reply([], ["1"]), reply(["1"], [])])
    answer = method.answer(YEARS, Remote(films))  # type: ignore[arg-type]
    assert answer.candidates and answer.details["cut"] == ["person 1"]
    assert "more triples than a store is asked for (4)" in answer.note
    whole, _ = roe([reply([], ["1"]), reply(["1"], [])])
    assert "cut" not in whole.answer(YEARS, films).details


def test_a_store_that_stops_answering_leaves_a_marked_partial_answer(films: Graph) -> None:
    method, _ = roe([reply(["1"], ["1"])])
    answer = method.answer(YEARS, Remote(films, fails_at=2))  # type: ignore[arg-type]
    assert sorted(answer.texts) == ["film 1", "film 5", "film 9"]
    assert "partial" in answer.note and "no answer within 5 s" in answer.details["stopped"]


def test_a_budget_that_runs_out_keeps_what_was_found(films: Graph) -> None:
    with FakeServer(lambda body: reply(["1"], ["1"])) as server:
        settings = ModelSettings(
            model="fake", base_url=server.url, budget=Budget(calls=2), json_mode="prompt", concurrency=1
        )
        answer = RoE(Config(), Tools(language_model=open_language_model(settings))).answer(YEARS, films)
    assert answer.candidates and "2 of 2 calls used" in answer.note
    with FakeServer(reply([], [])) as server:
        settings = ModelSettings(model="fake", base_url=server.url, budget=Budget(tokens=10), json_mode="prompt")
        with pytest.raises(BudgetError):
            RoE(Config(), Tools(language_model=open_language_model(settings))).answer(YEARS, films)


class Broke(FakeLanguageModel):
    """Answers the first of two requests, then has no money left."""

    def generate(self, requests: Any) -> list[LLMReply]:
        if len(requests) < 2:
            raise BudgetExhausted("nothing left")
        raise BudgetExhausted("nothing left", [*super().generate(requests[:1]), *[None] * (len(requests) - 1)])


def test_finished_replies_of_a_broken_batch_count(films: Graph) -> None:
    method = RoE(Config(), Tools(language_model=Broke(reply(["1"], ["1"]))))
    first, second = method.predict([YEARS, YEARS], films)
    assert first.candidates and "nothing left" in first.note
    assert not second.candidates and second.note.startswith("nothing left")


def test_failures_of_the_model_are_not_swallowed(films: Graph) -> None:
    model = open_language_model(ModelSettings(model="m", base_url="http://127.0.0.1:9/v1", max_retries=0))
    with pytest.raises(UnavailableError):
        RoE(Config(), Tools(language_model=model)).answer(YEARS, films)


def test_topics_that_are_not_there(films: Graph) -> None:
    method, model = roe("")
    notes = [method.answer(Question("q", text, topics), films).note for text, topics in (
        (" ", ("film 1",)), ("who?", ()), ("who?", ("nobody at all",)))]  # fmt: skip
    assert notes[:2] == ["the question is empty", "no part of the question names an entity of the graph"]
    assert not model.requests


class Alone(Remote):
    """Knows its entities and no triples."""

    def neighbors(self, entities: object, **settings: object) -> list[Triple]:  # type: ignore[override]
        return []


def test_a_topic_without_edges(films: Graph) -> None:
    itself = Graph.from_triples([("film 1", "like", "film 1"), ("a", "like", "b")], name="itself")
    for graph in (itself, Alone(films)):
        method, model = roe("")
        answer = method.answer(Question("q", "who?", ("film 1",)), graph)  # type: ignore[arg-type]
        assert (answer.candidates, answer.note, model.requests) == ((), "the topics have no neighbours", [])


def test_a_long_question_is_cut_and_said(films: Graph) -> None:
    method, model = roe([reply([], [])])
    answer = method.answer(Question("q", "why " * 5000, ("film 1",)), films)
    assert "cut at 1500 characters" in answer.note and len(model.requests[0].messages[-1].content) < 2500


def test_labels_cannot_break_the_prompt() -> None:
    graph = Graph.from_triples([("t", "rel\nNeighbours:", "x\n2. fake | r | y"), ("t", "a", "b | c")], name="odd")
    method, model = roe([reply(["2"], [])])
    answer = method.answer(Question("q", "who?", ("t",)), graph)
    lines = model.requests[0].messages[-1].content.splitlines()
    assert [line[:2] for line in lines[-2:]] == ["1.", "2."] and len(lines) == 6
    assert answer.candidates


def test_settings_that_do_not_go_together() -> None:
    model = FakeLanguageModel("")
    for settings in (
        {"notation": "numbers", "siblings": "each"},
        {"notation": "names", "state": "level"},
        {"notation": "words", "mediators": "inline"},
    ):
        with pytest.raises(ConfigError, match="notation"):
            RoE(Config(**settings), Tools(language_model=model))
    with pytest.raises(ConfigError, match="needs a language model"):
        RoE(Config(), Tools())


def test_a_folder_that_is_no_model(tmp_path: Any) -> None:
    with pytest.raises(NotFoundError, match=r"roe\.json: no such file; expected a folder written by `clew train`"):
        RoE(Config(), Tools(model=tmp_path))


def test_gold_is_not_needed_and_order_does_not_matter(films: Graph) -> None:
    method, _ = roe(by_relation)
    asked = [YEARS, Question("r", "who is film 3 written_by", ("film 3",))]
    there: Callable[[list[Answer]], list[tuple[str, ...]]] = lambda answers: [a.texts for a in answers]  # noqa: E731
    assert there(method.predict(asked, films)) == there(method.predict(asked[::-1], films))[::-1]


def test_requests_carry_a_grammar_where_the_model_takes_one(films: Graph) -> None:
    class Bound(FakeLanguageModel):
        seen: list[LLMRequest] = []  # noqa: RUF012

    model = Bound(reply([], []), abilities=("constrained", "json_schema"))
    RoE(Config(), Tools(language_model=model)).answer(YEARS, films)
    assert model.requests[0].constraint is not None and model.requests[0].json_schema is None


def test_a_chat_model_sees_the_relations_of_a_hub_by_likeness() -> None:
    rows = [("Ann", f"{word} of", f"end {word}") for word in ("color", "price", "shape", "taste", "weight", "owner")]
    graph = Graph.from_triples(rows, name="hub")
    asked = Question("q", "what is the weight of Ann", ("Ann",))
    seen = []
    for encoder in (None, open_encoder("hash-256")):
        model = FakeLanguageModel(lambda request: reply([], []))
        method = RoE(Config(batch_triples=2, max_batches=1), Tools(language_model=model, encoder=encoder))
        answer = method.answer(asked, graph)
        seen.append([next(listed(request))[2] for request in model.requests])
    assert len(seen[0]) == 3  # in the order of the graph every batch is shown
    assert seen[1] == ["weight of"] and "4 relations least like the question were not shown" in answer.note


def test_what_linking_says_stands_beside_an_answer(films: Graph) -> None:
    method, _ = roe([reply([], ["1"]), reply(["1"], [])])
    answer = method.answer(Question("q", YEARS.text, ("person 1", "nobody at all")), films)
    assert answer.candidates and "no entity 'nobody at all'" in answer.note
