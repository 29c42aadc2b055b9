"""What travels over the network: the shapes of requests and replies, from which the OpenAPI document is made.

Kept apart from the records of clew, which may change shape without breaking a client; whatever both have in common is
that record itself. Requests are untrusted: every text and list has a limit.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from clew.types import Entity, Evidence, Relation, Topic, Triple, Usage

MOST_TEXT = 20_000  # characters of any text of a request; what a question may have is a setting


class Record(BaseModel):
    """The parent of requests: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Reply(BaseModel):
    """The parent of replies."""

    model_config = ConfigDict(frozen=True)


def plain(text: str) -> str:
    """`text` on one line. Raises ValueError for control characters and halves of surrogate pairs."""
    for position, char in enumerate(text):
        kind = unicodedata.category(char)
        if kind == "Cs" or (kind == "Cc" and char not in "\t\n\r"):
            raise ValueError(f"character {position} is U+{ord(char):04X}, a control character; send plain text")
    return " ".join(text.split())


Plain = Annotated[str, Field(max_length=MOST_TEXT), AfterValidator(plain)]
Name = Annotated[str, Field(min_length=1, max_length=4_000), AfterValidator(plain)]


class Turn(Record):
    """An earlier question of the same conversation, with what it was about and what came out."""

    question: Plain
    topics: tuple[Name, ...] = Field(default=(), max_length=20, description="Ids of its topics.")
    answers: tuple[Name, ...] = Field(default=(), max_length=20, description="Ids of its best answers.")


class GraphRequest(Record):
    graph: Name | None = Field(default=None, description="Name of the graph; default: the first one served.")


class QuestionRequest(GraphRequest):
    question: Plain = Field(description="The question in plain words.")
    topics: tuple[Name, ...] = Field(
        default=(), max_length=20, description="Ids or labels of entities it is about; default: found in the question."
    )


class AskRequest(QuestionRequest):
    method: Name | None = Field(default=None, description="See /v1/methods; default: the graph's own.")
    limit: int = Field(default=20, ge=1, le=500, description="Most answers of the reply.")
    threads: int = Field(default=3, ge=1, le=50, description="Most evidence paths for each answer.")
    history: tuple[Turn, ...] = Field(default=(), max_length=20, description="Earlier turns, to resolve pronouns.")
    stream: bool = Field(default=False, description="Reply with server-sent events.")


class WhyNotRequest(QuestionRequest):
    entity: Name = Field(description="Id or label of the entity that was expected.")
    method: Name | None = None


class VerifyRequest(GraphRequest):
    """The evidence of an answer, its plan with what it is said to make, or triples of ids."""

    plan: str | None = Field(
        default=None,
        max_length=20_000,
        description="`plan.text` of an answer: executed again, it must make `candidates`.",
    )
    triples: tuple[tuple[Name, Name, Name], ...] = Field(default=(), max_length=1_000)
    evidence: Evidence | None = None
    candidates: tuple[CandidateReply, ...] = Field(default=(), max_length=1_000)


class CandidateReply(Reply):
    text: str
    score: float = Field(
        description="Probability that it is right, where the method calibrates; else a score in [0, 1]."
    )
    supported: bool = Field(default=True, description="False: the graph holds no path to it.")
    computed: bool = Field(default=False, description="A number, date or truth that the answer's plan makes.")
    entity: Entity | None = None
    paths: tuple[int, ...] = Field(default=(), description="Positions in evidence.paths.")


class PlanReply(Reply):
    """What was looked for, as a query."""

    words: tuple[str, ...] = Field(description="The steps in plain words.")
    text: str | None = Field(default=None, description="The plan on one line, as `clew query` reads it.")
    sparql: str | None = Field(default=None, description="A query that finds the same; none where ids are no IRIs.")
    source: Literal["method", "evidence"] = Field(
        description="'method': the plan that was carried out; 'evidence': read off the best answer's evidence."
    )


class AskReply(Reply):
    """A whole answer."""

    id: str
    graph: str
    version: str = Field(description="Name of the graph with a checksum of its content.")
    method: str
    question: str
    asked: str = Field(description="The question as it was answered, pronouns resolved.")
    state: Literal["answered", "abstained"]
    candidates: tuple[CandidateReply, ...]
    total: int = Field(description="How many answers were found; `candidates` holds the first of them.")
    evidence: Evidence
    topics: tuple[Topic, ...]
    plan: PlanReply | None = None
    note: str = ""
    reply: str | None = Field(default=None, description="A language model's own words, where one was asked.")
    usage: Usage = Usage()
    seconds: dict[str, float] = {}
    details: dict[str, Any] = {}


class RetrieveReply(Reply):
    """Evidence without answers."""

    id: str
    graph: str
    version: str
    method: str
    question: str
    topics: tuple[Topic, ...]
    evidence: Evidence
    text: tuple[str, ...] = Field(description="Each path in words, best first.")
    note: str = ""


class LinkReply(Reply):
    graph: str
    topics: tuple[Topic, ...] = Field(description="What the question would be linked to.")
    candidates: tuple[Topic, ...] = Field(description="Every entity it may name, namesakes included, best first.")


class SuggestionReply(Reply):
    entity: Entity
    description: str | None = None
    score: float
    degree: int | None = Field(default=None, description="Triples it is part of.")


class EntitiesReply(Reply):
    graph: str
    entities: tuple[SuggestionReply, ...]


class RelationCount(Reply):
    relation: Relation
    direction: Literal["out", "in"]
    triples: int


class EntityReply(Reply):
    """An entity and one page of what the graph says about it."""

    graph: str
    version: str
    entity: Entity
    description: str | None = None
    aliases: tuple[str, ...] = ()
    total: int = Field(description="Triples with this entity that the request selects.")
    offset: int
    next: int | None = Field(description="Offset of the next page; null on the last one.")
    relations: tuple[RelationCount, ...] = Field(description="All its relations, whatever the request selects.")
    triples: tuple[Triple, ...]


class GraphReply(Reply):
    name: str
    version: str
    default_method: str
    triples: int | None = None
    entities: int | None = None
    examples: tuple[str, ...] = Field(default=(), description="Names of well connected entities.")
    details: dict[str, Any] = Field(description="As `clew info --json`, without what names a file.")


class GraphsReply(Reply):
    graphs: tuple[str, ...]
    default: str


class MethodReply(Reply):
    name: str
    summary: str
    paper: str
    ready: bool
    lacks: tuple[str, ...]
    default: bool


class MethodsReply(Reply):
    graph: str
    methods: tuple[MethodReply, ...]


class NearPath(Reply):
    """A way from a topic to the expected entity."""

    words: str
    path: int = Field(description="Position in evidence.paths.")
    likeness: float | None = Field(
        default=None, description="How alike question and path are, by the sentence encoder."
    )
    differs: str = Field(description="Where it parts from the path that was followed.")


class WhyNotReply(Reply):
    graph: str
    question: str
    entity: Entity
    rank: int | None = Field(description="Its place among the answers; null where it is none of them.")
    score: float | None = None
    reason: str
    followed: str | None = Field(default=None, description="The best answer's path, in words.")
    followed_likeness: float | None = None
    paths: tuple[NearPath, ...]
    evidence: Evidence


class VerifyReply(Reply):
    graph: str
    version: str
    proven: bool
    problems: tuple[str, ...]


class Health(Reply):
    state: Literal["ok", "starting", "stopping"]


class Problem(Reply):
    """RFC 9457, application/problem+json."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    id: str = Field(description="Of the request; the server's log holds the same.")


VerifyRequest.model_rebuild()
