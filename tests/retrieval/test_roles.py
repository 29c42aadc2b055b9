"""Nouns that say what somebody does, and what adds up over the events of each: both without a trained reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.encoding import DEFAULT, open_encoder
from clew.graph import Graph, build
from clew.retrieval.linking import link
from clew.retrieval.operators import Operators
from clew.types import Question
from fake_methods import Nothing, Sure

FILMS = [
    ("Heat", "directedBy", "Mann"), ("Heat", "year", "1995"), ("Heat", "starring", "Kilmer"),
    ("Heat", "starring", "Venora"), ("Tombstone", "directedBy", "Cosmatos"), ("Tombstone", "starring", "Kilmer"),
    ("Thief", "directedBy", "Mann"),
    ("Mann", "birthDate", "1943-02-05"), ("Cosmatos", "birthDate", "1941-01-04"), ("Kilmer", "birthDate", "1959-12-31"),
    ("Venora", "birthDate", "1934-08-10"),
]  # fmt: skip
KINDS = [
    *((film, "type", "Film") for film in ("Heat", "Tombstone", "Thief")),
    *((who, "type", "Person") for who in ("Mann", "Cosmatos", "Kilmer", "Venora")),
]
SEASON = {
    "players": "id,name,position\n1,Ana,striker\n2,Bea,keeper\n3,Cia,striker\n",
    "matches": "id,home,away,played_on,stadium\n101,Rovers,Town,2024-01-10,Mill Lane\n"
    "102,Town,Rovers,2024-02-14,Station Park\n103,Rovers,City,2024-03-03,Mill Lane\n",
    "appearances": "id,player_id,match_id,goals\n1,1,101,2\n2,2,101,0\n3,3,101,1\n4,1,102,1\n5,3,102,1\n6,3,103,2\n",
}


@pytest.fixture(scope="module", params=["with kinds", "without"])
def films(request: pytest.FixtureRequest) -> Graph:
    return Graph.from_triples([*FILMS, *(KINDS if request.param == "with kinds" else [])], name="films")


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("season")
    for name, text in SEASON.items():
        (folder / f"{name}.csv").write_text(text)
    build([folder / f"{name}.csv" for name in SEASON], folder / "season.kg")
    return Graph.open(folder / "season.kg")


def told(graph: Graph, text: str, encoder: object = None) -> set[str]:
    return set(Operators(Nothing(), encoder).answer(Question("q", text), graph).texts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("list all directors", {"Mann", "Cosmatos"}),
        ("how many directors are there", {"2"}),
        ("who is the oldest director", {"Cosmatos"}),  # and not the oldest person
        ("which directors were born after 1942", {"Mann"}),
        ("who directed the most films", {"Mann"}),
        ("which director has the most films", {"Mann"}),
    ],
)
def test_a_role_is_no_kind(films: Graph, text: str, names: set[str]) -> None:
    assert told(films, text) == names


def test_nothing_is_counted_whose_kind_is_not_known() -> None:
    assert told(Graph.from_triples(FILMS, name="films"), "how many films are there") == set()


def test_a_role_of_another_name(films: Graph) -> None:
    assert told(films, "how many actors are there") == {"2"}
    assert told(films, "who is the youngest actor") == {"Kilmer"}


def test_what_has_the_relations_of_films_is_a_film() -> None:
    encoder = open_encoder(DEFAULT)
    untyped = Graph.from_triples(FILMS, name="films")
    assert told(untyped, "how many films are there", encoder) == {"3"}
    shelf = [(f"item {i}", key, f"{key} {i}") for i in range(5) for key in ("author", "pages", "publisher", "isbn")]
    kinds = [(f"item {i}", "type", "export") for i in range(5)]
    assert told(Graph.from_triples([*shelf, *kinds], name="shelf"), "how many books are there", encoder) == {"5"}


def test_people_by_what_their_title_ends_in() -> None:
    jobs = {"Ada": "IT Director", "Ben": "Sales Director", "Cem": "Engineer", "Dee": "Staff Engineer"}
    rows = [row for who, job in jobs.items() for row in ((who, "type", "Employee"), (who, "job title", job))]
    graph = Graph.from_triples([*rows, ("Ada", "site", "Leeds"), ("Cem", "site", "Leeds")], name="firm")
    assert told(graph, "how many directors are there") == {"2"}
    assert told(graph, "how many engineers are in Leeds") == {"1"}


def test_a_namesake_is_of_the_kind_that_is_said_before_it(tmp_path: Path) -> None:
    (tmp_path / "f.ttl").write_text(
        "@prefix e: <http://e.org/> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> . "
        'e:f1 a e:Film ; r:label "Valencia" ; e:year 2004 . e:c1 a e:City ; r:label "Valencia" ; e:country "Spain" .'
    )
    build(tmp_path / "f.ttl", tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    linked = {text: {topic.entity.id[-2:] for topic in link(Question("q", text), graph)}
              for text in ("when did the film Valencia come out", "what about Valencia")}  # fmt: skip
    assert list(linked.values()) == [{"f1"}, {"f1", "c1"}]


def test_a_denial_that_no_plan_carries_is_no_answer() -> None:
    graph = Graph.from_triples(FILMS, name="films")
    question = Question("q", "northlight movies that weren't directed by Mann")
    assert not Operators(Sure("Mann", ("directedBy", False))).answer(question, graph).candidates
