"""PathQuestion: 2- and 3-hop questions over small cuts of Freebase, each with its gold path.

Source: "An Interpretable Reasoning Network for Multi-Relation Question Answering", COLING 2018. There is no official
split; the literature draws 8:1:1 at random without saying how. Ours orders by the sha256 of (seed, key), so that it
depends on no generator's version. Several paraphrases ask for one gold path, and a random split puts them on both
sides; the `disjoint-` splits keep all questions with one gold path (e0#r1#e1#…) on one side.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.datasets.source import Source, assert_count, fields, locate
from clew.errors import InputError
from clew.protocols import Example
from clew.types import Gold, Question

SOURCE = Source(
    url="https://github.com/zmtkeke/IRN",
    licence="none stated",
    folder="pathquestion",
    checksums={
        "2H-kb.txt": "1e8d8e7f950d7d0fe949b377b065b569c5b84d87273ec1600331f5ba985145d7",
        "3H-kb.txt": "27eb687c67086eb684a43f524cc9560f76f52161e1a038b6be45ff2a24c50374",
        "PQ-2H.txt": "86f4a060a6d8a3d496671e6cfa73bf15b7f71422e9b49eefebc3f8fbe3618aef",
        "PQ-3H.txt": "e0c5da286a830111e18122ad14ac195dc6bf90d42e2ec5c0c96522b51f16c69f",
    },
)
COUNTS = {2: 1908, 3: 5198}
PARTS = ("train", "dev", "test")
SPLITS = (*PARTS, *(f"disjoint-{part}" for part in PARTS), "all")
ANSWERS = re.compile(r"(.*?)\((.*)\)")


def load_pathquestion(
    hops: int, split: str, folder: str | Path | None = None, *, seed: int = 0, verify: bool = True
) -> Iterator[Example]:
    """The questions of PQ-2H or PQ-3H; `split` is one of SPLITS, drawn with `seed`.

    A question stands as published, its topic spelt with underscores as in the graph.
    """
    path = locate(SOURCE, f"PQ-{hops}H.txt", folder, verify=verify)
    examples = [_example(path, number, parts, hops) for number, parts in fields(path, 3, "\t")]
    assert_count(str(path), len(examples), COUNTS[hops])
    if split == "all":
        return iter(examples)
    part = PARTS.index(split.removeprefix("disjoint-"))
    keys = [repr(e.gold.paths[0]) if split.startswith("disjoint-") else e.question.id for e in examples]
    wanted = set(_parts(keys, seed)[part])
    return (example for i, example in enumerate(examples) if i in wanted)


def pathquestion_triples(
    hops: int, folder: str | Path | None = None, *, verify: bool = True
) -> Iterator[tuple[str, str, str]]:
    """The graph that belongs to PQ-2H (1,211 triples) or PQ-3H (2,839)."""
    path = locate(SOURCE, f"{hops}H-kb.txt", folder, verify=verify)
    return ((head, relation, tail) for _, (head, relation, tail) in fields(path, 3, "\t"))


def _parts(keys: Sequence[str], seed: int) -> tuple[list[int], list[int], list[int]]:
    """Positions of train, dev and test, 8:1:1; equal keys stay together."""
    members: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    order = sorted(members, key=lambda key: hashlib.sha256(f"{seed}\0{key}".encode()).digest())
    tenth = round(len(keys) / 10)
    dev: list[int] = []
    test: list[int] = []
    train: list[int] = []
    for key in order:
        side = dev if len(dev) < tenth else test if len(test) < tenth else train
        side.extend(members[key])
    return train, dev, test


def _example(path: Path, number: int, parts: list[str], hops: int) -> Example:
    text, answers, chain = parts
    found = ANSWERS.fullmatch(answers)
    steps, end, _ = chain.partition("#<end>#")
    names = steps.split("#")
    if found is None or not end or len(names) != 2 * hops + 1:
        raise InputError(f"{path}:{number}: expected question, answer(all/answers/), path of {hops} hops with #<end>#")
    every = tuple(dict.fromkeys(answer for answer in found[2].split("/") if answer))
    triples = tuple((names[i], names[i + 1], names[i + 2]) for i in range(0, 2 * hops, 2))
    return Example(
        Question(f"pq-{hops}h-{number:04d}", text, (names[0],)),
        Gold(every, every, paths=(triples,), hops=hops),
    )
