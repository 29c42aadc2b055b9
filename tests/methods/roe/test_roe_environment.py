"""The state machine: what it shows, where it may go, and that nothing a model writes makes it leave the graph."""

from __future__ import annotations

import itertools
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roe_films import Remote, explore, json_notation, numbers, short_notation

from clew.graph import Graph
from clew.llm.constraint import states_of
from clew.methods.roe import options
from clew.methods.roe.config import Config
from clew.methods.roe.edges import ArrayEdges, StoreEdges
from clew.methods.roe.environment import Exploration
from clew.methods.roe.gold import plan_of
from clew.methods.roe.notation import Topical
from clew.methods.roe.options import Action, Pick, options_of, path_of, root
from effort import some_of
from films import film_triples

FAMILY = [("a", "child", "b"), ("a", "child", "c"), ("b", "child", "d"), ("c", "child", "d"), ("d", "likes", "a")]


@pytest.fixture(scope="module")
def family() -> Graph:
    return Graph.from_triples(FAMILY, name="family")


def shown(walk: Exploration) -> list[tuple[str, bool, list[str]]]:
    """Relation, whether it is inverse, and entities of each option of the present state."""
    return [
        (walk.edges.relation(option.code // 2).label, option.code % 2 == 1, sorted(walk.edges.labels(option.members)))
        for option in walk.prompt().options
    ]


def everything(walk: Exploration) -> Action:
    return Action(explore=tuple(Pick(i) for i in range(len(walk.prompt().options))))


def test_inverse_edges_and_groups(family: Graph) -> None:
    walk = explore(family, ["a"])
    assert shown(walk) == [("child", False, ["b", "c"]), ("likes", True, ["d"])]
    walk.advance(Action(explore=(Pick(0),)))
    # d is reached over b and over c, and counts once; a would close a circle
    assert shown(walk) == [("child", False, ["d"])]
    walk.advance(Action(answers=(Pick(0),)))
    assert walk.done and walk.tally.calls == 2
    (found,) = walk.found
    assert [str(path_of(walk.edges, found.option, edge, 1.0)) for edge in found.edges] == [
        "a -child→ b -child→ d",
        "a -child→ c -child→ d",
    ]


def test_walks_may_return_but_not_turn_round_at_once(family: Graph) -> None:
    walk = explore(family, ["b"], repeats="triples")
    walk.advance(Action(explore=(Pick(1),)))  # to the parent
    assert shown(walk) == [("child", False, ["c"]), ("likes", True, ["d"])]
    simple = explore(family, ["d"])
    simple.advance(Action(explore=(Pick(0),)))  # to both parents
    assert shown(simple) == [("child", True, ["a"])]
    free = explore(family, ["d"], repeats="triples")
    free.advance(Action(explore=(Pick(0),)))
    free.advance(Action(explore=(Pick(0),)))
    assert ("likes", True, ["d"]) in shown(free)


def test_each_sibling_on_its_own(family: Graph) -> None:
    walk = explore(family, ["a"], siblings="each")
    walk.advance(Action(explore=(Pick(0, 1),)))
    assert walk.edges.labels(walk.prompt().path_groups[0].entities) == ["c"]
    both = explore(family, ["a"], siblings="each")
    both.advance(Action(explore=(Pick(0),)))
    ends = []
    while not both.done:
        ends += both.edges.labels(both.prompt().path_groups[0].entities)
        both.advance(Action())
    assert ends == ["b", "c"]


def test_depth_first_by_path_and_all_together_by_level(family: Graph) -> None:
    walk = explore(family, ["a"])
    walk.advance(everything(walk))
    assert [len(walk.prompt().path_groups), len(walk.prompt().options)] == [1, 1]
    level = explore(family, ["a"], state="level")
    level.advance(everything(level))
    state = level.prompt()
    assert len(state.path_groups) == 2 and {option.path_group for option in state.options} == set(state.path_groups)
    while not level.done:
        level.advance(everything(level))
    assert level.tally.calls <= 5


def test_cycles_end(family: Graph) -> None:
    for settings in ({}, {"repeats": "triples"}, {"siblings": "each"}, {"state": "level", "repeats": "triples"}):
        walk = explore(family, ["a"], max_calls=1000, max_frontier=1000, **settings)
        depths = []
        while not walk.done:
            depths.append(walk.prompt().depth)
            walk.advance(everything(walk))
        assert not walk.stopped and max(depths) <= 4


def test_a_path_is_not_walked_twice(family: Graph) -> None:
    walk = explore(family, ["a"], siblings="each")
    walk.advance(Action(explore=(Pick(0, 0), Pick(0, 0), Pick(0))))
    seen = 0
    while not walk.done:
        seen += 1
        walk.advance(Action())
    assert seen == 2


def test_a_topic_without_edges() -> None:
    graph = Graph.from_triples([("a", "r", "b")], name="one")
    walk = explore(graph, [])
    assert walk.done and not walk.found
    lonely = explore(graph, ["a"])
    lonely.advance(everything(lonely))
    assert lonely.done and lonely.tally.calls == 1


def test_budgets_return_what_was_found(family: Graph) -> None:
    def run(**settings: object) -> Exploration:
        walk = explore(family, ["a"], repeats="triples", **settings)
        while not walk.done:
            action = everything(walk)
            walk.advance(Action(action.explore, action.explore), tokens=100)
        return walk

    calls = run(max_calls=2)
    assert calls.tally.calls == 2 and calls.found and "max_calls" in calls.stopped
    tokens = run(max_question_tokens=150)
    assert tokens.tally.tokens == 200 and tokens.found and "max_question_tokens" in tokens.stopped
    frontier = run(max_frontier=1)
    assert not frontier.stopped and any("max_frontier" in note for note in frontier.tally.notes)
    ticks = itertools.count()
    edges = ArrayEdges(family.whole)
    slow = Exploration(
        [0], edges, plan_of(Config(max_seconds=2.5)), json_notation(edges).weigh, clock=lambda: float(next(ticks))
    )
    while not slow.done:
        slow.advance(everything(slow))
    assert "max_seconds" in slow.stopped and slow.tally.calls < 5


def test_hubs_are_shown_in_part_and_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Graph.from_triples([("hub", "of", f"n{i}") for i in range(100_000)], name="hub")
    cut = explore(hub, ["hub"])
    cut.advance(Action(answers=(Pick(0),)))
    assert len(cut.found[0].edges) == 20_000 and any("20000 edges" in note for note in cut.tally.notes)
    monkeypatch.setattr(options, "MAX_ENTITIES", 200_000)
    walk = explore(hub, ["hub"])
    state = walk.prompt()
    text = json_notation(walk.edges).messages(Topical("which?", {}), state)[-1].content
    assert "1.9 n8; 1.10 n9; and 99990 more" in text and len(text) < 200
    walk.advance(Action(answers=(Pick(0),)))
    assert walk.done and len(walk.found[0].edges) == 100_000
    each = explore(hub, ["hub"], siblings="each", max_calls=3)
    assert [len(option.members) for option in each.prompt().options] == [50]
    while not each.done:
        each.advance(Action(answers=(Pick(0),)))
    assert len(each.found) == 3 and "max_calls" in each.stopped


def test_batches_keep_siblings_together_and_within_their_limits() -> None:
    rows = [("t", f"relation {r}", f"end {r} {i}") for r in range(40) for i in range(r % 7 + 1)]
    graph = Graph.from_triples(rows, name="wide")
    walk = explore(graph, ["t"], batch_triples=12, batch_tokens=400)
    notation = json_notation(walk.edges)
    codes = []
    while not walk.done:
        options = walk.prompt().options
        assert sum(min(option.shown, len(option.members)) for option in options) <= 12
        assert len(options) == 1 or sum(notation.weigh(option) for option in options) <= 400
        codes += [option.code for option in options]
        walk.advance(Action())
    assert codes == sorted(set(codes)) and len(codes) == 40


def test_a_path_that_has_answered_is_shown_no_further() -> None:
    rows = [("t", f"relation {r}", f"end {r}") for r in range(12)]
    graph = Graph.from_triples(rows, name="hub")
    walk, paper = (explore(graph, ["t"], batch_triples=4, every_batch=every) for every in (False, True))
    for each in (walk, paper):
        each.advance(Action())
        each.advance(Action(answers=(Pick(0),)))
    assert walk.done and walk.tally.calls == 2
    assert not paper.done


@pytest.fixture
def ranked_hub() -> Exploration:
    """Twelve relations out of "t", the last one first, and a step behind each."""
    rows = [("t", f"relation {r:02}", f"end {r}") for r in range(12)]
    rows += [(f"end {r}", "next", f"answer {r}") for r in range(12)]
    edges = ArrayEdges(Graph.from_triples(rows, name="hub").whole)
    topic = edges.number("t")
    assert topic is not None
    plan = plan_of(Config(batch_triples=4, max_batches=2))
    return Exploration([topic], edges, plan, json_notation(edges).weigh, rank=lambda options: list(options)[::-1])


def test_a_hub_shows_its_likeliest_relations_and_tells_of_the_rest(ranked_hub: Exploration) -> None:
    assert [label for label, _, _ in shown(ranked_hub)] == [f"relation {r:02}" for r in (11, 10, 9, 8)]
    ranked_hub.advance(Action())
    assert [label for label, _, _ in shown(ranked_hub)] == [f"relation {r:02}" for r in (7, 6, 5, 4)]
    ranked_hub.advance(Action())
    assert ranked_hub.done and ranked_hub.tally.calls == 2
    assert ranked_hub.tally.notes == ["4 relations least like the question were not shown (max_batches)"]


def test_an_answer_behind_a_hub_ends_what_its_relations_would_be_asked(ranked_hub: Exploration) -> None:
    ranked_hub.advance(Action(explore=(Pick(0), Pick(1))))
    ranked_hub.advance(Action(answers=(Pick(0),)))  # behind the first; what else was to be explored is still asked
    assert [label for label, _, _ in shown(ranked_hub)] == ["next"] and not ranked_hub.done
    ranked_hub.advance(Action())
    assert ranked_hub.done


def test_what_fits_one_state_keeps_its_order(family: Graph) -> None:
    edges = ArrayEdges(family.whole)
    numbers = [edges.number("a") or 0]
    walk = Exploration(numbers, edges, plan_of(Config()), json_notation(edges).weigh, rank=lambda _: [])
    assert [label for label, _, _ in shown(walk)] == ["child", "likes"]


def test_answers_stand_in_the_order_of_the_reply() -> None:
    rows = [("t", "knows", f"friend {i}") for i in range(4)] + [("t", "wrote", "book")]
    walk = explore(Graph.from_triples(rows, name="order"), ["t"])
    knows, wrote = (next(i for i, told in enumerate(shown(walk)) if told[0] == name) for name in ("knows", "wrote"))
    walk.advance(Action(answers=(Pick(wrote), Pick(knows, 3), Pick(knows, 1), Pick(knows, 3))))
    named = [walk.edges.labels(found.option.targets[found.edges]) for found in walk.found]
    assert [label for labels in named for label in labels] == ["book", "friend 3", "friend 1"]


def test_a_store_is_asked_once_per_frontier_and_shows_the_same(family: Graph) -> None:
    local, remote = explore(family, ["a"]), explore(Remote(family), ["a"])  # type: ignore[arg-type]
    assert isinstance(remote.edges, StoreEdges)
    while not local.done:
        assert not remote.done and sorted(shown(local)) == sorted(shown(remote))
        local.advance(everything(local))
        remote.advance(everything(remote))
    assert remote.done


def test_a_store_that_stops_in_the_middle_leaves_a_partial_answer(family: Graph) -> None:
    walk = explore(Remote(family, fails_at=2), ["a"])  # type: ignore[arg-type]
    walk.advance(Action(answers=(Pick(0),), explore=(Pick(0),)))
    assert walk.done and walk.found
    assert "partial" in walk.stopped and "no answer within 5 s" in walk.stopped


triples = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("rs"), st.sampled_from("abcdef")), min_size=1, max_size=20
)


@given(triples, st.sampled_from(["nothing", "triples"]))
def test_options_are_the_edges(rows: list[tuple[str, str, str]], repeats: str) -> None:
    """Against an obvious walk over the triples, one and two hops from each entity."""
    graph = Graph.from_triples(rows, name="any")
    edges, facts = ArrayEdges(graph.whole), sorted(set(rows))
    plan = plan_of(Config(repeats=repeats))
    for topic in sorted({row[0] for row in rows}):
        around = {(r, 0, t) for h, r, t in facts if h == topic} | {(r, 1, h) for h, r, t in facts if t == topic}
        expected = {step for step in around if repeats == "triples" or step[2] != topic}
        options = options_of(root(int(numbers(graph, topic)[0])), edges, plan)
        found = {
            (edges.relation(option.code // 2).label, option.code % 2, label)
            for option in options
            for label in edges.labels(option.members)
        }
        assert found == expected


def random_reply(draw: random.Random, count: int, labels: list[str]) -> str:
    """Something a model might write: numbers in and out of range, invented triples, arrows, prose, broken JSON."""

    def item() -> object:
        return draw.choice(
            [
                str(draw.randint(-3, count + 5)),
                draw.randint(-3, count + 5),
                f"{draw.randint(0, count + 2)}.{draw.randint(0, 9)}",
                [draw.choice(labels), draw.choice(["directed_by", "written_by", "x (inverse)"]), draw.choice(labels)],
                f"{draw.choice(labels)} -> directed_by -> {draw.choice(labels)}",
                draw.choice(labels),
                ["*", "directed_by (inverse)", "*"],
                None,
                {"head": draw.choice(labels), "relation": "release_year", "tail": draw.choice(labels)},
                [[]],
                True,
            ]
        )

    value = {
        "answers": [item() for _ in range(draw.randint(0, 4))],
        "exploration_paths": [item() for _ in range(draw.randint(0, 4))],
    }
    text = json.dumps(value)
    return draw.choice(
        [text, text, text, f"Sure!\n```json\n{text}\n```", text[: draw.randint(0, len(text))], "#1", "{}"]
    )


@pytest.mark.thorough
def test_ten_thousand_actions_never_leave_the_graph() -> None:
    """Whatever is written, every step taken is an edge of the graph, stated as the graph states it."""
    rows = film_triples()
    graph, facts = Graph.from_triples(rows, name="films"), set(rows)
    edges = ArrayEdges(graph.whole)
    labels = sorted({row[0] for row in rows} | {row[2] for row in rows})
    draw = random.Random(0)
    actions = refused = 0
    while actions < some_of(10_000):
        settings = {
            "siblings": draw.choice(["group", "each"]),
            "repeats": draw.choice(["nothing", "triples"]),
            "state": draw.choice(["path", "level"]),
            "max_calls": 12,
        }
        walk = explore(graph, [draw.choice(labels)], **settings)
        notation = json_notation(edges, closed_answers=False)
        while not walk.done:
            state = walk.prompt()
            action = notation.read(random_reply(draw, len(state.options), labels), state)
            refused += len(action.invalid)
            walk.advance(action)
            actions += 1
            for found in walk.found[-3:]:
                for edge in found.edges.tolist():
                    path = path_of(edges, found.option, edge, 1.0)
                    ends = [path.start.id]
                    for hop in path.hops:
                        assert (hop.triple.head.id, hop.triple.relation.id, hop.triple.tail.id) in facts
                        assert hop.source.id == ends[-1]
                        ends.append(hop.target.id)
                    assert settings["repeats"] == "triples" or len(set(ends)) == len(ends)
    assert refused > some_of(10_000) // 10  # the replies were hostile enough


@pytest.mark.parametrize("short", [True, False])
def test_what_the_grammar_writes_is_read_without_loss(short: bool) -> None:
    graph = Graph.from_triples(film_triples(), name="films")
    edges = ArrayEdges(graph.whole)
    notation = short_notation(edges) if short else json_notation(edges)
    draw = random.Random(1)
    for topic in ("film 0", "person 1", "1991"):
        state = explore(graph, [topic]).prompt()
        grammar = notation.grammar(state)
        for _ in range(200):
            at, text = grammar.start(), ""
            while True:
                steps = list(grammar.steps(at))
                if not steps or (grammar.complete(at) and draw.random() < 0.3):
                    break
                piece, at = draw.choice(steps)
                text += piece
            action = notation.read(text, state)
            assert not action.problem and not action.invalid
            assert notation.write(action, state) == text
            assert states_of(grammar, text)


def test_two_ways_are_enough_for_the_check_of_repeats() -> None:
    rows = [("t", "r", f"m{i}") for i in range(5)] + [(f"m{i}", "s", "x") for i in range(5)]
    graph = Graph.from_triples([*rows, ("m0", "u", "x")], name="diamond")
    walk = explore(graph, ["t"], repeats="triples")
    walk.advance(Action(explore=(Pick(0),)))
    walk.advance(Action(explore=(Pick(0),)))
    assert len(walk.prompt().path_groups[0].entities) == 2
    back = [(name, ends) for name, inverse, ends in shown(walk) if inverse]
    assert back == [("s", ["m0", "m1", "m2", "m3", "m4"]), ("u", ["m0"])]
