"""`python -m clew.testing.support`: ask, check and count, in pieces that outlive the process where a file is named."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from clew.testing.support import SupportCounts, Trial

KEPT_S = 20.0  # between two lines of the file


def main() -> int:
    parser = argparse.ArgumentParser(description="Answers with hostile language models, checked independently.")
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--kept", type=Path, help="a file of counts that is gone on with")
    asked = parser.parse_args()
    total, new, number = SupportCounts(), SupportCounts(), 0
    if asked.kept is not None and asked.kept.exists():
        for line in asked.kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["seed"] == asked.seed:
                total += SupportCounts(_counter(row["counts"]), row["wrong"])
                number = row["next"]
    began = told = time.monotonic()
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(Path(name) / "model")
        while True:
            over = total.answers + new.answers >= asked.answers or time.monotonic() - began > asked.seconds
            if over or time.monotonic() - told > KEPT_S:
                if asked.kept is not None and new.answers:
                    counts = [[*key, n] for key, n in new.counts.items()]
                    line = json.dumps({"seed": asked.seed, "next": number, "counts": counts, "wrong": new.wrong})
                    with asked.kept.open("a", encoding="utf-8") as file:
                        file.write(line + "\n")
                total += new
                new, told = SupportCounts(), time.monotonic()
            if over:
                break
            new += trial.about(asked.seed, number)
            number += 1
    for line in [*total.lines(), f"{number} graphs, seed {asked.seed}", *total.wrong[:40]]:
        sys.stdout.write(line + "\n")
    return 1 if total.wrong else 0


def _counter(rows: list[list[object]]) -> Counter[tuple[str, str, str]]:
    return Counter({(str(method), str(model), str(what)): int(str(n)) for method, model, what, n in rows})


if __name__ == "__main__":
    sys.exit(main())
