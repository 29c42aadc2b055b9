"""Stage C: the language model reads the weighted paths and names the answers; each answer is bound to its paths.

Two ways of showing paths. "paper": one path a line with its weight, names and all; the reply is a list of names.
"short": paths that follow one plan from one topic with one score share a line, numbered; the reply is numbers, so a
small decoder need not copy names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph.paths import path_record
from clew.llm import clean, parse_answers, token_counter
from clew.methods.eperm.asking import PlacedQuestion, PromptClient, WeightedPlan
from clew.methods.eperm.config import Config
from clew.methods.eperm.paths import PartialPaths
from clew.paths.walks import facts_of
from clew.protocols import LLMReply, LLMRequest
from clew.retrieval.reader import bind
from clew.retrieval.verbalise import evidence_text
from clew.types import Candidate, Evidence, Path, Triple

PATHS_OF_ANSWER = 5  # evidence paths kept per candidate
LINES = {"paper": 100, "short": 60}  # evidence lines shown where nothing says otherwise
SHARE = 0.25  # of the heaviest line chosen; a lighter one is left out (style short)
LEVELS = 20  # scores of one line differ by less than 1 / LEVELS


class NumberGrammar:
    """Rising numbers from 1 to `count`, at least one: `1 3 4`."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.key = f"numbers:{count}"

    def start(self) -> int:
        return 0

    def steps(self, state: int) -> Iterator[tuple[str, int]]:
        return ((f" {i}" if state else str(i), i) for i in range(state + 1, self.count + 1))

    def complete(self, state: int) -> bool:
        return state > 0


@dataclass(slots=True)
class ScoredPaths:
    """Paths of one plan and topic with one score."""

    partial: PartialPaths
    rows: list[int]  # of the partial paths
    weight: float  # plan weight times score

    @property
    def ends(self) -> list[int]:
        return list(dict.fromkeys(self.partial.ends[self.rows].tolist()))

    @property
    def answers(self) -> list[int]:
        """The ends without the topics of the question, unless nothing else is there."""
        topics = set(self.partial.case.starts.tolist())
        return [end for end in self.ends if end not in topics] or self.ends


@dataclass(slots=True)
class FoundEvidence:
    """What the finder hands to the predictor: lines best first, and every end with its score."""

    lines: list[ScoredPaths]
    scores: dict[int, float]  # end → sum over topics and plans of weight times best entity scores, per topic


@dataclass(frozen=True, slots=True)
class Shown:
    """One question with what the predictor is shown."""

    case: PlacedQuestion
    found: FoundEvidence
    paths: list[tuple[Path, int]]  # best first, each with the local number of its end


def gather(case: PlacedQuestion, partial: Sequence[PartialPaths]) -> FoundEvidence:
    """The lines and ends of one question's paths."""
    lines: list[ScoredPaths] = []
    scores: dict[int, float] = {}
    topics = max(1, len(case.starts))
    for each in partial:
        levels = np.round(each.scores * LEVELS).astype(int)
        for level in sorted(set(levels.tolist()), reverse=True):
            rows = np.flatnonzero(levels == level)
            lines.append(ScoredPaths(each, rows.tolist(), float(each.weights[rows].max())))
        best: dict[int, float] = {}
        for end, weight in zip(each.ends.tolist(), each.weights.tolist(), strict=True):
            best[end] = max(best.get(end, 0.0), weight)
        for end, weight in best.items():
            scores[end] = scores.get(end, 0.0) + weight / topics
    lines.sort(key=lambda line: -line.weight)
    return FoundEvidence(lines, scores)


def line_text(number: int, topic: int, plan: WeightedPlan, weight: float | None, ends: int) -> str:
    """A line of the style "short"; `weight` None leaves the weight out."""
    shown = "" if weight is None else f" {weight:.2f}"
    return f"{number}{shown} x{ends} [T{topic + 1}] {plan.text}"


def answer_request(asker: PromptClient, config: Config, shown: Shown) -> LLMRequest:
    """The request that asks for the answers."""
    case = shown.case
    if asker.style == "short":
        return _short_request(asker, config, case, shown.found)
    ways: dict[tuple[str, ...], Path] = {}
    for path, _ in shown.paths:  # the same entities in the same order are one line, whichever relations join them
        ways.setdefault((path.start.id, *(hop.target.id for hop in path.hops)), path)
    told = tuple(ways.values())
    evidence = Evidence(told, tuple(_beside(case, told, config.facts)))
    count = token_counter(asker.model)
    written = evidence_text(
        evidence, max_tokens=config.evidence_tokens, count=count, direction="mark", mediators="expand"
    )
    own = [(line, i) for line, i in zip(written.lines, written.paths, strict=True) if i >= 0]
    kept = own[: config.lines or LINES["paper"]]
    case.count("lines_not_shown", len(told) - len(kept))
    text = "\n".join(line + (f" Score:{told[i].score:.3f}" if config.filter else "") for line, i in kept)
    messages = asker.prompt("answer").render(question=case.text, lines=text)
    return LLMRequest(messages, max_tokens=config.max_tokens)


def _beside(case: PlacedQuestion, paths: Sequence[Path], limit: int) -> list[Triple]:
    """What the graph says about the mediators that paths cross: dates and roles that a question may name."""
    around = case.around
    on = {hop.target.id for path in paths for hop in path.hops} | {path.start.id for path in paths}
    crossed = [
        hop.target.id for path in paths[: LINES["paper"]] for hop in path.hops[:-1] if hop.target.kind == "mediator"
    ]
    known = map(around.triple, facts_of(around, around.locals_of(crossed).tolist(), limit))
    return [triple for triple in known if not {triple.head.id, triple.tail.id} <= on]


def _short_request(asker: PromptClient, config: Config, case: PlacedQuestion, found: FoundEvidence) -> LLMRequest:
    texts = [
        line_text(i, line.partial.topic, line.partial.plan, line.weight if config.filter else None, len(line.ends))
        for i, line in enumerate(found.lines[: config.lines or LINES["short"]], 1)
    ]
    while True:  # as many lines as the context has room for
        messages = asker.prompt("answer").render(question=case.text, lines="\n".join(texts))
        reply_tokens = min(config.max_tokens, 4 * len(texts) + 2)
        if len(texts) <= 1 or asker.room(messages) >= reply_tokens:
            break
        texts = texts[: len(texts) // 2]
    case.count("lines_not_shown", len(found.lines) - len(texts))
    constraint = NumberGrammar(len(texts)) if "constrained" in asker.model.abilities else None
    return LLMRequest(messages, max_tokens=reply_tokens, constraint=constraint)


def read_numbers(text: str, count: int) -> list[int]:
    """The line numbers of a reply that exist, in order."""
    return list(dict.fromkeys(int(n) for n in re.findall(r"\d{1,6}", clean(text)) if 1 <= int(n) <= count))


def shown_paths(found: FoundEvidence) -> list[tuple[Path, int]]:
    """Every path as a record with its weight, best first and 1 together, and the local number of its end."""
    total = sum(float(line.partial.weights[line.rows].sum()) for line in found.lines)
    scale = total if total > 0 else 1.0
    rows = [(float(line.partial.weights[i]) / scale, line.partial, i) for line in found.lines for i in line.rows]
    rows.sort(key=lambda row: -row[0])
    paths = []
    for weight, partial, i in rows:
        paths.append((path_record(partial.case.graph, partial.path(i), weight), int(partial.ends[i])))
    return paths


def candidates(
    shown: Shown, config: Config, style: str, reply: LLMReply | None
) -> tuple[tuple[Candidate, ...], tuple[Path, ...]]:
    """The answers, best first, and the paths that support them."""
    case, found, paths = shown.case, shown.found, shown.paths
    if reply is not None and style == "paper":
        return _by_name(case, found, [path for path, _ in paths], reply)
    chosen = {end for line in found.lines for end in line.answers}
    if reply is not None:
        numbers = read_numbers(reply.text, min(config.lines or LINES["short"], len(found.lines)))
        if not numbers:
            case.count("unread_answers")
            numbers = [1]  # the heaviest line: the criterion the predictor is asked to follow
        least = SHARE * max(found.lines[number - 1].weight for number in numbers)
        lines = [found.lines[number - 1] for number in numbers if found.lines[number - 1].weight >= least]
        chosen = {end for line in lines for end in line.answers}
    return _by_end(case, found, paths, chosen)


def _by_end(
    case: PlacedQuestion, found: FoundEvidence, paths: Sequence[tuple[Path, int]], chosen: set[int]
) -> tuple[tuple[Candidate, ...], tuple[Path, ...]]:
    graph = case.graph
    named = {end for end in chosen if not graph.mediators[end]}
    kept = sorted(named or chosen, key=lambda end: -found.scores[end])
    supporting: dict[int, list[Path]] = {end: [] for end in kept}
    for path, end in paths:
        if end in supporting and len(supporting[end]) < PATHS_OF_ANSWER:
            supporting[end].append(path)
    listed: list[Path] = []
    answers = []
    for end in kept:
        entity = graph.entity(end)
        places = tuple(range(len(listed), len(listed) + len(supporting[end])))
        listed += supporting[end]
        answers.append(Candidate(entity.label, min(1.0, found.scores[end]), entity, places))
    return tuple(answers), tuple(listed)


def _by_name(
    case: PlacedQuestion, found: FoundEvidence, paths: Sequence[Path], reply: LLMReply
) -> tuple[tuple[Candidate, ...], tuple[Path, ...]]:
    graph = case.graph
    texts = parse_answers(reply.text)
    case.count("unread_answers", int(not texts))
    evidence = Evidence(tuple(paths))
    answers = []
    for candidate in bind(texts, evidence):
        local = graph.local(candidate.entity.id) if candidate.entity is not None else None
        score = found.scores.get(local, 0.0) if local is not None else 0.0
        if candidate.entity is None or candidate.entity.kind != "mediator" or len(texts) == 1:
            answers.append(Candidate(candidate.text, min(1.0, score), candidate.entity, candidate.paths))
    answers.sort(key=lambda candidate: -candidate.score)
    used = sorted({i for candidate in answers for i in candidate.paths})
    place = {i: n for n, i in enumerate(used)}
    moved = tuple(Candidate(c.text, c.score, c.entity, tuple(place[i] for i in c.paths)) for c in answers)
    return moved, tuple(paths[i] for i in used)
