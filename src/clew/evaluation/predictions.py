"""Somebody else's prediction file, read so that it can be scored like a run of our own.

Kept apart from runs because the files hold gold and text only. `rog` is the shape of RoG, GNN-RAG, GCR and SubgraphRAG:
JSONL with `id`, `question`, `prediction` (text with one answer a line, or a list) and `ground_truth`. `plain` has
`id` and `prediction`, and takes gold from a question set.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from clew.errors import InputError, NotFoundError, unknown
from clew.evaluation.scoring import LINES, RANKED_ONLY
from clew.jsontext import read_json, whole
from clew.types import Answer, Candidate, Gold, Question

PredictionFormat = Literal["rog", "plain"]
FORMATS = ("rog", "plain")


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """One foreign prediction as a row that `score` takes."""

    id: str
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class Predictions:
    """The rows of a file and the questions it states; `questions` is empty for the `plain` format."""

    rows: tuple[PredictionRow, ...]
    questions: tuple[tuple[Question, Gold | None], ...]


def read_predictions(path: str | Path, format: str = "rog") -> Predictions:
    """Read a file of predictions.

    Candidates get falling scores in (0, 1], because order is all that such files state; no calibration is meant.

    Raises:
        NotFoundError: an unknown format. InputError: unreadable, or a bad line, named with file:line.
    """
    if format not in FORMATS:
        raise NotFoundError(unknown("prediction format", format, FORMATS))
    path = Path(path)
    rows, questions = [], []
    seen: dict[str, int] = {}
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read predictions: {error.strerror}; expected a JSONL file") from None
    for number, raw in enumerate(content.split(b"\n"), 1):
        if not raw.strip():
            continue
        where = f"{path}:{number}"
        data = _object(raw, where)
        id, text = data.get("id", ""), data.get("question", "")
        if isinstance(id, int) and not isinstance(id, bool) and abs(id) < 10**100:
            id = str(id)
        if not isinstance(id, str) or not id:
            raise InputError(f"{where}: no 'id', expected a text or a whole number")
        text = text if isinstance(text, str) else ""
        if seen.setdefault(id, number) != number:
            raise InputError(f"{where}: id {id!r} is already that of line {seen[id]}; ids must differ")
        question = Question(id, text)
        rows.append(PredictionRow(id, _answer(question, data, where)))
        if format == "rog":
            questions.append((question, Gold(_texts(data, "ground_truth", where))))
    if not rows:
        raise InputError(f"{path}: no prediction in it; expected one JSON object a line")
    return Predictions(tuple(rows), tuple(questions))


def _answer(question: Question, data: dict[str, Any], where: str) -> Answer:
    said = data.get("prediction")
    lines = said.split("\n") if isinstance(said, str) else list(_texts(data, "prediction", where))
    texts = [line.strip() for line in lines if line.strip()]
    return Answer(
        question,
        "foreign",
        tuple(Candidate(text, 1 / rank) for rank, text in enumerate(texts, 1)),
        reply=said if isinstance(said, str) else None,
        details={LINES: lines, RANKED_ONLY: True},
    )


def _object(raw: bytes, where: str) -> dict[str, Any]:
    try:
        data = read_json(raw)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if not isinstance(data, dict):
        raise InputError(f"{where}: a JSON {type(data).__name__}, expected an object")
    for key in ("id", "question", "prediction", "ground_truth"):
        said = data.get(key)
        if not all(whole(text) for text in (said if isinstance(said, list) else [said]) if isinstance(text, str)):
            raise InputError(f"{where}: {key!r} holds half of a surrogate pair: it was cut or is no text")
    return data


def _texts(data: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{where}: {key!r} is a {type(value).__name__}, expected a list of texts")
    return tuple(value)
