"""Plans as data: assertions, schema triples and schema graphs, and how they are read from what a model wrote.

Kept apart from the planner so that everything a language model may get wrong is parsed, checked and counted in one
place that no model is needed to test. Nothing here raises on any text.

Shapes: M schema nodes, N schema triples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz

from clew.llm import clean
from clew.retrieval.masking import mask_topics, placeholder

PLACEHOLDER = re.compile(r"\[ENT\s?(\d+)\]", re.IGNORECASE)
TOPIC = re.compile(r"\[T(\d+)\]")
MARKED = re.compile(r"\[(?:ENT|T)\d+\]")
_STRATEGY = re.compile(r"\b(precision|breadth)\b", re.IGNORECASE)
_STRATEGY_LINE = re.compile(r"^\W*(?:strategy\W+)?(precision|breadth)\W*$", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")
_HEADING = re.compile(r"^\s*(?:assertions?|triples?|strategy|schema)\s*:?\s*$", re.IGNORECASE)
_WHOLE = re.compile(r"^[(\[](.*)[,;]\s*[\"']?(precision|breadth)[\"']?\s*[)\]]\W*$", re.IGNORECASE | re.DOTALL)
_BETWEEN = re.compile(r"\)\s*[,;]\s*\(")
_PART = r"""\s*("(?:[^"\n])*"|'(?:[^'\n])*')\s*"""
_QUOTED = re.compile(rf"[(\[]{_PART},{_PART},{_PART}[)\]]")
FUZZY = 80.0  # least similarity (0..100) of a schema node and the topic that it stands for
LIMIT = 12  # triples of a schema; a longer one is a model that repeats itself

SchemaTriple = tuple[str, str, str]


def is_placeholder(name: str) -> bool:
    return PLACEHOLDER.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Decomposition:
    """What SGDA wrote: sentences with [ENTi] for what is not known, and how to search."""

    assertions: tuple[str, ...]
    strategy: str
    stated: bool = True  # False: the reply named no strategy, Precision is the fallback (paper, footnote 5)
    logprob: float = 0.0


@dataclass(frozen=True)
class SchemaGraph:
    """One schema graph to trace. Nodes are topic names and placeholders; `topics` maps a node to the topic's number."""

    assertions: tuple[str, ...]
    strategy: str
    triples: tuple[SchemaTriple, ...]
    topics: Mapping[str, int]
    logprob: float = 0.0
    fallback: bool = False

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """(M,) in order of first mention."""
        return tuple(dict.fromkeys(node for h, _, t in self.triples for node in (h, t)))

    @cached_property
    def target(self) -> str | None:
        """The placeholder that stands for the answer: the one with the highest number."""
        unknown = [node for node in self.nodes if is_placeholder(node)]
        return max(unknown, key=_number, default=None)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for equal schema graphs with equal strategies, however the triples are ordered."""
        return (self.strategy, frozenset(self.triples))


def _number(placeholder: str) -> int:
    found = PLACEHOLDER.fullmatch(placeholder)
    return int(found[1]) if found else -1


def write_decomposition(assertions: Sequence[str], strategy: str) -> str:
    """The text SGDA is trained to write: the strategy, then a line per assertion."""
    return "\n".join((strategy, *assertions))


def read_decomposition(text: str, logprob: float = 0.0) -> Decomposition | None:
    """The assertions of a reply, or None when it holds none."""
    strategy = ""
    assertions: list[str] = []
    said = clean(text).strip().strip("`").strip()
    if (whole := _WHOLE.match(said)) is not None:  # ((A), (B), Breadth), as the paper prints it
        said = "\n".join((whole[2], *_BETWEEN.split(whole[1].strip(" \n(),;"))))
    for raw in said.splitlines():
        line = " ".join(_BULLET.sub("", raw).strip().strip("\"'").split())
        if not line or _HEADING.match(line):
            continue
        named = _STRATEGY_LINE.match(line)
        if named:
            strategy = strategy or named[1].capitalize()
        elif PLACEHOLDER.search(line):
            assertions.append(PLACEHOLDER.sub(lambda m: f"[ENT{m[1]}]", line))
        elif not strategy and (loose := _STRATEGY.search(line)) and line.lower().startswith("strategy"):
            strategy = loose[1].capitalize()
    assertions = list(dict.fromkeys(assertions))[:LIMIT]
    if not assertions:
        return None
    return Decomposition(tuple(assertions), strategy or "Precision", bool(strategy), logprob)


def write_triples(triples: Iterable[SchemaTriple]) -> str:
    """The text SAGB is trained to write: a line `(head | relation | tail)` per triple."""
    return "\n".join(f"({h} | {r} | {t})" for h, r, t in triples)


def read_triples(text: str) -> tuple[tuple[SchemaTriple, ...], int]:
    """The distinct triples of a reply, and how many lines were none. A triple without a placeholder or name is none."""
    found: dict[SchemaTriple, None] = {}
    broken = 0
    said = clean(text).strip().strip("`").strip()
    if quoted := _QUOTED.findall(said):  # [("rome", "r", "[ENT1]"), …], as the paper prints it
        said = "\n".join(" | ".join(part[1:-1].replace("|", "/") for part in triple) for triple in quoted)
    for raw in _BETWEEN.sub(")\n(", said).splitlines():
        line = _BULLET.sub("", raw).strip().strip(",;.")
        if not line or _HEADING.match(line):
            continue
        inner = line[1:-1] if line.startswith("(") and line.endswith(")") else line
        parts = [part.strip().strip("\"'") for part in inner.split("|")]
        if len(parts) != 3:
            parts = [part.strip().strip("\"'") for part in inner.split(", ")]
        if len(parts) != 3 or not all(parts) or parts[0] == parts[2]:
            broken += 1
            continue
        h, r, t = (PLACEHOLDER.sub(lambda m: f"[ENT{m[1]}]", part) for part in parts)
        found[(h, r, t)] = None
    return tuple(found)[:LIMIT], broken


def bind_topics(nodes: Iterable[str], names: Sequence[Sequence[str]]) -> dict[str, int]:
    """Which schema node stands for which topic.

    Args:
        names: per topic, what it may be called; `[Ti]` always stands for topic i.

    A node is bound to the topic whose name is most like it, at FUZZY of 100 or more.
    """
    bound: dict[str, int] = {}
    for node in nodes:
        if is_placeholder(node):
            continue
        marked = TOPIC.fullmatch(node)
        if marked:
            if 1 <= int(marked[1]) <= len(names):
                bound[node] = int(marked[1]) - 1
            continue
        plain = node.replace("_", " ").casefold()
        similarity = [
            max((fuzz.WRatio(plain, name.replace("_", " ").casefold()) for name in own if name), default=0.0)
            for own in names
        ]
        if similarity and max(similarity) >= FUZZY:
            bound[node] = similarity.index(max(similarity))
    return bound


def parts(plan: SchemaGraph) -> list[SchemaGraph]:
    """The connected components of a plan that hold a topic; the rest of a schema cannot be traced."""
    group = {node: i for i, node in enumerate(plan.nodes)}
    for h, _, t in plan.triples:
        if group[h] != group[t]:
            old, new = group[h], group[t]
            group = {node: new if own == old else own for node, own in group.items()}
    found = []
    for number in dict.fromkeys(group.values()):
        triples = tuple(triple for triple in plan.triples if group[triple[0]] == number)
        topics = {node: topic for node, topic in plan.topics.items() if group[node] == number}
        if topics:
            found.append(SchemaGraph(plan.assertions, plan.strategy, triples, topics, plan.logprob, plan.fallback))
    return found


def distinct(plans: Iterable[SchemaGraph]) -> list[SchemaGraph]:
    """Plans without those whose schema graph and strategy an earlier one has (case C1: four beams, one graph)."""
    return list({plan.key: plan for plan in reversed(list(plans))}.values())[::-1]


def masked(text: str, names: Sequence[Sequence[str]]) -> str:
    """`text` with the names of topic i replaced by `[Ti]`; the mark of a topic that is not named in it is appended."""
    found = mask_topics(text, names)
    missing = [placeholder(i) for i, mark in enumerate(found.marks) if not mark]
    return " ".join([" ".join(found.text.split()), *missing])


def placed(assertion: str) -> tuple[str, dict[str, str]]:
    """An assertion whose two ends are written `[A]` and `[B]` in the order of the text, and what they stand for.

    What is left is one relation and its direction: all that a small SAGB has to know. An assertion that does not hold
    exactly two different marks is left as it is.
    """
    ends = list(dict.fromkeys(m[0] for m in MARKED.finditer(assertion)))
    if len(ends) != 2:
        return assertion, {}
    return rename(assertion, dict(zip(ends, ("[A]", "[B]"), strict=True))), dict(zip(("[A]", "[B]"), ends, strict=True))


def rename(text: str, renamed: Mapping[str, str]) -> str:
    """`text` with every key of `renamed` replaced, longest first, in one pass."""
    if not renamed:
        return text
    pattern = "|".join(re.escape(key) for key in sorted(renamed, key=len, reverse=True))
    return re.sub(pattern, lambda m: renamed[m[0]], text)
