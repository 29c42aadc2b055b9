"""Answers a second of `walk` by the local engine and by ray with two workers on this machine, over the same questions.

Rows of both are compared without their seconds. What counts is the time between the first row that is kept and the
last: starting ray, its workers and the encoder in each is told apart. Ray gives each worker one thread; `--threads`
says how many the local engine has (default: as many as there are cores). Needs the extra `ray`.

    CLEW_DATA=… python benchmarks/engines.py [--set webqsp-pooled:dev] [--questions 200] [--workers 2] [--rounds 3]
                                                [--threads 1]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from clew.encoding import open_encoder
from clew.graph import Graph
from clew.graph.save import save
from clew.methods.walk.method import Config, Walk
from clew.protocols import GraphStore, Tools
from clew.runs import Run, answer_all
from clew.runs.ray_engine import answer_with_ray
from walk import graph_of, questions


def opened(path: str, vectors: str) -> tuple[Any, GraphStore]:
    """The method and the graph at `path`, in each process anew; the workers share a folder of vectors."""
    method = Walk(Config(), Tools(encoder=open_encoder(cache=Path(vectors))))
    return method.predict, Graph.open(path)


def timed(engine: Callable[[Run, Callable[[Any], None]], object], run: Run) -> tuple[float, float]:
    """Seconds until the first rows were kept, and answers a second after them."""
    kept: list[tuple[float, int]] = []
    began = time.perf_counter()
    engine(run, lambda progress: kept.append((time.perf_counter() - began, progress.done)))
    (first, some), (last, every) = kept[0], kept[-1]
    return first, (every - some) / (last - first)


def measured(name: str, path: str, folder: Path, rows: list[Any], batch: int, workers: int) -> tuple[float, float]:
    """What `timed` says of one engine; run in a process of its own."""
    opener = partial(opened, path, f"{folder}-vectors")  # empty at the start

    def local(run: Run, told: Callable[[Any], None]) -> None:
        predict, graph = opener()
        answer_all(run, ((row.question, graph) for row in rows), predict, batch=batch, on_progress=told)

    def ray(run: Run, told: Callable[[Any], None]) -> None:
        answer_with_ray(run, rows, opener, batch=batch, workers=workers, on_progress=told)

    with Run.create(folder, {}, rows, session={}) as run:
        return timed({"local": local, "ray": ray}[name], run)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="webqsp-pooled:dev")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, help="of the local engine")
    options = parser.parse_args()
    rows = questions(options.set, options.questions)[: options.questions]
    print(f"{len(rows)} questions of {options.set}, batches of {options.batch}, load {os.getloadavg()[0]:.1f}")
    if options.threads:
        os.environ["OMP_NUM_THREADS"] = str(options.threads)  # of processes that are started from here
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "graph.kg"
        save(graph_of(options.set, Path(scratch)), path)
        ratios = []
        for round_ in range(options.rounds):
            found, rates = {}, {}
            for name in ("local", "ray"):
                folder = Path(scratch) / f"{name}-{round_}"
                given = (name, str(path), folder, rows, options.batch, options.workers)
                if name == "local":  # ray's workers are fresh processes as well: nothing is encoded yet
                    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                        first, rates[name] = fresh.submit(measured, *given).result()
                else:
                    first, rates[name] = measured(*given)
                found[name] = [
                    replace(r, answer=r.answer and replace(r.answer, seconds={})) for r in Run.open(folder).rows()
                ]
                print(f"{name:8} first rows after {first:6.1f} s, then {rates[name]:7.2f} answers/s", flush=True)
            ratios.append(rates["ray"] / rates["local"])
            same = sum(a == b for a, b in zip(found["local"], found["ray"], strict=True))
            print(f"rows that are equal: {same} of {len(rows)}; answers/s of ray to local {ratios[-1]:.2f}", flush=True)
    print(f"median ratio of {options.rounds} rounds: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
