"""Questions over plain triples as people keep them: other names as things, kinds by a triple, flags, mixed ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.graph import Graph, build
from clew.query import execute, parse
from clew.reading.topics import start_of
from clew.retrieval.asking import kinds_said
from clew.retrieval.composing import compose
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.linking import link, unknown_names
from clew.retrieval.operators import Operators
from clew.types import Question
from fake_methods import Nothing

CREWS = {"Red Crew": "Norway", "Blue Crew": "Chile", "Green Crew": "Norway"}
VOYAGES = {  # crew, harbours, what was used
    "Long Night": ("Red Crew", ("Skerry", "Port Alder"), ("Sonde 1", "sextant", "hauling")),
    "Far South": ("Blue Crew", ("Port Alder", "Caleta"), ("Sonde 2", "sextant")),
    "Thaw": ("Green Crew", ("Caleta",), ("Sonde 1", "hauling")),
}
FACTS = [
    *[(crew, "type", "crew") for crew in CREWS], *[(crew, "home", land) for crew, land in CREWS.items()],
    *[(land, "type", "country") for land in ("Norway", "Chile")],
    *[(voyage, "type", "voyage") for voyage in VOYAGES],
    *[(voyage, "made by", crew) for voyage, (crew, _, _) in VOYAGES.items()],
    *[(voyage, "visited", harbour) for voyage, (_, harbours, _) in VOYAGES.items() for harbour in harbours],
    *[(voyage, "uses", thing) for voyage, (_, _, things) in VOYAGES.items() for thing in things],
    *[(harbour, "type", "harbour") for harbour in ("Skerry", "Port Alder", "Caleta", "Old Mole")],
    *[(harbour, "lies in", "Norway") for harbour in ("Skerry", "Old Mole")],
    *[(harbour, "lies in", "Chile") for harbour in ("Port Alder", "Caleta")],
    *[(sonde, "type", "probe") for sonde in ("Sonde 1", "Sonde 2")],
    *[(f"LOG-{n}", "type", "record") for n in (11, 12, 13)], *[(f"LOG-{n}", "kept on", "Thaw") for n in (11, 12, 13)],
    ("sextant", "type", "tool"), ("hauling", "type", "technique"),
    ("Skerry", "aka", "The Rock"), ("Port Alder", "aka", "PA"), ("Caleta", "aka", "Cove"),
    ("Sonde 1", "written in", "C++"), ("Sonde 2", "written in", "C"), ("Sonde 3", "written in", "C#"),
    ("Brandt & Quill Wharf", "type", "harbour"), ("Brandt & Quill Wharf", "toll paid", "no"),
    ("Skerry", "toll paid", "yes"), ("Port Alder", "toll paid", "no"), ("Caleta", "toll paid", "yes"),
    ("Skerry", "summer only", "yes"), ("Caleta", "summer only", "no"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder: Path = tmp_path_factory.mktemp("plain")
    (folder / "v.tsv").write_text("".join("\t".join(fact) + "\n" for fact in FACTS))
    build(folder / "v.tsv", folder / "v.kg")
    return Graph.open(folder / "v.kg")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Who visited The Rock?", ["Skerry"]),  # and not the thing that the other name is in plain triples
        ("what is written in C++", ["C++"]),
        ("what is written in C#", ["C#"]),
        ("what is written in C", ["C"]),
        ("What is written in C?", ["C"]),
    ],
)
def test_names_are_linked_to_what_they_name(graph: Graph, text: str, labels: list[str]) -> None:
    assert [topic.entity.label for topic in link(Question("q", text), graph)] == labels


def test_what_all_names_of_a_kind_begin_with_names_it(graph: Graph) -> None:
    assert Lexicon.of(graph).classes[("log",)] == "record"
    assert ("sonde",) not in Lexicon.of(graph).classes  # words are no letters
    assert unknown_names(Question("q", "Which LOGs and which QRMs were kept?"), graph) == ["QRMs"]
    best = compose(Question("q", "which LOGs were kept on Thaw"), graph)[0]
    assert graph.labels_at(execute(best.plan, graph).members) == ["LOG-11", "LOG-12", "LOG-13"]


def test_a_kind_behind_a_name_says_what_is_named(graph: Graph) -> None:
    question = Question("q", "all the harbours of the Far South voyage")
    assert [topic.mention for topic in start_of(question, graph, linker=None, encoder=None).topics] == [
        "Far South voyage"
    ]
    assert kinds_said(question.text, ["Far South"], graph) == []  # what is asked "of" it is told by the path
    text = "all the harbours visited on the Far South voyage"
    assert [len(members) for members in kinds_said(text, ["Far South"], graph)] == [5]
    assert [len(members) for members in kinds_said("where is the crew from that made X", ["X"], graph)] == [3]


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        (  # the crews are from Norway, not the harbours
            "which harbours were visited by Norway crews",
            'follow(follow(follow(entity(Norway), ^home), ^"made by"), visited)',
        ),
        (
            "which harbours in Norway were never visited by a Chile crew",
            'minus(follow(entity(Norway), ^"lies in"), '
            'follow(follow(follow(entity(Chile), ^home), ^"made by"), visited))',
        ),
        ("which harbours in Norway were visited by Long Night",
         'and(follow(entity(Norway), ^"lies in"), follow(entity("Long Night"), visited))'),
    ],
)  # fmt: skip
def test_a_name_before_a_kind_is_said_of_it(graph: Graph, text: str, plan: str) -> None:
    best = compose(Question("q", text), graph)[0]
    wanted = graph.labels_at(execute(parse(plan), graph).members)
    assert graph.labels_at(execute(best.plan, graph).members) == wanted != []


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which harbours paid the toll?", ["Caleta", "Skerry"]),
        ("Which harbours did not pay the toll?", ["Brandt & Quill Wharf", "Port Alder"]),
        ("Did Port Alder pay the toll?", ["no"]),
        ("Did Skerry pay the toll?", ["yes"]),
        ("Did Brandt & Quill pay the toll?", ["no"]),  # two words of a longer name
        ("summer-only harbours in Norway", ["Skerry"]),
    ],
)
def test_flags_are_said_with_their_verb_first(graph: Graph, text: str, answers: list[str]) -> None:
    found = Operators(Nothing()).answer(Question("q", text), graph)
    assert sorted(found.texts) == answers, found.note
