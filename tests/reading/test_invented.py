"""Invented worlds: what their files may say, and that a drawn question's answer is what its path reaches."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from clew.errors import FormatError
from clew.reading.corpus import PARTS, SOURCES, invented_worlds
from clew.reading.invented import DrawnWorld, read_world, worlds

SMALL = """# Beekeeping
[things]
yard (site): Hilltop Yard | Clover Bank | Old Mill
keeper (person): Ann Moss | Piet Vos | Grace Adeyemi
prize: statement
show: Harvest Fair | Honey Days | Royal Bath Show
year: number 1950 to 2020
[facts]
keptBy: yard -> keeper 1
opened: yard -> year 1
winner: prize -> keeper 1
atShow: prize -> show 1
[questions]
= {yard} keptBy
who looks after {yard}
= {keeper} ~winner atShow
at which shows has {keeper} taken a prize
= {yard} keptBy & {show} ~atShow winner
who keeps {yard} and won at the {show}
[nothing]
how old is {keeper}
"""


def world_of(folder: Path, text: str = SMALL):  # type: ignore[no-untyped-def]
    path = folder / "bees.txt"
    path.write_text(text, encoding="utf-8")
    return read_world(path)


def test_a_world_is_read_with_kinds_paths_and_wordings(tmp_path: Path) -> None:
    world = world_of(tmp_path)
    assert world.title == "Beekeeping" and world.file == "bees"
    assert world.kinds["yard"].stated == "site" and world.kinds["year"].most == 2020
    assert [len(intent.trails) for intent in world.intents] == [1, 1, 2]
    assert world.intents[1].trails == (("keeper", (("winner", False), ("atShow", True))),)
    assert world.nothing == ["how old is {keeper}"]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (SMALL.replace("~winner", "winner"), "starts at 'prize'"),
        (SMALL.replace("{yard} keptBy\nwho", "{yard} ownedBy\nwho"), "no relation 'ownedBy'"),
        (SMALL.replace("looks after {yard}", "looks after it"), "exactly the slots"),
        (SMALL.replace("keptBy: yard -> keeper 1", "keptBy: yard -> gardener 1"), "no kind 'gardener'"),
        (SMALL.replace(" | Clover Bank | Old Mill", ""), "three names"),
        (SMALL.replace("& {show} ~atShow winner", "& {show} ~atShow"), "end at different kinds"),
        ("yard: a | b | c\n", "first"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, wrong: str, reason: str) -> None:
    with pytest.raises(FormatError, match=r"bees\.txt, line \d+") as caught:
        world_of(tmp_path, wrong)
    assert reason in str(caught.value)


def test_answers_are_what_the_paths_reach_from_the_things_named(tmp_path: Path) -> None:
    drawn = DrawnWorld(world_of(tmp_path), random.Random(3))
    asked = list(drawn.questions(5))
    assert {len(each.trails) for each in asked} == {0, 1, 2}
    for each in asked:
        assert all(name.casefold() in each.text.casefold() for name in each.names)
        reached = [set(drawn.reach([each.topics[topic]], steps)) for topic, steps in each.trails]
        assert set(each.answers) == (set.intersection(*reached) - set(each.topics) if reached else set())


def test_the_graph_holds_the_drawn_facts_types_and_statements(tmp_path: Path) -> None:
    drawn = DrawnWorld(world_of(tmp_path), random.Random(3))
    graph = drawn.graph()
    assert graph.num_triples == len(drawn.triples) + 9  # and a type for each of nine things
    number = graph.whole.local("prize#0")
    assert number is not None and graph.whole.mediators[number]


def test_statements_may_be_things_with_a_name(tmp_path: Path) -> None:
    drawn = DrawnWorld(world_of(tmp_path), random.Random(3), events=True)
    graph = drawn.graph()
    number = graph.whole.local("prize#0")
    assert number is not None and not graph.whole.mediators[number]
    assert graph.whole.labels(np.array([number])) == ["Prize 00"]
    plain = DrawnWorld(world_of(tmp_path), random.Random(3))
    assert drawn.triples == plain.triples and graph.num_triples > plain.graph().num_triples  # their types


def test_every_shipped_world_is_read_and_the_first_part_is_in_no_training() -> None:
    every = list(worlds())
    parts = [invented_worlds(part) for part in range(PARTS)]
    assert sum(map(len, parts)) == len(every) > 100
    assert len({world.file for world in every}) == len(every)
    assert SOURCES["invented-0"].weight == 0
    assert all(len(world.intents) >= 30 and world.nothing for world in every)
