"""WebQSP and CWQ questions over one pooled piece of Freebase: natural questions, hubs, mediators, noisy directions.

The graph is the union of triples that published systems explored for the test questions of both sets, so it holds more
of what leads to answers than a neutral neighbourhood would: see the notice, which every score must carry.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clew.datasets.plain import read_plain
from clew.datasets.source import Source, assert_count, fields, locate
from clew.protocols import Example

NOTICE = (
    "freebase-pooled: the graph is small and answer-biased, the questions are those it can answer: "
    "not comparable with published WebQSP or CWQ scores"
)
SOURCE = Source(
    url="triples published by SubgraphRAG, PoG, AoG and awslabs/graphrag-toolkit; WebQSP and CWQ test questions",
    licence="Freebase content: CC BY; collections: MIT, Apache-2.0, none stated",
    folder="freebase-pooled",
    notice=NOTICE,
    checksums={
        "kg.tsv": "12c1f770191abb8048a17f6c8197f1efb5365070041cfb098431698e5416c4fc",
        "cwq.dev.jsonl": "08d4631c653b40fe73b67fb230b1c4b19b017c2fef0c5dc631a3321e7d8b8b4d",
        "cwq.train.jsonl": "36cb59dc9dbffbdd902f80c0c02cc11dd4d40f4f69f0cd606f3c94fa79911e10",
        "webqsp.dev.jsonl": "e2ebfae7f4018ed373a573612f9023d4ebf06a7ae4ef52ba0ebc43149c7ab1e9",
        "webqsp.train.jsonl": "957ba3f5687a73fa8037107521b8b24751a0994f8466334f0d7dee7cb99ad0ac",
    },
)
COUNTS = {("webqsp", "train"): 685, ("webqsp", "dev"): 235, ("cwq", "train"): 1492, ("cwq", "dev"): 469}
SPLITS = ("train", "dev")


def load_freebase_pooled(
    questions: str, split: str, folder: str | Path | None = None, *, verify: bool = True
) -> Iterator[Example]:
    """The questions of one part; `questions` is "webqsp" or "cwq"."""
    path = locate(SOURCE, f"{questions}.{split}.jsonl", folder, verify=verify)
    examples = list(read_plain(path, need_answers=True))
    assert_count(str(path), len(examples), COUNTS[questions, split])
    return iter(examples)


def freebase_pooled_triples(folder: str | Path | None = None, *, verify: bool = True) -> Iterator[tuple[str, str, str]]:
    """The 97,562 triples of the graph; mediators keep their m.* ids."""
    path = locate(SOURCE, "kg.tsv", folder, verify=verify)
    return ((head, relation, tail) for _, (head, relation, tail) in fields(path, 3, "\t"))
