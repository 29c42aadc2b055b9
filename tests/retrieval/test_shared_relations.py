"""Small graphs in which one relation leads to things of several kinds, as exports of tables make them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.graph import Graph, build
from clew.query import execute, parse, show
from clew.reading.growth import GrowthLimits
from clew.reading.reader import Reader
from clew.reading.wording import Wording
from clew.retrieval.operators import Operators
from clew.types import Question
from fake_methods import Nothing

ROOMS = {"Big Hall": ("Iron", 300), "Blue Hall": ("Iron", 80), "Loft": ("Mill", 120)}
MEMBERS = {"Ann": "Iron", "Bea": "Mill", "Cid": "Mill", "Dan": "Mill"}
GRAPH = Graph.from_triples(
    [
        *[(x, "type", "club") for x in ("Iron", "Mill")],
        *[(x, "type", "room") for x in ROOMS],
        *[(x, "type", "member") for x in MEMBERS],
        *[(x, "type", "artwork") for x in ("Dawn", "Dusk", "Noon")],
        *[(x, "type", "hydrological station") for x in ("Gauge Ulm", "Gauge Linz", "Gauge Wien", "Gauge Graz")],
        *[(x, "type", "vessel") for x in ("Aurora", "Boreal", "Comet")],
        *[(x, "type", "river") for x in ("Sava", "Una", "Drina", "Danube")],
        *[(room, "club", club) for room, (club, _) in ROOMS.items()],
        *[(room, "floor area", str(area)) for room, (_, area) in ROOMS.items()],
        *[(member, "club", club) for member, club in MEMBERS.items()],
        ("Dawn", "maker", "Ann"), ("Dusk", "maker", "Ann"), ("Noon", "maker", "Bea"),
        ("Gauge Ulm", "alarm level", "410"), ("Gauge Linz", "alarm level", "520"), ("Gauge Wien", "alarm level", "610"),
        ("Aurora", "sister ship", "Boreal"), ("Boreal", "sister ship", "Aurora"), ("Comet", "sister ship", "Aurora"),
        ("Boreal", "sister ship", "Comet"),
        ("Aurora", "length", "120"), ("Boreal", "length", "180"), ("Comet", "length", "90"),
        ("Aurora", "commanded by", "Cid"), ("Boreal", "commanded by", "Dan"), ("Comet", "commanded by", "Bea"),
        ("Una", "flows into", "Sava"), ("Drina", "flows into", "Sava"), ("Sava", "flows into", "Danube"),
        ("Una", "protected", "yes"), ("Drina", "protected", "no"), ("Ann", "paid", "yes"), ("Bea", "paid", "no"),
    ],
    name="shared",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("club with the fewest rooms", ["Mill"]),  # members belong to a club by the same relation
        ("Which club has more than 1 room?", ["Iron"]),
        ("Which club has the most members?", ["Mill"]),
        ("Which club has the largest room by floor area?", ["Iron"]),
        ("Which member has the most works?", ["Ann"]),  # works are artworks
        ("Which ships are longer than Comet?", ["Aurora", "Boreal"]),  # a vessel has a sister ship
        ("Who is the longest ship commanded by?", ["Dan"]),
        ("Which members command the longest ship?", ["Dan"]),  # the superlative is of ships
        ("Which gauges have an alarm level above 500?", ["Gauge Linz", "Gauge Wien"]),  # what all is called Gauge …
        ("gauges without an alarm level", ["Gauge Graz"]),
        ("Do Bea and Cid belong to the same club?", ["yes"]),
        ("Do Ann and Cid belong to the same club?", ["no"]),
        ("Does the river of Sava have a length above 10?", []),
    ],
)
def test_what_is_meant_is_of_one_kind(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), GRAPH)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


def test_a_count_of_one_kind_is_written_and_read_back() -> None:
    plan = parse("top(class(club), count(^club, class(room)), largest)")
    assert show(plan) == "top(class(club), count(^club, class(room)), largest)"
    assert execute(plan, GRAPH).members.tolist() == [GRAPH.number_of("Iron")]
    none = parse("wherecount(class(club), ^club, =, 0, class(vessel))")
    assert len(execute(none, GRAPH).members) == 2
    assert parse(show(none)) == none


def test_a_name_behind_a_preposition_is_led_to_and_nothing_is_joined_through_a_yes() -> None:
    graph = GRAPH.whole
    sava = graph.local("Sava")
    assert sava is not None
    read = Reader().read("which rivers drain into the Sava", graph, Wording(graph), [sava], ["Sava"], GrowthLimits())
    best = read.rated[0].plan
    assert sorted(graph.labels(best.ends)) == ["Drina", "Una"]
    una = graph.local("Una")
    assert una is not None
    grown = Reader().read("members of Una", graph, Wording(graph), [una], ["Una"], GrowthLimits())
    people = {graph.local(x) for x in MEMBERS}
    through = [each for each in grown.rated if people & set(each.plan.ends.tolist())]
    names = {graph.relation(r).label for each in through for step in each.plan.steps for r, _ in step}
    assert "paid" not in names


def test_a_list_of_several_kinds_says_what_they_all_are(tmp_path: Path) -> None:
    devices = [{"id": 1, "name": "LT-1", "type": "laptop"}, {"id": 2, "name": "PH-1", "type": "phone"}]
    (tmp_path / "export.json").write_text(json.dumps({"devices": devices, "teams": [{"id": 1, "name": "Red"}]}))
    build([tmp_path / "export.json"], tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    members = execute(parse("class(device)"), graph).members
    assert sorted(graph.labels_at(members)) == ["LT-1", "PH-1"]
    assert graph.labels_at(execute(parse("class(laptop)"), graph).members) == ["LT-1"]
