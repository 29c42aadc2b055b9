"""Questions as a configuration names them: a file, a known set, stdin, or made from the graph itself.

Kept apart from `clew.datasets`, which reads whole sets and knows nothing of samples. Read again instead of held in
memory, because a set with one graph per question does not fit there.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Literal

from clew.datasets import load, parse_example
from clew.errors import InputError, UnsupportedError
from clew.graph import has_arrays
from clew.jsontext import read_json
from clew.protocols import Example
from clew.settings import DataSection
from clew.synthesis import SynthesisReport, Synthetic, synthesize
from clew.workspace import Workspace

HELD_OUT = 20  # of so many synthetic questions one goes to early stopping, where no others are given for it
WRITTEN_HELD_OUT = 10  # of so many written ones, where synthetic ones are trained on beside them


class QuestionSource:
    """The examples that `[data]` names; each iteration reads them anew, in order.

    `data.limit` is a sample of what is asked; training reads everything, and every line must have answers.

    Raises InputError or NotFoundError on reading, as `clew.datasets.load` does.
    """

    def __init__(self, data: DataSection, name: str, *, training: bool = False) -> None:
        self.data, self.name, self.training = data, name, training

    def __iter__(self) -> Iterator[Example]:
        limit = self.data.limit
        if limit is None or self.training:
            yield from self._all()
            return
        total = sum(1 for _ in self._all())
        chosen = set(random.Random(self.data.seed).sample(range(total), min(limit, total)))
        yield from (example for position, example in enumerate(self._all()) if position in chosen)

    def _all(self) -> Iterator[Example]:
        yield from load(self.name, folder=self.data.folder, need_answers=self.training, **self.data.options)


class StandardInput:
    """Plain JSONL from stdin, read once."""

    def __init__(self) -> None:
        self._read: list[Example] | None = None

    def __iter__(self) -> Iterator[Example]:
        if self._read is None:
            self._read = []
            for number, line in enumerate(getattr(sys.stdin, "buffer", sys.stdin), start=1):
                if line.strip():
                    self._read.append(self._parsed(line, number))
        yield from self._read

    def _parsed(self, line: bytes | str, number: int) -> Example:
        try:
            return parse_example(read_json(line))
        except InputError as error:
            raise InputError(f"stdin:{number}: {error}") from None


def synthetic(
    space: Workspace,
    count: int,
    *,
    seed: int = 0,
    writer: Literal["grammar", "model"] = "grammar",
    report: SynthesisReport | None = None,
) -> Iterator[Synthetic]:
    """`count` questions over the workspace's graph, drawn as `[synthesis]` says.

    Args:
        writer: "grammar" needs nothing and gives the same questions for the same seed; "model" asks the configured
            language model for the words, which may refuse some.

    Raises:
        UnsupportedError: the graph is not embedded. InputError: it cannot yield so many different questions.
        ConfigError: "model" without a language model.
    """
    graph, sampling = space.graph, space.configuration.synthesis
    if not has_arrays(graph):
        raise UnsupportedError(
            f"questions are made from an embedded graph, not from {type(graph).__name__}: export and clew build it"
        )
    if writer == "grammar":
        return synthesize(graph.as_subgraph, count, seed=seed, sampling=sampling, report=report)
    from clew.synthesis.prompted import synthesize_prompted

    return synthesize_prompted(
        graph.as_subgraph, count, space.language_model(), seed=seed, sampling=sampling, report=report
    )


def training_examples(
    space: Workspace, *, report: SynthesisReport | None = None
) -> tuple[list[Example], list[Example]]:
    """What `[data]` says to train on, and what for early stopping: written questions first, then synthetic ones.

    Without `data.dev`, synthetic questions beside written ones make some of the written ones the judges: it is their
    wording that the model will be asked in.

    Args:
        report: is told of the synthetic questions.

    Raises InputError when neither is named.
    """
    data = space.configuration.data
    if not data.train and not data.synthetic:
        raise InputError(
            "training needs questions with answers: --questions train.jsonl (one JSON object a line with "
            "'id', 'question', 'answer'), a known set such as pq-2h:train, or --synthetic 20000 to make them "
            "from the graph"
        )
    examples = [example for name in data.train for example in QuestionSource(data, name, training=True)]
    held_out = list(QuestionSource(data, data.dev, training=True)) if data.dev else []
    if data.synthetic:
        if len(examples) >= WRITTEN_HELD_OUT and not data.dev:
            share = len(examples) // WRITTEN_HELD_OUT
            judges = set(random.Random(space.configuration.run.seed).sample(range(len(examples)), share))
            held_out = [example for i, example in enumerate(examples) if i in judges]
            examples = [example for i, example in enumerate(examples) if i not in judges]
        spare = 0 if held_out else max(1, data.synthetic // HELD_OUT)
        made = [
            each.example()
            for each in synthetic(space, data.synthetic + spare, seed=space.configuration.run.seed, report=report)
        ]
        examples += made[: data.synthetic]
        held_out += made[data.synthetic :]
    return examples, held_out
