"""Query plans: agreement of three interpreters, speed of a superlative, and the share of public SPARQL that is read.

python benchmarks/query_plans.py agree [COUNT]     random plans on random graphs (default 10,000)
python benchmarks/query_plans.py speed             a superlative over a class of 10,000 on MetaQA-R's graph
python benchmarks/query_plans.py gold              gold queries of the public sets (CLEW_DATA) read into plans
"""

from __future__ import annotations

import gzip
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

DATA = Path(os.environ.get("CLEW_DATA", "../shared/data"))
OUT = Path(__file__).parents[1] / "results" / "benchmarks"


def agree(count: int) -> dict[str, Any]:
    import plan_oracle
    from clew.query import execute, show

    kinds: Counter[str] = Counter()
    wrong, empty = [], 0
    for seed in range(count):
        rng = random.Random(seed)
        world = plan_oracle.random_world(rng)
        plan = plan_oracle.Planner(rng, world).plan()
        wanted = plan_oracle.naive(plan, world)
        mine = plan_oracle.plain(execute(plan, world.graph), world.graph)
        if not (plan_oracle.agree(mine, wanted) and plan_oracle.agree(plan_oracle.by_sparql(plan, world), wanted)):
            wrong.append(f"{seed}: {show(plan)}")
        kinds[type(plan).__name__] += 1
        empty += not wanted
    return {"plans": count, "disagree": wrong, "empty_zero_or_no": empty, "kinds": dict(kinds.most_common())}


def speed() -> dict[str, Any]:
    """Processor time, median of warm runs; the column is read once per graph, which `first` shows."""
    import numpy as np
    import pyoxigraph as ox

    from clew.graph import Graph
    from clew.query import execute, parse, to_sparql

    rng = np.random.default_rng(0)
    lines = [line.split("|") for line in (DATA / "metaqa" / "kb.txt").read_text().splitlines() if line.strip()]
    rows = [(h, r, t) for h, r, t in lines]
    films = sorted({h for h, r, _ in rows if r == "release_year"})
    rows += [(film, "type", "Film") for film in rng.permutation(films)[:10_000].tolist()]
    rows += [(film, "votes", str(int(n))) for film, n in zip(films, rng.integers(1, 10**7, len(films)), strict=True)]
    plans = {
        "superlative by a value": "top(class(Film), votes, largest)",
        "superlative by year": "top(class(Film), release_year, largest)",
        "superlative by a count": "top(class(Film), count(starred_actors), largest)",
        "filter and count": "count(where(class(Film), release_year, <, date(1950)))",
    }
    with TemporaryDirectory() as folder:
        graph = Graph.from_triples(rows, name="metaqa-r").save(Path(folder) / "m.kg")
        store = ox.Store()
        literal = {"votes": "integer", "release_year": "integer"}
        xsd = "http://www.w3.org/2001/XMLSchema#"
        from clew.query.sparql import term

        def node(id: str) -> Any:
            return ox.NamedNode(term(id)[1:-1])

        def value(relation: str, id: str) -> Any:
            kind = literal.get(relation)
            return ox.Literal(id, datatype=ox.NamedNode(xsd + kind)) if kind else node(id)

        store.bulk_extend(ox.Quad(node(h), node(r), value(r, t)) for h, r, t in rows)
        found: dict[str, Any] = {"triples": graph.num_triples, "class": 10_000}
        for name, text in plans.items():
            plan = parse(text)
            start = time.perf_counter()
            execute(plan, graph)
            first = time.perf_counter() - start
            mine = [_timed(lambda plan=plan: execute(plan, graph)) for _ in range(30)]
            query = to_sparql(plan, graph)
            theirs = [_timed(lambda query=query: list(store.query(query))) for _ in range(3)]
            found[name] = {
                "first_ms": round(1e3 * first, 2),
                "ms": round(1e3 * statistics.median(mine), 2),
                "pyoxigraph_ms": round(1e3 * statistics.median(theirs), 2),
            }
    return found


def _timed(call: Any) -> float:
    """Processor seconds: what a busy machine does besides is not counted. All of it is one thread."""
    start = time.process_time()
    call()
    return time.process_time() - start


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as stream:
        for line in stream:
            yield json.loads(line)


def gold() -> dict[str, Any]:
    """Read: the query becomes a plan; with one answer column or, `first`, by its first column. Same: equal rows."""
    from clew.errors import ClewError
    from clew.graph import Graph, build
    from clew.query import execute, from_sparql

    found: dict[str, Any] = {}
    spider = DATA / "spider4sparql"
    sets = {
        "webqsp train": (DATA / "webqsp-sparql" / "train.jsonl.gz", ""),
        "spider4sparql dev": (spider / "dev.jsonl", "PREFIX : <http://valuenet/ontop/>\n"),
        "spider4sparql train": (spider / "train.jsonl.gz", "PREFIX : <http://valuenet/ontop/>\n"),
    }
    with TemporaryDirectory() as folder:
        graphs = {}
        for file in sorted((spider / "graphs").glob("*.ttl")):
            build(file, Path(folder) / f"{file.stem}.kg")
            graphs[file.stem] = Graph.open(Path(folder) / f"{file.stem}.kg")
        for name, (path, prefix) in sets.items():
            counts: Counter[str] = Counter()
            reasons: Counter[str] = Counter()
            for row in _rows(path):
                counts["queries"] += 1
                graph = graphs.get(row.get("graph", ""))
                query = prefix + row["sparql"]
                try:
                    plan = from_sparql(query, graph)
                except ClewError as error:
                    several = " columns" in str(error)
                    counts["several columns"] += several
                    if not several:
                        reasons[str(error)[:60]] += 1
                    continue
                counts["read"] += 1
                if graph is not None:
                    result = execute(plan, graph)
                    counts["same rows"] += _texts(result, graph) == {_folded(r[0]) for r in row["rows"]}
            found[name] = {**counts, "reasons": dict(reasons.most_common(8))}
    return found


def _texts(result: Any, graph: Any) -> set[str]:
    if result.makes in ("set", "values"):
        return {_folded(label) for label in graph.labels_at(result.members)}
    return {_folded(str(result.quantity if result.makes == "number" else result.truth))}


def _folded(text: Any) -> str:
    try:
        return f"{float(text):.6g}"
    except (TypeError, ValueError):
        return str(text).casefold()


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "agree"
    made = {
        "agree": lambda: agree(int(sys.argv[2]) if len(sys.argv) > 2 else 10_000),
        "speed": speed,
        "gold": gold,
    }[what]()
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"query_{what}.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(made, indent=1, ensure_ascii=False))
