"""How a state is written for a model and how its reply is read: the paper's JSON, for chat models.

`clew.methods.roe.short` holds the short forms for small models; all mean the same `Action`. Whatever a model writes is
checked against the options of its state, so that an extension that is no edge ends here; where the model can decode
under a grammar it cannot even be written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from clew.graph.subgraph import Ints
from clew.llm import Prompt, normalise, parse_json
from clew.methods.roe.edges import GraphEdges
from clew.methods.roe.environment import Action, ExplorationState, PathGroup, Pick, RelationOption
from clew.protocols import Message

EVERY = "*"  # stands for every entity of a group in a written triple
_TAG = re.compile(r"#?(\d+)(?:\.(\d+))?")
_ARROW = re.compile(r"\s*(?:-+>|→|\||<-+|←)\s*")
MAX_FACTS = 4  # of a mediator that are written beside it
MAX_ITEMS = 1000  # of one list of a reply that are read


class Topical(NamedTuple):
    """A question with the names by which it mentions each topic."""

    text: str
    names: dict[int, tuple[str, ...]]


class Notation(Protocol):
    """One way of writing states and actions."""

    def messages(self, question: Topical, state: ExplorationState) -> tuple[Message, ...]: ...
    def grammar(self, state: ExplorationState) -> ActionGrammar: ...
    def schema(self, state: ExplorationState) -> dict[str, Any] | None: ...
    def write(self, action: Action, state: ExplorationState) -> str: ...
    def read(self, text: str, state: ExplorationState) -> Action: ...
    def weigh(self, option: RelationOption) -> int: ...


@dataclass(frozen=True)
class Marks:
    """What surrounds the items of a written action."""

    nothing: str
    answers: str  # before the answers
    between: str  # between two items
    explore: str  # after the answers, before the explored
    explore_only: str  # before the explored where there are no answers
    answers_only: str  # after the answers where nothing is explored
    end: str


JSON = Marks(
    '{"answers": [], "exploration_paths": []}',
    '{"answers": [',
    ", ",
    '], "exploration_paths": [',
    '{"answers": [], "exploration_paths": [',
    '], "exploration_paths": []}',
    "]}",
)


class ActionGrammar:
    """The actions that a state allows: each item at most once and in order, so that every text ends."""

    def __init__(self, tags: Sequence[str], marks: Marks) -> None:
        self.tags, self._marks = tuple(tags), marks
        told = "\0".join((*self.tags, repr(marks)))
        self.key = "roe:" + hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def start(self) -> Hashable:
        return ("start", -1)

    def steps(self, state: Any) -> Iterator[tuple[str, Hashable]]:
        phase, last = state
        marks = self._marks
        if phase == "start":
            yield marks.nothing, ("end", 0)
            for i, tag in enumerate(self.tags):
                yield marks.answers + tag, ("answers", i)
                yield marks.explore_only + tag, ("explore", i)
        elif phase in ("answers", "explore"):
            for i in range(last + 1, len(self.tags)):
                yield marks.between + self.tags[i], (phase, i)
            if phase == "answers":
                for i, tag in enumerate(self.tags):
                    yield marks.explore + tag, ("explore", i)
                if marks.answers_only:
                    yield marks.answers_only, ("end", 0)
            elif marks.end:
                yield marks.end, ("end", 0)

    def complete(self, state: Any) -> bool:
        phase = state[0]
        if phase == "answers":
            return not self._marks.answers_only
        return phase == "end" or (phase == "explore" and not self._marks.end)

    def write(self, answers: Sequence[str], explore: Sequence[str]) -> str:
        """The text of these items."""
        marks = self._marks
        if not answers and not explore:
            return marks.nothing
        asked, walked = marks.between.join(answers), marks.between.join(explore)
        if not explore:
            return marks.answers + asked + marks.answers_only
        return (marks.answers + asked + marks.explore if answers else marks.explore_only) + walked + marks.end


def tags_of(state: ExplorationState, *, members: bool) -> dict[str, Pick]:
    """The number of every option, and of every member that is shown."""
    tags: dict[str, Pick] = {}
    for i, option in enumerate(state.options):
        tags[str(i + 1)] = Pick(i)
        if members and len(option.members) > 1:
            tags.update({f"{i + 1}.{k + 1}": Pick(i, k) for k in range(min(option.shown, len(option.members)))})
    return tags


class JsonNotation:
    """The paper's action, with numbers for what is listed; triples, arrows and names are read as well."""

    def __init__(
        self,
        edges: GraphEdges,
        prompt: Prompt,
        count: Callable[[str], int],
        *,
        closed_answers: bool,
        inline: bool = False,
    ) -> None:
        self._edges, self._prompt, self._count, self._closed = edges, prompt, count, closed_answers
        self._inline = inline  # mediators with their facts

    def messages(self, question: Topical, state: ExplorationState) -> tuple[Message, ...]:
        lines = [f"{i + 1}. {self._line(option)}" for i, option in enumerate(state.options)]
        paths = [self._path(path_group) for path_group in state.path_groups]
        return self._prompt.render(question=question.text, path="\n".join(paths), neighbours="\n".join(lines))

    def grammar(self, state: ExplorationState) -> ActionGrammar:
        return ActionGrammar([json.dumps(tag) for tag in tags_of(state, members=True)], JSON)

    def schema(self, state: ExplorationState) -> dict[str, Any] | None:
        items = {"type": "array", "items": {"type": "string", "enum": list(tags_of(state, members=True))}}
        return {
            "type": "object",
            "properties": {"answers": items, "exploration_paths": items},
            "required": ["answers", "exploration_paths"],
            "additionalProperties": False,
        }

    def write(self, action: Action, state: ExplorationState) -> str:
        tag = {pick: json.dumps(name) for name, pick in tags_of(state, members=True).items()}
        return self.grammar(state).write([tag[p] for p in action.answers], [tag[p] for p in action.explore])

    def read(self, text: str, state: ExplorationState) -> Action:
        parsed = parse_json(text)
        if not parsed.ok:
            return Action(problem=parsed.problem)
        value = parsed.value
        if not isinstance(value, dict) or not value.keys() & {"answers", "exploration_paths"}:
            return Action(problem='expected an object with "answers" and "exploration_paths"')
        answers: dict[Pick, None] = {}
        explore: dict[Pick, None] = {}
        unseen: list[str] = []
        invalid: list[str] = []
        for item in _items(value.get("exploration_paths")):
            picks = self._extensions(item, state)
            explore.update(dict.fromkeys(picks))
            invalid += [] if picks else [_short(item)]
        for item in _items(value.get("answers")):
            picks = self._extensions(item, state) or self._named(item, state)
            answers.update(dict.fromkeys(picks))
            if not picks:
                (invalid if self._closed or not isinstance(item, str) else unseen).append(_short(item))
        return Action(tuple(answers), tuple(explore), tuple(unseen), tuple(invalid))

    def weigh(self, option: RelationOption) -> int:
        return self._count(self._line(option)) + 3

    def paper(self, action: Action, state: ExplorationState) -> dict[str, Any]:
        """The action as the paper prints it, for events: names, and triples with "*" for all of a group."""
        return {
            "answers": [self._answer(pick, state) for pick in action.answers],
            "exploration_paths": [list(self._triple(pick, state)) for pick in action.explore],
        }

    def _answer(self, pick: Pick, state: ExplorationState) -> str:
        if pick.option < 0:
            path_group = state.path_groups[-1 - pick.option]
            return self._edges.labels(path_group.entities[[pick.member or 0]])[0]
        head, relation, tail = self._triple(pick, state)
        return tail if tail != EVERY else f"{EVERY} of {head} | {relation}"

    def _triple(self, pick: Pick, state: ExplorationState) -> tuple[str, str, str]:
        option = state.options[pick.option]
        edges = option.taken(pick.member)
        heads = np.unique(option.path_group.entities[option.rows[edges]])
        tails = np.unique(option.targets[edges])
        names = [self._edges.labels(part)[0] if len(part) == 1 else EVERY for part in (heads, tails)]
        return names[0], self._relation(option.code), names[1]

    def _relation(self, code: int) -> str:
        return one_line(self._edges.relation(code // 2).label) + (" (inverse)" if code % 2 else "")

    def _line(self, option: RelationOption) -> str:
        heads = np.unique(option.path_group.entities[option.rows])
        shown = option.members[: option.shown]
        names = "; ".join(self._shown(option, shown))
        more = len(option.members) - len(shown)
        head = one_line(self._edges.labels(heads[:1])[0]) if len(heads) == 1 else f"{EVERY} ({len(heads)} entities)"
        return f"{head} | {self._relation(option.code)} | {names}" + (f"; and {more} more" if more else "")

    def _shown(self, option: RelationOption, members: Ints) -> list[str]:
        """Members by name; mediators with their first facts, if so configured, without the one that led here."""
        names = [one_line(label) for label in self._edges.labels(members)]
        nameless = np.flatnonzero(self._edges.mediators(members)) if self._inline else np.empty(0, np.intp)
        if not len(nameless):
            return names
        moves = self._edges.moves(members[nameless])
        new = ~np.isin(moves.triples, option.triples)
        for row, i in enumerate(nameless.tolist()):
            at = np.flatnonzero(new & (moves.rows == row))
            tails = self._edges.labels(moves.targets[at[:MAX_FACTS]])
            facts = [
                f"{self._relation(code)}: {one_line(tail)}"
                for code, tail in zip(moves.codes[at].tolist(), tails, strict=False)
            ]
            if len(at) > MAX_FACTS:
                facts.append(f"and {len(at) - MAX_FACTS} more")
            if facts:
                names[i] += f" ({', '.join(facts)})"
        return names

    def _path(self, path_group: PathGroup) -> str:
        start = one_line(self._edges.labels(np.array([path_group.topic], np.int32))[0])
        ends = np.unique(path_group.entities)
        if not path_group.codes:
            return start
        shown = "; ".join(one_line(label) for label in self._edges.labels(ends[:5]))
        more = f"; and {len(ends) - 5} more" if len(ends) > 5 else ""
        return " | ".join((start, *(self._relation(code) for code in path_group.codes), shown + more))

    def _extensions(self, item: Any, state: ExplorationState) -> list[Pick]:
        """What an item of a reply means: a number, a triple, an arrow string; nothing where it is no edge here."""
        if isinstance(item, bool):
            return []
        if isinstance(item, (int, str)) and (found := _TAG.fullmatch(str(item).strip())) is not None:
            number, member = int(found[1]) - 1, None if found[2] is None else int(found[2]) - 1
            if 0 <= number < len(state.options):
                size = len(state.options[number].members)
                if member is None or 0 <= member < size:
                    return [Pick(number, member)]
            return []
        parts: list[Any] = []
        if isinstance(item, str):
            parts = _ARROW.split(item.strip())
        elif isinstance(item, dict):
            parts = [item.get(key) for key in ("head", "relation", "tail")]
        elif isinstance(item, list):
            parts = item
        if len(parts) == 1 and isinstance(parts[0], str) and not isinstance(item, str):
            return self._extensions(parts[0], state)
        if len(parts) < 3 or not all(isinstance(part, str) for part in parts):
            return []
        return self._edges_like(*parts[-3:], state=state)

    def _edges_like(self, head: str, relation: str, tail: str, *, state: ExplorationState) -> list[Pick]:
        found: list[Pick] = []
        plain = normalise(relation)
        for i, option in enumerate(state.options):
            told = normalise(self._relation(option.code))
            bare = normalise(self._edges.relation(option.code // 2).label)
            ways = [(head, tail)] if plain == told else []
            if option.code % 2 and plain == bare:
                ways.append((tail, head))  # written as the graph states it
            for source, target in ways:
                found += self._members(i, option, source, target)
        return found

    def _members(self, number: int, option: RelationOption, source: str, target: str) -> Iterator[Pick]:
        """The members of an option that are called `target` and lie behind an entity called `source`."""
        if target.strip().startswith(EVERY):
            yield Pick(number)
            return
        wanted, origin = normalise(target), normalise(source)
        for k, label in enumerate(self._edges.labels(option.members)):
            if normalise(label) == wanted:
                heads = option.path_group.entities[option.rows[option.taken(k)]]
                if source.strip().startswith(EVERY) or origin in map(normalise, self._edges.labels(heads)):
                    yield Pick(number, k)

    def _named(self, item: Any, state: ExplorationState) -> list[Pick]:
        """The entities of a state with this name: members first, then the ends of the paths."""
        if not isinstance(item, str) or not item.strip():
            return []
        wanted = normalise(item)
        found = [
            Pick(i, k)
            for i, option in enumerate(state.options)
            for k, label in enumerate(self._edges.labels(option.members))
            if normalise(label) == wanted
        ]
        if found:
            return found
        return [
            Pick(-1 - t, row)
            for t, path_group in enumerate(state.path_groups)
            for row, label in enumerate(self._edges.labels(path_group.entities))
            if path_group.codes and normalise(label) == wanted
        ][:1]


def split_json(text: str) -> tuple[list[str], list[str], bool]:
    """A reply as the items answered and explored, and whether it is strict JSON with both keys."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return [], [], False
    keys = ("answers", "exploration_paths")
    if not isinstance(value, dict) or not all(isinstance(value.get(key), list) for key in keys):
        return [], [], False
    answers, explore = ([item if isinstance(item, str) else json.dumps(item) for item in value[key]] for key in keys)
    return answers, explore, True


def one_line(label: str) -> str:
    """A label that cannot break the lines of a prompt."""
    return " ".join(label.split()).replace("|", "/")


def _items(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return items[:MAX_ITEMS]


def _short(item: Any) -> str:
    return str(item)[:80]
