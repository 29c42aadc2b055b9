"""How a state is written for a model and how its reply is read: the paper's JSON, for chat models.

`clew.methods.roe.short` holds the short forms for small models; all mean the same `Action`. Whatever a model writes is
checked against the options of its state, so that an extension that is no edge ends here; where the model can decode
under a grammar it cannot even be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from clew.llm import Prompt, clean, normalise, parse_json
from clew.methods.roe.actions import ActionGrammar, Marks
from clew.methods.roe.edges import GraphEdges
from clew.methods.roe.options import Action, ExplorationState, Pick, RelationOption, facts_of
from clew.protocols import Message

_FENCED = re.compile(r"```[A-Za-z0-9]*\s*(.*?)\s*```", re.DOTALL)
EVERY = "*"  # stands for every entity of a group in a written triple
_TAG = re.compile(r"#?(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?")
_ARROW = re.compile(r"\s*(?:-+>|→|\||<-+|←)\s*")
MAX_FACTS = 6  # of a mediator that are written beside it
MAX_ROWS = 12  # paths of a group that are written whole
MAX_HEADS = 3  # of a member that are written
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


JSON = Marks(
    '{"answers": [], "exploration_paths": []}',
    '{"answers": [',
    ", ",
    '], "exploration_paths": [',
    '{"answers": [], "exploration_paths": [',
    '], "exploration_paths": []}',
    "]}",
)


class JsonNotation:
    """The paper's action, with numbers for what is listed; triples, arrows and names are read as well.

    An option is a line per head, so that what belongs together stands together; every member that is shown has a number
    (3.2), and so has every fact shown of a mediator (3.2.1) and the end of every path walked (P1). Exactly these
    numbers are what the schema, the grammar and the rewards know.
    """

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
        self._facts: WeakKeyDictionary[RelationOption, dict[int, list[RelationOption]]] = WeakKeyDictionary()

    def messages(self, question: Topical, state: ExplorationState) -> tuple[Message, ...]:
        lines = [self._line(i + 1, option) for i, option in enumerate(state.options)]
        return self._prompt.render(
            question=question.text, path="\n".join(self._paths(state)), neighbours="\n".join(lines)
        )

    def tags(self, state: ExplorationState) -> dict[str, Pick]:
        """What each number stands for, in the order in which they are listed."""
        tags: dict[str, Pick] = {}
        for i, option in enumerate(state.options):
            tags[str(i + 1)] = Pick(i)
            for k in range(self._shown(option)):
                if len(option.members) > 1:
                    tags[f"{i + 1}.{k + 1}"] = Pick(i, k)
                for f in range(len(self._facts_of(option).get(k, ())[:MAX_FACTS])):
                    tags[f"{i + 1}.{k + 1}.{f + 1}"] = Pick(i, k, f)
        return tags

    def _ends(self, state: ExplorationState) -> dict[str, Pick]:
        """The ends of the paths that are shown."""
        rows = [
            Pick(-1 - t, row)
            for t, path_group in enumerate(state.path_groups)
            for row in range(min(len(path_group.entities), MAX_ROWS))
            if path_group.codes
        ]
        return {f"P{n}": pick for n, pick in enumerate(rows, 1)}

    def grammar(self, state: ExplorationState) -> ActionGrammar:
        return ActionGrammar([json.dumps(tag) for tag in self.tags(state)], JSON)

    def schema(self, state: ExplorationState) -> dict[str, Any] | None:
        tags = list(self.tags(state))
        answers = {"type": "array", "items": {"type": "string", "enum": [*tags, *self._ends(state)]}}
        explore = {"type": "array", "items": {"type": "string", "enum": tags}}
        return {
            "type": "object",
            "properties": {"answers": answers, "exploration_paths": explore},
            "required": ["answers", "exploration_paths"],
            "additionalProperties": False,
        }

    def write(self, action: Action, state: ExplorationState) -> str:
        tag = {pick: json.dumps(name) for name, pick in self.tags(state).items()}
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
        return self._count(self._line(0, option)) + 3

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
        if pick.fact is not None and pick.member is not None:
            option, pick = self._facts_of(option)[pick.member][pick.fact], Pick(0)
        edges = option.taken(pick.member)
        heads = np.unique(option.path_group.entities[option.rows[edges]])
        tails = np.unique(option.targets[edges])
        names = [self._edges.labels(part)[0] if len(part) == 1 else EVERY for part in (heads, tails)]
        return names[0], self._relation(option.code), names[1]

    def _relation(self, code: int) -> str:
        return one_line(self._edges.relation(code // 2).label) + (" (inverse)" if code % 2 else "")

    def _role(self, code: int) -> str:
        """A relation as it stands in a mediator's brackets: of a dotted name the last part."""
        told = one_line(self._edges.relation(code // 2).label)
        short = told.rpartition(".")[2] if told.count(".") > 1 and " " not in told else told
        return short + (" (inverse)" if code % 2 else "")

    def _line(self, number: int, option: RelationOption) -> str:
        """An option: one line, or one for each of the heads that lead elsewhere."""
        shown = self._shown(option)
        names = [self._member(number, option, k) for k in range(shown)]
        more = f"; and {len(option.members) - shown} more" if len(option.members) > shown else ""
        relation = self._relation(option.code)
        heads = np.unique(option.path_group.entities[option.rows])
        if len(heads) == 1 or len(option.members) == 1:
            head = one_line(self._edges.labels(heads[:1])[0]) if len(heads) == 1 else f"{EVERY} ({len(heads)} entities)"
            return f"{number}. {head} | {relation} | {'; '.join(names)}{more}"
        lines: dict[str, list[str]] = {}
        for k, name in enumerate(names):
            own = np.unique(option.path_group.entities[option.rows[option.taken(k)]])
            told = ", ".join(map(one_line, self._edges.labels(own[:MAX_HEADS])))
            told += f" and {len(own) - MAX_HEADS} more" if len(own) > MAX_HEADS else ""
            lines.setdefault(told, []).append(name)
        rows = [f"   {head} | {relation} | {'; '.join(own)}" for head, own in lines.items()]
        rows[-1] += more
        return "\n".join((f"{number}. {EVERY} ({len(heads)} entities) | {relation}", *rows))

    def _shown(self, option: RelationOption) -> int:
        return min(option.shown, len(option.members))

    def _member(self, number: int, option: RelationOption, member: int) -> str:
        """A member with its number where there are several, a mediator with its first facts."""
        name = one_line(self._edges.labels(option.members[[member]])[0])
        facts = self._facts_of(option).get(member, [])
        told = [
            f"{self._role(fact.code)}: {number}.{member + 1}.{f} {one_line(self._edges.labels(fact.targets)[0])}"
            for f, fact in enumerate(facts[:MAX_FACTS], 1)
        ]
        if len(facts) > MAX_FACTS:
            told.append(f"and {len(facts) - MAX_FACTS} more")
        tag = f"{number}.{member + 1} " if len(option.members) > 1 else ""
        return f"{tag}{name}" + (f" ({', '.join(told)})" if told else "")

    def _facts_of(self, option: RelationOption) -> dict[int, list[RelationOption]]:
        """The facts of each shown member that is a mediator."""
        if not self._inline:
            return {}
        if option not in self._facts:
            members = option.members[: self._shown(option)]
            nameless = np.flatnonzero(self._edges.mediators(members)).tolist()
            self._facts[option] = {k: facts_of(option, k, self._edges) for k in nameless}
        return self._facts[option]

    def _paths(self, state: ExplorationState) -> list[str]:
        """The paths walked, whole; a topic by its name alone."""
        lines: list[str] = []
        number = 0
        for path_group in state.path_groups:
            start = one_line(self._edges.labels(np.array([path_group.topic], np.int32))[0])
            if not path_group.codes:
                lines.append(start)
                continue
            for row in range(min(len(path_group.entities), MAX_ROWS)):
                number += 1
                met = self._edges.labels(np.array([entity for *_, entity in path_group.steps(row)], np.int32))
                steps = zip(map(self._relation, path_group.codes), map(one_line, met), strict=True)
                lines.append(" | ".join((f"P{number}. {start}", *(part for step in steps for part in step))))
            if len(path_group.entities) > MAX_ROWS:
                lines.append(f"and {len(path_group.entities) - MAX_ROWS} more of this kind")
        return lines

    def _extensions(self, item: Any, state: ExplorationState) -> list[Pick]:
        """What an item of a reply means: a number, a triple, an arrow string; nothing where it is no edge here."""
        if isinstance(item, bool):
            return []
        if isinstance(item, (int, str)) and (found := _TAG.fullmatch(str(item).strip())) is not None:
            number, member, fact = (None if part is None else int(part) - 1 for part in found.groups())
            if number is not None and 0 <= number < len(state.options):
                option = state.options[number]
                facts = [] if member is None else self._facts_of(option).get(member, [])
                if member is None or (0 <= member < len(option.members) and (fact is None or 0 <= fact < len(facts))):
                    return [Pick(number, member, fact)]
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
        """The entities of a state with this name: members first, then facts of mediators and the ends of the paths."""
        if not isinstance(item, str) or not item.strip():
            return []
        if (end := self._ends(state).get(item.strip().upper())) is not None:
            return [end]
        wanted = normalise(item)
        found = [
            Pick(i, k)
            for i, option in enumerate(state.options)
            for k, label in enumerate(self._edges.labels(option.members))
            if normalise(label) == wanted
        ]
        found = found or [
            pick
            for pick in self.tags(state).values()
            if pick.fact is not None and normalise(self._answer(pick, state)) == wanted
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
    """A reply as the items answered and explored, and whether it is strict JSON with both keys.

    Thoughts before it and a fence around it are how chat models write; prose is not what was asked for.
    """
    body = clean(text)
    fenced = _FENCED.fullmatch(body)
    try:
        value = json.loads(body if fenced is None else fenced[1])
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
