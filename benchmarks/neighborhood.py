"""All triples within two hops, against pyoxigraph (SPARQL and its API), sqlite and duckdb, on one synthetic graph.

Every engine answers the same seeds in turn, and every answer is checked to hold the same triples. The peers hold
integers or IRIs of integers and have every index that helps; what is timed ends with all rows as Python objects.
For clew that is the row "as rows"; "as arrays" is what its own code works on.

    python benchmarks/neighborhood.py [--triples 1000000] [--seeds 300] [--hubs 10] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow
import pyoxigraph

from clew.graph import Graph
from clew.graph.kernels import components, distances, pagerank
from clew.graph.neighborhood import around, neighborhood
from clew.graph.paths import mine_paths
from clew.graph.subgraph import Subgraph, csr

Rows = set[tuple[int, int, int]]

SQL = """
WITH near(e) AS (SELECT ? UNION SELECT t FROM triples WHERE h = ? UNION SELECT h FROM triples WHERE t = ?)
SELECT h, r, t FROM triples WHERE h IN (SELECT e FROM near)
UNION SELECT h, r, t FROM triples WHERE t IN (SELECT e FROM near)
"""
SPARQL = """
SELECT DISTINCT ?s ?p ?o WHERE {{
  {{ {0} ?p ?o . BIND({0} AS ?s) }} UNION {{ ?s ?p {0} . BIND({0} AS ?o) }}
  UNION {{ {0} ?a ?s . ?s ?p ?o }} UNION {{ {0} ?a ?o . ?s ?p ?o }}
  UNION {{ ?s ?a {0} . ?s ?p ?o }} UNION {{ ?o ?a {0} . ?s ?p ?o }}
}}
"""


def power_law(triples: int, seed: int) -> np.ndarray:
    """(T, 3) distinct heads, relations, tails: a third as many entities, few of them with most of the triples."""
    draw = np.random.default_rng(seed)
    size, entities, relations = int(1.1 * triples), triples // 3, 60
    ends = (entities * draw.random((size, 2)) ** 3).astype(np.int64)
    rows = np.column_stack((ends[:, 0], relations * draw.random(size) ** 2, ends[:, 1])).astype(np.int64)
    rows = np.unique(rows, axis=0)
    rows = rows[draw.permutation(len(rows))[:triples]]
    shuffled = draw.permutation(entities)  # so that a number says nothing about a degree
    return np.column_stack((shuffled[rows[:, 0]], rows[:, 1], shuffled[rows[:, 2]]))


def engines(rows: np.ndarray) -> dict[str, tuple[Callable[[int], object], Callable[[object], Rows]]]:
    """Per engine: the timed question for one seed, and how its answer becomes a set of rows (not timed)."""
    listed = rows.tolist()
    graph = Graph.from_triples((f"e{h}", f"r{r}", f"e{t}") for h, r, t in listed)
    print(f"clew: {graph.num_entities:,} entities, {graph.num_triples:,} triples", flush=True)
    sub = graph.whole
    out_and_in = (sub.out, sub.inc)
    assert all(len(side.triples) == len(rows) for side in out_and_in)
    entity = np.array([int(graph.entity_at(i).id[1:]) for i in range(graph.num_entities)])
    relation = np.array([int(graph.relation_at(i).id[1:]) for i in range(graph.num_relations)])

    def arrays(seed: int) -> object:
        return neighborhood(graph, [f"e{seed}"], 2, max_triples=None)

    def as_rows(seed: int) -> object:
        found = neighborhood(graph, [f"e{seed}"], 2, max_triples=None)
        ends = entity[found.entities]
        return list(
            zip(ends[found.heads].tolist(), relation[found.rels].tolist(), ends[found.tails].tolist(), strict=True)
        )

    def numbers(found: object) -> Rows:
        ends = entity[found.entities]
        return set(
            zip(ends[found.heads].tolist(), relation[found.rels].tolist(), ends[found.tails].tolist(), strict=True)
        )

    lite = sqlite3.connect(":memory:")
    lite.execute("CREATE TABLE triples (h INTEGER, r INTEGER, t INTEGER, PRIMARY KEY (h, r, t)) WITHOUT ROWID")
    lite.executemany("INSERT INTO triples VALUES (?, ?, ?)", listed)
    lite.execute("CREATE INDEX by_tail ON triples (t, r, h)")
    lite.execute("ANALYZE")

    duck = duckdb.connect(":memory:")
    duck.execute("SET threads = 2")
    h, r, t = rows.T.copy()
    duck.execute("CREATE TABLE triples (h BIGINT, r BIGINT, t BIGINT)")
    duck.register("given", pyarrow.table({"h": h, "r": r, "t": t}))
    duck.execute("INSERT INTO triples SELECT h, r, t FROM given ORDER BY h")
    duck.execute("CREATE INDEX by_head ON triples (h)")
    duck.execute("CREATE INDEX by_tail ON triples (t)")

    oxi = pyoxigraph.Store()
    nodes, links = {}, {}
    for number in np.unique(rows[:, [0, 2]]).tolist():
        nodes[number] = pyoxigraph.NamedNode(f"e:{number}")
    for number in np.unique(rows[:, 1]).tolist():
        links[number] = pyoxigraph.NamedNode(f"r:{number}")
    oxi.bulk_extend(pyoxigraph.Quad(nodes[h], links[r], nodes[t]) for h, r, t in listed)
    oxi.optimize()

    def api(seed: int) -> object:
        start = nodes[seed]
        first = [*oxi.quads_for_pattern(start, None, None), *oxi.quads_for_pattern(None, None, start)]
        near = {start, *(q.object for q in first), *(q.subject for q in first)}
        found = set()
        for node in near:
            found.update(oxi.quads_for_pattern(node, None, None))
            found.update(oxi.quads_for_pattern(None, None, node))
        return found

    def plain(term: object) -> int:
        return int(term.value[2:])

    return {
        "clew, as arrays": (arrays, numbers),
        "clew, as rows": (as_rows, set),
        "pyoxigraph API": (api, lambda f: {(plain(q.subject), plain(q.predicate), plain(q.object)) for q in f}),
        "pyoxigraph SPARQL": (
            lambda seed: list(oxi.query(SPARQL.format(f"<e:{seed}>"))),
            lambda f: {(plain(s[0]), plain(s[1]), plain(s[2])) for s in f},
        ),
        "sqlite": (lambda seed: lite.execute(SQL, (seed, seed, seed)).fetchall(), set),
        "duckdb": (lambda seed: duck.execute(SQL, (seed, seed, seed)).fetchall(), set),
    }


def measure(asked: dict, seeds: list[int], rounds: int) -> tuple[dict[str, list[float]], list[int]]:
    """Milliseconds per engine and seed (best of `rounds`), and how many triples each answer holds."""
    times: dict[str, list[float]] = {name: [] for name in asked}
    sizes = []
    for seed in seeds:
        wanted: Rows | None = None
        for name, (ask, as_set) in asked.items():
            best = float("inf")
            for _ in range(rounds):
                start = time.perf_counter()
                found = ask(seed)
                best = min(best, 1e3 * (time.perf_counter() - start))
            times[name].append(best)
            rows = as_set(found)
            if wanted is None:
                wanted = rows
                sizes.append(len(rows))
            elif rows != wanted:
                raise SystemExit(f"{name} differs from clew at seed {seed}: {len(rows)} against {len(wanted)} triples")
    return times, sizes


def table(title: str, times: dict[str, list[float]], sizes: list[int]) -> dict[str, object]:
    """Print one table; ratios are medians over seeds of (peer / clew as arrays), so that each pair saw one seed."""
    spread = np.percentile(sizes, [50, 95, 100]).astype(int)
    print(
        f"\n{title}: {len(sizes)} seeds, triples per answer median {spread[0]:,}, p95 {spread[1]:,}, max {spread[2]:,}"
    )
    print(f"{'':20}{'median ms':>12}{'p95 ms':>12}{'max ms':>12}{'median ratio':>14}{'lowest ratio':>14}")
    ours = np.array(times["clew, as arrays"])
    result = {}
    for name, each in times.items():
        median, p95, most = np.percentile(each, [50, 95, 100])
        ratio = np.array(each) / ours
        print(f"{name:20}{median:12.4f}{p95:12.3f}{most:12.2f}{np.median(ratio):14.1f}{ratio.min():14.2f}")
        result[name] = {
            "median_ms": median,
            "p95_ms": p95,
            "max_ms": most,
            "median_ratio": float(np.median(ratio)),
            "lowest_ratio": float(ratio.min()),
        }
    return {"seeds": len(sizes), "triples": spread.tolist(), "engines": result}


def kernels(triples: int) -> dict[str, float]:
    """Milliseconds of the kernels on a larger graph, with nobody beside them."""
    rows = power_law(triples, 1)
    h, r, t = (np.ascontiguousarray(rows[:, i], np.int32) for i in range(3))
    n = int(max(h.max(), t.max())) + 1
    csr(h[:10], t[:10], r[:10], n)
    start = time.perf_counter()
    csr(h, t, r, n)
    print(f"\nkernels on {triples:,} triples, {n:,} entities\nCSR of one direction {time.perf_counter() - start:.2f} s")
    result = {"csr_s": time.perf_counter() - start}
    nobody = Graph.from_triples([])  # no names are asked for
    graph = Subgraph(h, r, t, np.arange(n, dtype=np.int32), nobody)
    assert len(graph.out.triples) == len(graph.inc.triples)
    seeds = np.random.default_rng(2).choice(h, 200).tolist()
    hubs = np.argsort(np.bincount(h, minlength=n) + np.bincount(t, minlength=n))[-20:].tolist()
    small = [around(graph, [s], 2, max_triples=2_000, keep="induced") for s in seeds[:50]]
    tasks: dict[str, Callable[[int], object]] = {
        "1-hop, max_triples 10,000": lambda s: around(graph, [s], 1),
        "2-hop walked, max_triples 10,000": lambda s: around(graph, [s], 2),
        "2-hop induced, max_triples 10,000": lambda s: around(graph, [s], 2, keep="induced"),
        "2-hop walked, fanout 32": lambda s: around(graph, [s], 2, fanout=32),
    }
    for name, task in tasks.items():
        for kind, chosen in (("any", seeds), ("hubs", hubs)):
            result[f"{name}, {kind}"] = _median(f"{name}, {kind}", task, chosen)
    draw = random.Random(3)
    pairs = [draw.sample(seeds, 2) for _ in range(10)]
    result["paths"] = _median("all shortest paths ≤ 4 of a pair", lambda p: mine_paths(graph, p[:1], p[1:]), pairs)
    result["pagerank"] = _median("PageRank on 2-hop subgraphs ≤ 2,000", lambda g: pagerank(g, g.seeds), small)
    result["distances"] = _median("distances from one entity", lambda s: distances(graph, [s]), seeds[:5])
    result["components"] = _median("components", lambda _: components(graph), [0, 0, 0])
    return result


def _median(name: str, task: Callable, inputs: list) -> float:
    task(inputs[0])
    each = []
    for one in inputs:
        start = time.perf_counter()
        task(one)
        each.append(1e3 * (time.perf_counter() - start))
    print(f"{name:45} median {np.median(each):9.3f} ms   p95 {np.percentile(each, 95):9.3f} ms")
    return float(np.median(each))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--hubs", type=int, default=5, help="seeds among the hundred entities of highest degree")
    parser.add_argument("--kernels", type=int, default=0, help="also time the kernels alone on so many triples")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = power_law(options.triples, 0)
    asked = engines(rows)
    entities, degree = np.unique(rows[:, [0, 2]], return_counts=True)
    draw = np.random.default_rng(4)
    seeds = draw.choice(entities, options.seeds, replace=False).tolist()
    hubs = draw.choice(entities[np.argsort(degree)[-100:]], options.hubs, replace=False).tolist()
    measure(asked, seeds[:3], 1)  # compiles, fills caches
    result = {
        "triples": len(rows),
        "any": table("Any entity as seed", *measure(asked, seeds, 3)),
        "hubs": table("Hubs as seed", *measure(asked, hubs, 1)),
    }
    if options.kernels:
        result["kernels"] = kernels(options.kernels)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
