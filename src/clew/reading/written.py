"""Answers that a language model writes from evidence that a method found: each bound to the paths that it rests on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clew.errors import InputError
from clew.protocols import LanguageModel, Tools
from clew.retrieval.reader import read_all
from clew.types import Answer, Evidence

READ = 512  # tokens of a reply
NAMED = 20  # ends that a line of the prompt names


def reader_of(wanted: bool | None, tools: Tools) -> LanguageModel | None:
    """The language model that writes the answers: None where none should; with `wanted` None the configured one.

    Raises InputError where one should and none is configured.
    """
    if wanted and tools.language_model is None:
        raise InputError("method.reader = true needs a language model: set language_model.model, or leave it out")
    return None if wanted is False else tools.language_model


def written_answers(
    model: LanguageModel, answers: Sequence[Answer], evidence: Sequence[Evidence], prompt: Path
) -> list[Answer]:
    """`answers` with the candidates that the model names, one call a question, all in one batch.

    Args:
        evidence: of each answer, what the model is shown. Where there is nothing to read, the answer stays as it is.
    """
    started = time.perf_counter()
    asked = [(answer.question.text, shown) for answer, shown in zip(answers, evidence, strict=True)]
    readings = read_all(model, asked, max_tokens=READ, named=NAMED, prompt=prompt)
    share = (time.perf_counter() - started) / max(1, len(answers))
    return [
        replace(
            answer,
            candidates=reading.candidates,
            evidence=shown,
            note=reading.note,
            reply=reading.reply,
            usage=answer.usage + reading.usage,
            seconds={**answer.seconds, "read": share},
        )
        if shown.paths
        else answer
        for answer, shown, reading in zip(answers, evidence, readings, strict=True)
    ]
