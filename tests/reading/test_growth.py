"""Growth on small graphs: what is proposed, what never is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.graph import Graph
from clew.graph.kinds import kinds_of_any
from clew.reading.growth import Growth, GrowthLimits, PlanCandidate, as_said_of_both
from clew.reading.trails import Hops, PathHypothesis

TRIPLES = [
    ("Ann", "child", "Bo"),
    ("Ann", "child", "Cy"),
    ("Bo", "born in", "Oslo"),
    ("Cy", "born in", "Rome"),
    ("Oslo", "country", "Norway"),
    ("Rome", "country", "Italy"),
    ("Ann", "owner", "Ann"),
    ("Film", "actor", "Bo"),
    ("Film", "director", "Dee"),
    ("Film", "year", "1999"),
    ("Other", "year", "1999"),
    ("Other", "actor", "Cy"),
    ("Other", "actor", "Bo"),
]
GRAPH = Graph.from_triples(TRIPLES, name="family")


def grow(*topics: str, mentions: Sequence[int] | None = None, **limits: int) -> list[PlanCandidate]:
    ground = GRAPH.whole
    starts = [ground.local(topic) for topic in topics]
    assert None not in starts
    types = frozenset(kinds_of_any(ground.names).stated)

    def flat(steps: Sequence[Hops]) -> np.ndarray:
        return np.full(len(steps), -1.0, np.float32)

    named = list(range(len(topics))) if mentions is None else list(mentions)
    return Growth(ground, [s for s in starts if s is not None], named, flat, GrowthLimits(**limits), types).run()


def said(plan: PlanCandidate) -> tuple[object, ...]:
    ground = GRAPH.whole

    def words(steps: Sequence[Hops]) -> tuple[str, ...]:
        return tuple(("" if f else "-") + ground.relation(r).id for step in steps for r, f in step)

    return (*(words(trail.steps) for trail in plan.trails), *((("then", *words(plan.after)),) if plan.after else ()))


def ends(plans: Sequence[PlanCandidate], *shape: object) -> set[str]:
    found = [plan for plan in plans if said(plan) == shape]
    assert len(found) == 1
    return set(GRAPH.whole.labels(found[0].ends))


def test_trails_up_to_three_steps_in_both_directions() -> None:
    plans = grow("Ann", plans=200)
    assert ends(plans, ("child", "born in", "country")) == {"Norway", "Italy"}
    assert ends(plans, ("child", "-actor")) == {"Film", "Other"}
    assert ends(grow("Norway"), ("-country", "-born in", "-child")) == {"Ann"}
    assert max(len(plan.steps) for plan in grow("Ann", hops=1)) == 1


def test_a_triple_to_itself_is_walked_and_a_way_back_to_the_topic_alone_is_not_proposed() -> None:
    plans = grow("Ann", plans=200)
    assert ends(plans, ("owner",)) == {"Ann"}
    start = GRAPH.whole.local("Ann")
    for plan in plans:
        if len(plan.steps) > 1:
            assert start not in plan.ends


def test_there_and_back_reaches_the_others_only() -> None:
    assert ends(grow("Bo", plans=200), ("-child", "child")) == {"Cy"}


def test_topics_that_meet_and_the_step_from_there() -> None:
    plans = grow("Bo", "Dee", plans=400)
    assert ends(plans, ("-actor",), ("-director",)) == {"Film"}
    assert ends(plans, ("-actor",), ("-director",), ("then", "year")) == {"1999"}


def test_what_is_said_of_two_together_is_read_from_what_joins_them() -> None:
    votes = [("Ann", "Solar", "for"), ("Ann", "Weir", "against"), ("Bo", "Weir", "for"), ("Cy", "Solar", "against")]
    rows = [(f"_:v{i}", *row) for i, row in enumerate(votes)]
    triples = [
        triple
        for node, who, motion, how in rows
        for triple in ((who, "voted", node), (node, "voted", motion), (node, "how", how))
    ]
    graph = Graph.from_triples(triples)
    ground = graph.whole
    topics = [ground.local("Ann"), ground.local("Weir")]
    starts = [each for each in topics if each is not None]

    def flat(steps: Sequence[Hops]) -> np.ndarray:
        return np.full(len(steps), -1.0, np.float32)

    def told(plans: Sequence[PlanCandidate]) -> list[set[str]]:
        two = [plan for plan in plans if [len(trail.steps) for trail in plan.trails] == [1, 1]]
        return [set(ground.labels(plan.ends)) for plan in two]

    found = told(Growth(ground, starts, [0, 1], flat, GrowthLimits(plans=400)).run())
    assert {"against"} in found  # how Ann voted on the weir
    assert {"for", "against"} in found  # what is said in any vote of Ann and in any on the weir
    voted, how = (graph.relation_number(id) for id in ("voted", "how"))
    assert voted is not None and how is not None
    steps: tuple[tuple[Hops, ...], ...] = ((((voted, True), (how, True)),), (((voted, False), (how, True)),))
    both = [graph.number_of(said) for said in ("for", "against")]
    values = np.array(sorted(each for each in both if each is not None), np.int32)
    trails = tuple(PathHypothesis(i, each, values) for i, each in enumerate(steps))
    plan = as_said_of_both(PlanCandidate(trails, values), ground, starts)
    assert plan is not None and plan.after == (((how, True),),) and told([plan]) == [{"against"}]
    assert as_said_of_both(PlanCandidate(trails[:1], values), ground, starts) is None


def test_namesakes_of_one_mention_never_meet() -> None:
    assert all(len(plan.trails) == 1 for plan in grow("Bo", "Dee", mentions=[0, 0], plans=400))


def test_plans_are_told_apart_and_bounded() -> None:
    plans = grow("Ann", "Bo", plans=30)
    assert len(plans) <= 30
    assert len({plan.key for plan in plans}) == len(plans)


def test_one_step_more_where_the_question_names_it() -> None:
    """From the other film: its actor, his mother's child, where that one was born, and the country of that."""
    ground = GRAPH.whole
    start = ground.local("Other")
    assert start is not None

    def flat(steps: Sequence[Hops]) -> np.ndarray:
        return np.full(len(steps), -1.0, np.float32)

    def country(trail: PathHypothesis) -> bool:
        return ground.relation(trail.steps[-1][0][0]).id == "country"

    limits = GrowthLimits(hops=3, beam=100, plans=10_000)
    plain = Growth(ground, [start], [0], flat, limits).run()
    further = Growth(ground, [start], [0], flat, limits, said=country).run()
    longest = {said(plan) for plan in further} - {said(plan) for plan in plain}
    assert all(len(steps) == 4 and steps[-1].removeprefix("-") == "country" for (steps,) in longest)
    assert longest
