"""Which date or number a condition means: told by the words that nothing else accounts for, and none by a guess."""

import pathlib
from dataclasses import replace

import pytest

from clew.graph import Graph, build
from clew.query.question import read_question
from clew.retrieval.conditions import beside_values
from clew.retrieval.operators import Operators
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question, Topic, Triple
from fake_methods import Nothing

LIBRARIANS = {"Ada Moor": ("1970-02-01", "2009-05-01"), "Ben Lund": ("1985-07-09", "2019-03-01"),
              "Cleo Ray": ("1990-01-30", "2021-09-15")}  # fmt: skip
PUMPS = {"Old Pump": ("1890-01-01", "2001-02-03", "4", 7, 30), "Lower Pump": ("1950-01-01", "2013-06-02", "8", 20, 20),
         "Mill Pump": ("1972-01-01", "2013-06-11", "16", 31, 25)}  # fmt: skip
TRIPLES = [
    *[(who, "type", "librarian") for who in LIBRARIANS],
    *[(who, "birth_date", born) for who, (born, _) in LIBRARIANS.items()],
    *[(who, "hired_on", hired) for who, (_, hired) in LIBRARIANS.items()],
    *[(pump, "type", "pump station") for pump in PUMPS],
    *[(pump, "operating since", row[0]) for pump, row in PUMPS.items()],
    *[(pump, "record date", row[1]) for pump, row in PUMPS.items()],
    *[(pump, "memory_gb", row[2]) for pump, row in PUMPS.items()],
    *[(pump, "number_of_workers", str(row[3])) for pump, row in PUMPS.items()],
    *[(pump, "length_m", str(row[4])) for pump, row in PUMPS.items()],
    *[(town, "type", "town") for town in ("Aru", "Bel", "Cor")],
    ("Aru", "first mentioned", "812"), ("Bel", "first mentioned", "1204"), ("Cor", "first mentioned", "950"),
]  # fmt: skip
GRAPH = Graph.from_triples(TRIPLES, name="works")
CHEMISTS = """\
_id,_labels,name,_start,_end,_type,amount:int,unit,first_made:date
1,:Balm,Arnica Balm,,,,,,
2,:Balm,Rose Balm,,,,,,
3,:Balm,Night Balm,,,,,,
4,:Stuff,beeswax,,,,,,
5,:Stuff,almond oil,,,,,,
6,:Chemist,Ola Bright,,,,,,
7,:Chemist,Una Frost,,,,,,
,,,1,4,CONTAINS,300,g,
,,,2,4,CONTAINS,1,kg,
,,,3,4,CONTAINS,40,g,
,,,1,5,CONTAINS,900,g,
,,,6,1,FIRST_BATCH_OF,,,2018-08-02
,,,7,2,FIRST_BATCH_OF,,,2020-03-04
"""


def _asked(text: str, graph: Graph = GRAPH) -> Answer:
    return Operators(Nothing()).answer(Question("q", text), graph)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Who became a librarian in 2021?", ["Cleo Ray"]),  # no birth, though its name says "date"
        ("How many people did we take on as librarians after 1 January 2019?", ["2"]),
        ("pump stations that went into operation after 1900", ["Lower Pump", "Mill Pump"]),
        ("pump stations whose record water level dates from June 2013", ["Lower Pump", "Mill Pump"]),
        ("towns mentioned for the first time before the year 1000", ["Aru", "Cor"]),  # of few digits, and yet years
        ("pump stations with only 8 gigs of memory", ["Lower Pump"]),
        ("Which librarians were born before 1980?", ["Ada Moor"]),
        ("pump stations with more than 15 workers", ["Lower Pump", "Mill Pump"]),
    ],
)
def test_words_beside_a_condition_name_its_key(text: str, answers: list[str]) -> None:
    assert sorted(_asked(text).texts) == answers


@pytest.mark.parametrize(
    "text",
    [
        "Which librarians retired before 2020?",
        "librarians promoted in 2019",
        "Which librarians got married in 2021?",
        "pump stations wider than 22 m",
        "pump stations heavier than 22",
    ],
)
def test_what_the_words_speak_of_is_told_by_no_other_date_or_figure(text: str) -> None:
    answer = _asked(text)
    assert not answer.candidates and answer.plan is None


@pytest.fixture(scope="module")
def balms(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder: pathlib.Path = tmp_path_factory.mktemp("balms")
    (folder / "balms.csv").write_text(CHEMISTS)
    build([folder / "balms.csv"], folder / "balms.kg")
    return Graph.open(folder / "balms.kg")


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which balms contain at least 250 g of beeswax?", ["Arnica Balm", "Rose Balm"]),  # a kilogram is as good
        ("Which balms contain over 2 kg of beeswax?", []),
        ("Who achieved a first batch in August 2018?", ["Ola Bright"]),  # a date of the link
    ],
)
def test_what_stands_on_a_link(text: str, answers: list[str], balms: Graph) -> None:
    assert sorted(_asked(text, balms).texts) == answers


def test_the_value_of_a_condition_is_nothing_that_a_question_names(tmp_path: pathlib.Path) -> None:
    (tmp_path / "hired.nt").write_text('<x:cleo> <x:hired> "2021-09-15" .\n<x:ben> <x:hired> "2021" .\n')
    build([tmp_path / "hired.nt"], tmp_path / "hired.kg")
    graph = Graph.open(tmp_path / "hired.kg")
    relation = next(each for each in graph.relations() if each.label.endswith("hired"))
    found = Answer(Question("q", "Who was hired in 2021?"), "path")
    for k, (who, value) in enumerate((("x:cleo", '"2021-09-15"'), ("x:ben", '"2021"'))):
        end, start = graph.entity(who), graph.entity(value)
        path = Path(start, (Hop(Triple(end, relation, start), forward=False),), 0.9)
        found = replace(
            found, topics=(*found.topics, Topic(start, 1.0, "2021", "part")),
            candidates=(*found.candidates, Candidate(who, 0.9, end, (k,))),
            evidence=Evidence(paths=(*found.evidence.paths, path)),
        )  # fmt: skip
    read = read_question("Who was hired in 2021?")
    assert beside_values(found, read, graph).texts == ("x:ben",)  # what has the very value
    assert beside_values(found, read_question("Who was hired after 2021?"), graph).texts == ()
    assert beside_values(found, read_question("Who was hired?"), graph).texts == found.texts
