"""`python -m clew.testing.fuzz`: try a door's corpus and fresh inputs, and say how they ended."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from clew.testing.fuzz import DOORS, fuzz, serve


def main() -> int:
    parser = argparse.ArgumentParser(description="Try damaged and senseless input at one of clew's doors.")
    parser.add_argument("door", nargs="?", choices=sorted(DOORS))
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--failures", type=Path, help="append what failed here, as lines of a corpus")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.serve)
        return 0
    if asked.door is None:
        parser.error("name a door")
    start = time.monotonic()
    found = fuzz(asked.door, asked.inputs, asked.seed, seconds=asked.seconds)
    sys.stdout.write(f"{asked.door}, seed {asked.seed}: {sum(found.counts.values())} inputs, ")
    sys.stdout.write(f"{len(found.failed)} failed, {time.monotonic() - start:.0f} s\n")
    for ended, times in found.counts.most_common():
        sys.stdout.write(f"{times:8,}  {ended}\n")
    for given, ended in found.failed[:20]:
        sys.stdout.write(f"{ended}\n  {json.dumps({k: v for k, v in given.items() if k != 'content'})[:400]}\n")
    if asked.failures:
        with asked.failures.open("a", encoding="utf-8") as file:
            for given, ended in found.failed:
                file.write(json.dumps({"door": asked.door, "ended": ended, **given}) + "\n")
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(main())
