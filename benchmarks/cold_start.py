"""From the command to the answer: a bare `clew ask` in a new process, with `walk`, and with the encoder in torch.

Both engines, `clew --help` and a Python that only imports numpy start in turn, each in a process of its own after one
that is not counted (it writes byte code and machine code). Wall clock and processor seconds are of the whole process:
on a busy machine read the processor seconds and the ratios. Then one process asks many questions: those it has not
asked before, and the same once more.

    python benchmarks/cold_start.py [--graph demo.kg] [--repeats 7]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import clew

QUESTION = "What is the capital of France?"
COUNTRIES = ("Austria", "Brazil", "Chad", "Denmark", "Egypt", "Finland", "Ghana", "Hungary", "India", "Japan")
FORMS = (
    "What is the capital of {}?",
    "which languages are spoken in {}",
    "Which countries border {}?",
    "what currency is used in the countries that border {}",
)


def run(command: Sequence[str]) -> tuple[float, float]:
    """Wall clock and processor seconds of a process and its children."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold(graph: Path, repeats: int) -> None:
    start = [sys.executable, "-c", "from clew.cli import main; main()"]
    ask = [*start, "ask", str(graph), QUESTION]
    walk = [*ask, "--method", "walk"]
    commands = {
        "import numpy": [sys.executable, "-c", "import numpy"],
        "clew --help": [*start, "--help"],
        "clew ask": ask,
        "clew ask, walk": walk,
        "clew ask, walk, torch": [*walk, "--set", "encoder.engine=torch"],
    }
    taken: dict[str, list[tuple[float, float]]] = {label: [] for label in commands}
    for turn in range(repeats + 1):
        for label, command in commands.items():
            figures = run(command)
            if turn:
                taken[label].append(figures)
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.0f}")
    print(f"{'cold, medians':28}{'wall s':>8}{'CPU s':>8}{'× numpy':>9}")
    unit = statistics.median(cpu for _, cpu in taken["import numpy"])
    for label, figures in taken.items():
        wall, cpu = (statistics.median(column) for column in zip(*figures, strict=True))
        print(f"{label:28}{wall:8.2f}{cpu:8.2f}{cpu / unit:9.1f}")


def warm(graph: Path, name: str) -> None:
    questions = [form.format(country) for form in FORMS for country in COUNTRIES]
    opened = clew.Graph.open(graph)
    method = clew.open_method(opened, name)
    for country in ("Poland", "Peru"):  # what is learnt once per graph and kind of question
        method.predict([clew.Question("0", form.format(country)) for form in FORMS], opened)
    print(f"\n{f'warm, {name}, per question':28}{'wall ms':>8}{'CPU ms':>8}")
    for label in ("not asked before", "asked again"):
        walls, cpus = [], []
        for question in questions:
            began, cpu = time.perf_counter(), time.process_time()
            method.answer(clew.Question("1", question), opened)
            walls.append(1e3 * (time.perf_counter() - began))
            cpus.append(1e3 * (time.process_time() - cpu))
        print(f"{label:28}{statistics.median(walls):8.1f}{statistics.median(cpus):8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", type=Path)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        graph = arguments.graph
        if graph is None:
            graph = Path(folder) / "demo.kg"
            clew.build([Path(clew.__file__).parent / "datasets" / "demo" / "world.ttl.gz"], graph)
        cold(graph, arguments.repeats)
        for name in ("auto", "walk"):
            warm(graph, name)


if __name__ == "__main__":
    main()
