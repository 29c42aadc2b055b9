"""A decoder made from scratch, tuned, and asked through the local backend: the way every trained method goes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from clew.graph import Graph
from clew.learning.scratch import create_decoder
from clew.learning.tuning import Pair, TuneSettings, tune
from clew.llm import ModelSettings
from clew.llm.local import LocalModel
from clew.protocols import LLMRequest, Message
from clew.retrieval.grammar import RelationGrammar

ASKED = {"directed by": "who directed", "born in": "where was born", "married to": "who is the spouse of"}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")  # of TRL and its dependencies while training; decoding is what is tested
def test_a_small_decoder_learns_relation_paths(tmp_path: Path) -> None:
    draw = random.Random(0)
    names = [f"{a}{b}" for a in "BCDFGHKLM" for b in ("ana", "oro", "esi", "uki")]
    rows = [(draw.choice(names), draw.choice(list(ASKED)), draw.choice(names)) for _ in range(300)]
    graph = Graph.from_triples(rows, name="trained").whole
    asked = []
    for _ in range(700):
        head, relation, tail = draw.choice(rows)
        further = [row for row in rows if row[0] == tail]
        if further and draw.random() < 0.5:
            second = draw.choice(further)[1]
            asked.append((f"{ASKED[second]} the one: {ASKED[relation]} {head}", f"{relation} | {second}", head))
        else:
            asked.append((f"{ASKED[relation]} {head}", relation, head))
    create_decoder(tmp_path / "new", [text for row in asked for text in row[:2]], size="tiny", keep=ASKED)
    pairs = [Pair((Message("user", question),), path) for question, path, _ in asked[:600]]
    tuned = tune(tmp_path / "new", pairs, tmp_path / "tuned", TuneSettings(epochs=6, learning_rate=3e-3, bf16=False))
    model = LocalModel(ModelSettings(backend="local", model=str(tuned.folder), device="cpu"))
    held_out = asked[600:]
    free = model.generate([LLMRequest((Message("user", q),), max_tokens=24) for q, _, _ in held_out])
    bound = model.generate(
        [
            LLMRequest(
                (Message("user", question),),
                max_tokens=24,
                beams=3,
                n=3,
                constraint=RelationGrammar(graph, [graph.local(head) or 0], hops=2, direction="forward"),
            )
            for question, _, head in held_out
        ]
    )
    wanted = [path for _, path, _ in held_out]
    right = [sum(reply.text == path for reply, path in zip(replies, wanted, strict=True)) for replies in (free, bound)]
    assert min(right) >= 0.95 * len(held_out)
    assert all(text.finished for reply in bound for text in reply.texts)
