"""Nouns that say what somebody does, and what adds up over the events of each: both without a trained reader."""

from __future__ import annotations

import pytest

from clew.encoding import DEFAULT, open_encoder
from clew.graph import Graph, build
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


@pytest.mark.slow
def test_a_role_of_another_name(films: Graph) -> None:
    encoder = open_encoder(DEFAULT)
    assert told(films, "how many actors are there", encoder) == {"2"}
    assert told(films, "who is the youngest actor", encoder) == {"Kilmer"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("who scored the most goals", {"Cia"}),
        ("which player scored the fewest goals", {"Bea"}),
        ("where was the match on 14 February 2024 played", {"Station Park"}),
        ("which stadium hosted the most matches", {"Mill Lane"}),
    ],
)
def test_what_events_add_up_to(season: Graph, text: str, names: set[str]) -> None:
    assert told(season, text) == names


def test_a_count_of_stated_figures_is_their_sum(season: Graph) -> None:
    ana = season.resolve("Ana")[0].id
    method = Sure(ana, ("player", False), ("goals", True))
    assert Operators(method).answer(Question("q", "how many goals did Ana score"), season).texts == ("3",)


@pytest.mark.parametrize("text", ["who does not play as striker", "who is not a striker"])
def test_whoever_is_not(season: Graph, text: str) -> None:
    striker = season.resolve("striker")[0].id
    method = Sure(striker, ("position", False))
    assert Operators(method).answer(Question("q", text), season).texts == ("Bea",)
