"""Questions as a configuration names them: a file, a known set or stdin; the same sample every time it is read.

Kept apart from `clew.datasets`, which reads whole sets and knows nothing of samples. Read again instead of held in
memory, because a set with one graph per question does not fit there.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator

from clew.datasets import load, parse_example
from clew.errors import InputError
from clew.protocols import Example
from clew.workspace import DataSection


class QuestionSource:
    """The examples that `[data]` names; each iteration reads them anew, in order.

    Raises InputError or NotFoundError on reading, as `clew.datasets.load` does.
    """

    def __init__(self, data: DataSection, name: str, *, need_answers: bool = False) -> None:
        self.data, self.name, self.need_answers = data, name, need_answers

    def __iter__(self) -> Iterator[Example]:
        limit = self.data.limit
        if limit is None:
            yield from self._all()
            return
        total = sum(1 for _ in self._all())
        chosen = set(random.Random(self.data.seed).sample(range(total), min(limit, total)))
        yield from (example for position, example in enumerate(self._all()) if position in chosen)

    def _all(self) -> Iterator[Example]:
        yield from load(self.name, folder=self.data.folder, need_answers=self.need_answers, **self.data.options)


class StandardInput:
    """Plain JSONL from stdin, read once."""

    def __init__(self) -> None:
        self._read: list[Example] | None = None

    def __iter__(self) -> Iterator[Example]:
        if self._read is None:
            self._read = []
            for number, line in enumerate(sys.stdin, start=1):
                if line.strip():
                    self._read.append(self._parsed(line, number))
        yield from self._read

    def _parsed(self, line: str, number: int) -> Example:
        try:
            return parse_example(json.loads(line))
        except json.JSONDecodeError as error:
            raise InputError(f"stdin:{number}: not JSON: {error.msg} at column {error.colno}") from None
        except InputError as error:
            raise InputError(f"stdin:{number}: {error}") from None
