"""Questions over a graph as exports have it: codes and initials for flags, contracts with a start and an end, parts of
companies, events without names."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.retrieval.asking import asked_kind, nobody
from clew.retrieval.flagging import conditions_said
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.operators import Operators
from clew.retrieval.refusing import mismeasured
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question
from fake_methods import Nothing

FARMS = {  # owner, masts, hectares, offshore, visitor centre bookable
    "Gull Bank": ("Nordo", "40", "900", "true", "false"),
    "Tern Moor": ("Sudo", "12", "300", "false", "true"),
    "Auk Fell": ("Westo", "7", "120", "false", "false"),
}
CONTRACTS = {  # of, with, from, to, yearly fee
    "C-1": ("Gull Bank", "Fixers", "2010-01-01", "2014-12-31", "700"),
    "C-2": ("Gull Bank", "Menders", "2015-01-01", "2019-12-31", "800"),
    "C-3": ("Tern Moor", "Fixers", "2012-01-01", "2020-12-31", "300"),
}
KEEPERS = {"Ada": ("F", "Gull Bank", "true"), "Bo": ("M", "Gull Bank", "true"), "Cleo": ("F", "Tern Moor", "false")}
GRAPH = Graph.from_triples(
    [
        *[(farm, "type", "wind farm") for farm in FARMS],
        *[(c, "type", "company") for c in ("Nordo", "Sudo", "Westo", "Fixers", "Menders")],
        *[(c, "type", "contract") for c in CONTRACTS],
        *[(k, "type", "keeper") for k in KEEPERS],
        ("Vera", "type", "vet"), ("Vera", "treats birds at", "Gull Bank"),
        *[(farm, relation, row[i]) for farm, row in FARMS.items()
          for i, relation in enumerate(("ownedBy", "nMasts", "area_ha", "offshore", "bookable"))],
        *[(c, relation, row[i]) for c, row in CONTRACTS.items()
          for i, relation in enumerate(("covers", "contractor", "validFrom", "validTo", "annualFee_EUR"))],
        *[(k, relation, row[i]) for k, row in KEEPERS.items() for i, relation in enumerate(("sex", "works at", "ns"))],
        ("Nordo", "subsidiary of", "Globo"), ("Sudo", "subsidiary of", "Globo"), ("Globo", "type", "company"),
    ],
    name="farms",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which wind farms are owned by subsidiaries of Globo?", ["Gull Bank", "Tern Moor"]),
        ("How many masts does Gull Bank have?", ["40"]),  # nMasts states it
        ("Which wind farms are onshore?", ["Auk Fell", "Tern Moor"]),
        ("Which wind farms can be booked?", ["Tern Moor"]),
        ("Which keepers are female?", ["Ada", "Cleo"]),  # F
        ("Which male keepers work at Gull Bank?", ["Bo"]),
        ("Which night shift keepers work at Gull Bank?", ["Ada", "Bo"]),  # ns
        ("Which contracts of Gull Bank were there in 2012?", ["C-1"]),  # it falls between a start and an end
        ("Which contracts of Gull Bank were there in 2017?", ["C-2"]),
        ("Which wind farms do not have any contract?", ["Auk Fell"]),
        ("Which wind farm covers the most ground?", ["Gull Bank"]),
    ],
)
def test_questions(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), GRAPH)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


def test_initials_are_of_words_that_say_something() -> None:
    words = ("which", "farms", "are", "of", "a", "company")
    assert not [met for met in conditions_said(words, [False] * len(words), GRAPH) if met.end - met.start == 2]
    words = ("keepers", "on", "night", "shift")
    (met,) = conditions_said(words, [False] * len(words), GRAPH)
    assert (met.start, met.end) == (2, 4)


def test_people_are_all_kinds_of_people() -> None:
    found = asked_kind("which different people treat birds", GRAPH)
    assert found is not None and set(GRAPH.labels_at(found)) == {*KEEPERS, "Vera"}
    assert set(GRAPH.labels_at(nobody(GRAPH))) == set(CONTRACTS)


def test_what_a_relation_leads_from_has_a_noun() -> None:
    assert Lexicon.of(GRAPH).nouns_of == {"subsidiary": ["subsidiary of"]}


@pytest.mark.parametrize(
    ("text", "relation", "note"),
    [
        ("what is the phone number of Gull Bank?", "area_ha", "the graph states no phone number"),
        ("how much is a ticket at Gull Bank", "nMasts", "the graph states no price of it"),
        ("price of Gull Bank", "area_ha", "the graph states no price of it"),
        ("what is the top speed of Gull Bank", "area_ha", "the graph states no speed of it"),
        ("how much is the rent at Gull Bank", "area_ha", "the graph states no rent of it"),
        ("how many masts does Gull Bank have", "nMasts", ""),
        ("what does the area of Gull Bank come to", "area_ha", ""),
    ],
)
def test_a_figure_of_something_else_is_told(text: str, relation: str, note: str) -> None:
    (triple,) = GRAPH.neighbors([GRAPH.resolve("Gull Bank")[0].id], relations={relation}, direction="out")
    path = Path(triple.head, (Hop(triple, True),), 0.9)
    answer = Answer(
        Question("q", text), "found", (Candidate(triple.tail.label, 0.9, triple.tail, (0,)),), Evidence((path,))
    )
    assert mismeasured(answer.question, answer, GRAPH) == note


PLACES = Graph.from_triples(
    [
        *[(farm, "type", "wind farm") for farm in ("Ekholm", "Lund", "Vik")],
        *[(i, "type", "incident") for i in ("I-1", "I-2", "I-3")],
        *[(r, "type", "region") for r in ("Skåne", "Østfold")],
        *[(farm, "in region", r) for farm, r in (("Ekholm", "Skåne"), ("Lund", "Skåne"), ("Vik", "Østfold"))],
        ("Skåne", "part of", "Sweden"), ("Østfold", "part of", "Norway"), ("Jutland", "part of", "Denmark"),
        *[(farm, "owned by", c) for farm, c in (("Ekholm", "Nordo"), ("Lund", "Sudo"), ("Vik", "Sudo"))],
        ("Nordo", "hq country", "Norway"), ("Sudo", "hq country", "Sweden"), ("Westo", "hq country", "Denmark"),
        *[(i, "at farm", f) for i, f in (("I-1", "Lund"), ("I-2", "Lund"), ("I-3", "Vik"))],
        *[(i, "incident type", t) for i, t in (("I-1", "oil leak"), ("I-2", "fire"), ("I-3", "storm"))],
    ],
    name="places",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which wind farms are in Sweden?", ["Ekholm", "Lund"]),  # and not those whose owner is
        ("What kinds of incidents have there been at Lund?", ["fire", "oil leak"]),
    ],
)
def test_places_and_kinds_of(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), PLACES)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


def test_a_relation_says_what_it_leads_to() -> None:
    found = asked_kind("which country is Lund in", PLACES, named=True)
    assert found is not None and set(PLACES.labels_at(found)) == {"Denmark", "Norway", "Sweden"}
    assert asked_kind("which country is Lund in", PLACES) is None
    assert asked_kind("which places in Skåne are there", PLACES, named=True) is None  # "in" names no kind


def test_what_is_in_a_region_is_in_its_country() -> None:
    rows = [(t.head.id, t.relation.id, t.tail.id) for t in PLACES.triples()]
    rows += [(country, "type", "region") for country in ("Sweden", "Norway", "Denmark")]
    rows += [("Aal", "type", "wind farm"), ("Aal", "in region", "Denmark")]  # of others it is said directly
    graph = Graph.from_triples(rows, name="nested places")
    for country, count in (("Sweden", "2"), ("Norway", "1"), ("Denmark", "1")):
        answer = Operators(Nothing()).answer(Question("q", f"How many wind farms are in {country}?"), graph)
        assert answer.texts == (count,), (answer.note, answer.plan)
