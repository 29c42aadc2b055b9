"""The sentence encoder in ONNX Runtime against the same weights in torch: cold, per question, in bulk, memory, vectors.

Both engines answer in turn in one process on one thread each; what is compared is processor time, which a busy machine
hardly changes. Cold starts and memory come from processes of their own: from the start of Python to the first vector.

    OMP_NUM_THREADS=1 python benchmarks/encoder.py [--repeats 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from clew.encoding import DEFAULT, LocalEncoder
from clew.encoding.local import Engine, find_weights

ENGINES: tuple[Engine, ...] = ("onnx", "torch")
QUESTION = "which languages are spoken in the countries that border Austria"  # 12 tokens with [CLS] and [SEP]
COLD = """
import resource, sys, time
from pathlib import Path
began = time.process_time()
from clew.encoding import LocalEncoder
LocalEncoder({name!r}, Path({folder!r}), engine={engine!r}, dtype="float32").encode([{question!r}])
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def cold(engine: Engine, folder: str) -> tuple[float, float]:
    """Processor seconds from a started Python to the first vector, and the process's largest MB in memory."""
    code = COLD.format(name=DEFAULT, folder=folder, engine=engine, question=QUESTION)
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    seconds, memory = out.split()
    return float(seconds), float(memory)


def in_turn(runs: dict[Engine, Callable[[], object]], repeats: int, times: int) -> dict[Engine, float]:
    """Median processor seconds of one call."""
    for run in runs.values():
        run()
    found: dict[Engine, list[float]] = {engine: [] for engine in runs}
    for _ in range(repeats):
        for engine, run in runs.items():
            began = time.process_time()
            for _ in range(times):
                run()
            found[engine].append((time.process_time() - began) / times)
    return {engine: statistics.median(values) for engine, values in found.items()}


def texts(count: int, words: int, seed: int) -> list[str]:
    """`count` texts of about so many words, none twice."""
    rng = np.random.default_rng(seed)
    known = (QUESTION + " capital population director film river mountain author club league").split()
    return [" ".join(rng.choice(known, max(1, words + int(rng.integers(-1, 2))))) + f" {i}" for i in range(count)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args(arguments).repeats
    folder = find_weights(DEFAULT)
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.0f}; processor time")
    print(f"{'':34}" + "".join(f"{engine:>10}" for engine in ENGINES) + f"{'ratio':>8}")

    def put(label: str, values: dict[Engine, float], form: str) -> None:
        ratio = values["torch"] / values["onnx"]
        print(f"{label:34}" + "".join(format(values[engine], form).rjust(10) for engine in ENGINES) + f"{ratio:8.2f}")

    starts: dict[Engine, list[tuple[float, float]]] = {engine: [] for engine in ENGINES}
    for _ in range(max(3, repeats // 2)):
        for engine in ENGINES:
            starts[engine].append(cold(engine, str(folder)))
    put("cold to the first vector, s", {e: statistics.median(s for s, _ in starts[e]) for e in ENGINES}, ".2f")
    put("largest memory, MB", {e: statistics.median(m for _, m in starts[e]) for e in ENGINES}, ".0f")
    encoders = {engine: LocalEncoder(DEFAULT, folder, engine=engine, dtype="float32") for engine in ENGINES}
    for label, batch, times in (
        ("one question of 12 tokens, ms", [QUESTION], 10),
        ("30 phrases of 2 words, ms", texts(30, 2, 0), 3),
        ("32 phrases of 5 words, ms", texts(32, 5, 1), 2),
        ("256 phrases of 5 words, ms", texts(256, 5, 2), 1),
        ("256 texts of 18 words, ms", texts(256, 18, 3), 1),
        ("8 texts of 250 words, ms", texts(8, 250, 4), 1),
    ):
        runs: dict[Engine, Callable[[], object]] = {
            engine: lambda e=encoder, b=batch: e.encode(b)  # type: ignore[misc]
            for engine, encoder in encoders.items()
        }
        put(label, {e: 1e3 * s for e, s in in_turn(runs, repeats, times).items()}, ".1f")
    sample = texts(500, 6, 5)
    apart = np.abs(encoders["onnx"].encode(sample) - encoders["torch"].encode(sample)).max()
    print(f"largest difference between two vectors of {len(sample)}: {apart:.1e}")


if __name__ == "__main__":
    main()
