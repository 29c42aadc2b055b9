"""What is asked of the language model and of the encoder, with accounts per question and stage.

Apart from the stages because all of them ask, batches go over many questions at once, and what cannot be read in a
reply has one treatment: it is counted, and the stage falls back as README.md says.

Shapes: L texts, D width of a vector.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.encoding import remembering
from clew.graph import Subgraph
from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints
from clew.llm import Prompt, clean, load_prompt, room
from clew.methods.eperm.config import Style
from clew.protocols import LanguageModel, LLMReply, LLMRequest, LLMText, Message, TextEncoder
from clew.types import Question, Topic, Usage

INVERSE = " (inverse)"
SEPARATOR = " | "
WORDS = 200  # of a question; a longer one is cut, and the answer says so
SHORTEST_VALUE = 3  # letters of a value that is looked for in a question
UNREAD = 0.5  # score of an entity whose reply cannot be read
_SLOTS = {
    "relations": ("question", "topic", "walked", "relations", "budget"),
    "plan": ("question", "topics", "vocabulary"),
    "plans": ("question", "topics", "vocabulary", "count", "examples"),
    "entity": ("question", "plan", "entity", "facts"),
    "entities": ("question", "plan", "candidates"),
    "answer": ("question", "lines"),
    "question": ("question",),
    "plan_short": ("question",),
    "answer_short": ("question", "lines"),
    "relations_short": ("question", "walked"),
    "entity_short": ("question", "plan", "facts"),
    "entities_short": ("question", "plan", "candidates"),
}
_NUMBER = r"(\d*\.?\d+(?:[eE]-?\d+)?)\s*(%?)"
_CHOICE = re.compile(r"<choice>(.*?)</choice>(.*?)<score>\s*" + _NUMBER + r"\s*</score>", re.DOTALL | re.IGNORECASE)
_SCORE = re.compile(r"score\D{0,4}?" + _NUMBER, re.IGNORECASE)
_LINE = re.compile(r"^\D{0,12}?(\d{1,4})\s*[:=)\].-]\D{0,12}?" + _NUMBER, re.MULTILINE)
_TOPIC, _VALUE = "[T{}]", "[V{}]"
_PLACEHOLDER = re.compile(r"\[T\d+\]")


@dataclass(frozen=True, slots=True)
class WeightedPlan:
    """A relation path to follow from the topics, and how much it weighs among the plans of its question."""

    steps: RelationPath
    text: str
    weight: float
    logprob: float | None = None  # per token, as the model gave it


@dataclass(eq=False)
class QuestionState:
    """One question on its way through the stages, with its account."""

    question: Question
    topics: list[Topic]
    text: str = ""  # the question as prompts show it
    plans: list[WeightedPlan] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    calls: dict[str, int] = field(default_factory=dict)  # by stage
    notes: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        """The question as the encoder reads it: a placeholder resembles nothing."""
        return _PLACEHOLDER.sub("this", self.text)

    def count(self, what: str, number: int = 1) -> None:
        """Add to a number of `details`."""
        if number:
            self.details[what] = self.details.get(what, 0) + number


@dataclass(eq=False, kw_only=True)
class PlacedQuestion(QuestionState):
    """A question with the graph that its topics lie in."""

    graph: Subgraph  # Ḡ, what the retriever found
    starts: Ints  # the topics in it
    around: Subgraph  # where facts about entities are looked up
    examples: str = ""  # other questions with their plans, for the plan prompt

    @classmethod
    def of(cls, case: QuestionState, graph: Subgraph, around: Subgraph, ids: Sequence[str]) -> PlacedQuestion:
        """The same question, whose account goes on; `ids` of its topics."""
        placed = cls(**vars(case), graph=graph, around=around, starts=np.empty(0, np.int32))
        placed.place(graph, ids)
        return placed

    def place(self, graph: Subgraph, ids: Sequence[str]) -> None:
        """Set the graph, and the topics in it."""
        self.graph = graph
        self.starts = graph.locals_of(ids)
        if graph.truncated:
            self.details["truncated"] = list(graph.truncated)


class PromptClient:
    """A language model with the prompts of one style."""

    def __init__(self, model: LanguageModel, style: Style) -> None:
        self.model, self.style = model, style
        self.prompts: dict[str, Prompt] = {
            name: load_prompt("clew.methods.eperm", name, slots=slots) for name, slots in _SLOTS.items()
        }

    @property
    def constrained(self) -> bool:
        """Whether texts can be held to the graph and come with their probabilities."""
        return {"beams", "constrained", "logprobs"} <= self.model.abilities

    def prompt(self, name: str) -> Prompt:
        """The prompt of this name in the model's style, where the style has its own."""
        short = f"{name}_short"
        return self.prompts[short if self.style == "short" and short in self.prompts else name]

    def room(self, messages: Sequence[Message]) -> float:
        """Tokens that are left for a reply; without end where the model does not say how long its context is."""
        return room(self.model, messages)

    def ask(self, stage: str, owners: Sequence[QuestionState], requests: Sequence[LLMRequest]) -> list[LLMReply]:
        """One reply per request, booked on the question that owns it; an empty one to a prompt that is too long."""
        fits = [self.room(request.messages) >= request.max_tokens for request in requests]
        answered = iter(self.model.generate([request for request, ok in zip(requests, fits, strict=True) if ok]))
        replies = [next(answered) if ok else LLMReply((LLMText(""),)) for ok in fits]
        for case, reply, ok in zip(owners, replies, fits, strict=True):
            if not ok:
                case.count("prompts_too_long")
                case.notes.append(f"a prompt of stage {stage!r} is longer than the context of {self.model.name}")
                continue
            case.usage += reply.usage
            case.calls[stage] = case.calls.get(stage, 0) + 1
            if any(not text.finished for text in reply.texts):
                case.count("cut_replies")
        return replies


class TextSimilarity:
    """Cosines of texts under the encoder, as scores in [0, 1]; the encoder remembers texts for the next question."""

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = remembering(encoder)

    def prepare(self, texts: Sequence[str]) -> None:
        """Encode many texts in one batch before each is asked for."""
        self._encoder.encode(list(dict.fromkeys(texts)))

    def scores(self, text: str, others: Sequence[str]) -> NDArray[np.float64]:
        """(L,) (1 + cosine) / 2 of `text` with each of the others."""
        vectors = self._encoder.encode([text, *others])
        return np.asarray(np.clip((1 + vectors[1:] @ vectors[0]) / 2, 0, 1), np.float64)


def relation_text(graph: Subgraph, relation: int, forward: bool) -> str:
    """A relation as prompts and plans name it."""
    return " ".join(graph.relation(relation).label.split()) + ("" if forward else INVERSE)


def plan_text(graph: Subgraph, steps: RelationPath) -> str:
    return SEPARATOR.join(relation_text(graph, relation, forward) for relation, forward in steps)


def placeholders(topics: Sequence[Topic]) -> dict[str, str]:
    """What stands for each topic, by id, in the style "short"; entities that one mention may mean share theirs."""
    numbers: dict[str, int] = {}
    for topic in topics:
        numbers.setdefault(topic.mention, len(numbers) + 1)
    return {topic.entity.id: _TOPIC.format(numbers[topic.mention]) for topic in reversed(topics)}


def shown_question(question: Question, topics: Sequence[Topic], style: Style) -> tuple[str, str]:
    """The question as prompts show it, and a note when it was cut.

    In the style "short" each topic becomes `[T1]`, `[T2]`, …: what a small decoder writes must not hang on names.
    """
    text = " ".join(question.text.split())
    if style == "short":
        marks = placeholders(topics)
        for topic in topics:
            for name in (topic.mention, topic.entity.label):
                text = _replaced(text, name, marks[topic.entity.id])
    parts = text.split(" ")
    if len(parts) <= WORDS and len(text) <= 12 * WORDS:
        return text, ""
    return " ".join(parts[:WORDS])[: 12 * WORDS], f"the question was cut to its first {WORDS} words"


def _replaced(text: str, name: str, mark: str) -> str:
    """The text with a mark for each mention of the name, in any case.

    Punctuation may differ: "James K. Polk" is asked for as "james k polk".
    """
    for said in (re.findall(r"\w+", name), re.findall(r"[^\W_]+", name)):
        if said:
            pattern = r"(?<!\w)" + r"\W{1,3}".join(map(re.escape, said)) + r"(?!\w)"
            text = re.sub(pattern, mark, text, flags=re.IGNORECASE)
    return text


def marked(question: str, facts: Sequence[Sequence[str]]) -> tuple[str, list[list[str]]]:
    """Question and facts with `[V1]`, `[V2]`, … for what is said and is the value of a fact, such as a year.

    A small decoder cannot tell whether two names are one; with the marks it need not. Of a date its year may be said.
    Facts with a mark come first.

    Args:
        facts: of each candidate its name, then `relation: value`.
    """
    values = dict.fromkeys(_value(fact) for known in facts for fact in known)
    parts = dict.fromkeys(_words(part) for value in values for part in (value, _year(value)))
    said: list[str] = []
    for words in sorted(parts, key=lambda words: (-len(words), words)):  # the longest mention first
        if len(words) >= SHORTEST_VALUE and f" {words} " in f" {_words(question)} ":
            question = _replaced(question, words, f"[V_{len(said)}_]")
            said.append(words)
    found = map(int, dict.fromkeys(re.findall(r"\[V_([0-9]{1,6})_\]", question)))
    order = [i for i in found if i < len(said)]  # a question may hold such signs of its own
    marks = {said[i]: _VALUE.format(n) for n, i in enumerate(order, 1)}
    for i in order:
        question = question.replace(f"[V_{i}_]", marks[said[i]])
    told = [[_with_mark(fact, marks) for fact in known] for known in facts]
    for known, shown in zip(facts, told, strict=True):
        unmarked = {new: new == old for old, new in zip(known[1:], shown[1:], strict=True)}
        shown[1:] = sorted(shown[1:], key=unmarked.__getitem__)
    return question, told


def _with_mark(fact: str, marks: Mapping[str, str]) -> str:
    value = _value(fact)
    year = _year(value)
    if mark := marks.get(_words(value)):
        return fact.removesuffix(value) + mark
    if mark := marks.get(year):
        return fact.removesuffix(value) + mark + value.removeprefix(year)
    return fact


def _value(fact: str) -> str:
    """What stands after the relation; a name stands alone."""
    return fact.partition(": ")[2] or fact


def _year(value: str) -> str:
    """The year of a date such as 2010-02-11, else ""."""
    found = re.match(r"(\d{4})-\d\d", value)
    return found[1] if found else ""


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def read_choices(text: str) -> list[tuple[str, float]]:
    """The relations and scores of a reply with <choice> and <score>."""
    found = []
    for choice, _, number, percent in _CHOICE.findall(clean(text)):
        score = _fraction(number, percent)
        if score is not None:
            found.append((" ".join(choice.split()), score))
    return found


def read_score(text: str) -> float | None:
    """The number after "Score" in a reply, else the only number in it; None where there is none in [0, 1]."""
    text = clean(text)
    found = _SCORE.findall(text) or re.findall(_NUMBER, text)
    return _fraction(*found[-1]) if found else None


def read_scores(text: str, count: int) -> list[float | None]:
    """The scores of a reply with lines `number: score`; None for a candidate without one."""
    scores: list[float | None] = [None] * count
    for number, value, percent in _LINE.findall(clean(text)):
        if 1 <= int(number) <= count:
            scores[int(number) - 1] = _fraction(value, percent)
    return scores


def _fraction(number: str, percent: str) -> float | None:
    value = float(number) / (100 if percent else 1)
    return value if math.isfinite(value) and 0 <= value <= 1 else None


def chances(reply: LLMReply) -> list[tuple[str, float]]:
    """The texts of a reply that was held to choices, and how likely each is among them."""
    likely = shares([text.logprob or 0.0 for text in reply.texts])
    return list(zip((text.text for text in reply.texts), likely, strict=True))


def shares(logprobs: Sequence[float], temperature: float = 1.0) -> list[float]:
    """Softmax; equal shares where all are -inf."""
    values = np.asarray(logprobs, np.float64) / temperature
    if not len(values):
        return []
    if not np.isfinite(values).any():
        return [1 / len(values)] * len(values)
    weights = np.exp(values - values[np.isfinite(values)].max())
    return list((weights / weights.sum()).tolist())
