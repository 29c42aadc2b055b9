"""Evidence as text for a language model: one line a path, best first, cut to a budget of tokens.

Kept apart from the methods because all of them show evidence, and because the cut has one rule: by score, never in the
middle of a line, and always reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clew.llm import estimate_tokens
from clew.types import Entity, Evidence, Path, Triple

Marking = Literal["ignore", "mark"]
MediatorStyle = Literal["keep", "expand", "skip"]
MOST_FACTS = 6  # of one mediator, in a line of siblings


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """Evidence in words. Line i of `lines` stands for the path `paths[i]` of the evidence, or -1 for a loose triple."""

    lines: tuple[str, ...]
    paths: tuple[int, ...]
    tokens: int
    left_out: int = 0  # lines that did not fit
    note: str = ""  # what was left out, in words; empty when nothing was
    siblings: tuple[tuple[int, ...], ...] = ()  # of lines that stand for several paths, all of them, best first

    def of(self, line: int) -> tuple[int, ...]:
        """The paths that line `line` (from 0) stands for; none for a loose triple."""
        if self.siblings:
            return self.siblings[line]
        return (self.paths[line],) if self.paths[line] >= 0 else ()

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
    return _fitted(offered, max_tokens, count)


def sibling_text(
    evidence: Evidence, *, max_tokens: int, named: int, count: Callable[[str], int] = estimate_tokens
) -> EvidenceText:
    """One line for all paths from one entity over the same relations: `A -> relation -> B; C; D`.

    Directions are marked and mediators left out; what else the evidence says of a mediator stands in brackets behind
    the entity that it leads to. Where the entities between differ, each has its part: `A -> r -> [B -> s -> C | D -> s
    -> E]`. A line names about `named` ends, first those that other lines lead to as well, and says how many more there
    are; `siblings` has them all. Loose triples that no line shows have lines of their own.
    """
    facts: dict[str, list[Triple]] = {}
    for triple in evidence.triples:
        for end in (triple.head, triple.tail):
            if end.kind == "mediator":
                facts.setdefault(end.id, []).append(triple)
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in sorted(range(len(evidence.paths)), key=lambda i: -evidence.paths[i].score):
        path = evidence.paths[i]
        if path.end.kind != "mediator" or _said(path.end, path, facts):  # else it says nothing that can be read
            groups.setdefault((path.start.id, path.relations), []).append(i)
    shared = Counter(end for own in groups.values() for end in {evidence.paths[i].end.id for i in own})
    offered: dict[str, tuple[int, ...]] = {}
    for own in groups.values():
        own.sort(key=lambda i: -shared[evidence.paths[i].end.id])
        paths = [evidence.paths[i] for i in own]
        offered.setdefault(one_line(paths[0].start.label) + _branches(paths, 0, named, facts), tuple(own))
    crossed = {hop.target.id for path in evidence.paths for hop in path.hops if hop.target.kind == "mediator"}
    walked = {hop.triple for path in evidence.paths for hop in path.hops}
    for triple in evidence.triples:
        if triple not in walked and not {triple.head.id, triple.tail.id} & crossed:
            offered.setdefault(triple_text(triple), ())
    shown = _fitted({line: own[0] if own else -1 for line, own in offered.items()}, max_tokens, count)
    return replace(shown, siblings=tuple(offered[line] for line in shown.lines))


def _branches(paths: Sequence[Path], i: int, named: int, facts: Mapping[str, Iterable[Triple]]) -> str:
    """What follows the first `i` hops of paths that share these and all their relations."""
    hops = paths[0].hops
    if i == len(hops):
        return ""
    arrow = "->" if hops[i].forward else "<-"
    text = f" {arrow} {one_line(hops[i].triple.relation.label)}"
    if i + 1 < len(hops) and hops[i].target.kind == "mediator":
        return text + _branches(paths, i + 1, named, facts)
    targets: dict[str, list[Path]] = {}
    for path in paths:
        targets.setdefault(path.hops[i].target.id, []).append(path)
    each = max(3, named // min(len(targets), named))
    told = []
    for own in list(targets.values())[:named]:
        said = "".join(dict.fromkeys(_beside(path, i, facts) for path in own))
        target = own[0].hops[i].target
        name = one_line(target.label)
        if target.kind == "mediator":  # at the end of a path: a fact without a name is what is said of it
            name, said = "a fact", _said(target, own[0], facts)
        told.append(name + said + _branches(own, i + 1, each, facts))
    if len(targets) > named:
        told.append(f"… and {len(targets) - named} more")
    if i + 1 == len(hops) or len(told) == 1:
        return f"{text} {arrow} {'; '.join(told)}"
    return f"{text} {arrow} [{' | '.join(told)}]"


def _beside(path: Path, i: int, facts: Mapping[str, Iterable[Triple]]) -> str:
    """In brackets, what else is said of the mediator that hop `i` of a path comes from."""
    return _said(path.hops[i].source, path, facts)


def _said(between: Entity, path: Path, facts: Mapping[str, Iterable[Triple]]) -> str:
    met = {path.start.id, *(hop.target.id for hop in path.hops)}
    said = [
        f"{one_line(t.relation.label).rpartition('.')[2]}: {one_line(other.label)}"
        for t in facts.get(between.id, ())
        if (other := t.tail if t.head.id == between.id else t.head).id not in met and other.kind != "mediator"
    ]
    return f" ({', '.join(dict.fromkeys(said[:MOST_FACTS]))})" if said else ""


def _fitted(offered: Mapping[str, int], max_tokens: int, count: Callable[[str], int]) -> EvidenceText:
    """The lines that `max_tokens` allow, in order, each with its path."""
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
