"""A language model as reader of evidence: it picks answers, and each is bound to the paths that support it.

Kept apart from the methods because several may let a model choose among what they found. An answer that is on no path
stays, with no paths: it is then shown as unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TypedDict, Unpack

from clew.llm import estimate_tokens, load_prompt, normalise, parse_answers, token_counter
from clew.protocols import LanguageModel, LLMReply, LLMRequest
from clew.retrieval.verbalise import EvidenceText, evidence_text, sibling_text
from clew.types import Candidate, Entity, Evidence, Usage

_ALL_OF = re.compile(
    r"(?:all|everything|each|every one)(?: of| in)?(?: line| path)? ?[\[(]?(\d{1,6})[\])]?\.?", re.IGNORECASE
)
_CITED = re.compile(r"\s*[\[(]\s*(?:paths?\s*)?(\d{1,6}(?:\s*,\s*\d{1,6})*)\s*[\])]\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelReading:
    """What a reader made of evidence."""

    candidates: tuple[Candidate, ...] = ()
    reply: str | None = None  # None when the model was not asked
    evidence: EvidenceText = field(default_factory=lambda: EvidenceText((), (), 0))
    usage: Usage = field(default_factory=Usage)
    note: str = ""


class ReadingOptions(TypedDict, total=False):
    """How a reader is asked."""

    max_tokens: int  # of its reply; 256
    evidence_tokens: int  # of the evidence in the prompt; 2048
    named: int  # 0: one line a path, as published prompts have it; else siblings share a line that names so many
    prompt: FilePath | None  # a file that replaces ours


def reading_request(
    question: str,
    evidence: Evidence,
    count: Callable[[str], int] = estimate_tokens,
    **options: Unpack[ReadingOptions],
) -> tuple[LLMRequest, EvidenceText]:
    """The request that asks for answers, and the evidence as it is shown in it, `count` for its tokens."""
    most, named = options.get("evidence_tokens", 2048), options.get("named", 0)
    if named:
        shown = sibling_text(evidence, max_tokens=most, named=named, count=count)
    else:
        shown = evidence_text(evidence, max_tokens=most, count=count)
    slots = ("question", "evidence")
    messages = load_prompt("clew.retrieval", "read", slots=slots, override=options.get("prompt")).render(
        question=question, evidence=shown.numbered()
    )
    return LLMRequest(messages, max_tokens=options.get("max_tokens", 256)), shown


def read(model: LanguageModel, question: str, evidence: Evidence, **options: Unpack[ReadingOptions]) -> ModelReading:
    """Ask `model` for the answers that `evidence` gives; `read_all` of one question."""
    return read_all(model, [(question, evidence)], **options)[0]


def read_all(
    model: LanguageModel, asked: Sequence[tuple[str, Evidence]], **options: Unpack[ReadingOptions]
) -> list[ModelReading]:
    """Ask `model` in one batch for the answers that each question's evidence gives.

    Costs one call a question; without evidence it is not asked. `note` tells what was left out of the prompt and
    whether the model found nothing.
    """
    count = token_counter(model)
    made = [
        reading_request(question, evidence, count, **options) if evidence.paths or evidence.triples else None
        for question, evidence in asked
    ]
    requests = [each[0] for each in made if each is not None]
    replies = iter(model.generate(requests) if requests else ())
    return [
        ModelReading(note="no evidence to read")
        if each is None
        else _reading(next(replies), evidence, each[1], each[0].max_tokens)
        for each, (_, evidence) in zip(made, asked, strict=True)
    ]


def _reading(reply: LLMReply, evidence: Evidence, shown: EvidenceText, max_tokens: int) -> ModelReading:
    candidates = bind(parse_answers(reply.text), evidence, shown)
    notes = [shown.note, "" if candidates else "the reader found no answer in the evidence"]
    if not reply.texts[0].finished:
        notes.append(f"the reader's reply was cut at {max_tokens} tokens")
    return ModelReading(candidates, reply.text, shown, reply.usage, "; ".join(note for note in notes if note))


def bind(answers: Sequence[str], evidence: Evidence, shown: EvidenceText | None = None) -> tuple[Candidate, ...]:
    """Each answer with the paths that support it, in the order given; the score is (n - rank) / n.

    An answer is supported by the paths that end in an entity of that name (compared in normalised form), and by
    nothing else: a path that only passes through it shows something about another entity. Of namesakes the one at the
    end of the best path is meant. A number `[3]` after it is a
    hint and no proof: it narrows the paths only where the name is the end of that path. A bare number that is no
    entity's name, and "all of [3]", stand for every end of that line of `shown`.
    """
    ends: dict[str, list[int]] = {}
    for i, path in enumerate(evidence.paths):
        for key in _keys(path.end):
            ends.setdefault(key, []).append(i)
    lines = {} if shown is None else {n: own for n in range(1, 1 + len(shown.lines)) if (own := shown.of(n - 1))}
    bound: dict[str, tuple[str, Entity | None, tuple[int, ...]]] = {}
    for answer in _spelled_out(answers, evidence, lines, ends):
        cited = _CITED.search(answer)
        numbers = [int(n) for n in cited.group(1).split(",")] if cited else []
        text = _CITED.sub("", answer) or answer
        key = normalise(text)
        positions = list(dict.fromkeys(ends.get(key, ())))
        hinted = [i for n in numbers for i in lines.get(n, ()) if i in positions]
        positions = hinted or positions
        positions.sort(key=lambda i: -evidence.paths[i].score)
        entity = evidence.paths[positions[0]].end if positions else None
        positions = [i for i in positions if evidence.paths[i].end == entity]  # and none of a namesake's
        bound.setdefault(key, (text if entity is None else entity.label, entity, tuple(positions)))
    n = len(bound)
    return tuple(
        Candidate(text, (n - rank) / n, entity, paths) for rank, (text, entity, paths) in enumerate(bound.values())
    )


def _spelled_out(
    answers: Sequence[str], evidence: Evidence, lines: Mapping[int, tuple[int, ...]], ends: Mapping[str, object]
) -> Iterator[str]:
    """The answers, with the ends of a line in the place of its number."""
    for answer in answers:
        whole = _ALL_OF.fullmatch(answer.strip())
        number = whole[1] if whole else answer.strip("[] ")
        if (whole or normalise(answer) not in ends) and number.isdecimal() and len(number) < 7 and int(number) in lines:
            yield from dict.fromkeys(evidence.paths[i].end.label for i in lines[int(number)])
        else:
            yield answer


def _keys(entity: Entity) -> set[str]:
    """What an entity may be called in a reply; a mediator has no name that could be an answer."""
    return set() if entity.kind == "mediator" else {normalise(entity.label), normalise(entity.id)}
