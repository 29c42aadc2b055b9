"""What a set with one graph per question takes, prepared and read, against the same rows decoded by pyarrow.

Makes Parquet files of the RoG schema from the pooled piece of Freebase: every CWQ question with the triples around its
topics, as many at most as --triples. Each way of reading runs in its own process; memory is the peak above what the
imports take.

    CLEW_DATA=… python benchmarks/rog.py [--questions 1000] [--triples 3000]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from clew.datasets import SharedTriples, load, prepare_parquet, question_set
from clew.graph import Graph
from clew.graph.neighborhood import neighborhood


def peak() -> float:
    """MB; getrusage would hand a child the peak of its parent."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def write(folder: Path, questions: int, triples: int) -> None:
    source = question_set("cwq-pooled").triples
    assert source is not None
    graph = Graph.from_triples(source(), name="pooled")
    rows = []
    for example in [*load("cwq-pooled", "train"), *load("cwq-pooled", "dev")][:questions]:
        topics = [topic for topic in example.question.topics if graph.whole.local(topic) is not None]
        around = neighborhood(graph, topics, 3, max_triples=triples)
        facts = [around.triple(i) for i in range(around.num_triples)]
        rows.append(
            {
                "id": example.question.id,
                "question": example.question.text,
                "answer": list(example.gold.answers),
                "q_entity": list(example.question.topics),
                "a_entity": list(example.gold.answers),
                "graph": [[t.head.id, t.relation.id, t.tail.id] for t in facts],
            }
        )
    pq.write_table(pa.Table.from_pylist(rows), folder / "train-00000-of-00001.parquet", row_group_size=32)


def child(what: str, folder: Path) -> None:
    before, start, count = peak(), time.perf_counter(), 0
    if what == "decoded":
        (file,) = (folder / "raw").glob("*.parquet")
        kept = pq.read_table(file).to_pylist()
        count = sum(len(row["graph"]) for row in kept)
    elif what == "prepare":
        prepare_parquet(folder / "raw", folder / "prepared")
        count = 1
    else:
        for example in SharedTriples.open(folder / "prepared").examples("train"):
            assert example.graph is not None
            count += example.graph.whole.num_triples
    print(json.dumps({"mb": peak() - before, "seconds": time.perf_counter() - start, "triples": count}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--triples", type=int, default=3000)
    parser.add_argument("--child", nargs=2)
    args = parser.parse_args()
    if args.child:
        child(args.child[0], Path(args.child[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "raw").mkdir()
        write(folder / "raw", args.questions, args.triples)
        print(f"{args.questions:,} questions, at most {args.triples:,} triples each")
        for what in ("decoded", "prepare", "read"):
            done = subprocess.run(
                [sys.executable, __file__, "--child", what, name], capture_output=True, text=True, check=True
            )
            row = json.loads(done.stdout.splitlines()[-1])
            note = f"{row['triples']:>12,} triples" if what != "prepare" else ""
            print(f"{what:10} {row['mb']:9.0f} MB {row['seconds']:8.1f} s {note}")
        size = sum(f.stat().st_size for f in (folder / "prepared").rglob("*") if f.is_file()) / 2**20
        print(f"{'on disk':10} {size:9.0f} MB, mapped into memory")


if __name__ == "__main__":
    main()
