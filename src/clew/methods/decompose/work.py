"""One question under way: what the stages of the method know of it, and the graph that it is asked in."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.graph.subgraph import Subgraph
from clew.methods.decompose.evidence_paths import Judge
from clew.methods.decompose.hybrid import Floats, GraphVectors
from clew.methods.decompose.plan import QuestionPlan, RelationVocabulary
from clew.protocols import LLMReply, LLMRequest, Message
from clew.retrieval.masking import Masked
from clew.types import Entity, Question, Topic, Usage

TOPIC = "this"  # stands for a name in what the encoder compares with relation paths


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """A graph with what is computed for it once."""

    vectors: GraphVectors
    language: RelationVocabulary
    judge: Judge


@dataclass(slots=True)
class Work:
    """One question under way."""

    question: Question
    text: str  # of the question, cut where it is absurdly long
    topics: list[Topic]
    masked: Masked
    seen: Seen
    plan: QuestionPlan = field(default_factory=lambda: QuestionPlan((), "nobody"))
    parts: list[Subgraph] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)  # to the sub-questions so far
    carried: list[Entity] = field(default_factory=list)  # what the last one led to
    reached: list[Entity] = field(default_factory=list)  # what all of them led to
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def charge(self, reply: LLMReply, what: str = "the reply", limit: int = 0) -> str:
        """The text of a reply, booked on this question; one that came to no end within `limit` tokens is told."""
        self.usage += reply.usage
        if limit and reply.texts and not reply.texts[0].finished:
            self.tell(f"{what} was cut at {limit} tokens")
        return reply.text if reply.texts else ""

    def tell(self, *notes: str) -> None:
        self.notes += [note for note in notes if note and note not in self.notes]


def small_request(prompt: str, max_tokens: int, soft: Floats | None = None) -> LLMRequest:
    """What a decoder from scratch is asked."""
    return LLMRequest((Message("user", prompt),), max_tokens=max_tokens, soft_prompt=soft)


def plain(text: str) -> str:
    """A masked question as the encoder reads it: without names, which no relation resembles."""
    for placeholder in ("[T1]", "[T2]", "[T3]"):
        text = text.replace(placeholder, TOPIC)
    return text
