"""A graph in a server against the same graph in a folder: are the answers the same, how many requests, how slow.

Each engine holds the demo graph and MetaQA-R; every question is asked of the folder and of the server in turn, in one
process. Entities of the folder are numbered by their ids, the only order that a server has too: ties go by number.
Writes one JSON with, for each engine, graph and method: questions with equal rows (texts, scores, threads),
the differences, requests a question (median, 95 %, most), and seconds a question on both sides. A hub of 100,000 edges
is asked last.

    python benchmarks/servers.py --engines oxigraph virtuoso --questions 200 -o results/benchmarks/servers.json
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "stores"))

import server_programs as programs  # noqa: E402

from clew.datasets import question_sets  # noqa: E402
from clew.graph import Graph, build  # noqa: E402
from clew.graph.remote import ServerGraph, ServerSettings, open_server  # noqa: E402
from clew.questions import QuestionSource  # noqa: E402
from clew.testing.endpoint import in_order  # noqa: E402
from clew.types import Answer, Question  # noqa: E402
from clew.workspace import DataSection, Workspace, configure  # noqa: E402

ENGINES = {
    "oxigraph": programs.Oxigraph,
    "virtuoso": programs.Virtuoso,
    "arcadedb": programs.ArcadeDB,
    "falkordb": programs.FalkorDB,
}
DEMO = ROOT / "src/clew/datasets/demo/world.ttl.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", nargs="+", choices=sorted(ENGINES), default=["oxigraph"])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--methods", nargs="+", default=["walk", "scr"])
    parser.add_argument("--graphs", nargs="+", choices=["demo", "metaqa"], default=["demo", "metaqa"])
    parser.add_argument("--data", type=Path, default=None, help="folder of question sets; default CLEW_DATA")
    parser.add_argument("--out", "-o", type=Path)
    arguments = parser.parse_args()
    report: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="clew-servers-"))
    try:
        for engine in arguments.engines:
            place = folder / engine
            place.mkdir()
            server = ENGINES[engine](place)
            if server.__class__ in (programs.ArcadeDB,):
                os.environ |= {"CLEW_SERVER_USER": server.user, "CLEW_SERVER_PASSWORD": server.password}
            try:
                report[engine] = {name: measure(server, name, place, arguments) for name in arguments.graphs}
                report[engine]["hub"] = hub(server, place)
            finally:
                server.stop()
            print(json.dumps({engine: report[engine]}, indent=1), flush=True)
            if arguments.out:
                arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(server: Any, name: str, place: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    cypher = server.url.startswith(("bolt", "falkor"))
    triples, labels = facts(name, arguments.data, place)
    settings: dict[str, Any] = {"home": place / f"home-{name}", "names_at_once": 1_000_000}
    if cypher:
        load_nodes(server, triples, labels)
        embedded = Graph.from_triples(triples, labels=labels, name=name)
        settings["node_labels"] = "drop"
    else:
        server.clear()
        if name == "demo":
            data = gzip.decompress(DEMO.read_bytes())
            source = place / "demo.ttl"
        else:
            data = programs.n_triples(triples, labels)
            source = place / "metaqa.nt"
        source.write_bytes(data)
        if engine_reads_turtle(server) or source.suffix == ".nt":
            server.load(data, kind="text/turtle" if source.suffix == ".ttl" else "application/n-triples")
        else:
            server.load(as_n_triples(data))
        build([source], place / f"{name}.kg")
        embedded = Graph.open(place / f"{name}.kg")
    embedded = in_order(embedded)
    began = time.perf_counter()
    store = open_server(server.url, ServerSettings(**settings))
    _ = store.names
    result: dict[str, Any] = {"triples": embedded.num_triples, "first_look_s": round(time.perf_counter() - began, 2)}
    for method in arguments.methods:
        if method == "scr" and (name != "demo" or cypher):  # the model that ships was trained on the demo graph
            continue
        asked = questions(name, arguments.questions, arguments.data)
        result[method] = compare(embedded, store, method, asked)
        print(server.name, name, method, json.dumps(result[method])[:600], flush=True)
    store.close()
    return result


def engine_reads_turtle(server: Any) -> bool:
    return bool(server.name == "oxigraph")


def as_n_triples(turtle: bytes) -> bytes:
    import pyoxigraph as ox

    quads = ox.parse(turtle, ox.RdfFormat.TURTLE)
    return bytes(ox.serialize((quad.triple for quad in quads), format=ox.RdfFormat.N_TRIPLES))


def facts(name: str, data: Path | None, place: Path) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Triples and labels; of the demo graph with the ids that the build gives them."""
    if name == "metaqa":
        source = question_sets()["metaqa-r-1hop"]
        assert source.triples is not None
        triples = list(source.triples(data))
        names = dict.fromkeys(end for h, r, t in triples for end in (h, r, t))
        return triples, dict(zip(names, names, strict=True))
    built = place / "source.kg"
    build([DEMO], built)
    graph = Graph.open(built)
    ids = list(graph.terms.ids)
    labels = dict(zip(ids, graph.labels_at(range(len(ids))), strict=True))
    rows = [(t.head.id, t.relation.id.rsplit("/", 1)[-1].rsplit("#", 1)[-1], t.tail.id) for t in graph.triples()]
    return rows, labels


def load_nodes(server: Any, triples: Sequence[tuple[str, str, str]], labels: dict[str, str]) -> None:
    server.clear()
    ids = list(dict.fromkeys(end for h, _, t in triples for end in (h, t)))
    number = {id: i for i, id in enumerate(ids)}
    inner: dict[int, Any] = {}
    for start in range(0, len(ids), 2000):
        rows = [{"id": id, "name": labels.get(id), "n": number[id]} for id in ids[start : start + 2000]]
        query = "UNWIND $rows AS row CREATE (n:Thing {id: row.id, name: row.name}) RETURN row.n AS n, id(n) AS i"
        inner |= {int(row["n"]): row["i"] for row in server.run(query, rows=rows)}
    for relation in sorted({r for _, r, _ in triples}):
        pairs = [{"h": inner[number[h]], "t": inner[number[t]]} for h, r, t in triples if r == relation]
        for start in range(0, len(pairs), 2000):
            server.run(
                "UNWIND $rows AS row MATCH (a) WHERE id(a) = row.h MATCH (b) WHERE id(b) = row.t "
                f"CREATE (a)-[:`{relation}`]->(b)",
                rows=pairs[start : start + 2000],
            )


def questions(name: str, count: int, data: Path | None) -> list[Question]:
    sets = ["demo"] if name == "demo" else ["metaqa-r-1hop", "metaqa-r-2hop", "metaqa-r-3hop"]
    found: list[Question] = []
    for each in sets:
        section = DataSection(folder=data, limit=-(-count // len(sets)))
        found += [example.question for example in QuestionSource(section, f"{each}:test")]
    return found[:count]


def compare(embedded: Graph, store: ServerGraph, method: str, asked: Sequence[Question]) -> dict[str, Any]:
    flags: dict[str, Any] = {"method": {"name": method}}
    if method == "scr":
        flags["method"]["model"] = str(ROOT / "src/clew/methods/scr/demo")
    opened = [Workspace(configure(flags=flags), graph=graph).open_method() for graph in (embedded, store)]
    opened[0].answer(asked[0], embedded)  # compiled and loaded before the clock starts
    seconds: tuple[list[float], list[float]] = ([], [])
    trips, different = [], []
    for question in asked:
        began = time.perf_counter()
        mine = opened[0].answer(question, embedded)
        middle = time.perf_counter()
        store.forget()  # as if it were the first question
        before = store.server.traffic.requests
        theirs = opened[1].answer(question, store)
        seconds[0].append(middle - began)
        seconds[1].append(time.perf_counter() - middle)
        trips.append(store.server.traffic.requests - before)
        if row(mine) != row(theirs):
            different.append({"question": question.text, "folder": brief(mine), "server": brief(theirs)})
    middle, slow = (round(1000 * float(np.median(each)), 1) for each in seconds)
    return {
        "questions": len(asked),
        "equal_rows": len(asked) - len(different),
        "requests": {"median": float(np.median(trips)), "p95": float(np.quantile(trips, 0.95)), "most": max(trips)},
        "ms_folder": middle,
        "ms_server": slow,
        "ratio_p50": round(slow / max(middle, 1e-9), 2),
        "different": different[:10],
    }


def row(answer: Answer) -> Any:
    """What a row says, without ids of nameless nodes and without times."""
    threads = sorted(str(path) for path in answer.evidence.paths)
    return [(c.text, round(c.score, 5)) for c in answer.candidates], threads


def brief(answer: Answer) -> Any:
    return {"answers": [[c.text, round(c.score, 3)] for c in answer.candidates[:4]], "note": answer.note[:120]}


def hub(server: Any, place: Path) -> dict[str, Any]:
    """One entity with 100,000 edges of one relation and three of another: a hop around it, limited."""
    triples = [("hub", "many", f"m{i}") for i in range(100_000)] + [("hub", "few", f"f{i}") for i in range(3)]
    settings: dict[str, Any] = {"home": place / "home-hub", "names": "exact", "page": 20_000}
    if server.url.startswith(("bolt", "falkor")):
        load_nodes(server, triples, {})
        settings["node_labels"] = "drop"
    else:
        server.clear()
        server.load(programs.n_triples(triples, {}))
        settings["base"] = programs.BASE
    store = open_server(server.url, ServerSettings(**settings))
    store.relations()
    before, began = store.server.traffic.requests, time.perf_counter()
    found = store.facts(["hub"], limit=1000, total=1000)
    result = {
        "seconds": round(time.perf_counter() - began, 2),
        "requests": store.server.traffic.requests - before,
        "kept": {relation: sum(fact[1] == relation for fact in found.rows) for relation in ("many", "few")},
        "cut": found.cut,
    }
    store.close()
    return result


if __name__ == "__main__":
    main()
