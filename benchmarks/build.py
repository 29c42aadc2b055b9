# ruff: noqa: E501, SIM905
"""How fast a file becomes a finished, searchable graph, and how fast that opens.

Makes synthetic files with a heavy-tailed degree distribution and names of ordinary length, builds each in its own
process and prints triples per second, peak memory and time to open. The peer, pyoxigraph loading the same N-Triples
into its own store on disk, runs in the same invocation.

    python benchmarks/build.py --triples 10_000_000 --entities 3_000_000 [--formats tsv parquet nt] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SYLLABLES = np.array(
    "an bel cor da el fin gar hol is ju ken lo mar nor os pel quin ro sal tor ul ven wil xan yor zel".split()
)


def names(count: int, rng: np.random.Generator) -> pa.Array:
    """`count` different two-word names."""
    parts = [pa.array(SYLLABLES[rng.integers(0, len(SYLLABLES), count)]) for _ in range(4)]
    first, second = (pc.utf8_capitalize(pc.binary_join_element_wise(*pair, "")) for pair in (parts[:2], parts[2:]))
    return pc.binary_join_element_wise(first, second, pa.array(np.arange(count)).cast(pa.string()), " ")


def write(folder: Path, triples: int, entities: int, formats: list[str]) -> dict[str, Path]:
    rng = np.random.default_rng(0)
    known, relations = names(entities, rng), [f"group{i // 20}.kind{i % 20}.relation_{i}" for i in range(400)]
    files = {form: folder / f"graph.{form}" for form in formats}
    writers: dict[str, pq.ParquetWriter] = {}
    schema = pa.schema([("head", pa.string()), ("relation", pa.string()), ("tail", pa.string())])
    done = 0
    while done < triples:
        size = min(1_000_000, triples - done)
        # Every entity once as a head before any is repeated, so that the number of entities is what was asked for.
        heads = np.where(
            np.arange(done, done + size) < entities, np.arange(done, done + size), rng.integers(0, entities, size)
        )
        tails = (entities * rng.random(size) ** 3).astype(np.int64)
        rels = pa.array(relations).take(pa.array(np.minimum(rng.geometric(0.02, size), 400) - 1))
        table = pa.table([known.take(pa.array(heads)), rels, known.take(pa.array(tails))], schema=schema)
        for form, file in files.items():
            if form == "parquet":
                if form not in writers:  # opening one empties the file
                    writers[form] = pq.ParquetWriter(file, schema)
                writers[form].write_table(table)
                continue
            if form == "nt":
                heads_, rels_, tails_ = (
                    pc.binary_join_element_wise(
                        f"<http://example.org/{kind}/", pc.replace_substring(c, " ", "_"), ">", ""
                    )
                    for kind, c in zip(("entity", "relation", "entity"), table.columns, strict=True)
                )
                lines = pc.binary_join_element_wise(heads_, rels_, tails_, ".\n", " ")
            else:
                lines = pc.binary_join_element_wise(*table.columns, "\t")
                lines = pc.binary_join_element_wise(lines, "", "\n")
            with file.open("ab") as handle:
                handle.write(pc.binary_join(pa.array([lines.combine_chunks().to_pylist()]), "")[0].as_py().encode())
        done += size
    for writer in writers.values():
        writer.close()
    return files


def peak_mb() -> float:
    """Peak memory of this process; `ru_maxrss` would count that of the process that started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no VmHWM in /proc/self/status: this benchmark needs Linux")


def child(task: str, file: str, out: str) -> None:
    """One measurement in a process of its own, so that peak memory is its own."""
    start = time.perf_counter()
    if task == "pyoxigraph":
        import pyoxigraph

        store = pyoxigraph.Store(out)
        store.bulk_load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
        store.flush()
        result: dict[str, object] = {"triples": len(store)}
    else:
        from clew.graph import build

        report = build(file, out, strict=True)
        result = {"triples": report.triples, "entities": report.entities, "stages": report.seconds}
    result["seconds"] = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    result["cpu_seconds"] = usage.ru_utime + usage.ru_stime
    result["peak_mb"] = peak_mb()
    print(json.dumps(result))


def opened(path: Path) -> dict[str, float]:
    """Milliseconds, best and median of seven: to open, and to be ready to walk and look names up."""
    from clew.graph import Graph

    opens, ready = [], []
    for _ in range(7):
        start = time.perf_counter()
        graph = Graph.open(path)
        opens.append(time.perf_counter() - start)
        _ = graph.whole.out, graph.whole.inc, graph.number_of("x"), graph.indexes
        ready.append(time.perf_counter() - start)
    return {"open_ms": 1000 * float(np.median(opens)), "ready_ms": 1000 * float(np.median(ready))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--entities", type=int)
    parser.add_argument("--formats", nargs="+", default=["tsv", "parquet", "nt"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=3)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    entities = options.entities or options.triples * 3 // 10
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        files = write(folder, options.triples, entities, options.formats)
        tasks = [(form, form, folder / f"{form}.kg") for form in options.formats]
        if "nt" in files:
            tasks.append(("pyoxigraph", "nt", folder / "oxigraph"))
        # Once unmeasured on a small file: compiled code is kept on disk from then on.
        (folder / "warm.tsv").write_text("a\tb\tc\n")
        command = [sys.executable, __file__, "--child"]
        subprocess.run(
            [*command, "tsv", str(folder / "warm.tsv"), str(folder / "warm.kg")], check=True, capture_output=True
        )
        for task, form, out in tasks:
            runs = []
            for i in range(options.repeats):
                target = out if i == 0 or task != "pyoxigraph" else out.with_name(f"{out.name}{i}")
                done = subprocess.run(
                    [*command, task, str(files[form]), str(target)], check=True, capture_output=True, text=True
                )
                runs.append(json.loads(done.stdout))
            run = sorted(runs, key=lambda each: each["seconds"])[len(runs) // 2]
            run |= {"task": task, "rate": options.triples / run["seconds"], "file_mb": files[form].stat().st_size / 1e6}
            if task != "pyoxigraph":
                run |= opened(out)
                run["graph_mb"] = sum(f.stat().st_size for f in out.rglob("*") if f.is_file()) / 1e6
            rows.append(run)
    print(f"{options.triples:,} triples asked for, {entities:,} entities; median of {options.repeats}")
    print(
        f"{'input':<11} {'file MB':>8} {'seconds':>8} {'CPU s':>7} {'triples/s':>10} {'peak MB':>8} {'open ms':>8} {'ready ms':>8}  stages"
    )
    for run in rows:
        stages = " ".join(f"{name} {seconds:.1f}" for name, seconds in run.get("stages", {}).items())
        print(
            f"{run['task']:<11} {run['file_mb']:>8.0f} {run['seconds']:>8.1f} {run['cpu_seconds']:>7.1f} {run['rate']:>10,.0f} {run['peak_mb']:>8.0f} "
            f"{run.get('open_ms', float('nan')):>8.1f} {run.get('ready_ms', float('nan')):>8.1f}  {stages}"
        )
    if options.json:
        options.json.write_text(json.dumps({"triples": options.triples, "entities": entities, "runs": rows}, indent=1))


if __name__ == "__main__":
    main()
