"""Makes every number that an untrained `clew ask` uses, from nothing: the network of `plan`, `walk`'s rating, `auto`'s.

    CLEW_DATA=… python scripts/make_reader.py OUT [--questions 160000] [--rounds 3] [--only STEP]

Steps, in this order; everything lies in OUT, and a second start goes on where the last one ended:

    network   records of every source, then the network (clew.reading.train), then rounds: each trains on from the mean
              of the networks so far, and the mean of the rounds ships
    cross     the cross-encoder that looks again at the plans which the network likes best (clew.reading.train_cross):
              two trainings from the sentence encoder's weights, the mean of both ships. That of plans over events is
              stored as differences to it: fit_events.py has to be run again
    plan      its calibration for the method `plan` (fit_reader.py)
    walk      the rating of `walk`, twice, since its candidates are found with the rating before (fit_walk.py)
    auto      the numbers of `auto`, fitted on worlds that none of these read (fit_auto.py)

Each is copied into the package when it has read all its questions. One core reads about 100 questions a second for the
network and ten for the cross-encoder: with the numbers above 27 minutes for the first network, 13 for each round, an
hour for the cross-encoder, 40 for the records, 30 for the fits; over three hours in all, 4 GB of memory, 3 GB disk.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from clew.encoding.cross_encoder import SHIPPED as SHIPPED_CROSS
from clew.reading import train, train_cross

STEPS = ("network", "cross", "plan", "walk", "auto")
ROUND, RATE = 80_000, 7e-4  # questions of a round, and its highest learning rate
CROSS, TRAININGS = 18_000, 2  # questions of a training of the cross-encoder
HERE = Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "src" / "clew" / "reading" / "weights"


def run(*command: object) -> None:
    said = [sys.executable, *map(str, command)]
    print("$", *said, flush=True)
    subprocess.run(said, check=True)


def network(out: Path, questions: int, rounds: int) -> None:
    """The first network and its rounds; the mean of the rounds is copied into the package."""
    command = ("-m", "clew.reading.train")
    shared = ("--packs", out / "packs", "--resume")
    run(*command, out / "round-0", *shared, "--questions", questions)
    made = [out / "round-0" / "reader.safetensors"]
    for number in range(1, rounds + 1):
        train.mean(made, out / "mean.safetensors")
        again = ("--start", out / "mean.safetensors", "--questions", ROUND, "--rate", RATE, "--seed", number)
        run(*command, out / f"round-{number}", *shared, *again)
        made.append(out / f"round-{number}" / "reader.safetensors")
    train.mean(made[1:], out / "mean.safetensors")
    shutil.copyfile(out / "mean.safetensors", WEIGHTS / "reader.safetensors")


def cross(out: Path) -> None:
    """The trainings of the cross-encoder; their mean is copied into the package."""
    folders = [out / f"cross-{number}" for number in range(TRAININGS)]
    for number, folder in enumerate(folders):
        shared = ("--packs", out / "packs", "--questions", CROSS, "--seed", number, "--resume")
        run("-m", "clew.reading.train_cross", folder, *shared)
    train_cross.mean([folder / "cross.safetensors" for folder in folders], SHIPPED_CROSS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", type=int, default=160_000, help="that the first network reads")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=STEPS, help="one step; those before it have been run")
    given = parser.parse_args()
    steps = STEPS if given.only is None else (given.only,)
    if "network" in steps:
        network(given.out, given.questions, given.rounds)
    if "cross" in steps:
        cross(given.out)
    if "plan" in steps:
        run(HERE / "fit_reader.py", "--into")
    if "walk" in steps:
        run(HERE / "fit_walk.py")
        run(HERE / "fit_walk.py")
    if "auto" in steps:
        run(HERE / "fit_auto.py")


if __name__ == "__main__":
    main()
