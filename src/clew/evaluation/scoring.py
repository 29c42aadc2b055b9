"""Answers and gold in, scores out: the only place that puts the metrics together.

Kept apart from the metrics, which know one question each. Every scored question is in every answer metric's
denominator: a failure, and a question without a row, is wrong; abstaining is counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np

from clew.errors import InputError, NotFoundError, unknown
from clew.evaluation.answers import AnswerScore, score_answer, score_entities
from clew.evaluation.breakdown import NOT_STATED, UNREACHABLE, answer_bins, hop_bin, kind_bin
from clew.evaluation.calibration import Calibration, calibrate
from clew.evaluation.compat import MODES, hallucination
from clew.evaluation.denotation import denotation
from clew.evaluation.evidence import entities_of, score_evidence
from clew.evaluation.matching import normalise
from clew.evaluation.scores import PRIMARY, Cost, Counts, Scores, StageScores
from clew.evaluation.statistics import Estimate, Floats, Interval, check_level, estimates
from clew.types import Answer, Gold, Question, Usage

LINES = "lines"
"""Key of `Answer.details` under which a foreign prediction keeps its lines as they were; compatibility modes score
these, because they count blank and repeated lines too."""

RANKED_ONLY = "ranked_only"
"""Key of `Answer.details` that says: the candidates' scores state an order and no probability."""

FALLBACK = "fallback"
"""Key of `Answer.details` under which a method says in words that it had to do without something it is built on; it
becomes a notice, which stands wherever the scores stand."""

GROUPED = ("hit", "hits@1", "f1", "denotation")
EVIDENCE = (
    "hit", "recall", "exact_matching", "coverage", "path_precision", "path_recall", "unsupported", "ungrounded",
    "density", "connected",
)  # fmt: skip


class ScoredRow(Protocol):
    """What a run knows of one question; `answer` is None when the method failed."""

    @property
    def id(self) -> str: ...
    @property
    def answer(self) -> Answer | None: ...


class _Columns:
    """Numerators and denominators by metric, filled one question at a time."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.top: dict[str, Floats] = {}
        self.bottom: dict[str, Floats] = {}

    def put(self, name: str, i: int, value: float | None, over: float = 1.0) -> None:
        if name not in self.top:
            self.top[name], self.bottom[name] = np.zeros(self.n), np.zeros(self.n)
        if value is not None:
            self.top[name][i], self.bottom[name][i] = value, over


def score(
    rows: Iterable[ScoredRow],
    questions: Iterable[tuple[Question, Gold | None]],
    *,
    name: str = "predictions",
    modes: Collection[str] = (),
    hops: Mapping[str, int | None] | None = None,
    groups: Mapping[str, Callable[[Question, Gold], str]] | None = None,
    notices: Sequence[str] = (),
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    interval: Interval = "bca",
    similar: Callable[[Answer | None, Gold], float | None] | None = None,
) -> Scores:
    """Score the rows of a run against gold.

    Args:
        rows: at most one per question; one without an answer is a failure.
        questions: all questions that were to be answered, with gold; those without stated gold are left out.
        modes: compatibility metrics to add, of `compat.MODES`; they leave unanswerable questions out.
        hops: per question id, as counted in the graph by `breakdown.count_hops`; None: unreachable. Without it the
            source's own statement is used.
        groups: further groupings by name.
        samples: bootstrap resamples; 0 leaves intervals out.
        similar: adds "evidence matching", see `clew.evaluation.evidence.Likeness`.

    Raises:
        InputError: a row without a question, or two rows or questions with one id. NotFoundError: an unknown mode.
    """
    check_level(level)
    for mode in modes:
        if mode not in MODES:
            raise NotFoundError(unknown("compatibility mode", mode, MODES))
    asked = list(questions)
    scored = [(question, gold) for question, gold in asked if gold is not None and gold.stated]
    answers = _by_id(rows, asked)
    if not scored:
        raise InputError(f"{name}: none of {len(asked)} questions has gold answers, so nothing can be scored")
    linked = _links(answers.values())
    own = not any(answer is not None and LINES in answer.details for answer in answers.values())
    columns = _Columns(len(scored))
    status: list[str] = []
    for i, (question, gold) in enumerate(scored):
        present = question.id in answers
        answer = answers.get(question.id)
        status.append(_status(present, answer))
        _put_answer(columns, i, answer, gold, linked=linked)
        if own:
            _put_evidence(columns, i, answer, gold)
            if similar is not None:
                columns.put("evidence matching", i, similar(answer, gold))
        if gold.answers:
            _put_modes(columns, i, answer, question, gold, modes, hops)
    given = [answers.get(question.id) for question, _ in scored]
    groupings: dict[str, list[str]] = {"hops": [hop_bin(gold, hops, question.id) for question, gold in scored]}
    for grouping in ("answers (STEM)", "answers (RoG)"):
        groupings[grouping] = [answer_bins(gold)[grouping] for _, gold in scored]
    groupings["type"] = [kind_bin(gold) for _, gold in scored]
    if "evidence connected" in columns.top:  # Decompositional, Figure 5: accuracy by connectivity
        whole = zip(columns.top["evidence connected"], columns.bottom["evidence connected"], strict=True)
        bins = ["connected" if c else "in pieces" if n else "none" for c, n in whole]
        groupings |= {"evidence": bins} if len(set(bins)) > 1 else {}
    for grouping, group in (groups or {}).items():
        groupings[grouping] = [group(question, gold) for question, gold in scored]
    names = [each for each in columns.top if columns.bottom[each].any() and not each.startswith("size ")]
    top, bottom = (np.stack([side[each] for each in names], axis=1) for side in (columns.top, columns.bottom))
    estimate = partial(estimates, samples=samples, level=level, seed=seed, kind=interval)
    hits = columns.top["hits@1"]
    return Scores(
        name=name,
        counts=_counts(status, scored, len(asked)),
        metrics=dict(zip(names, estimate(top, bottom), strict=True)),
        breakdowns={
            grouping: _grouped(bins, names, top, bottom, estimate)
            for grouping, bins in groupings.items()
            if set(bins) != {NOT_STATED}
        },
        cost=_cost(given),
        calibration=_calibration(given, hits),
        ids=tuple(question.id for question, _ in scored),
        status=tuple(status),
        values={
            each: tuple(
                float(t / b) if b else None for t, b in zip(columns.top[each], columns.bottom[each], strict=True)
            )
            for each in names
            if "micro" not in each
        },
        sizes=_sizes(columns),
        notices=(*notices, *_fallbacks(given), *(f"{mode}: {MODES[mode].flag}" for mode in modes)),
        level=level,
    )


def _fallbacks(answers: Sequence[Answer | None]) -> list[str]:
    """What the method did without, and in how many questions where that was not so in all."""
    told = Counter(
        f"{answer.method}: {answer.details[FALLBACK]}"
        for answer in answers
        if answer is not None and answer.details.get(FALLBACK)
    )
    return [text if n == len(answers) else f"{text} ({n} of {len(answers)} questions)" for text, n in told.items()]


def _by_id(rows: Iterable[ScoredRow], asked: list[tuple[Question, Gold | None]]) -> dict[str, Answer | None]:
    known = Counter(question.id for question, _ in asked)
    twice = [id for id, n in known.items() if n > 1]
    if twice:
        raise InputError(f"{len(twice)} question ids stand twice, the first {twice[0]!r}; ids must differ")
    answers: dict[str, Answer | None] = {}
    for row in rows:
        if row.id not in known:
            raise InputError(f"a row for question {row.id!r}, which is none of the {len(known)} questions scored")
        if row.id in answers:
            raise InputError(f"two rows for question {row.id!r}")
        answers[row.id] = row.answer
    return answers


def _status(present: bool, answer: Answer | None) -> str:
    if answer is None:
        return "failed" if present else "missing"
    return "answered" if answer.candidates else "abstained"


def _put_answer(columns: _Columns, i: int, answer: Answer | None, gold: Gold, *, linked: bool) -> None:
    _put_set(columns, i, "", score_answer(answer, gold))
    columns.put("denotation", i, denotation(answer, gold))
    entities = score_entities(answer, gold) if linked else None
    if entities is not None:
        _put_set(columns, i, "entity ", entities)


def _links(answers: Iterable[Answer | None]) -> bool:
    """Whether any candidate names an entity: a method that only writes text has no entity score."""
    return any(c.entity is not None for answer in answers if answer is not None for c in answer.candidates)


def _put_set(columns: _Columns, i: int, prefix: str, s: AnswerScore) -> None:
    for metric, value in zip(PRIMARY, (s.hit, s.hits_at_1, s.precision, s.recall, s.f1), strict=True):
        columns.put(prefix + metric, i, value)
    columns.put(f"micro {prefix}precision", i, s.matches, s.predictions)
    columns.put(f"micro {prefix}recall", i, s.matches, s.golds)
    columns.put(f"micro {prefix}f1", i, 2 * s.matches, s.predictions + s.golds)


def _put_evidence(columns: _Columns, i: int, answer: Answer | None, gold: Gold) -> None:
    evidence = score_evidence(answer, gold)
    for metric in EVIDENCE:
        columns.put(f"evidence {metric.replace('_', ' ')}", i, getattr(evidence, metric))
    for size in ("entities", "triples", "tokens"):
        columns.put(f"size {size}", i, getattr(evidence, size))


def _put_modes(
    columns: _Columns,
    i: int,
    answer: Answer | None,
    question: Question,
    gold: Gold,
    modes: Collection[str],
    hops: Mapping[str, int | None] | None,
) -> None:
    lines = lines_of(answer)
    for name in modes:
        values = MODES[name].score(lines, _golds(name, gold), question.text)
        for metric in MODES[name].metrics:
            columns.put(f"{name} {metric}", i, values[metric])
        if name == "subgraphrag":
            found, said, wanted = values["matches"], values["predictions"], values["golds"]
            columns.put("subgraphrag micro precision", i, found, said)
            columns.put("subgraphrag micro recall", i, found, wanted)
            columns.put("subgraphrag micro f1", i, 2 * found, said + wanted)
            if hops is not None and question.id in hops and answer is not None:
                evidence = entities_of(answer.evidence.all_triples(), answer.evidence.paths)
                labels = frozenset(normalise(entity.label) for entity in evidence)
                reachable = hops[question.id] is not None
                value = hallucination(lines, gold.answers, labels, in_graph=reachable, question=question.text)
                columns.put("subgraphrag hallucination", i, value)


def lines_of(answer: Answer | None) -> list[str]:
    """The lines a compatibility mode sees: a foreign prediction's own, else the candidates' texts."""
    if answer is None:
        return []
    lines = answer.details.get(LINES)
    return [str(line) for line in lines] if isinstance(lines, list) else list(answer.texts)


def _golds(mode: str, gold: Gold) -> list[str]:
    aliases = [alias for each in gold.aliases for alias in each] if mode == "tog" else []
    return [*gold.answers, *aliases]


def _counts(status: list[str], scored: list[tuple[Question, Gold]], asked: int) -> Counts:
    n = Counter(status)
    empty = [s for s, (_, gold) in zip(status, scored, strict=True) if not gold.answers]
    return Counts(
        len(scored), n["answered"], n["abstained"], n["failed"], n["missing"],
        len(empty), empty.count("abstained"), asked - len(scored),
    )  # fmt: skip


def _grouped(
    bins: list[str], names: list[str], top: Floats, bottom: Floats, estimate: Callable[[Floats, Floats], list[Estimate]]
) -> dict[str, dict[str, Estimate]]:
    places = np.array(bins)
    kept = [names.index(each) for each in GROUPED]
    return {
        group: dict(
            zip(GROUPED, estimate(top[places == group][:, kept], bottom[places == group][:, kept]), strict=True)
        )
        for group in sorted(set(bins), key=_group_order)
    }


def _group_order(group: str) -> tuple[int, int, str]:
    """Numbers by value, then words, then what could not be placed."""
    digits = group.lstrip("≥").partition("–")[0]
    if digits.isdigit():
        return 0, int(digits), ""
    return (2 if group in (NOT_STATED, UNREACHABLE) else 1), 0, group


def _cost(answers: Sequence[Answer | None]) -> Cost:
    given = [answer for answer in answers if answer is not None]
    usage = sum((answer.usage for answer in given), Usage())
    stages: dict[str, list[float]] = {}
    for answer in given:
        for stage, seconds in answer.seconds.items():
            stages.setdefault(stage, []).append(seconds)
    if stages and "total" not in stages:
        stages["total"] = [sum(answer.seconds.values()) for answer in given]
    return Cost(
        usage.calls,
        usage.cached_calls,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cost,
        {
            stage: StageScores(
                float(np.sum(each)), float(np.mean(each)), float(np.median(each)), float(np.quantile(each, 0.95))
            )
            for stage, each in stages.items()
        },
    )


def _calibration(answers: Sequence[Answer | None], right: Floats) -> Calibration | None:
    """Of the first candidates' scores; None where they are no probabilities, or nothing was answered."""
    pairs = zip(answers, right, strict=True)
    said = [(answer.candidates[0].score, r) for answer, r in pairs if answer is not None and answer.candidates]
    if any(answer is not None and answer.details.get(RANKED_ONLY) for answer in answers):
        return None
    if not said or not all(0 <= confidence <= 1 for confidence, _ in said):
        return None
    return calibrate([c for c, _ in said], [float(r) for _, r in said], unanswered=len(answers) - len(said))


def _sizes(columns: _Columns) -> dict[str, float]:
    sizes = ("entities", "triples", "tokens")
    return {size: float(columns.top[f"size {size}"].mean()) for size in sizes if f"size {size}" in columns.top}
