"""`io` and `cot`: what a language model knows without the graph, as the line every method has to beat."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from clew.config import Settings
from clew.errors import ConfigError
from clew.llm import Prompt, load_prompt, parse_answers
from clew.protocols import GraphStore, LLMReply, LLMRequest, Method, OnEvent, Tools, ignore
from clew.retrieval.answering import unproven
from clew.types import Answer, Event, Question


class IoConfig(Settings):
    """How `io` asks."""

    max_tokens: int = Field(default=128, ge=1)  # of a reply
    temperature: float = Field(default=0.0, ge=0)  # of sampling; 0: the likeliest reply
    prompt: Path | None = None  # a file with the slot $question that replaces ours


class CotConfig(IoConfig):
    """How `cot` asks: room to think aloud."""

    max_tokens: int = Field(default=512, ge=1)  # of a reply, reasoning included


class _Direct(Method):
    """Ask, read the reply, mark every answer as unsupported: there is no graph to support it."""

    name: ClassVar[str]
    reads_whole: ClassVar[bool] = True

    def __init__(self, config: IoConfig, tools: Tools) -> None:
        if tools.language_model is None:
            raise ConfigError(f"method {self.name!r} needs a language model: set [language_model] in the configuration")
        self._config, self._model = config, tools.language_model
        self._prompt: Prompt = load_prompt(
            "clew.methods.direct", self.name, slots=("question",), override=config.prompt
        )

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """One call per question. Raises what the language model raises (UnavailableError, BudgetError)."""
        asked = [question for question in questions if question.text.strip()]
        on_event(Event("generate", f"asking {self._model.name}", {"questions": len(asked)}))
        begun = time.perf_counter()
        replies = iter(self._model.generate([self._request(question) for question in asked]))
        seconds = (time.perf_counter() - begun) / max(len(asked), 1)
        return [
            self._answer(question, next(replies), seconds)
            if question.text.strip()
            else Answer(question, self.name, note="the question is empty")
            for question in questions
        ]

    def _request(self, question: Question) -> LLMRequest:
        return LLMRequest(
            self._prompt.render(question=" ".join(question.text.split())),
            max_tokens=self._config.max_tokens,
            temperature=self._config.temperature,
        )

    def _answer(self, question: Question, reply: LLMReply, seconds: float) -> Answer:
        texts = self._read(reply.text)
        note = "" if texts else "the language model gave no answer"
        if not reply.texts[0].finished:
            cut = f"the reply was cut at {self._config.max_tokens} tokens"
            note = f"{note}; {cut}" if note else cut
        return Answer(
            question,
            self.name,
            unproven(texts),
            note=note,
            reply=reply.text,
            usage=reply.usage,
            seconds={"generate": seconds},
        )

    def _read(self, text: str) -> list[str]:
        return parse_answers(text)


class Io(_Direct):
    """A language model asked directly, with a few examples.

    Needs a language model; never looks at the graph. Cost: 1 call per question. The score of an answer is its place in
    the reply, not a probability.
    """

    name = "io"


class Cot(_Direct):
    """A language model that reasons aloud before it answers (Wei et al. 2022, chain-of-thought prompting).

    Needs a language model; never looks at the graph. Cost: 1 call per question. Differs from the paper: answers may be
    many, so the reply ends with a JSON list instead of one short answer; a reply that was cut before that list gives no
    answer rather than lines of reasoning.
    """

    name = "cot"

    def _read(self, text: str) -> list[str]:
        """Only what follows the last "Answers:" counts."""
        _, marker, tail = text.rpartition("Answers:")
        return parse_answers(tail) if marker else []
