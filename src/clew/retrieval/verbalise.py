"""Evidence as text for a language model: one line a path, best first, cut to a budget of tokens.

Kept apart from the methods because all of them show evidence, and because the cut has one rule: by score, never in the
middle of a line, and always reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from clew.llm import estimate_tokens
from clew.types import Entity, Evidence, Path, Triple

Marking = Literal["ignore", "mark"]
MediatorStyle = Literal["keep", "expand", "skip"]


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """Evidence in words. Line i of `lines` stands for the path `paths[i]` of the evidence, or -1 for a loose triple."""

    lines: tuple[str, ...]
    paths: tuple[int, ...]
    tokens: int
    left_out: int = 0  # lines that did not fit
    note: str = ""  # what was left out, in words; empty when nothing was

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def numbered(self) -> str:
        """The lines with the numbers 1, 2, … in front."""
        return "\n".join(f"[{i}] {line}" for i, line in enumerate(self.lines, 1))


def path_text(
    path: Path,
    *,
    direction: Marking = "ignore",
    mediators: MediatorStyle = "keep",
    facts: Mapping[str, Iterable[Triple]] | None = None,
) -> str:
    """`A -> relation -> B -> relation -> C` (methods.md §0.4, the form of RoG, GCR and SCR).

    Args:
        direction: "ignore" prints every hop with `->` as published prompts do; "mark" prints a hop walked from tail to
            head as `B <- relation <- A`.
        mediators: "keep" prints their ids; "expand" adds their other facts in brackets; "skip" leaves them out, so that
            two relations follow each other.
        facts: the triples by id of the mediator that they touch, for "expand".
    """
    walked = {hop.triple for hop in path.hops}
    text = "" if _hidden(path.start, mediators, path) else _name(path.start, mediators, facts, walked)
    for i, hop in enumerate(path.hops):
        arrow = "->" if hop.forward or direction == "ignore" else "<-"
        text += f" {arrow} {one_line(hop.triple.relation.label)}"
        last = i == len(path.hops) - 1
        if last or not _hidden(hop.target, mediators, path):
            text += f" {arrow} {_name(hop.target, mediators, facts, walked)}"
    return text.strip()


def triple_text(triple: Triple) -> str:
    """`A -> relation -> B`."""
    return f"{one_line(triple.head.label)} -> {one_line(triple.relation.label)} -> {one_line(triple.tail.label)}"


def evidence_text(
    evidence: Evidence,
    *,
    max_tokens: int,
    count: Callable[[str], int] = estimate_tokens,
    direction: Marking = "ignore",
    mediators: MediatorStyle = "keep",
) -> EvidenceText:
    """The paths, best first, then the triples on no path, as many as `max_tokens` allow.

    Lines are taken by score until one does not fit; what follows is left out even if it is shorter, so that a worse
    path never displaces a better one. A line that alone exceeds the budget is left out and the next one is tried.
    Two paths that read the same give one line.
    """
    facts: dict[str, list[Triple]] = {}
    if mediators == "expand":
        for triple in evidence.all_triples():
            for end in (triple.head, triple.tail):
                if end.kind == "mediator":
                    facts.setdefault(end.id, []).append(triple)
    order = sorted(range(len(evidence.paths)), key=lambda i: -evidence.paths[i].score)
    walked = {hop.triple for path in evidence.paths for hop in path.hops}
    offered: dict[str, int] = {}
    for i in order:
        text = path_text(evidence.paths[i], direction=direction, mediators=mediators, facts=facts)
        offered.setdefault(text, i)
    for triple in evidence.triples:
        if triple not in walked:
            offered.setdefault(triple_text(triple), -1)
    lines: list[str] = []
    positions: list[int] = []
    spent = too_long = 0
    for line, position in offered.items():
        cost = count(line + "\n")
        if cost > max_tokens:
            too_long += 1
            continue
        if spent + cost > max_tokens:
            break
        lines.append(line)
        positions.append(position)
        spent += cost
    left_out = len(offered) - len(lines)
    note = ""
    if left_out:
        note = f"evidence: {left_out} of {len(offered)} lines left out, the budget is {max_tokens} tokens"
        note += f" ({too_long} of them longer than the whole budget)" if too_long else ""
    return EvidenceText(tuple(lines), tuple(positions), spent, left_out, note)


def _hidden(entity: Entity, mediators: MediatorStyle, path: Path) -> bool:
    """Whether an entity inside a path is not printed; the two ends always are."""
    return mediators == "skip" and entity.kind == "mediator" and entity.id not in (path.start.id, path.end.id)


def _name(
    entity: Entity, mediators: MediatorStyle, facts: Mapping[str, Iterable[Triple]] | None, walked: set[Triple]
) -> str:
    label = one_line(entity.label)
    if mediators != "expand" or entity.kind != "mediator" or not facts:
        return label
    others = [t for t in facts.get(entity.id, ()) if t not in walked]
    said = [
        f"{one_line(t.relation.label)}: {one_line((t.tail if t.head.id == entity.id else t.head).label)}"
        for t in others
    ]
    return f"{label} [{'; '.join(said)}]" if said else label


def one_line(label: str) -> str:
    """A label on one line: whatever stands in a graph must not be able to open a new line of a prompt."""
    return " ".join(label.split())
