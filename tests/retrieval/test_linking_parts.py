"""Parts of names in a question: with an apostrophe inside, in a long sentence."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.retrieval.linking import link_topics, unknown_names
from clew.types import Question

TRIPLES = [
    *((name, "is a", kind) for name, kind in (
        ("St Bride's Hospital", "Hospital"), ("Tessera Entertainment", "Publisher"), ("Vega One", "Console"),
    )),
    ("Friedrich Nietzsche", "wrote", "Beyond Good and Evil"),
    ("Leeds", "was in", "EU"),
    ("Vega One", "made by", "Tessera Entertainment"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Which studies ran at St Bride's in the spring?", "St Bride's Hospital"),
        ("Which books are by Nietsche or his friends?", "Friedrich Nietzsche"),
        ("Which towns were in the European Union once?", "EU"),
        ("which studios have put out at least one game on the consoles that Tessera makes", "Tessera Entertainment"),
    ],
)
def test_parts_of_names(text: str, label: str) -> None:
    graph = Graph.from_triples(TRIPLES)
    topics = link_topics(Question("q", text), graph)
    assert label in [topic.entity.label for topic in topics]
    assert not unknown_names(Question("q", text), graph)
