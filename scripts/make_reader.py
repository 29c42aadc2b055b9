"""Makes every number that an untrained `clew ask` uses, from nothing: the network of `plan`, `walk`'s rating, `auto`'s.

    CLEW_DATA=… python scripts/make_reader.py OUT [--questions 120000] [--left-out-questions 30000] [--only STEP]

Steps, in this order; everything lies in OUT, and a second start goes on where the last one ended:

    network   records of every source, then the network that ships (clew.reading.train)
    left-out  a network for each part of GROUPS, trained without it
    walk      the rating of `walk`, and the same without each group (fit_walk.py)
    auto      the numbers of `auto`, fitted on what is left out above (fit_auto.py)

The network is copied into the package when it has read all its questions. One core reads about 25 questions a second:
with the numbers above 80 minutes for the network, 20 each for the left-out ones, 30 for the records, 20 for the two
fits; about three and a half hours in all, 3 GB of memory, 0.5 GB of disk.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

GROUPS = ("metaqa,geo", "pq,demo,simplequestions", "freebase,fb15k-237,freebase-tiny")
STEPS = ("network", "left-out", "walk", "auto")
HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "src" / "clew" / "reading" / "weights" / "reader.safetensors"


def run(*command: object) -> None:
    said = [sys.executable, *map(str, command)]
    print("$", *said, flush=True)
    subprocess.run(said, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", type=int, default=120_000, help="that the network reads")
    parser.add_argument("--left-out-questions", type=int, default=30_000, help="that each left-out network reads")
    parser.add_argument("--only", choices=STEPS, help="one step; those before it have been run")
    given = parser.parse_args()
    steps = STEPS if given.only is None else (given.only,)
    train = ("-m", "clew.reading.train")
    shared = ("--packs", given.out / "packs", "--resume")
    if "network" in steps:
        run(*train, given.out / "ships", *shared, "--questions", given.questions)
        shutil.copyfile(given.out / "ships" / "reader.safetensors", TARGET)
    if "left-out" in steps:
        for groups in GROUPS:
            folder = given.out / "left-out" / f"no-{groups.partition(',')[0]}"
            run(*train, folder, *shared, "--leave-out", groups, "--questions", given.left_out_questions)
    if "walk" in steps:
        run(HERE / "fit_walk.py")
        run(HERE / "fit_walk.py", "--without", given.out / "left-out")
    if "auto" in steps:
        run(HERE / "fit_auto.py", given.out / "left-out")


if __name__ == "__main__":
    main()
