"""The doors `settings` (TOML, `--set`, the environment) and `queries` (plans, JSON, SPARQL, patterns of ids)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from clew.errors import ClewError
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

_TOML = b"""[graph]
path = "world.kg"
[encoder]
name = "hash-256"
[language_model]
model = "m"
base_url = "http://127.0.0.1:1/v1"
timeout_s = 3.5
budget = { calls = 9, tokens = 1_000 }
[method]
name = "walk"
beam = 5
[data]
train = ["a.jsonl", "b.jsonl"]
[run]
seed = 1
[expected]
source = "ours"
metrics = { "hits@1" = 0.5 }
"""
_KEYS = [
    "graph.path", "encoder.name", "language_model.base_url", "language_model.budget.calls", "method.beam", "run.seed",
    "data.train", "method", "graph", "", ".", "a.b.c.d.e.f", "x" * 3000, "a" + ".a" * 3000, "\ud800", "graph.\0",
    "language_model.timeout_s", "expected.metrics", "method.name", "link", "train.fit.lr",
]  # fmt: skip
_VALUES = [
    "", "1", "-1", "1e999", "nan", "true", "[", "[" * 4000, "{a = 1}", '"""', "9" * 5000, "1979-05-27", "\ud800", "\0",
    "'", '"x"', "x = 1\ny = 2", "[1, [2]]", "walk", "hash-99999999999", "hash-0", "remote:x", "../..", "/dev/zero",
    "http://e:99999/", "{" * 3000, "\x1b[2J", "0x_", "inf", "[[]]", "None",
]  # fmt: skip


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    yield from corpus("settings")
    for number, rng in draws("settings", seed, count):
        file = changed(_TOML, rng) if rng.random() < 0.6 else _TOML
        pairs = [f"{rng.choice(_KEYS)}={rng.choice(_VALUES)}" for _ in range(rng.choice((0, 1, 1, 3)))]
        pairs = [pair if rng.random() < 0.9 else pair.replace("=", "") for pair in pairs]
        spoken = {}
        for _ in range(rng.choice((0, 0, 1, 2))):
            key = "__".join(rng.choice(_KEYS).upper().split("."))
            spoken[f"CLEW_{key}"] = rng.choice(_VALUES)
        yield {"file": file.decode("latin-1"), "assignments": pairs, "environment": spoken, "number": number}


def attempt(given: Input, scratch: Path) -> str:
    from clew.config import public_dump
    from clew.settings import configure
    from clew.workspace import Workspace

    file = scratch / "settings.toml"
    file.write_bytes(given["file"].encode("latin-1"))
    try:
        made = configure(file, given["assignments"], environment=given["environment"])
        public_dump(made)
        Workspace(made).method_config()
    except ClewError as error:
        return "FAILED a message without bound" if len(str(error)) > 100_000 else "refused"
    return "read"


# -- queries -----------------------------------------------------------------------------------------------------------

_QUERIES = [
    'count(follow(entity("Ada Lovelace"), knows))',
    'top(follow(entity("Ben"), knows/^knows), count(knows), largest, 2, 1)',
    'where(all(), born, between, "1", "2000")',
    'follow(entity("Ben"), in, test(in, =, entity(Rome)))',
    'minus(or(all(), all()), and(all(), entity("Ben")))',
    'compare(entity("Ben"), entity("Ada Lovelace"), born, largest)',
    'calc(+, count(all()), calc(/, 1, 0))',
    'values(all(), born)', 'sum(all(), born)', 'is(entity(Ben), all())', "exists(all())",
    'difference(entity("Ben"), entity("Ada Lovelace"), born)',
    '{"kind": "count", "of": {"kind": "all"}}',
    "PREFIX e: <http://e/> SELECT ?x WHERE { e:ada e:knows/^e:in* ?x . FILTER(?x != e:ben) } ORDER BY ?x LIMIT 3",
    "PREFIX e: <http://e/> SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { { ?x e:in e:Rome } UNION { ?x e:knows ?y } }",
    "PREFIX e: <http://e/> ASK { e:ada e:knows e:ben MINUS { e:ada e:in ?z } }",
    'PREFIX e: <http://e/> SELECT ?x (SUM(?n) AS ?s) WHERE { ?x e:since ?n } GROUP BY ?x HAVING (SUM(?n) > 2)',
]  # fmt: skip
_PARTS = [
    "all()", 'entity("Ben")', "knows", "^knows", "count(", ")", "(", ",", "largest", "-1", "9" * 60, "1e999", '"', "\\",
    "date(2008-13-45)", "number(1, \"km\")", "calc(/, 1, 0)", "?x", "{", "}", "[", "FILTER", "\0", "\ud800", "é" * 50,
    "((((((((" * 40, "and(" * 300, "UNION", "a/b/c/d", ".", "smallest, 99999999999", "contains", "starts", "#", "/**/",
]  # fmt: skip


class QueryTexts:
    """The door `queries`: texts of plans and of SPARQL, run over a small graph, shown, said, and read again."""

    @staticmethod
    def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG004
        yield from corpus("queries")
        for number, rng in draws("queries", seed, count):
            text = rng.choice(_QUERIES)
            for _ in range(rng.choice((0, 1, 1, 2, 4))):
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(_PARTS) + text[at + rng.randrange(4) :]
            if rng.random() < 0.3:
                text = changed(text.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "replace")
            yield {"text": text, "number": number}

    @staticmethod
    def attempt(given: Input, scratch: Path) -> str:  # noqa: ARG004
        from clew.query import parse, read, run, sentence, show, to_cypher, to_sparql

        graph = _graph()
        try:
            plan = read(given["text"], graph)
        except ClewError as error:
            return "FAILED a message without bound" if len(str(error)) > 20_000 else "refused"
        if parse(show(plan)) != plan:
            return f"FAILED another plan: {show(plan)}"
        try:
            sentence(plan, graph)
            run(graph, plan)
            ended = "run"
        except ClewError:
            ended = "read"
        for writer in (to_sparql, to_cypher):
            try:
                writer(plan, graph)
            except ClewError:
                continue
        return ended


@cache
def _graph() -> Any:
    import tempfile

    from clew.graph import Graph
    from clew.testing.fuzz.graphs import sound_graph

    with tempfile.TemporaryDirectory() as name:
        return Graph.open(sound_graph(Path(name)))
