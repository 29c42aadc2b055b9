"""MetaQA-R: the MetaQA film questions of one to three hops over a reconstructed graph.

Source: "Variational Reasoning for Question Answering with Knowledge Graph", AAAI 2018. Called MetaQA-R because neither
the training questions nor the original graph are available here: see the notice, which every score must carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from clew.datasets.source import Source, assert_count, fields, lines, locate
from clew.errors import InputError
from clew.protocols import Example
from clew.types import Gold, Question

NOTICE = (
    "MetaQA-R: the graph is a 99.2 % reconstruction of MetaQA's, partly restored from gold answers, and methods are "
    "trained on the dev questions, because the training questions are not available: reconstructed KB, trained on dev"
)
SOURCE = Source(
    url="https://github.com/yuyuz/MetaQA",
    licence="CC BY 3.0",
    folder="metaqa",
    notice=NOTICE,
    checksums={
        "kb.txt": "4e0b55a1909f8ce0fe7a3712938b2cbbc40b4a2b57276ec2e02a28c656e80d65",
        "1-hop/qa_dev.txt": "3c68fa73a14d9b9616e49f08e2d8b65e024af417708306874fe4d398634620d3",
        "1-hop/qa_dev_qtype.txt": "43c660806c1ba17ead85a34a60b39c8cd965db943a801355963974f9e122d3b8",
        "1-hop/qa_test.txt": "c57e9c2c4c05e5eec4503460042c09bfa3e80ea1a5ecaf361c92dd81d6c7bece",
        "1-hop/qa_test_qtype.txt": "6390ded9d7b7e56f95af96429b38e98ee14c5a617963dc69f396c8cc4f6ff64d",
        "2-hop/qa_dev.txt": "a713ae6b4a7cdccfdda57ac99092f4114a1f8b0c4ba51b4466a15496a4ff6fbd",
        "2-hop/qa_dev_qtype.txt": "e3936971b096954cfa965f5b8747fe4fa5b3b762f9fe63796d33df0f291ddfdd",
        "2-hop/qa_test.txt": "b1c4f1ad77f34a27e0e5a13c08b436c6f4c9a49dccd8d43639a569ee5cd906a1",
        "2-hop/qa_test_qtype.txt": "660b87183f3d21f3f64eaa5bcd12036124662e518a3958b5c47389a11e980210",
        "3-hop/qa_dev.txt": "c638b99f97db93112f7a9ceec47675066cc9efc93b7ecd43e22c54ab531741d9",
        "3-hop/qa_dev_qtype.txt": "8734c5f528c81b39e459ded4ef4e99cf5e41e0d95c81ab90d3197ebcdd0bb687",
        "3-hop/qa_test.txt": "f4c2a801f864e80e809655a20b4b8c9904f4a2885a7f23850b2fabd8d38a6540",
        "3-hop/qa_test_qtype.txt": "08dce72050b7d1e6271772b5d0066e2b14a00d6c64062a7d24d1f580e94f0e93",
    },
)
COUNTS = {
    (1, "dev"): 9992, (1, "test"): 9947,
    (2, "dev"): 14872, (2, "test"): 14872,
    (3, "dev"): 14274, (3, "test"): 14274,
}  # fmt: skip
SPLITS = ("dev", "test")
TOPIC = re.compile(r"\[([^\[\]]+)\]")


def load_metaqa(hops: int, split: str, folder: str | Path | None = None, *, verify: bool = True) -> Iterator[Example]:
    """The questions of one hop count; `[topic]` becomes a topic and loses its brackets in the text."""
    path = locate(SOURCE, f"{hops}-hop/qa_{split}.txt", folder, verify=verify)
    kinds = [kind for _, kind in lines(locate(SOURCE, f"{hops}-hop/qa_{split}_qtype.txt", folder, verify=verify))]
    rows = list(fields(path, 2, "\t"))
    assert_count(str(path), len(rows), COUNTS[hops, split])
    assert_count(f"question types of {path}", len(kinds), len(rows))
    for (number, (text, answers)), kind in zip(rows, kinds, strict=True):
        topics = tuple(TOPIC.findall(text))
        if not topics:
            raise InputError(f"{path}:{number}: no [topic] in {text!r}")
        every = tuple(dict.fromkeys(answers.split("|")))
        yield Example(
            Question(f"metaqa-r-{hops}hop-{split}-{number}", TOPIC.sub(r"\1", text), topics),
            Gold(every, every, hops=hops, kind=kind),
        )


def metaqa_triples(folder: str | Path | None = None, *, verify: bool = True) -> Iterator[tuple[str, str, str]]:
    """The 132,482 triples of the reconstructed graph. Films with one name are one entity."""
    path = locate(SOURCE, "kb.txt", folder, verify=verify)
    return ((head, relation, tail) for _, (head, relation, tail) in fields(path, 3, "|"))
