"""A graph in a server against the same graph in a folder: are the answers the same, how many requests, how slow.

Each engine holds the demo graph and MetaQA-R; every question is asked of the folder and of the server in turn, in one
process. Entities of the folder are numbered by their ids, the only order that a server has too: ties go by number.
Each method is asked in two ways. As by default: a graph of at most `triples_at_once` triples is read into memory with
the first question, which is told apart from the later ones. And hop by hop, as a larger graph is: nothing is held, and
what was kept is dropped before every question.

Hop by hop each side has an encoder of its own, so that neither finds the other's questions encoded; as by default both
run the same code, and take turns to be first. What a folder answers is the same for every engine: with `--work` it is
asked once, and again only while seconds are taken (`TIMED` questions of the first way, all of the second).

Writes one JSON with, for each engine, graph, way and method: questions with equal rows (texts, scores, threads), the
differences, requests a question (median, 95 %, most), and milliseconds a question on both sides, by the clock (median)
and of processors, the server's included (mean), which other work on the machine hardly changes. A hub of 100,000 edges
is asked last. `--seconds` bounds each of these; what was left out is told by the number of questions, and with `--work`
asked by the next run. What stands in the file is not measured again, and engines may run at the same time.

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
from clew.encoding import DEFAULT, open_encoder  # noqa: E402
from clew.graph import Graph, build  # noqa: E402
from clew.graph.property_values import literals, value_of  # noqa: E402
from clew.graph.remote import ServerGraph, ServerSettings, open_server  # noqa: E402
from clew.graph.remote.mirror import mirror  # noqa: E402
from clew.graph.remote.terms import is_literal  # noqa: E402
from clew.graph.strings import literal_parts  # noqa: E402
from clew.questions import QuestionSource  # noqa: E402
from clew.settings import DataSection, configure  # noqa: E402
from clew.testing.endpoint import in_order  # noqa: E402
from clew.types import Answer, Question  # noqa: E402
from clew.workspace import Workspace  # noqa: E402
from servers_report import DEFAULT_WAY, HOPS_WAY, note, noted, show  # noqa: E402

ENGINES = {
    "oxigraph": programs.Oxigraph,
    "virtuoso": programs.Virtuoso,
    "arcadedb": programs.ArcadeDB,
    "falkordb": programs.FalkorDB,
}
DEMO = ROOT / "src/clew/datasets/demo/world.ttl.gz"
MODELLED = ("scr", "eperm", "stem", "roe")  # answer with a trained model
TIMED = 25  # questions of which both sides are timed where the server's graph is read whole: they run the same code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engines", nargs="+", choices=sorted(ENGINES), default=["oxigraph"])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--methods", nargs="*", default=["auto", "walk", "scr", "decompose"])
    parser.add_argument("--hops", nargs="*", default=["walk"], help="methods that are also asked hop by hop")
    parser.add_argument("--models", type=Path, help="folder of models, METHOD-GRAPH each; scr has the demo graph's")
    parser.add_argument("--seconds", type=float, default=300, help="at most, for each graph and method")
    parser.add_argument("--hop-seconds", type=float, default=300, help="the same, hop by hop")
    parser.add_argument("--graphs", nargs="+", choices=["demo", "metaqa"], default=["demo", "metaqa"])
    parser.add_argument("--data", type=Path, default=None, help="folder of question sets; default CLEW_DATA")
    parser.add_argument("--work", type=Path, help="folder that keeps what folders answer, for the next engine")
    parser.add_argument("--out", "-o", type=Path, default=ROOT / "results/benchmarks/servers.json", help="the report")
    parser.add_argument("--show", action="store_true", help="print what the report holds, and measure nothing")
    arguments = parser.parse_args()
    if arguments.show:
        show(json.loads(arguments.out.read_text()))
        return
    folder = Path(tempfile.mkdtemp(prefix="clew-servers-"))
    try:
        for engine in arguments.engines:
            place = folder / engine
            place.mkdir()
            server = ENGINES[engine](place)
            if server.__class__ in (programs.ArcadeDB,):
                os.environ |= {"CLEW_SERVER_USER": server.user, "CLEW_SERVER_PASSWORD": server.password}
            try:
                for name in arguments.graphs:
                    measure(server, name, place, arguments)
                if noted(arguments.out, engine, "hub") is None:
                    note(arguments.out, hub(server, place), engine, "hub")
            finally:
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(server: Any, name: str, place: Path, arguments: argparse.Namespace) -> None:
    cells = [(DEFAULT_WAY, m) for m in arguments.methods] + [(HOPS_WAY, m) for m in arguments.hops]
    models = models_of(name, arguments.models)
    cells = [(way, m) for way, m in cells if m in models or m not in MODELLED]
    asked = questions(name, arguments.questions, arguments.data)
    cells = [
        cell
        for cell in cells
        if (held := noted(arguments.out, server.name, name, *cell)) is None
        or (held["questions"] < len(asked) and begun(arguments.work, server.name, name, *cell).place_exists)
    ]
    if not cells:
        return
    cypher = server.url.startswith(("bolt", "falkor"))
    settings: dict[str, Any] = {"home": place / f"home-{name}"}
    if cypher:
        triples, labels, aliases = plain_facts(name, arguments.data, place)
        load_nodes(server, triples, labels, aliases)
        embedded = Graph.from_triples(triples, labels=labels, aliases=aliases, name=name)
        settings["node_labels"] = "drop"
    else:
        server.clear()
        if name == "demo":
            data = gzip.decompress(DEMO.read_bytes())
            source = place / "demo.ttl"
        else:
            triples, labels, _ = facts(name, arguments.data, place)
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
    for way in dict.fromkeys(way for way, _ in cells):
        held = way == DEFAULT_WAY
        own = settings if held else {**settings, "triples_at_once": 0, "names_at_once": 1_000_000}
        store = open_server(server.url, ServerSettings(**own))
        looked = first_look(store, embedded, held)
        if noted(arguments.out, server.name, name, way, "first_look") is None:
            note(arguments.out, looked, server.name, name, way, "first_look")
        for method in (method for here, method in cells if here == way):
            kept = Kept(arguments.work and arguments.work / f"{'cypher' if cypher else 'rdf'}-{name}-{method}.json")
            seconds = arguments.seconds if held else arguments.hop_seconds
            process = server._process.process.pid
            part = begun(arguments.work, server.name, name, way, method)
            flags: dict[str, Any] = {"method": {"name": method}}
            if method in models:
                flags["method"]["model"] = str(models[method])
            result = compare(embedded, store, flags, asked, kept, part, process=process, held=held, seconds=seconds)
            note(arguments.out, result, server.name, name, way, method)
        store.close()


def models_of(graph: str, folder: Path | None) -> dict[str, Path]:
    """The trained models at hand for a graph, by their methods."""
    found = {"scr": ROOT / "src/clew/methods/scr/demo"} if graph == "demo" else {}
    given = folder.glob(f"*-{graph}") if folder else ()
    return found | {place.name.removesuffix(f"-{graph}"): place for place in given}


def first_look(store: ServerGraph, embedded: Graph, held: bool) -> dict[str, Any]:
    """What it costs to meet the server's graph, and whether the copy in memory is the folder's graph."""
    began = time.perf_counter()
    _ = store.identity if held else store.names
    result: dict[str, Any] = {"triples": embedded.num_triples, "seconds": round(time.perf_counter() - began, 2)}
    if held:
        began = time.perf_counter()
        copy = mirror(store)
        assert copy is not None
        result["read_s"] = round(time.perf_counter() - began, 2)
        result["requests"], result["mb"] = store.server.traffic.requests, round(store.server.traffic.bytes / 1e6, 1)
        result["same_graph"] = facts_of(copy) == facts_of(embedded)
    return result


def facts_of(graph: Graph) -> Any:
    """Everything a graph without nameless nodes says: triples, and each entity's kind and names."""
    ids = list(graph.terms.ids)
    known = {
        id: (graph.entity_at(i).kind, graph.terms.labels.first(i), sorted(graph.aliases_of(id)))
        for i, id in enumerate(ids)
        if not is_literal(id)
    }
    return sorted((t.head.id, t.relation.id, t.tail.id) for t in graph.triples()), sorted(ids), known


class Kept:
    """What a folder answers, by question, or what a run has measured so far; kept in a file where one is named."""

    def __init__(self, place: Path | None) -> None:
        self._place = place
        self.place_exists = place is not None and place.exists()
        self.rows: dict[str, Any] = json.loads(place.read_text()) if place and place.exists() else {}

    def save(self) -> None:
        if self._place:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._place.with_suffix(f".{os.getpid()}")
            temporary.write_text(json.dumps(self.rows))
            temporary.replace(self._place)


def begun(work: Path | None, *cell: str) -> Kept:
    """What an earlier run has measured of a cell."""
    return Kept(work and work / f"{'-'.join(cell).replace(' ', '-')}.json")


def engine_reads_turtle(server: Any) -> bool:
    return bool(server.name == "oxigraph")


def as_n_triples(turtle: bytes) -> bytes:
    import pyoxigraph as ox

    quads = ox.parse(turtle, ox.RdfFormat.TURTLE)
    return bytes(ox.serialize((quad.triple for quad in quads), format=ox.RdfFormat.N_TRIPLES))


Facts = list[tuple[str, str, str]]


def facts(name: str, data: Path | None, place: Path) -> tuple[Facts, dict[str, str], dict[str, list[str]]]:
    """Triples, labels and aliases; of the demo graph with the ids that the build gives them."""
    if name == "metaqa":
        source = question_sets()["metaqa-r-1hop"]
        assert source.triples is not None
        triples = list(source.triples(data))
        names = dict.fromkeys(end for h, r, t in triples for end in (h, r, t))
        return triples, dict(zip(names, names, strict=True)), {}
    built = place / "source.kg"
    build([DEMO], built)
    graph = Graph.open(built)
    ids = list(graph.terms.ids)
    labels = {id: text for i, id in enumerate(ids) if (text := graph.terms.labels.first(i)) is not None}
    aliases = {id: list(more) for id in labels if (more := graph.aliases_of(id))}
    return [(t.head.id, t.relation.id, t.tail.id) for t in graph.triples()], labels, aliases


def plain_facts(name: str, data: Path | None, place: Path) -> tuple[Facts, dict[str, str], dict[str, list[str]]]:
    """The same as a property graph has them: relations by a plain name, literals of the types of properties."""
    triples, labels, aliases = facts(name, data, place)
    rows = []
    for head, relation, tail in triples:
        short = relation.rsplit("/", 1)[-1].rsplit("#", 1)[-1].replace("_", " ")
        rows.append((head, short, literals(property_of(tail))[0] if is_literal(tail) else tail))
    return rows, labels, aliases


def property_of(literal: str) -> Any:
    value = value_of(literal)
    return literal_parts(literal)[0] if value is None else value


def load_nodes(server: Any, triples: Facts, labels: dict[str, str], aliases: dict[str, list[str]]) -> None:
    server.clear()
    ids = list(dict.fromkeys(end for h, _, t in triples for end in (h, t) if not is_literal(end)))
    number = {id: i for i, id in enumerate(ids)}
    held: dict[str, dict[str, Any]] = {id: {"id": id, "name": labels.get(id, id)} for id in ids}
    for id, more in aliases.items():
        held[id]["aliases"] = more
    for head, relation, tail in triples:
        if is_literal(tail):
            before = held[head].get(relation)
            value = property_of(tail)
            held[head][relation] = (
                value if before is None else [*(before if isinstance(before, list) else [before]), value]
            )
    inner: dict[int, Any] = {}
    for start in range(0, len(ids), 2000):
        rows = [{"n": number[id], "held": held[id]} for id in ids[start : start + 2000]]
        query = "UNWIND $rows AS row CREATE (n:Thing) SET n = row.held RETURN row.n AS n, id(n) AS i"
        inner |= {int(row["n"]): row["i"] for row in server.run(query, rows=rows)}
    for relation in sorted({r for _, r, t in triples if not is_literal(t)}):
        pairs = [
            {"h": inner[number[h]], "t": inner[number[t]]} for h, r, t in triples if r == relation and not is_literal(t)
        ]
        for start in range(0, len(pairs), 2000):
            server.run(
                "UNWIND $rows AS row WITH row.h AS h, row.t AS t "  # FalkorDB seeks by a variable, and scans by row.h
                "MATCH (a) WHERE id(a) = h MATCH (b) WHERE id(b) = t "
                f"CREATE (a)-[:`{relation}`]->(b)",
                rows=pairs[start : start + 2000],
            )


def questions(name: str, count: int, data: Path | None) -> list[Question]:
    sets = ["demo"] if name == "demo" else ["metaqa-r-1hop", "metaqa-r-2hop", "metaqa-r-3hop"]
    section = DataSection(folder=data, limit=-(-count // len(sets)))
    each = [[example.question for example in QuestionSource(section, f"{name}:test")] for name in sets]
    return [question for row in zip(*each, strict=True) for question in row][:count]  # of each length in turn


def compare(
    embedded: Graph,
    store: ServerGraph,
    flags: dict[str, Any],
    asked: Sequence[Question],
    kept: Kept,
    part: Kept,
    *,
    process: int,
    held: bool,
    seconds: float,
) -> dict[str, Any]:
    sides = ((embedded, 64), (store, 64 if held else 63))  # another batch: an encoder of its own

    def both() -> list[Any]:
        return [
            Workspace(configure(flags=flags), graph=graph, encoder=open_encoder(DEFAULT, batch=batch)).open_method()
            for graph, batch in sides
        ]

    opened = both()
    began = time.perf_counter()
    opened[0].answer(asked[0], embedded)  # compiled and loaded before the clock starts
    middle_of = time.perf_counter()
    before = store.server.traffic.requests
    opened[1].answer(asked[0], store)
    ended = time.perf_counter()
    first = {
        "seconds_folder": round(middle_of - began, 2),
        "seconds_server": round(ended - middle_of, 2),
        "requests": store.server.traffic.requests - before,
    }
    until = ended + seconds
    part.rows = {"first": first, "times": ([], []), "worked": ([], []), "trips": [], "different": []} | part.rows
    times, trips, different = part.rows["times"], part.rows["trips"], part.rows["different"]
    worked = part.rows["worked"]  # seconds of processors, the server's included
    for question in asked[len(trips) :]:
        if time.perf_counter() > until:
            break
        timed = not held or len(trips) < TIMED
        if not held:
            store.forget()  # as if it were the first question
        before, said = store.server.traffic.requests, {}
        turns = [0, 1] if timed or question.text not in kept.rows else [1]
        for side in turns if len(trips) % 2 or not held else turns[::-1]:
            began, used = time.perf_counter(), time.process_time() + used_by(process)
            said[side] = opened[side].answer(question, sides[side][0])
            if timed:
                times[side].append(time.perf_counter() - began)
                worked[side].append(time.process_time() + used_by(process) - used)
        if 0 in said:
            kept.rows[question.text] = [row(said[0]), brief(said[0])]
        theirs = said[1]
        trips.append(store.server.traffic.requests - before)
        if json.loads(json.dumps(row(theirs))) != json.loads(json.dumps(kept.rows[question.text][0])):
            folder = kept.rows[question.text][1]
            different.append({"question": question.text, "folder": folder, "server": brief(theirs)})
    kept.save()
    part.save()
    if not held and different:  # sets are put together from a question's parts over a folder only: without that?
        flags["method"]["operators"] = False
        alone = both()
        for each in different:
            if "equal_without_operators" in each:
                continue
            question = next(q for q in asked if q.text == each["question"])
            rows = [row(method.answer(question, graph)) for method, (graph, _) in zip(alone, sides, strict=True)]
            each["equal_without_operators"] = rows[0] == rows[1]
        part.save()
    middle, slow = (round(1000 * float(np.median(each)), 1) for each in times)
    return {
        "questions": len(trips),
        "equal_rows": len(trips) - len(different),
        "equal_rows_without_operators": len(trips) - sum(not d.get("equal_without_operators") for d in different),
        "equal_answers": len(trips) - sum(d["folder"]["answers"] != d["server"]["answers"] for d in different),
        "first_question": part.rows["first"],
        "timed": len(times[0]),
        "requests": {"median": float(np.median(trips)), "p95": float(np.quantile(trips, 0.95)), "most": max(trips)},
        "ms_folder": middle,
        "ms_server": slow,
        "ratio_p50": round(slow / max(middle, 1e-9), 2),
        "ratio_of_questions_p50": round(float(np.median(np.array(times[1]) / np.array(times[0]))), 2),
        "processor_ms_folder": round(1000 * float(np.mean(worked[0])), 1),
        "processor_ms_server": round(1000 * float(np.mean(worked[1])), 1),
        "different": different[:20],
    }


def used_by(process: int) -> float:
    """Seconds of processors that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(answer: Answer) -> Any:
    """What a row says, without ids of nameless nodes and without times."""
    threads = sorted(str(path) for path in answer.evidence.paths)
    return [(c.text, round(c.score, 5)) for c in answer.candidates], threads


def brief(answer: Answer) -> Any:
    return {
        "answers": [[c.text, round(c.score, 3)] for c in answer.candidates[:4]],
        "of": len(answer.candidates),
        "threads": [str(path) for path in answer.evidence.paths[:2]],
        "note": answer.note[:120],
    }


def hub(server: Any, place: Path) -> dict[str, Any]:
    """One entity with 100,000 edges of one relation and three of another: a hop around it, limited."""
    triples = [("hub", "many", f"m{i}") for i in range(100_000)] + [("hub", "few", f"f{i}") for i in range(3)]
    settings: dict[str, Any] = {"home": place / "home-hub", "names": "exact", "page": 20_000}
    if server.url.startswith(("bolt", "falkor")):
        load_nodes(server, triples, {}, {})
        settings["node_labels"] = "drop"
    else:
        server.clear()
        server.load(programs.n_triples(triples, {}))
        settings["base"] = programs.BASE
    store = open_server(server.url, ServerSettings(**settings))
    store.relations()
    before, began = store.server.traffic.requests, time.perf_counter()
    found = store.facts(["hub"], limit=1000, total=1000)
    took, requests = time.perf_counter() - began, store.server.traffic.requests - before
    store.forget()
    again = store.facts(["hub"], limit=1000, total=1000)
    result = {
        "seconds": round(took, 2),
        "requests": requests,
        "same_twice": found.rows == again.rows,
        "kept": {relation: sum(fact[1] == relation for fact in found.rows) for relation in ("many", "few")},
        "cut": found.cut,
    }
    store.close()
    return result


if __name__ == "__main__":
    main()
