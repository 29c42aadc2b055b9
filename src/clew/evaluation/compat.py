"""Metrics as other systems compute them, by name, for comparison with their published tables and for nothing else.

Kept apart from the primary metrics because they are wrong on purpose: containment counts "It is not Paris" for Paris,
RoG's precision can exceed 1, and ToG's "exact match" is containment in either direction. Each mode takes the lines of
a prediction and the gold answers of one question; a failed question has no lines and is wrong in every mode, although
some of the original programs drop it or, in ToG's case, count an empty reply as right.

Sources: methods.md 6.2 and 6.3; `rog` is also checked against a published prediction file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clew.evaluation.answers import f1_of
from clew.evaluation.denotation import wtq
from clew.evaluation.matching import contains, normalise

Metrics = dict[str, float]
DOUBLE_CHECKED = (
    "when", "what year", "which year", "where", "sport", "what countr", "language", "nba finals", "world series",
)  # fmt: skip
REFUSALS = ("ans: not available", "ans: no information available")


@dataclass(frozen=True, slots=True)
class Mode:
    """A named way to score one question: (lines, golds, question text) → metrics in [0, 1], unless `flag` says so."""

    name: str
    metrics: tuple[str, ...]
    score: Callable[[Sequence[str], Sequence[str], str], Metrics]
    flag: str  # what a reader must know


def rog(lines: Sequence[str], golds: Sequence[str], _question: str = "") -> Metrics:
    """RoG, GNN-RAG, G-Retriever, FiDeLiS, STEM. Golds are looked for in all lines joined by spaces.

    Precision divides the golds found by the number of lines, so it exceeds 1 when one line names several golds, or when
    golds repeat; F1 then exceeds 1 too. Kept, because the published figures hold it.
    """
    joined = normalise(" ".join(lines))
    found = sum(normalise(gold) in joined for gold in golds) if lines else 0
    precision = found / len(lines) if lines else 0.0
    recall = found / len(golds)
    return {
        "hit": float(found > 0),
        "hits@1": float(bool(lines) and any(contains(lines[0], gold) for gold in golds)),
        "precision": precision,
        "recall": recall,
        "f1": f1_of(precision, recall),
    }


def gcr(lines: Sequence[str], golds: Sequence[str], _question: str = "") -> Metrics:
    """GCR and SCR: precision is the share of lines that contain some gold; golds are counted once. Bounded by 1."""
    golds = list(dict.fromkeys(golds))
    joined = normalise(" ".join(lines))
    found = sum(normalise(gold) in joined for gold in golds) if lines else 0
    right = sum(any(contains(line, gold) for gold in golds) for line in lines)
    precision = right / len(lines) if lines else 0.0
    recall = found / len(golds)
    return {"hit": float(found > 0), "precision": precision, "recall": recall, "f1": f1_of(precision, recall)}


def subgraphrag(lines: Sequence[str], golds: Sequence[str], question: str = "") -> Metrics:
    """SubgraphRAG's corrected metrics: greedy one-to-one matching, longest texts first.

    Only `ans:` lines count where there are any, refusals are left out, years are cut from ISO dates for when-questions,
    and for questions about places, times, sports or languages a prediction inside a gold counts too.
    """
    asked = question.lower()
    both_ways = any(word in asked for word in DOUBLE_CHECKED)
    golds = sorted(dict.fromkeys(golds), key=len, reverse=True)
    if "when" in asked or "what year" in asked:
        golds = [_year(gold) for gold in golds]
    predictions = _answer_lines(lines)

    def match(line: str, gold: str) -> bool:
        return contains(line, gold) or (both_ways and contains(gold, line.split("ans:")[-1].strip()))

    left = sorted(predictions, key=len, reverse=True)
    found = 0
    for gold in golds:
        for i, line in enumerate(left):
            if match(line, gold) or (both_ways and contains(gold, line)):
                found += 1
                del left[i]
                break
    precision = found / len(predictions) if predictions else 0.0
    recall = found / len(golds)
    f1 = f1_of(precision, recall)
    return {
        "hit": float(any(match(line, gold) for gold in golds for line in predictions)),
        "hits@1": float(bool(predictions) and any(match(predictions[0], gold) for gold in golds)),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "exact": float(f1 == 1),
        "wrong": float(recall == 0),
        "refused": float(not predictions),
        "matches": float(found),
        "predictions": float(len(predictions)),
        "golds": float(len(golds)),
    }


def tog(lines: Sequence[str], golds: Sequence[str], _question: str = "") -> Metrics:
    """ToG and PoG "exact match": without spaces and case, equality or containment in either direction.

    The reply is the text in the first braces where there are such, else all lines.
    """
    reply = " ".join(lines)
    start, end = reply.find("{"), reply.find("}")
    if -1 < start < end:
        reply = reply[start + 1 : end]
    said = reply.replace(" ", "").lower()
    wanted = [gold.replace(" ", "").lower() for gold in golds]
    return {"em": float(bool(said) and any(said in gold or gold in said for gold in wanted))}


def hallucination(
    lines: Sequence[str], golds: Sequence[str], evidence: frozenset[str], *, in_graph: bool, question: str = ""
) -> float:
    """SubgraphRAG's score in [0, 1] for one question; 1 is best.

    With an answer in the graph: the mean over predictions of +1 (right) and -1 (wrong), 0 for refusing. Without one:
    +1 for refusing, else the mean of -1 (a label of the evidence) and -1.5 (not even that). Rescaled from [-1.5, 1].

    Args:
        evidence: normalised labels of the evidence's entities.
    """
    predictions = _answer_lines(lines)
    if not predictions:
        raw = 0.0 if in_graph else 1.0
    elif in_graph:
        right = sum(subgraphrag([line], golds, question)["hit"] for line in predictions)
        raw = (2 * right - len(predictions)) / len(predictions)
    else:
        known = sum(normalise(line.split("ans:")[-1]) in evidence for line in predictions)
        raw = (-1.0 * known - 1.5 * (len(predictions) - known)) / len(predictions)
    return (raw + 1.5) / 2.5


MODES: Mapping[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode(
            "rog",
            ("hit", "hits@1", "precision", "recall", "f1"),
            rog,
            "containment in the joined lines; precision and F1 can exceed 1 (a bug of the original, kept)",
        ),
        Mode("gcr", ("hit", "precision", "recall", "f1"), gcr, "containment in the joined lines"),
        Mode(
            "subgraphrag",
            ("hit", "hits@1", "precision", "recall", "f1", "exact", "wrong", "refused"),
            subgraphrag,
            "containment, in either direction for questions about places, times, sports and languages",
        ),
        Mode("tog", ("em",), tog, "containment in either direction, called exact match"),
        Mode("wtq", ("denotation",), wtq, "the official evaluator of WikiTableQuestions, without CoreNLP's values"),
    )
}
"""Every compatibility mode by name."""


def _answer_lines(lines: Sequence[str]) -> list[str]:
    """The lines SubgraphRAG reads as answers; a text without `ans:` is one answer a line."""
    if any("ans:" in line for line in lines):
        lines = [line for line in lines if "ans:" in line and "none" not in line.lower()]
        lines = [line for line in lines if not any(refusal in line.lower() for refusal in REFUSALS)]
    return [line for line in dict.fromkeys(lines) if line]


def _year(date: str) -> str:
    head, dash, _ = date.partition("-")
    return head if dash and head.isdigit() else date
