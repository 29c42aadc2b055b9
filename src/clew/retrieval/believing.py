"""Whether what a question's parts compose is believed, or the relation path that a method found.

Both are readings of one question. A composed set says "and", "or" and "not", but bridges its parts by steps that no
word asks for; a method's path is what it learned to read, but one path. Which of them is right is told by two logistic
regressions over what they look like beside each other: counts and shares, never words, so that they hold for graphs
that nothing was fitted on. scripts/fit_composed.py fits their numbers (`composed_weights`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.sets import held
from clew.query import plan as p
from clew.query.execute import execute
from clew.query.vocabulary import SYNONYMS, head_of, stem
from clew.retrieval.asking import asked_kind
from clew.retrieval.composed_weights import COMPOSED, PATH
from clew.retrieval.composing import Composed
from clew.retrieval.lexicon import WORD, Lexicon, stems
from clew.retrieval.method_sets import best_of, numbers_of, one_path
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Question

OFFERED = 3  # composed sets of a question that are looked at
ALONE = 0.25  # probability from which a set is taken where the method found nothing: two of three such were right
MOST = 0.98  # no set of a graph never seen is surer than this
LOOKED_AT = 500  # of the paths of a method's answer
FEW = 20  # members of a set whose names are looked at
_LETTER = re.compile(r"[^\W\d_]")
FEATURES = (
    "score",  # log of what the composition thinks of itself
    "unworded",  # steps whose name shares no word with the question
    "several",  # names in the plan that stand for things called differently
    "by_value",  # steps back from figures or dates that the plan reached
    "kinds",  # kinds in the plan
    "names",  # named things in the plan
    "one",  # it is one path from one name
    "size",  # log of the number of members
    "literals",  # they are figures, dates or texts
    "asked",  # share of them that is of the kind that the question asks for
    "part",  # they are a part of what the method found
    "apart",  # they are none of it
    "guessed",  # they are what the method would have said, had it been sure
    "more",  # names of the plan that no path of the method uses
    "said",  # of these the names that the question says in full
    "fewer",  # names that the method's paths begin at and the plan does not use
    "sure",  # log-odds of the method's answer; 0 where it found nothing
    "none",  # share that the method gives to "none of these", where it tells
    "unused",  # names of the question that its path does not use, where it tells
)


def believed(
    question: Question, sets: Sequence[Composed], found: Answer, graph: Graph
) -> tuple[Composed, float] | None:
    """The set that is more likely right than a method's answer, with its probability; None where there is none."""
    offered = list(compared(question, sets, found, graph))
    if not offered:
        return None
    likely = [probability(signs, COMPOSED) for _, signs in offered]
    best = likely.index(max(likely))
    least = probability(offered[0][1], PATH) if found.candidates else ALONE
    return (offered[best][0], likely[best]) if likely[best] > least else None


def probability(signs: Mapping[str, float], numbers: Mapping[str, float]) -> float:
    """By the numbers of a logistic regression."""
    total = numbers["bias"] + sum(numbers[name] * signs[name] for name in FEATURES)
    return min(MOST, 1 / (1 + math.exp(-max(-50.0, min(50.0, total)))))


def compared(
    question: Question, sets: Sequence[Composed], found: Answer, graph: Graph
) -> Iterator[tuple[Composed, dict[str, float]]]:
    """The best of some sets that differ from a method's answer, each with its `FEATURES`.

    Sets that cannot be executed within the limits are passed over.
    """
    said = {stem(match.group(0).lower()) for match in WORD.finditer(question.text)} | set(stems(question.text))
    meant = said | {other for word in said for other in SYNONYMS.get(word, ())}
    wanted = asked_kind(question.text, graph)
    best = best_of(found) if found.candidates else []
    numbers = numbers_of(best, graph)
    theirs = np.unique(numbers[numbers >= 0])
    paths = [path for c in best for path in found.paths_of(c)][:LOOKED_AT]
    starts, ends = {path.start.id for path in paths}, {path.end.id for path in paths}
    passed = {entity.id for path in paths for hop in path.hops for entity in (hop.source, hop.target)}
    used = starts | (passed - ends)
    sure = found.candidates[0].score if found.candidates else 0.5
    told, guess = found.details.get("signs") or {}, set(found.details.get("guess") or ())
    lexicon = Lexicon.of(graph)
    for each in sets[:OFFERED]:
        try:
            members = execute(each.plan, graph).members
            by_value = sum(1 for _ in _from_values(each.plan, graph))
        except ClewError:
            continue
        both = int(held(members, theirs).sum())
        if best and both == len(members) == len(theirs) == len(best):
            continue  # the method's own answer
        nodes = list(p.walk(each.plan))
        steps = [node for node in nodes if isinstance(node, p.Step)]
        names = [node for node in nodes if isinstance(node, p.Entities) and not _is_flag(node, graph)]
        labels = [{graph.entity(id).label for id in node.ids} for node in names]
        fresh = [bool(best) and used.isdisjoint(node.ids) for node in names]
        full = [any(set(stems(label)) <= said for label in some) for some in labels]
        yield (
            each,
            {
                "score": math.log(max(each.score, 0.05)),
                "unworded": float(sum(not _worded(lexicon.labels.get(step.relation, ""), meant) for step in steps)),
                "several": float(sum(len({label.casefold() for label in some}) > 1 for some in labels)),
                "by_value": float(by_value),
                "kinds": float(sum(isinstance(node, p.Class) for node in nodes)),
                "names": float(len(names)),
                "one": float(one_path(each.plan)),
                "size": math.log1p(len(members)),
                "literals": float(len(members) > 0 and bool(graph.literals_at(members).all())),
                "asked": 0.0 if wanted is None or not len(members) else float(held(members, wanted).mean()),
                "part": float(0 < both == len(members) < len(theirs)),
                "apart": float(bool(best) and not both),
                "guessed": float(bool(guess) and guess == set(graph.ids_at(members))),
                "more": float(sum(fresh)),
                "said": float(sum(new and whole for new, whole in zip(fresh, full, strict=True))),
                "fewer": float(len(starts - {id for node in names for id in node.ids})) if best else 0.0,
                "sure": math.log(max(sure, 0.02) / max(1 - sure, 0.02)),
                "none": float(told.get("none", 0.0)),
                "unused": float(told.get("unused", 0.0)),
            },
        )


def _worded(label: str, meant: set[str]) -> bool:
    parts = {part for part in stems(head_of(label)) if part not in FUNCTION} or set(stems(label))
    return bool(parts & meant) or any(word.endswith(part) for part in parts if len(part) > 3 for word in meant)


def _is_flag(node: p.Entities, graph: Graph) -> bool:
    """Whether a name is a stated yes or no, which no question names."""
    return all(graph.entity(id).label.casefold() in ("true", "false") for id in node.ids)


def _from_values(plan: p.SetPlan, graph: Graph) -> Iterator[p.Follow]:
    """The steps of a plan back from literals, or from names without a letter, that it reached."""
    for node in p.walk(plan):
        if isinstance(node, p.Follow) and not node.path[0].forward and not isinstance(node.of, p.Entities):
            reached = execute(node.of, graph).members
            labels = graph.labels_at(reached[:FEW])
            if len(reached) and (graph.literals_at(reached).all() or not _LETTER.search("".join(labels))):
                yield node
