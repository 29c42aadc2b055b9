"""The records that travel through clew: frozen, and complete enough to be shown without asking the graph again.

`Gold` is not part of `Question`, so a method cannot see an answer by accident. Everything here turns into plain JSON
(`to_json`) and `answer_from_json` turns a stored row back into an `Answer`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from networkx import MultiDiGraph

EntityKind = Literal["named", "mediator", "literal"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing in a graph. `label` is what people read; `id` is what the store knows it by."""

    id: str
    label: str
    kind: EntityKind = "named"
    datatype: str | None = None  # of a literal, e.g. "http://www.w3.org/2001/XMLSchema#date"

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class Relation:
    """A kind of link between entities."""

    id: str
    label: str

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class Triple:
    """One fact, in the direction in which the graph states it."""

    head: Entity
    relation: Relation
    tail: Entity
    source: str | None = None  # the named graph or file it came from, where known


@dataclass(frozen=True, slots=True)
class Hop:
    """One step over a triple; `forward` is False when it was walked from tail to head."""

    triple: Triple
    forward: bool = True

    @property
    def source(self) -> Entity:
        return self.triple.head if self.forward else self.triple.tail

    @property
    def target(self) -> Entity:
        return self.triple.tail if self.forward else self.triple.head


@dataclass(frozen=True, slots=True)
class Path:
    """A thread from a topic to an entity. `hops` may be empty: the topic itself is then the end."""

    start: Entity
    hops: tuple[Hop, ...]
    score: float

    @property
    def end(self) -> Entity:
        return self.hops[-1].target if self.hops else self.start

    @property
    def relations(self) -> tuple[tuple[str, bool], ...]:
        """The relation ids walked, each with its direction."""
        return tuple((hop.triple.relation.id, hop.forward) for hop in self.hops)

    def __str__(self) -> str:
        parts = [self.start.label]
        for hop in self.hops:
            name = hop.triple.relation.label
            parts.append(f"-{name}→ {hop.target.label}" if hop.forward else f"←{name}- {hop.target.label}")
        return " ".join(parts)

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(str(self))}</code> <small>{self.score:.3f}</small>"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What supports an answer: scored paths, best first, and any further triples that belong to them."""

    paths: tuple[Path, ...] = ()
    triples: tuple[Triple, ...] = ()

    def all_triples(self) -> tuple[Triple, ...]:
        """Every distinct triple of the evidence, those of the paths first."""
        walked = (hop.triple for path in self.paths for hop in path.hops)
        return tuple(dict.fromkeys((*walked, *self.triples)))


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `topics` are labels or ids the asker supplied; empty means: find them."""

    id: str
    text: str
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gold:
    """What a right answer is. Only evaluation and training read it."""

    answers: tuple[str, ...]  # as text
    entities: tuple[str, ...] = ()  # as ids or labels of graph entities
    aliases: tuple[tuple[str, ...], ...] = ()  # per answer, other accepted texts
    paths: tuple[tuple[tuple[str, str, str], ...], ...] = ()  # gold triples, where the source states them
    hops: int | None = None
    kind: str | None = None  # question type named by the source
    stated: bool = True  # False: the source gives no answers, so nothing can be scored (no answers here: unanswerable)


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity that a question was linked to, and why."""

    entity: Entity
    score: float
    mention: str  # the part of the question it stands for
    reason: str  # "given", "exact label", "alias", "typo (distance 1)", …


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer. `paths` are positions in the evidence's paths; none means that the graph does not support it."""

    text: str
    score: float
    entity: Entity | None = None
    paths: tuple[int, ...] = ()
    computed: bool = False  # a number, date, value or truth that the answer's plan makes

    @property
    def supported(self) -> bool:
        return bool(self.paths) or self.computed


@dataclass(frozen=True, slots=True)
class PlanProof:
    """The plan behind an answer that is more than a path, and what it rests on; executed again it must say the same."""

    text: str  # one line, see clew.query
    sentence: str  # in English
    makes: str  # "set", "values", "number" or "truth"
    result: str | None = None  # the number, date or truth
    facts: dict[str, Any] = field(default_factory=dict)  # members, compared, missing, winner, runner_up, …
    notes: tuple[str, ...] = ()  # what was missing or cut

    def __str__(self) -> str:
        return self.sentence

    def rests_on(self) -> str:
        """What the answer rests on, in a line; "" where its paths say it all."""
        facts, rests = self.facts, []
        if "winner" in facts:
            rests.append(f"{facts['winner']}; {facts['compared']} compared")
        if "runner_up" in facts:
            rests.append(f"next is {facts['runner_up']} with {facts['runner_up_key']}")
        if self.makes in ("number", "truth") and facts.get("members"):
            rests.append(f"rests on {facts['members']} members")
        if self.makes == "truth" and self.result == "no":
            rests.append("the graph states no such thing")
        return "; ".join(rests)


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost."""

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0  # in the currency of the configured prices; 0 where no price is known
    estimated_calls: int = 0  # calls whose tokens are our estimate: they failed, or the server did not say

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


SHOWN_PATHS = 3  # of one answer


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer as people are shown it."""

    kind: Literal["answer", "unsupported", "plan", "path", "more", "note"]
    text: str  # may hold control characters of a label or a reply; `str` and the command line take them out
    score: float | None = None

    def __str__(self) -> str:
        text = printable(self.text)
        if self.score is not None:
            text += f"  {self.score:.3f}"
        if self.kind == "unsupported":
            text += "  unsupported: the graph holds no thread to it"
        return f"    {text}" if self.kind == "path" else text


def printable(text: str) -> str:
    """`text` with a space for each control character: a label must not be able to steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method hands over. No candidates means that it abstains, and `note` says why."""

    question: Question
    method: str
    candidates: tuple[Candidate, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    topics: tuple[Topic, ...] = ()
    note: str = ""
    reply: str | None = None  # the language model's own words, where one was asked
    usage: Usage = field(default_factory=Usage)
    seconds: dict[str, float] = field(default_factory=dict)  # wall clock by stage
    details: dict[str, Any] = field(default_factory=dict)  # JSON values a method wants in its row
    plan: PlanProof | None = None  # of a question that is more than a path

    @property
    def texts(self) -> tuple[str, ...]:
        """The answers as text, best first."""
        return tuple(candidate.text for candidate in self.candidates)

    def paths_of(self, candidate: Candidate) -> tuple[Path, ...]:
        """The evidence paths behind one candidate."""
        return tuple(self.evidence.paths[i] for i in candidate.paths)

    def lines(self, limit: int = 10) -> Iterator[Line]:
        """What people are shown: at most `limit` answers, each with its first paths, and what there is to say."""
        if not self.candidates:
            note = self.note.removeprefix("no answer found: ") or "the graph does not hold one"
            yield Line("note", f"no answer found: {note}")
        if self.plan is not None:
            yield Line("plan", self.plan.sentence)
            if rests := self.plan.rests_on():
                yield Line("path", rests)
        for candidate in self.candidates[:limit]:
            yield Line("answer" if candidate.supported else "unsupported", candidate.text, candidate.score)
            paths = self.evidence.paths if candidate.computed else self.paths_of(candidate)
            for path in paths[:SHOWN_PATHS]:
                yield Line("path", str(path))
            more = len(candidate.paths) - SHOWN_PATHS
            if more > 0:
                yield Line("path", f"… and {more} more thread{'s' if more > 1 else ''}")
        if len(self.candidates) > limit:
            yield Line("more", f"… and {len(self.candidates) - limit} more answers")
        if self.note and self.candidates:
            yield Line("note", f"note: {self.note}")

    def __str__(self) -> str:
        """What `clew ask` prints, without colours. Control characters of labels and replies become spaces."""
        return "\n".join(str(line) for line in self.lines())

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, as in the rows of a run; `answer_from_json` is the inverse."""
        values: dict[str, Any] = to_json(self)
        return values

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_networkx(self) -> MultiDiGraph:
        """The evidence as a `networkx.MultiDiGraph`: nodes are entity ids, keys of edges are relation ids.

        Nodes have `label`, `kind` and, where they are answers, `score`; edges have `label` and `source`.
        Raises ImportError without networkx.
        """
        from networkx import MultiDiGraph

        drawn = MultiDiGraph()
        for triple in self.evidence.all_triples():
            for entity in (triple.head, triple.tail):
                drawn.add_node(entity.id, label=entity.label, kind=entity.kind)
            label, source = triple.relation.label, triple.source
            drawn.add_edge(triple.head.id, triple.tail.id, key=triple.relation.id, label=label, source=source)
        for path in self.evidence.paths:
            drawn.add_node(path.start.id, label=path.start.label, kind=path.start.kind)
        for candidate in reversed(self.candidates):
            if candidate.entity is not None and candidate.entity.id in drawn:
                drawn.nodes[candidate.entity.id]["score"] = candidate.score
        return drawn

    def _repr_html_(self) -> str:
        rows = []
        for candidate in self.candidates:
            missing = "<em>computed by the plan</em>" if candidate.computed else "<em>unsupported</em>"
            threads = "<br>".join(path._repr_html_() for path in self.paths_of(candidate)) or missing
            rows.append(
                f"<tr><td><b>{html.escape(candidate.text)}</b></td><td>{candidate.score:.3f}</td><td>{threads}</td></tr>"
            )
        body = "".join(rows) or f"<tr><td colspan=3><em>{html.escape(self.note or 'no answer found')}</em></td></tr>"
        plan = "" if self.plan is None else f"<br><small>{html.escape(self.plan.sentence)}</small>"
        return (
            f"<table><caption>{html.escape(self.question.text)}{plan}</caption>"
            f"<thead><tr><th>answer</th><th>score</th><th>thread</th></tr></thead><tbody>{body}</tbody></table>"
        )


@dataclass(frozen=True, slots=True)
class Event:
    """Something a method did while answering, for progress displays and traces."""

    stage: str
    message: str
    data: dict[str, Any] = field(default_factory=dict)


def to_json(record: Any) -> Any:
    """A record as plain JSON values; tuples become lists, `None` and empty defaults stay."""
    if is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_json(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, (list, tuple)):
        return [to_json(item) for item in record]
    if isinstance(record, dict):
        return {str(key): to_json(value) for key, value in record.items()}
    return record


def _triple(data: dict[str, Any]) -> Triple:
    return Triple(Entity(**data["head"]), Relation(**data["relation"]), Entity(**data["tail"]), data.get("source"))


def _path(data: dict[str, Any]) -> Path:
    hops = tuple(Hop(_triple(hop["triple"]), hop["forward"]) for hop in data["hops"])
    return Path(Entity(**data["start"]), hops, data["score"])


def _plan(data: dict[str, Any] | None) -> PlanProof | None:
    if data is None:
        return None
    return PlanProof(**{**data, "facts": dict(data["facts"]), "notes": tuple(data["notes"])})


def answer_from_json(data: dict[str, Any]) -> Answer:
    """The inverse of `to_json` for an `Answer`."""
    question = Question(data["question"]["id"], data["question"]["text"], tuple(data["question"]["topics"]))
    return Answer(
        question=question,
        method=data["method"],
        candidates=tuple(
            Candidate(
                c["text"],
                c["score"],
                Entity(**c["entity"]) if c["entity"] else None,
                tuple(c["paths"]),
                c.get("computed", False),
            )
            for c in data["candidates"]
        ),
        evidence=Evidence(
            tuple(_path(path) for path in data["evidence"]["paths"]),
            tuple(_triple(triple) for triple in data["evidence"]["triples"]),
        ),
        topics=tuple(Topic(Entity(**t["entity"]), t["score"], t["mention"], t["reason"]) for t in data["topics"]),
        note=data["note"],
        reply=data["reply"],
        usage=Usage(**data["usage"]),
        seconds=dict(data["seconds"]),
        details=dict(data["details"]),
        plan=_plan(data.get("plan")),
    )
