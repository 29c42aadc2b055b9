"""Question → topics, on the embedded graph and on a store that can only be asked by name."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.encoding import HashEncoder
from clew.errors import InputError, NotFoundError
from clew.graph import Graph, build
from clew.protocols import GraphStore
from clew.retrieval.linking import candidates, link, link_topics, unknown_names
from clew.types import Entity, Question, Relation, Triple

FILMS = [
    ("Heat", "directed by", "Michael Mann"),
    ("The Heat", "directed by", "Paul Feig"),
    ("What", "directed by", "Someone Else"),
    ("Once Were Warriors", "directed by", "Lee Tamahori"),
    ("Warriors", "directed by", "Other Person"),
    ("The Director", "directed by", "Nobody Known"),
    ("Amélie", "directed by", "Jean-Pierre Jeunet"),
    ("Temuera Morrison", "acted in", "Once Were Warriors"),
]


class AskedByName:
    """A store that offers the protocol and nothing else, two entities of one label among its content."""

    name = "by-name"

    def __init__(self, graph: Graph, namesakes: tuple[Triple, ...] = ()):
        self._graph, self._namesakes = graph, namesakes

    def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
        twins = {t.head.id: t.head for t in self._namesakes if t.head.label.casefold() == label.casefold()}
        equal = [(entity, 1.0) for entity in twins.values()]
        return (equal + self._graph.find(label, limit=limit))[:limit]

    def entity(self, id: str) -> Entity:
        return next((t.head for t in self._namesakes if t.head.id == id), None) or self._graph.entity(id)

    def neighbors(self, entities, *, relations=None, direction="both", limit=None) -> list[Triple]:  # type: ignore[no-untyped-def]
        return [t for t in self._namesakes if t.head.id in entities] + self._graph.neighbors(
            entities, relations=relations, direction=direction, limit=limit
        )

    def relations(self) -> list[Relation]:
        return [*self._graph.relations(), *dict.fromkeys(t.relation for t in self._namesakes)]

    def triples(self) -> Iterator[Triple]:
        yield from self._namesakes
        yield from self._graph.triples()


TWINS = (
    Triple(Entity("q1", "Springfield"), Relation("mayor", "mayor"), Entity("m1", "Ann Mayor")),
    Triple(Entity("q2", "Springfield"), Relation("songwriter", "songwriter"), Entity("s1", "Bob Songwriter")),
)


@pytest.fixture(scope="module")
def films() -> Graph:
    return Graph.from_triples(FILMS, name="films")


@pytest.fixture(scope="module", params=["embedded", "by name"])
def store(films: Graph, request: pytest.FixtureRequest) -> GraphStore:
    return films if request.param == "embedded" else AskedByName(films)


def linked(text: str, store: GraphStore, topics: tuple[str, ...] = ()) -> list[str]:
    return [topic.entity.label for topic in link(Question("q", text, topics), store)]


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("who directed Heat", ["Heat"]),
        ("who directed The Heat", ["The Heat"]),
        ("what did Temuera Morrison act in?", ["Temuera Morrison"]),
        ("who directed [What]?", ["What"]),
        ('who directed "The Director"', ["The Director"]),
        ("who is the director of once were warriors", ["Once Were Warriors"]),
        ("how tall is the moon", []),
        ("what?", []),
        ("", []),
        ("?!", []),
    ],
)
def test_the_right_topic(text: str, topics: list[str], store: GraphStore) -> None:
    assert linked(text, store) == topics


def test_a_store_is_asked_once_for_each_run_of_words(films: Graph) -> None:
    asked: list[str] = []

    class Listening(AskedByName):
        def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
            asked.append(label)
            return super().find(label, limit=limit)

    link(Question("q", "who directed the film Temuera Morisson acted in"), Listening(films))
    assert asked and len(asked) == len(set(asked))


@pytest.mark.parametrize(
    ("text", "topic", "reason"),
    [
        ("who directed Onse Were Warriors", "Once Were Warriors", "spelled alike (1 letter off)"),
        ("who directed amelie", "Amélie", "label up to case and signs"),
        ("Heat's director", "Heat", "exact label, possessive"),
        ("films of Tamahori", "Lee Tamahori", "part of the name"),
    ],
)
def test_the_reason_is_given_in_words(films: Graph, text: str, topic: str, reason: str) -> None:
    best = link(Question("q", text), films)[0]
    assert (best.entity.label, best.reason) == (topic, reason)
    assert best.mention in text
    assert 0 < best.score <= 1


def test_two_certain_mentions_are_both_kept(films: Graph) -> None:
    assert set(linked("did Michael Mann or Paul Feig direct it", films)) == {"Michael Mann", "Paul Feig"}


def test_what_the_asker_supplies_wins(store: GraphStore) -> None:
    assert linked("who directed Heat", store, ("Amélie",)) == ["Amélie"]
    assert link(Question("q", "x", ("Heat",)), store)[0].reason == "given"


def test_an_unknown_supplied_topic_names_the_nearest(films: Graph) -> None:
    with pytest.raises(NotFoundError, match="no entity 'Qwertz'"):
        link(Question("q", "x", ("Qwertz",)), films)
    with pytest.raises(NotFoundError, match="no entity 'Once Wer Warriors'; nearest: 'Once Were Warriors'"):
        link(Question("q", "x", ("Once Wer Warriors",)), films)
    with pytest.raises(InputError, match="a topic is empty"):
        link(Question("q", "x", (" ",)), films)


def test_no_question_is_too_hard_for_link_topics(store: GraphStore) -> None:
    easy = link_topics(Question("q", "who directed The Heat?"), store)
    assert ([t.entity.label for t in easy], easy.note, easy.spans) == (["The Heat"], "", ((13, 21),))
    assert link_topics(Question("q", " "), store).note == "the question is empty"
    none = link_topics(Question("q", "how tall is the moon"), store)
    assert (len(none), none.note) == (0, "no part of the question names an entity of the graph")
    partly = link_topics(Question("q", "x", ("Heat", "Qwertz")), store)
    assert [t.entity.label for t in partly] == ["Heat"] and "no entity 'Qwertz'" in partly.note
    instead = link_topics(Question("q", "who directed The Heat", ("Qwertz", " ")), store)
    assert [t.entity.label for t in instead] == ["The Heat"] and "by the question's text instead" in instead.note
    neither = link_topics(Question("q", "how tall is the moon", ("Qwertz",)), store)
    assert not neither.topics and "nor does its text name one" in neither.note


def test_link_topics_takes_a_link_of_the_callers_own(films: Graph) -> None:
    heat = link(Question("q", "", ("Heat",)), films)
    found = link_topics(Question("q", "that one"), films, linker=lambda question, graph: heat)
    assert found.topics == tuple(heat) and found.spans == (None,) and list(found.mentions()) == ["Heat"]


def test_namesakes_are_all_kept_and_told_apart_by_their_relations(films: Graph) -> None:
    store = AskedByName(films, TWINS)
    question = Question("q", "who is the songwriter of Springfield")
    assert {topic.entity.id for topic in link(question, store)} == {"q1", "q2"}
    scored = {topic.entity.id: topic.score for topic in link(question, store, encoder=HashEncoder())}
    assert scored["q2"] > scored["q1"]
    given = link(Question("q", "x", ("Springfield",)), store)
    assert [topic.reason for topic in given] == ["given, one of 2 so called"] * 2


def test_candidates_show_what_link_left_out(films: Graph) -> None:
    shown = candidates(Question("q", "what did Once Were Warriors win"), films)
    labels = [topic.entity.label for topic in shown]
    assert labels[0] == "Once Were Warriors"
    assert {"Warriors", "What"} <= set(labels)
    assert [topic.score for topic in shown] == sorted((topic.score for topic in shown), reverse=True)
    assert len(candidates(Question("q", "what did Once Were Warriors win"), films, limit=1)) == 1


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_metaqa_topics_without_their_brackets(data: Path, hops: int) -> None:
    from clew.datasets.metaqa import metaqa_triples

    graph = Graph.from_triples(metaqa_triples(data), name="metaqa")
    lines = (data / "metaqa" / f"{hops}-hop" / "qa_dev.txt").read_text(encoding="utf-8").splitlines()
    sample = [line.split("\t")[0] for line in random.Random(0).sample(lines, 300)]
    right = 0
    for text in sample:
        marked = re.findall(r"\[(.*?)\]", text)
        best = candidates(Question("q", re.sub(r"[\[\]]", "", text)), graph, limit=1)
        right += bool(best) and best[0].entity.label == marked[0]
    assert right / len(sample) >= 0.97


def test_an_edited_graph_links_to_new_and_renamed_entities(films: Graph) -> None:
    edited = films.edited(add=[("Ronin", "directed by", "John Frankenheimer")], labels={"Heat": "Scorcher"})
    assert linked("who directed Ronin", edited) == ["Ronin"]
    assert linked("who directed Scorcher", edited) == ["Scorcher"]
    assert linked("who directed Heat", edited) == ["The Heat"]  # the nearest name that is left
    assert linked("who directed Warriors", edited) == ["Warriors"]


def test_a_view_links_only_to_its_own_entities(films: Graph) -> None:
    view = films.view([t for t, triple in enumerate(films.triples()) if triple.head.label == "Amélie"])
    assert linked("who directed amelie", view) == ["Amélie"]
    assert linked("who directed Warriors", view) == []


WORLD = [
    ("Queen (band)", "genre", "rock"),
    ("Queen (band)", "member", "Freddie Mercury"),
    ("Austin", "located in", "Texas"),
    ("Austin (Minnesota)", "located in", "Minnesota"),
    ("Texas", "part of", "United States of America"),
    ("Minnesota", "part of", "United States of America"),
    ("John F. Kennedy", "born in", "Brookline"),
    ("John F. Kennedy", "spouse", "Jacqueline Onassis"),
    *[("John F. Kennedy", "said", f"speech {i}") for i in range(20)],
    ("JFK", "directed by", "Oliver Stone"),
    ("Brazil", "capital", "Brasília"),
    ("Brazil", "official language", "Portuguese Language"),
    ("Portugal", "official language", "Portuguese Language"),
    ("Tupac Shakur", "genre", "rap"),
    ("Edmund Kemper", "arrested", "1977-10"),
    ("Springfield", "population", "2240419"),
    ("October", "artist", "U2"),
    ("Ultimate Fighting Championship", "based in", "Las Vegas"),
    ("George W. Bush", "spouse", "Laura Bush"),
    ("Benjamin Franklin", "born in", "Boston"),
    ("東京", "国", "日本"),
    ("서울", "나라", "대한민국"),
    ("Москва", "страна", "Россия"),
    ("The Last Bolshevik", "directed by", "Chris Marker"),
    ("female", "opposite", "male"),
]


@pytest.fixture(scope="module")
def world() -> Graph:
    aliases = {"Las Vegas": ["Sin City"], "Freddie Mercury": ["Farrokh Bulsara"]}
    return Graph.from_triples(WORLD, name="world", aliases=aliases)


@pytest.mark.parametrize(
    ("text", "topics", "reason"),
    [
        ("who sang in Queen", ["Queen (band)"], "name up to what stands in brackets"),
        ("population of Austin Texas", ["Austin"], "exact label, in 'Texas'"),
        ("population of Austin in Minnesota", ["Austin (Minnesota)"], "brackets, in 'Minnesota'"),
        ("population of Austin, Minnesota", ["Austin (Minnesota)"], "label up to case and signs"),
        ("where was jfk born", ["John F. Kennedy", "JFK"], "initials"),
        ("states in the us", ["United States of America"], "short form (United States of America)"),
        ("US states", ["United States of America"], "short form"),
        ("what is the brazilian capital", ["Brazil"], "adjective of a place (Brazil)"),
        ("who speaks portuguese", ["Portuguese Language", "Portugal"], "with 'language' (portuguese language)"),
        ("what genre is tupac", ["Tupac Shakur"], "part of the name"),
        ("who was arrested in October 1977", ["1977-10"], "date written '1977-10'"),
        ("what has 2,240,419 people", ["2240419"], "number written '2240419'"),
        ("where is the ufc based", ["Ultimate Fighting Championship"], "initials"),
        ("george bush's wife", ["George W. Bush"], "words of the name"),
        ("where was ben franklin born", ["Benjamin Franklin"], "ben is short for Benjamin (Benjamin franklin)"),
        ("what is in sin city", ["Las Vegas"], "alias up to case and signs"),
        ("東京の国は", ["東京"], "exact label"),
        ("서울의 나라는?", ["서울"], "exact label"),
        ("страна Москвы", ["Москва"], "spelled alike (1 letter off)"),
        ("who directed The Last lolshevik", ["The Last Bolshevik"], "spelled alike (1 letter off)"),
        ("who directed the lst bolshevik", ["The Last Bolshevik"], "spelled alike (1 letter off)"),
        ("brazil capital", ["Brazil"], "label up to case and signs"),
        ("is anybody female", ["female"], "exact label"),
    ],
)
def test_names_as_people_write_them(world: Graph, text: str, topics: list[str], reason: str) -> None:
    found = link(Question("q", text), world)
    assert [topic.entity.label for topic in found] == topics
    assert reason in found[0].reason


def test_a_date_that_the_graph_does_not_hold_is_no_song(world: Graph) -> None:
    assert linked("who was arrested in October 1999", world) == []
    assert linked("who wrote October", world) == ["October"]


def test_a_language_and_its_country_change_places_with_the_question(world: Graph) -> None:
    assert linked("the portuguese capital", world)[0] == "Portugal"


def test_a_long_question_of_one_name_is_read_in_bounded_time(world: Graph) -> None:
    long = Question("q", "Brazil " * 15_000)
    assert {topic.entity.label for topic in link(long, world)} == {"Brazil"}
    assert link_topics(long, world).note == "only the first 400 words of the question are read"
    assert link(Question("q", "x" * 100_000), world) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who painted the Mona Lisa?", ["Mona Lisa"]),
        ("Which tower in Zanzibar stands near Lisa?", ["Zanzibar"]),
        ("which tower in zanzibar stands near lisa?", []),  # who writes no capitals names nothing surely
        ("Which tower stands in the Balcón de la Lisa?", []),
        ("Is the BBC near Lisa?", []),
    ],
)
def test_names_that_the_graph_does_not_hold_are_told(text: str, names: list[str]) -> None:
    graph = Graph.from_triples([("Balcón de la Lisa", "type", "tower"), ("Lisa", "type", "city")])
    asked = Question("q", text)
    if text.startswith("Who"):
        graph = Graph.from_triples([("Balcón de la Lisa", "type", "tower")])
        assert link(asked, graph) == []  # a part of another name is not what stands there
    assert unknown_names(asked, graph) == names
    assert unknown_names(Question("q", text, ("Lisa",)), graph) == []


def test_an_exact_name_behind_and_is_a_condition_of_its_own() -> None:
    """A common noun in small letters is less sure than a country; "and" makes it as much of a condition."""
    rows = [("Selma", "plays instrument", "violin"), ("Selma", "born in", "Norway"), ("Ida", "born in", "Norway")]
    graph = Graph.from_triples([*rows, ("Ida", "plays instrument", "flute")])
    both = link(Question("q", "who plays the violin and was born in Norway"), graph)
    assert [topic.entity.id for topic in both] == ["Norway", "violin"]
    beside = link(Question("q", "who with a violin was born in Norway"), graph)
    assert [topic.entity.id for topic in beside] == ["Norway"]


def test_initials_are_of_things_and_not_of_codes(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(
        "@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':m rdfs:label "Mali" ; :code "ML" . :u rdfs:label "EU" ; :seat :m .\n',
        encoding="utf-8",
    )
    build(tmp_path / "g.ttl", tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    assert not link(Question("q", "Who painted the Mona Lisa?"), graph)
    assert [t.entity.label for t in link(Question("q", "where is the European Union seated"), graph)] == ["EU"]


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("which cases have the status open", True),
        ("cases whose status is 'open'", True),
        ("open cases", True),
        ("which cases are still open?", True),
        ("who will open the case of Ann", False),
        ("is it open to everybody who reads cases", False),
    ],
)
def test_a_value_in_everybodys_words_is_meant_beside_what_has_it(text: str, linked: bool) -> None:
    cases = [(f"c{i}", "type", "Case") for i in range(3)] + [("c0", "status", "open"), ("c1", "status", "shut")]
    cases += [(name, "type", "Person") for name in ("Ann", "Bo")]
    graph = Graph.from_triples(cases, name="cases")
    found = [topic.entity.label for topic in link(Question("q", text), graph)]
    assert ("open" in found) == linked
