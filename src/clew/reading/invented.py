"""Invented worlds: a schema, names and questions as people type them, from which graphs and questions are drawn.

The worlds in `worlds/` are files of one form, written by a language model for this project; everything in them is made
up. They teach the reader how people word paths of two and three hops, conjunctions, and questions that a graph has no
relation for, over many schemas.

    # Beekeeping
    [things]
    apiary: Hilltop Yard | Clover Bank | …        names of a kind of thing, separated by bars
    beekeeper (person): Ann Moss | Piet Vos       the kind that the graph states, where it differs
    year: number 1950 to 2020                     also: date 1950 to 2020
    hire: statement                               a node without a name, between others
    [facts]
    keptBy: apiary -> beekeeper 1                 relation: from -> to, how many for each thing ("1", "0 to 3")
    [questions]
    = {beekeeper} ~keptBy hasHive                 a path; ~ walks a relation backward
    which hives does {beekeeper} look after       its wordings, one a line
    = {beekeeper} ~keptBy & {region} ~locatedIn   paths that meet; "> relation …" goes on from there
    [nothing]
    what did {beekeeper} study                    questions that no relation answers
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import FormatError
from clew.graph import Graph
from clew.protocols import Example
from clew.types import Gold, Question

FOLDER = Path(__file__).parent / "worlds"
_SLOT = re.compile(r"\{([^{}]+)\}")
_NUMBERS = re.compile(r"(number|date) (-?\d+) to (-?\d+)$")

Step = tuple[str, bool]  # relation, whether it is walked forward


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing: its names, or the range of its values, or neither for statements."""

    name: str
    stated: str  # the type that the graph states
    names: tuple[str, ...] = ()
    value: str = ""  # "number", "date", "statement", or empty
    least: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class WorldRelation:
    name: str
    source: str
    target: str
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Intent:
    """What is asked: paths from slots that meet, then steps from there; and how people word it."""

    trails: tuple[tuple[str, tuple[Step, ...]], ...]
    after: tuple[Step, ...]
    wordings: tuple[str, ...]


@dataclass(eq=False)
class InventedWorld:
    """One file."""

    title: str
    file: str  # its name; by it worlds are kept from training, whichever else there are
    kinds: dict[str, Kind] = field(default_factory=dict)
    relations: dict[str, WorldRelation] = field(default_factory=dict)
    intents: list[Intent] = field(default_factory=list)
    nothing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DrawnQuestion:
    """A question over a drawn graph.

    Attributes:
        topics: identifiers of the things named, in the order of the text. names: how the text calls them.
        trails: of each path its topic's position and its steps. after: the steps from where they meet.
        answers: identifiers; empty where no relation answers, as are `trails` then.
    """

    text: str
    topics: tuple[str, ...]
    names: tuple[str, ...]
    trails: tuple[tuple[int, tuple[Step, ...]], ...]
    after: tuple[Step, ...]
    answers: tuple[str, ...]


def slot_kind(slot: str) -> str:
    """ "beekeeper 2" is a second beekeeper."""
    return re.sub(r" \d+$", "", slot)


def read_world(path: Path) -> InventedWorld:
    """Raises FormatError that names the line."""
    world, part, opened = InventedWorld(path.stem, path.stem), "", None
    wordings: list[str] = []

    def fail(number: int, line: str, reason: str) -> FormatError:
        return FormatError(f"{path.name}, line {number}: {reason}: {line!r}")

    def close() -> None:
        if opened is not None:
            world.intents.append(Intent(*opened, tuple(wordings)))

    for number, raw in enumerate(path.read_text("utf-8").splitlines(), 1):
        line = raw.strip()
        if not line:
            continue
        if line.startswith("#"):
            world.title = line.strip("# ") if number == 1 else world.title
        elif line in ("[things]", "[facts]", "[questions]", "[nothing]"):
            part = line
        elif part == "[things]":
            head, colon, rest = line.partition(":")
            match = re.fullmatch(r"([^()]+?)(?: \(([^()]+)\))?", head.strip())
            if not colon or match is None:
                raise fail(number, line, "expected 'kind: names | …'")
            name, rest = match[1], rest.strip()
            if values := _NUMBERS.match(rest):
                kind = Kind(name, "", (), values[1], int(values[2]), int(values[3]))
            elif rest == "statement":
                kind = Kind(name, "", (), "statement")
            else:
                names = tuple(dict.fromkeys(each.strip() for each in rest.split("|") if each.strip()))
                if len(names) < 3:
                    raise fail(number, line, "expected at least three names, a number, a date or a statement")
                kind = Kind(name, match[2] or name, names)
            world.kinds[name] = kind
        elif part == "[facts]":
            match = re.fullmatch(r"(\S+): (.+?) -> (.+?) (\d+)(?: to (\d+))?", line)
            if match is None:
                raise fail(number, line, "expected 'relation: kind -> kind 1' or '… 0 to 3'")
            for kind_name in (match[2], match[3]):
                if kind_name not in world.kinds:
                    raise fail(number, line, f"no kind {kind_name!r} in [things]")
            if match[1] in world.relations:
                raise fail(number, line, "this relation is there already; give each pair of kinds its own relation")
            least = int(match[4])
            world.relations[match[1]] = WorldRelation(match[1], match[2], match[3], least, int(match[5] or least))
        elif part == "[questions]" and line.startswith("="):
            close()
            wordings = []
            try:
                opened = _intent(line[1:].strip(), world)
            except FormatError as error:
                raise fail(number, line, str(error)) from None
        elif part == "[questions]":
            if opened is None:
                raise fail(number, line, "a wording before the first '= path'")
            wanted = sorted(slot for slot, _ in opened[0])
            if sorted(set(_SLOT.findall(line))) != wanted:
                raise fail(number, line, f"expected exactly the slots {wanted}")
            wordings.append(line)
        elif part == "[nothing]":
            if not _SLOT.findall(line) or any(slot_kind(s) not in world.kinds for s in _SLOT.findall(line)):
                raise fail(number, line, "expected at least one slot, of a kind in [things]")
            world.nothing.append(line)
        else:
            raise fail(number, line, "expected [things], [facts], [questions] or [nothing] first")
    close()
    return world


def _intent(text: str, world: InventedWorld) -> tuple[tuple[tuple[str, tuple[Step, ...]], ...], tuple[Step, ...]]:
    text, _, onward = text.partition(">")
    trails, ends = [], set()
    for part in text.split("&"):
        match = re.fullmatch(r"\{([^{}]+)\} (.+)", part.strip())
        if match is None:
            raise FormatError("expected '{kind} relation …'")
        if slot_kind(match[1]) not in world.kinds:
            raise FormatError(f"no kind {slot_kind(match[1])!r} in [things]")
        steps, end = _steps(match[2], slot_kind(match[1]), world)
        trails.append((match[1], steps))
        ends.add(end)
    if len(ends) != 1:
        raise FormatError(f"the paths end at different kinds: {sorted(ends)}")
    if len({slot for slot, _ in trails}) != len(trails):
        raise FormatError("a slot stands twice; write '{kind}' and '{kind 2}'")
    after: tuple[Step, ...] = ()
    if onward.strip():
        after, _ = _steps(onward, ends.pop(), world)
    return tuple(trails), after


def _steps(text: str, at: str, world: InventedWorld) -> tuple[tuple[Step, ...], str]:
    steps = []
    for word in text.split():
        name, forward = word.lstrip("~"), not word.startswith("~")
        relation = world.relations.get(name)
        if relation is None:
            raise FormatError(f"no relation {name!r} in [facts]")
        begin, end = (relation.source, relation.target) if forward else (relation.target, relation.source)
        if begin != at:
            raise FormatError(f"{word} starts at {begin!r}, but the path is at {at!r}")
        steps.append((name, forward))
        at = end
    return tuple(steps), at


def worlds(folder: Path = FOLDER) -> Iterator[InventedWorld]:
    """All worlds, by name of file."""
    for path in sorted(folder.glob("*.txt")):
        yield read_world(path)


TYPE = "type"
STATEMENTS = 24  # nodes without a name of each kind of statement
WIDE = 15  # answers of a drawn question at most
LOWER = 0.15  # share of questions in lower case, names as well
TRIES = 12  # at topics whose question has an answer


class DrawnWorld:
    """A world with facts drawn at random: some things have many, others few, as in real graphs.

    Args:
        events: whether statements are things with a type and a name ("Hire 07"), as property graphs and tables have
            them; else nodes without a name.
    """

    def __init__(self, world: InventedWorld, chance: random.Random, *, events: bool = False) -> None:
        self.world, self._chance, self._events = world, chance, events
        self.labels: dict[str, str] = {}
        self.members: dict[str, list[str]] = {}
        for kind in world.kinds.values():
            if kind.value == "statement":
                self.members[kind.name] = [f"{kind.name}#{i}" for i in range(STATEMENTS)]
                if events:
                    self.labels |= {f"{kind.name}#{i}": f"{kind.name} {i:02}".capitalize() for i in range(STATEMENTS)}
            elif not kind.value:
                self.members[kind.name] = [f"{kind.name}/{name}" for name in kind.names]
                self.labels |= dict(zip(self.members[kind.name], kind.names, strict=True))
        self.triples: list[tuple[str, str, str]] = []
        self._beside: dict[tuple[str, Step], dict[str, None]] = defaultdict(dict)
        for relation in world.relations.values():
            for head in self.members.get(relation.source, ()):
                for tail in self._tails(relation, head):
                    self.triples.append((head, relation.name, tail))
                    self._beside[head, (relation.name, True)][tail] = None
                    self._beside[tail, (relation.name, False)][head] = None

    def graph(self) -> Graph:
        """The facts with a type for each thing."""
        kinds = self.world.kinds
        stated = {name: kind.stated or (name if self._events else "") for name, kind in kinds.items()}
        types = [(each, TYPE, stated[name]) for name, some in self.members.items() if stated[name] for each in some]
        nameless = {name for name, kind in kinds.items() if kind.value == "statement" and not self._events}
        statements = {m for name in nameless for m in self.members[name]}
        return Graph.from_triples(
            [*self.triples, *types], name=self.world.title, labels=self.labels, mediator=statements.__contains__
        )

    def _tails(self, relation: WorldRelation, head: str) -> list[str]:
        chance, kind = self._chance, self.world.kinds[relation.target]
        count = chance.randint(relation.least, relation.most)
        if kind.value in ("number", "date"):
            value = chance.randint(kind.least, kind.most)
            day = f"-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}" if kind.value == "date" else ""
            return [f"{value}{day}"] if count else []
        others = [each for each in self.members[kind.name] if each != head]
        weights = [(1 + i) ** -0.5 for i in range(len(others))]
        found: dict[str, None] = {}
        while len(found) < min(count, len(others)):
            found.setdefault(chance.choices(others, weights)[0])
        return list(found)

    def reach(self, start: Iterable[str], steps: Iterable[Step]) -> dict[str, None]:
        """What steps lead to from some things."""
        at = dict.fromkeys(start)
        for step in steps:
            at = {end: None for each in at for end in self._beside.get((each, step), ())}
        return at

    def questions(self, times: int) -> Iterator[DrawnQuestion]:
        """Each wording with topics drawn `times` times, where an answer is found; a few in lower case."""
        for intent in self.world.intents:
            for wording in intent.wordings:
                for _ in range(times):
                    for _ in range(TRIES):
                        if (found := self._asked(wording, intent)) is not None:
                            yield found
                            break
        for wording in self.world.nothing:
            for _ in range(times):
                yield self._worded(wording, self._filled(wording), (), (), ())

    def example(self, row: DrawnQuestion, id: str, *, linked: bool) -> Example:
        """A drawn question with its gold answers.

        Args:
            linked: its topics are to be found by linking; else they are given.
        """
        gold = Gold(tuple(self.labels.get(answer, answer) for answer in row.answers), row.answers)
        return Example(Question(id, row.text, () if linked else row.topics), gold)

    def _filled(self, wording: str) -> dict[str, str]:
        """A thing for each slot, in the order of the text; no two the same."""
        chosen: dict[str, str] = {}
        for slot in _SLOT.findall(wording):
            rest = [each for each in self._named(slot) if each not in chosen.values()]
            chosen.setdefault(slot, self._chance.choice(rest))
        return chosen

    def _named(self, slot: str) -> list[str]:
        kind = self.world.kinds[slot_kind(slot)]
        return self.members.get(kind.name) or [str(value) for value in range(kind.least, kind.most + 1)]

    def _asked(self, wording: str, intent: Intent) -> DrawnQuestion | None:
        filled = self._filled(wording)
        ends: dict[str, None] | None = None
        for slot, steps in intent.trails:
            reached = self.reach([filled[slot]], steps)
            ends = reached if ends is None else {end: None for end in ends if end in reached}
        assert ends is not None
        found = self.reach(ends, intent.after)
        answers = tuple(end for end in found if end not in filled.values())
        if not 0 < len(answers) <= WIDE:
            return None
        order = list(filled)
        trails = tuple(sorted((order.index(slot), steps) for slot, steps in intent.trails))
        return self._worded(wording, filled, trails, intent.after, answers)

    def _worded(
        self,
        wording: str,
        filled: Mapping[str, str],
        trails: tuple[tuple[int, tuple[Step, ...]], ...],
        after: tuple[Step, ...],
        answers: tuple[str, ...],
    ) -> DrawnQuestion:
        names = {slot: self.labels.get(thing, thing) for slot, thing in filled.items()}
        text = _SLOT.sub(lambda match: names[match[1]], wording)
        text = text.lower() if self._chance.random() < LOWER else text
        return DrawnQuestion(text, tuple(filled.values()), tuple(names.values()), trails, after, answers)
