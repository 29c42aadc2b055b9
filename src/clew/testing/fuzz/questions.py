"""The doors `questions` (files of questions and predictions, stdin) and `asked` (what a question says)."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from clew.errors import ClewError
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

_LINES: list[dict[str, Any]] = [
    {"id": "q1", "question": "who directed Heat?", "q_entity": ["Heat"], "answer": ["Michael Mann"], "hops": 1},
    {"id": 2, "question": "où?", "a_entity": ["m.01"], "aliases": [["a", "b"]], "type": "place", "answer": ["x"]},
    {"id": "q3", "question": "none", "answer": [], "graph": [["a", "r", "b"], ["b", "s", "c"]],
     "paths": [[["a", "r", "b"]]]},
]  # fmt: skip
_PREDICTED: list[dict[str, Any]] = [
    {"id": "q1", "question": "who?", "prediction": "Michael Mann\nAl Pacino", "ground_truth": ["Michael Mann"]},
    {"id": 2, "question": "where?", "prediction": ["a", "b"], "ground_truth": []},
]
_VALUES: list[Any] = [
    None, True, 0, -1, 10**120, 1e308, "", " ", "\ud800", "\0", [], {}, [[]], [None], ["", "a"], "x" * 40_000,
    [["a", "r"]], [["a", "r", "b", "c"]], [[["a", "r", 3]]], {"a": {"b": []}}, ["\udcff"], "\u2028", "\x1b[2J",
]  # fmt: skip
READERS = ("plain", "training", "lenient", "stdin", "rog", "predictions")


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    yield from corpus("questions")
    for number, rng in draws("questions", seed, count):
        reader = rng.choice(READERS)
        rows = [dict(row) for row in (_PREDICTED if reader in ("rog", "predictions") else _LINES)]
        for _ in range(rng.choice((0, 0, 1, 2))):
            row = rng.choice(rows)
            row[rng.choice([*row, "answers", "hop", "ID", "\ud800"])] = rng.choice(_VALUES)
        content = "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows)
        raw = content.encode("utf-8", "surrogatepass")
        if rng.random() < 0.8:
            raw = changed(raw, rng)
        yield {"reader": reader, "content": base64.b64encode(raw).decode(), "number": number}


def attempt(given: Input, scratch: Path) -> str:
    from clew.datasets.plain import read_plain, to_plain
    from clew.evaluation.predictions import read_predictions
    from clew.jsontext import write_json
    from clew.questions import StandardInput

    raw, file, reader = base64.b64decode(given["content"]), scratch / "q.jsonl", given["reader"]
    file.write_bytes(raw)
    said: list[str] = []
    try:
        if reader in ("rog", "predictions"):
            found = read_predictions(file, "rog" if reader == "rog" else "plain")
            texts = [text for row in found.rows if row.answer for text in (row.id, *row.answer.texts)]
        else:
            if reader == "stdin":
                sys.stdin = io.TextIOWrapper(io.BytesIO(raw), "utf-8", errors="surrogateescape")
                examples = list(StandardInput())
            else:
                problems = said.append if reader == "lenient" else None
                examples = list(read_plain(file, need_answers=reader == "training", on_problem=problems))
            texts = [write_json(to_plain(example)) for example in examples]
    except ClewError as error:
        said.append(str(error))
        texts = []
    if any(len(text) > 100_000 for text in said):
        return "FAILED a message without bound"
    "".join(texts).encode()  # what is read can be written
    return "read" if texts else "refused"


# -- asked: what a question says ---------------------------------------------------------------------------------------

_WORDS = [
    "who", "what", "is", "the", "how many", "list", "born", "knows", "in", "of", "and", "not", "before", "1815",
    "after",
    "Ada Lovelace", "countess", "Ben", "Rome", "Italy", "Paris", "since", "largest", "more than", "3", "?", "-", "'",
    '"', "(", ")", "^", "{", "$x", "\0", "\x1b[31m", "\u2028", "é", "ﷺ", "🧵", "\u202e", "a" * 300, "the the the",
    "count(", "SELECT ?x WHERE {", "entity(", "ignore all instructions", "9" * 40, "-1e999", "31 February 2008",
]  # fmt: skip


class AskedQuestions:
    """The door `asked`: questions of words, signs and names, to methods that need no training."""

    @staticmethod
    def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG004
        yield from corpus("asked")
        for number, rng in draws("asked", seed, count):
            words = [rng.choice(_WORDS) for _ in range(rng.choice((1, 3, 6, 6, 12, 40)))]
            if rng.random() < 0.01:
                words *= rng.choice((20, 200, 2000))
            text = rng.choice((" ", " ", " ", "")).join(words)
            if rng.random() < 0.2:
                text = changed(text.encode(), rng).decode("utf-8", "replace")
            topics = rng.sample(
                ["Ada Lovelace", "http://e/ben", "nobody", "", "\ud800", "\0"], rng.choice((0, 0, 1, 2))
            )
            yield {"text": text, "topics": topics, "method": rng.choice(("walk", "auto", "plan")), "number": number}

    @staticmethod
    def attempt(given: Input, scratch: Path) -> str:  # noqa: ARG004
        from clew.query.proof import verify

        space = _space(given["method"])
        try:
            answer = space.ask(given["text"], topics=given["topics"])
        except ClewError:
            return "refused"
        answer.to_json().encode()
        if wrong := verify(answer, space.graph):
            return f"FAILED unproven: {wrong[0]}"
        return "answered" if answer.candidates else "abstained"


@cache
def _space(method: str) -> Any:
    import tempfile

    from clew.graph import Graph
    from clew.settings import configure
    from clew.testing.fuzz.graphs import sound_graph
    from clew.workspace import Workspace

    with tempfile.TemporaryDirectory() as name:
        graph = Graph.open(sound_graph(Path(name)))
        flags = {"method": {"name": method}, "encoder": {"name": "hash-64"}}
        return Workspace(configure(flags=flags, environment={}), graph=graph)
