"""Questions of every kind from a graph alone: a plan is drawn, the executor answers it, a template words it.

Kept apart from `questions`, which makes relation paths for the methods that walk them: here every node of a plan is
asked for. Nothing joins on a number, no literal and no long text is a topic, and a question that nothing or everything
answers is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clew.errors import ClewError, InputError
from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.query.plan import walk
from clew.query.text import show
from clew.query.vocabulary import MEASURES, head_of
from clew.synthesis.verbs import is_participle, plural_of, third_person_of

KINDS: dict[str, float] = {
    "value": 1.0, "count": 1.2, "superlative": 1.5, "ordinal": 0.6, "comparison": 0.8, "boolean": 0.8,
    "number filter": 1.0, "date filter": 1.0, "count filter": 0.5, "count superlative": 0.6, "negation": 0.7,
    "exception": 0.5, "union": 0.5, "conjunction": 0.7, "neither": 0.3, "class": 0.2, "sum": 0.4, "mean": 0.4,
    "difference": 0.4, "times": 0.2, "nested": 0.8,
}  # fmt: skip
MOST = 50  # answers
LONGEST = 60  # letters of a name that is asked about
TRIES = 200  # drawn in a row without a new question after which the graph is taken to hold no others
_ORDINALS = ("second", "third", "fourth")
_NUMBERS = ("two", "three", "four", "five")
_VERBAL = re.compile(r"(?:\b(?:in|by|of|from|to|at|on|with|through|for)$)|^(?:\w+s)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the plan that answers it."""

    id: str
    text: str
    kind: str
    plan: p.Plan
    answers: tuple[str, ...]
    entities: tuple[str, ...] = ()

    def to_row(self) -> dict[str, Any]:
        """The plain question format; `plan` is the plan's text."""
        topics = [id for node in walk(self.plan) if isinstance(node, p.Entities) for id in node.ids]
        return {
            "id": self.id, "question": self.text, "q_entity": list(dict.fromkeys(topics)), "answer": list(self.answers),
            "a_entity": list(self.entities), "type": self.kind, "plan": show(self.plan),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Kind:
    """A class: its members, the values they have and what they are linked to."""

    plan: p.Class
    noun: str
    plural: str
    members: Ints
    values: tuple[tuple[p.Step, str, Column], ...]
    links: tuple[tuple[p.Step, str], ...]  # from a member to a named thing


@dataclass
class PlanWriter:
    """Draws plans over one graph and words them; the same seed gives the same questions."""

    graph: Graph
    seed: int = 0
    made: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self._executor = Executor(self.graph, ExecutionLimits(pairs=5_000_000))
        self._binding = Binding.of(self.graph)
        self._kinds = self._read_kinds()
        if not self._kinds:
            raise InputError(
                f"graph {self.graph.title!r}: no class with named members, and plans are asked about kinds of things; "
                "without --kinds all questions are made about relation paths"
            )

    def questions(self, count: int) -> Iterator[Asked]:
        """Raises InputError where the graph cannot yield so many different questions."""
        seen: set[str] = set()
        tried = 0
        names, weights = list(KINDS), np.array(list(KINDS.values()))
        while len(seen) < count:
            kind = names[int(self._random.choice(len(names), p=weights / weights.sum()))]
            tried += 1
            if tried > TRIES:
                raise InputError(f"the graph yields only about {len(seen)} different questions; {count} were asked for")
            drawn = _TEMPLATES[kind](self, self._pick(self._kinds))
            if drawn is None or drawn[0] in seen:
                continue
            asked = self._answered(f"plan-{self.seed}-{len(seen) + 1}", kind, *drawn)
            if asked is not None:
                seen.add(drawn[0])
                self.made[kind] += 1
                tried = 0
                yield asked

    # -- the graph ---------------------------------------------------------------------------------------------------

    def _read_kinds(self) -> list[_Kind]:
        types, found = self._binding.type_relations, []
        whole = self.graph.whole
        for node in np.unique(whole.tails[np.isin(whole.rels, types)]).astype(np.int32):
            id, label = self.graph.ids_at([node])[0], label_to_text(self.graph.labels_at([node])[0])
            plan = p.Class(id)
            members = self._executor.members(plan)
            if len(members) < 3 or not _sayable(label):
                continue
            values, links = [], []
            for step, share in steps_of(self.graph, members):
                number = self._binding.relation(step.relation)
                name = _named(label_to_text(self.graph.relation_at(number).label.rsplit(".", 1)[-1]))
                if number in types or not _sayable(name):
                    continue
                read = column(self.graph, number, step.forward)
                if step.forward and read.ordered and share >= 0.5:
                    values.append((step, name, read))
                elif not read.ordered and self._leads_to_names(step, members):
                    links.append((step, name))
            if values or links:
                noun = label.lower() if label.istitle() else label
                found.append(_Kind(plan, noun, plural_of(noun), members, tuple(values), tuple(links)))
        return found

    def _leads_to_names(self, step: p.Step, members: Ints) -> bool:
        ends = np.unique(self._executor.pairs(members[:200], (step,))[1])[:200]
        return bool(len(ends)) and not self.graph.literals_at(ends).any() and not self.graph.mediators_at(ends).any()

    # -- drawing -----------------------------------------------------------------------------------------------------

    def _pick(self, of: Any) -> Any:
        return of[int(self._random.integers(len(of)))]

    def _name(self, node: int) -> tuple[p.Entities, str] | None:
        """One thing and its name; None where the name is long or shared."""
        id, label = self.graph.ids_at([node])[0], self.graph.labels_at([node])[0]
        if len(label) > LONGEST or not label.strip() or len(self.graph.resolve(label)) > 1:
            return None
        return p.Entities((id,)), label

    def _member(self, kind: _Kind) -> tuple[p.Entities, str] | None:
        return self._name(int(self._pick(kind.members)))

    def condition(self, kind: _Kind, link: tuple[p.Step, str] | None = None) -> tuple[p.SetPlan, str, str] | None:
        """What members may be linked to: the set, the words behind their plural, and the same denied."""
        if not kind.links:
            return None
        step, name = link or self._pick(kind.links)
        ends = self._executor.pairs(kind.members, (step,))[1]
        named = self._name(int(self._pick(ends))) if len(ends) else None
        if named is None:
            return None
        entity, label = named
        plan = p.Follow(entity, (p.Step(step.relation, not step.forward),))
        verb = name.split()[0]
        if not step.forward:
            said, denied = f"that are the {name} of {label}", f"that are not the {name} of {label}"
            if name.split()[0] == kind.noun.split()[-1]:
                said, denied = f"of {label}", f"that are not of {label}"  # "languages of Belgium"
            if _VERBAL.search(name):
                said, denied = f"that {label} {name}", f"that {label} does not {_base(name)}"
        elif name.endswith((" in", " by", " from", " to", " at", " on", " through", " of")) and not verb.endswith("s"):
            said, denied = f"{name} {label}", f"that are not {name} {label}"
        elif verb.endswith("s") and not verb.endswith("ss") and _VERBAL.search(name):
            said, denied = f"that {_base(name)} {label}", f"that do not {_base(name)} {label}"
        else:
            said, denied = f"with {name} {label}", f"whose {name} is not {label}"
            if self._random.random() < 0.5:
                said = f"whose {name} is {label}"
        return plan, said, denied

    def some(self, kind: _Kind) -> tuple[p.SetPlan, str]:
        """A set of one kind with its words, all of it or those with a condition."""
        made = self.condition(kind) if self._random.random() < 0.65 else None
        plan = None if made is None else p.And((kind.plan, made[0]))
        if made is None or plan is None or len(self._executor.members(plan)) < 2:
            return kind.plan, kind.plural
        return plan, f"{kind.plural} {made[1]}"

    def value(self, kind: _Kind, date: bool | None = None) -> tuple[p.Step, str, Column] | None:
        fitting = [v for v in kind.values if date is None or (v[2].kind == "date") == date]
        return self._pick(fitting) if fitting else None

    def stated(self, step: p.Step, read: Column, kind: _Kind) -> tuple[p.Number | p.Date, str] | None:
        """A value that some member has, rounded as people do, with its words."""
        ends = np.unique(self._executor.pairs(kind.members[:2000], (step,))[1])
        known, low, _ = read.of(ends)
        if not known.any():
            return None
        one = float(self._pick(low[known]))
        if read.kind == "date":
            from clew.query.values import ReadValue, shown_date

            year = shown_date(ReadValue("date", one, one, "year"))
            return (p.Date(year), year) if re.fullmatch(r"\d{4}", year) else None
        if read.dimension:
            return None
        digits = max(0, len(str(int(abs(one)))) - 2)
        rounded = float(round(one, -digits)) if abs(one) >= 10 else one
        words = f"{rounded / 1e6:g} million" if rounded >= 1e6 and self._random.random() < 0.5 else f"{rounded:,.10g}"
        return p.Number(rounded), words

    def says(self, *wordings: str) -> str:
        """One of several wordings, with a question mark or without."""
        text = str(self._pick(wordings))
        return text + ("?" if self._random.random() < 0.5 and not text.startswith(("list", "name", "count")) else "")

    # -- answers -----------------------------------------------------------------------------------------------------

    def _answered(self, id: str, kind: str, text: str, plan: p.Plan) -> Asked | None:
        try:
            result = Executor(self.graph, ExecutionLimits(pairs=5_000_000)).run(plan)
        except ClewError:
            return None
        if not result.complete:
            return None
        if result.makes in ("set", "values"):
            labels = self.graph.labels_at(result.members)
            if not labels or (len(labels) > MOST and kind != "class") or max(map(len, labels)) > 4 * LONGEST:
                return None
            if kind != "class" and any(np.array_equal(np.sort(result.members), each.members) for each in self._kinds):
                return None  # everything of a kind
            ids = tuple(self.graph.ids_at(result.members)) if result.makes == "set" else ()
            return Asked(id, text, kind, plan, tuple(dict.fromkeys(labels)), ids)
        if result.makes == "truth":
            return Asked(id, text, kind, plan, ("yes" if result.truth else "no",))
        if result.quantity is None or result.quantity.value == 0:
            return None
        return Asked(id, text, kind, plan, (str(result.quantity),))


Drawn = tuple[str, p.Plan] | None


def _sayable(label: str) -> bool:
    return bool(re.search(r"[^\W\d_]", label)) and len(label) <= LONGEST and "://" not in label


def _named(label: str) -> str:
    """A relation's name as it is said: "area in square kilometres" is an area, "located in country" is said whole."""
    head = head_of(label)
    if head != label and is_participle(head.split()[-1]):
        return " ".join(label.split()[: len(head.split()) + 1])
    return head


def _singular(condition: str) -> str:
    """A condition on several things said of one: "that border Chad" → "that borders Chad"."""
    words = condition.split()
    if words[:1] == ["that"] and words[1] not in ("are", "do") and words[1].islower():
        words[1] = third_person_of(words[1])
    elif words[:2] in (["that", "are"], ["that", "do"]):
        words[1] = {"are": "is", "do": "does"}[words[1]]
    return " ".join(words)


def _base(name: str) -> str:
    """A relation's name with its verb in the plural: "flows through" → "flow through"."""
    first, _, rest = name.partition(" ")
    return f"{first[:-1] if first.endswith('s') else first} {rest}".strip()


def adjectives(name: str, read: Column) -> tuple[tuple[str, bool], ...]:
    """Superlatives that may stand for a column, with whether each means the largest."""
    if read.kind == "date":
        return (("most recent", True), ("latest", True), ("earliest", False))
    found: list[tuple[str, bool]] = []
    known = {"area": ("large", "small"), "population": ("populous", "populous"), "elevation": ("high", "low"),
             "height": ("tall", "short"), "length": ("long", "short"), "depth": ("deep", "shallow"),
             "weight": ("heavy", "light"), "age": ("old", "young"), "price": ("expensive", "cheap"),
             "speed": ("fast", "slow")}  # fmt: skip
    for word, (up, down) in known.items():
        if word in name.lower().split() and word in MEASURES[up]:
            most = up in ("populous", "expensive")
            found += [(f"most {up}" if most else _est(up), True), (f"least {down}" if most else _est(down), False)]
    return (*found, (f"#highest {name}", True), (f"#lowest {name}", False))


def _est(word: str) -> str:
    return word[:-1] + "iest" if word.endswith("y") else word + ("st" if word.endswith("e") else "est")


def _value(w: PlanWriter, kind: _Kind) -> Drawn:
    value, one = w.value(kind), w._member(kind)
    if value is None or one is None:
        return None
    step, name, read = value
    texts = [f"what is the {name} of {one[1]}", f"{one[1]}'s {name}", f"tell me the {name} of {one[1]}"]
    if read.kind == "date":
        texts.append(f"when was the {name} of {one[1]}")
    return w.says(*texts), p.Values(one[0], (step,))


def _count(w: PlanWriter, kind: _Kind) -> Drawn:
    plan, said = w.some(kind)
    text = w.says(f"how many {said} are there", f"what is the number of {said}", f"count the {said}")
    return text, p.Count(plan)


def _superlative(w: PlanWriter, kind: _Kind, skip: int = 0) -> Drawn:
    value = w.value(kind)
    if value is None:
        return None
    (step, name, read), (plan, said) = value, w.some(kind)
    adjective, largest = w._pick(adjectives(name, read))
    k = 1 if skip or w._random.random() < 0.75 else int(w._random.integers(2, 5))
    order = f"{_ORDINALS[skip - 1]} " if skip else ""
    condition = _singular(said.removeprefix(kind.plural).strip())
    top = p.Top(plan, p.Key((step,)), largest, k, skip)
    if adjective.startswith("#"):
        if k > 1:
            return None
        those, key = f"{kind.noun} {condition}".strip(), f"the {order}{adjective[1:]}"
        return w.says(f"which {those} has {key}", f"what is the {those} with {key}"), top
    if k > 1:
        return w.says(f"what are the {_NUMBERS[k - 2]} {adjective} {said}", f"list the {k} {adjective} {said}"), top
    return w.says(f"what is the {order}{adjective} {kind.noun} {condition}".strip(),
                  f"which {kind.noun} {condition} is the {order}{adjective}".replace("  ", " ")), top  # fmt: skip


def _ordinal(w: PlanWriter, kind: _Kind) -> Drawn:
    return _superlative(w, kind, int(w._random.integers(1, 4)))


def _two(w: PlanWriter, kind: _Kind) -> tuple[tuple[p.Entities, str], tuple[p.Entities, str]] | None:
    a, b = w._member(kind), w._member(kind)
    return (a, b) if a is not None and b is not None and a[1] != b[1] else None


def _comparison(w: PlanWriter, kind: _Kind) -> Drawn:
    value, both = w.value(kind), _two(w, kind)
    if value is None or both is None:
        return None
    (step, name, read), ((a, a_said), (b, b_said)), up = value, both, bool(w._random.random() < 0.6)
    word = ("later" if up else "earlier") if read.kind == "date" else ("higher" if up else "lower")
    texts = [f"which has the {word} {name}, {a_said} or {b_said}", f"does {a_said} or {b_said} have the {word} {name}"]
    return w.says(*texts), p.Compare(a, b, p.Key((step,)), up)


def _difference(w: PlanWriter, kind: _Kind) -> Drawn:
    value, both = w.value(kind, date=False), _two(w, kind)
    if value is None or both is None:
        return None
    (step, name, _), ((a, a_said), (b, b_said)) = value, both
    texts = [f"what is the difference in {name} between {a_said} and {b_said}",
             f"how much higher is the {name} of {a_said} than that of {b_said}"]  # fmt: skip
    return w.says(*texts), p.Difference(a, b, p.Key((step,)))


def _times(w: PlanWriter, kind: _Kind) -> Drawn:
    value, both = w.value(kind, date=False), _two(w, kind)
    if value is None or both is None:
        return None
    (step, name, _), ((a, a_said), (b, b_said)) = value, both
    plan = p.Arithmetic("/", p.Aggregate("max", a, (step,)), p.Aggregate("max", b, (step,)))
    return w.says(f"how many times the {name} of {b_said} is the {name} of {a_said}"), plan


def _boolean(w: PlanWriter, kind: _Kind) -> Drawn:
    one = w._member(kind)
    made = w.condition(kind)
    if one is None or made is None:
        return None
    said = re.sub(r"^that (?:are )?|^whose |^with ", "", made[1])
    if made[1].startswith("that ") and not made[1].startswith("that are "):
        return w.says(f"does {one[1]} {said}", f"is it true that {one[1]} {said}"), p.Is(one[0], made[0])
    if made[1].startswith(("with ", "whose ")):
        name, _, label = made[1].split(" ", 1)[1].partition(" is ") if " is " in made[1] else ("", "", "")
        return (w.says(f"is {label} the {name} of {one[1]}"), p.Is(one[0], made[0])) if label else None
    return w.says(f"is {one[1]} {said}", f"is it true that {one[1]} is {said}"), p.Is(one[0], made[0])


def _number_filter(w: PlanWriter, kind: _Kind, date: bool = False) -> Drawn:
    value = w.value(kind, date=date)
    stated = w.stated(value[0], value[2], kind) if value is not None else None
    if value is None or stated is None:
        return None
    (step, name, _), (plan, said), (limit, words) = value, w.some(kind), stated
    ops: list[tuple[str, p.Op]] = [("more than", ">"), ("at least", ">="), ("less than", "<"), ("at most", "<="),
                                   ("over", ">"), ("under", "<")]  # fmt: skip
    if date:
        ops = [("before", "<"), ("after", ">"), ("since", ">="), ("in", "=")]
    phrase, op = w._pick(ops)
    where = p.Where(plan, p.Test((step,), op, limit))
    if date and w._random.random() < 0.2:
        decade = int(words) // 10 * 10
        where = p.Where(plan, p.Test((step,), "between", p.Date(str(decade)), p.Date(str(decade + 9))))
        return w.says(f"which {said} have a {name} in the {decade}s"), where
    return w.says(f"which {said} have a {name} {'' if date else 'of '}{phrase} {words}",
                  f"list the {said} with a {name} {'' if date else 'of '}{phrase} {words}"), where  # fmt: skip


def _date_filter(w: PlanWriter, kind: _Kind) -> Drawn:
    return _number_filter(w, kind, date=True)


def _count_filter(w: PlanWriter, kind: _Kind) -> Drawn:
    if not kind.links:
        return None
    (step, name), n = w._pick(kind.links), int(w._random.integers(1, 6))
    phrase, op = w._pick([("more than", ">"), ("at least", ">="), ("exactly", "="), ("fewer than", "<")])
    plan, said = w.some(kind)
    if not step.forward or " " in name:
        return None
    noun = name if name.endswith("s") else plural_of(name)
    return w.says(f"which {said} have {phrase} {n} {noun}"), p.WhereCount(plan, (step,), op, n)


def _count_superlative(w: PlanWriter, kind: _Kind) -> Drawn:
    forward = [link for link in kind.links if link[0].forward and " " not in link[1]]
    if not forward:
        return None
    (step, name), (plan, said) = w._pick(forward), w.some(kind)
    largest = bool(w._random.random() < 0.7)
    noun = name if name.endswith("s") else plural_of(name)
    rest = _singular(said.removeprefix(kind.plural).strip())
    text = w.says(f"which {kind.noun} {rest} has the {'most' if largest else 'fewest'} {noun}".replace("  ", " "))
    return text, p.Top(plan, p.Key((step,), "count"), largest)


def _negation(w: PlanWriter, kind: _Kind) -> Drawn:
    denied, (plan, said) = w.condition(kind), w.some(kind)
    if denied is None:
        return None
    return w.says(f"which {said} {denied[2]}".replace(" that do not", " do not").replace(" that are not", " are not")
                  if said == kind.plural else f"list the {said} {denied[2]}"), p.Minus(plan, denied[0])  # fmt: skip


def _exception(w: PlanWriter, kind: _Kind) -> Drawn:
    plan, said = w.some(kind)
    members = w._executor.members(plan)
    one = w._name(int(w._pick(members))) if len(members) else None
    if one is None or said == kind.plural:
        return None
    condition = said.removeprefix(kind.plural).strip()
    word = w._pick(["other than", "except", "besides"])
    return w.says(f"which {kind.plural} {word} {one[1]} are there {condition}",
                  f"list all {said} {word} {one[1]}"), p.Minus(plan, one[0])  # fmt: skip


def _joined(w: PlanWriter, kind: _Kind, how: str) -> Drawn:
    if not kind.links:
        return None
    link = w._pick(kind.links)
    a, b = w.condition(kind, link), w.condition(kind, link if how != "and" or w._random.random() < 0.5 else None)
    if a is None or b is None or a[0] == b[0]:
        return None
    if how == "or":
        return w.says(f"which {kind.plural} {a[1]} or {b[1]}", f"list the {kind.plural} {a[1]} or {b[1]}"), p.And(
            (kind.plan, p.Or((a[0], b[0])))
        )
    if how == "neither":
        return w.says(f"list the {kind.plural} {a[2]} and {b[2]}"), p.Minus(kind.plan, p.Or((a[0], b[0])))
    return w.says(f"which {kind.plural} {a[1]} and {b[1]}", f"list {kind.plural} {a[1]} and {b[1]}"), p.And(
        (kind.plan, a[0], b[0])
    )


def _class(w: PlanWriter, kind: _Kind) -> Drawn:
    if len(kind.members) > MOST:
        return None
    return w.says(f"list all {kind.plural}", f"which {kind.plural} are there"), kind.plan


def _summary(w: PlanWriter, kind: _Kind, how: p.Summary) -> Drawn:
    value = w.value(kind, date=False)
    if value is None:
        return None
    (step, name, _), (plan, said) = value, w.some(kind)
    word = {"sum": "total", "mean": "average", "min": "minimum", "max": "maximum"}[how]
    return w.says(f"what is the {word} {name} of the {said}", f"the {word} {name} of {said}"), p.Aggregate(
        how, plan, (step,)
    )


def _nested(w: PlanWriter, kind: _Kind) -> Drawn:
    forward = [link for link in kind.links if link[0].forward and not _VERBAL.search(link[1])]
    inner = _superlative(w, kind)
    if not forward or inner is None or not isinstance(inner[1], p.Top) or inner[1].k > 1:
        return None
    step, name = w._pick(forward)
    found = re.match(r"what is (the .*?)\??$", inner[0])
    return (w.says(f"what is the {name} of {found[1]}"), p.Follow(inner[1], (step,))) if found else None


_TEMPLATES: dict[str, Callable[[PlanWriter, _Kind], Drawn]] = {
    "value": _value, "count": _count, "superlative": _superlative, "ordinal": _ordinal, "comparison": _comparison,
    "boolean": _boolean, "number filter": _number_filter, "date filter": _date_filter, "count filter": _count_filter,
    "count superlative": _count_superlative, "negation": _negation, "exception": _exception,
    "union": lambda w, k: _joined(w, k, "or"), "conjunction": lambda w, k: _joined(w, k, "and"),
    "neither": lambda w, k: _joined(w, k, "neither"), "class": _class,
    "sum": lambda w, k: _summary(w, k, "sum"), "mean": lambda w, k: _summary(w, k, "mean"),
    "difference": _difference, "times": _times, "nested": _nested,
}  # fmt: skip
