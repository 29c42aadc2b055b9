"""What the graph says of an entity, as prompts and the encoder read it, and the prompts that ask how well it fits.

Apart from the paths because training tasks show the same texts, and neither follows a plan.

Shapes: C candidate entities of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from clew.labels import label_to_text
from clew.methods.eperm.asking import (
    PlacedQuestion,
    PromptClient,
    marked,
    placeholders,
    relation_text,
)
from clew.protocols import Message

YES, NO = "yes", "no"
CHOICE_WORDS, CHOICE_TOKENS = 12, 96  # of what speaks for a candidate and its number, at most


def entities_prompt(
    asker: PromptClient, case: PlacedQuestion, plan: str, facts: Sequence[Sequence[str]]
) -> tuple[Message, ...]:
    """The question for the scores of all candidates of a step, each with its name and facts."""
    question, told = case.text, [_listed(known) for known in facts]
    if asker.style == "short":
        question, shown = marked(case.text, facts)
        told = [_brief(known) for known in shown]
    lines = "\n".join(f"{i} {line}" for i, line in enumerate(told, 1))
    return asker.prompt("entities").render(question=question, plan=plan, candidates=lines)


def choices_of(case: PlacedQuestion, facts: Sequence[Sequence[str]]) -> list[str]:
    """What a small decoder writes to choose each candidate: what speaks for it, then its number.

    The number alone would have to be pointed at, which small decoders hardly learn; after what speaks for it, mostly
    one number is left.
    """
    _, shown = marked(case.text, facts)
    choices = []
    for i, (known, told) in enumerate(zip(facts, shown, strict=True), 1):
        speaks = [fact for fact in told[1:] if fact not in known] or [fact for fact in told if fact]
        choices.append(" ".join([*(speaks[0].split()[:CHOICE_WORDS] if speaks else []), str(i)]))
    return choices


def entity_prompt(asker: PromptClient, case: PlacedQuestion, plan: str, facts: Sequence[str]) -> tuple[Message, ...]:
    """The question for the score of one candidate."""
    prompt = asker.prompt("entity")
    if asker.style == "short":
        question, [known] = marked(case.text, [facts])
        return prompt.render(question=question, plan=plan, facts=_brief(known))
    return prompt.render(question=case.text, plan=plan, entity=facts[0], facts="\n".join(facts[1:]))


def facts_of(case: PlacedQuestion, local: int, limit: int) -> list[str]:
    """The name of a candidate, then what the graph says about it: one triple per relation first, then more."""
    told = [f"{fact.relation}: {fact.value}" for fact in _facts(case, local, limit)]
    return [" ".join(case.graph.entity(local).label.split()), *told[:limit]]


def brief_facts(case: PlacedQuestion, local: int, limit: int, start: int, came: tuple[int, bool]) -> list[str]:
    """The same for a small decoder: what tells a candidate from its siblings, in few tokens.

    Topics are placeholders, as in the question, and facts about them come first. The names of mediators and the way
    the candidate was reached say nothing and are left out.

    Args:
        start: the topic its path starts at.
        came: relation and direction of the last step.
    """
    graph = case.graph
    marks = placeholders(case.topics)
    others = marks.keys() - {graph.entity(start).id}
    told = [
        (fact.id not in marks, f"{fact.relation}: {marks.get(fact.id, fact.value)}")
        for fact in _facts(case, local, limit)
        if not fact.mediator and (fact.id in others or fact.step != (came[0], not came[1]))
    ]
    told.sort(key=lambda each: each[0])
    entity = graph.entity(local)
    name = "" if entity.kind == "mediator" else marks.get(entity.id, " ".join(entity.label.split()))
    return [name, *(line for _, line in told[:limit])]


def described(facts: Sequence[str]) -> str:
    """A candidate on one line, relations in words."""
    return _listed(facts, label_to_text)


def _last_part(name: str) -> str:
    """Of a dotted relation the last part."""
    return name.rpartition(".")[2] if name.count(".") > 1 else name


def _listed(facts: Sequence[str], spelled: Callable[[str], str] = _last_part) -> str:
    """A candidate on one line as the graph names it, relations as `spelled`."""
    told = (fact.partition(": ") for fact in facts[1:])
    said = "; ".join(spelled(name) + mark + value for name, mark, value in told)
    return f"{facts[0]} ({said})" if said else facts[0]


def _brief(facts: Sequence[str]) -> str:
    """The same with relations as they are, since each is one token of a small decoder."""
    return "; ".join(fact for fact in facts if fact)


class _Fact(NamedTuple):
    step: tuple[int, bool]  # relation and direction
    relation: str
    id: str  # of the other end
    value: str
    mediator: bool


def _facts(case: PlacedQuestion, local: int, limit: int) -> list[_Fact]:
    """Triples of an entity, one per relation first; of one relation `limit` at most."""
    graph, around = case.graph, case.around
    number = local if around is graph else around.local(graph.entity(local).id)
    if number is None:  # a store gave other triples than before
        return []
    rows: list[tuple[int, _Fact]] = []  # how often the relation was met before
    for forward in (True, False):
        side = around.out if forward else around.inc
        span = slice(int(side.offsets[number]), int(side.offsets[number + 1]))
        relations = side.relations[span]
        first = np.searchsorted(relations, relations)  # siblings stand together
        rank = np.arange(len(relations)) - first
        few = np.flatnonzero(rank < limit)[: 4 * limit]
        for i, other in zip(few.tolist(), side.neighbors[span][few].tolist(), strict=True):
            entity = around.entity(other)
            value, relation = " ".join(entity.label.split()), int(relations[i])
            name = relation_text(around, relation, forward)
            fact = _Fact((relation, forward), name, entity.id, value, entity.kind == "mediator")
            rows.append((int(rank[i]), fact))
    rows.sort(key=lambda row: row[0])
    return [fact for _, fact in rows]
