"""Gold actions of Stage I (Algorithm 1): which neighbours lead to the answers, and which are answers.

Separate from the environment because only training may look at `Gold`. Relation paths from the topics to the answers
come from the output-sensitive miner; every state of the environment, on those paths or off them, then has one right
action.

The paper takes all simple paths. Many of them are accidents: a film's director also wrote it, both paths end at the
right person here and at wrong ones for the next film. `best` keeps the relation paths whose ends fit the answers best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clew.graph import Graph, Subgraph
from clew.graph.paths import mine_paths
from clew.methods.roe.config import Config, TrainConfig
from clew.methods.roe.edges import ArrayEdges, Edges
from clew.methods.roe.environment import (
    Action,
    Option,
    Pick,
    Plan,
    State,
    Thread,
    Weigh,
    batches,
    extend,
    options_of,
    root,
)
from clew.methods.roe.notation import Topical
from clew.protocols import Example

Codes = tuple[int, ...]
MINED_ANSWERS = 8  # a relation path that fits the answers best reaches the first few of them
MAX_GOLD = 256  # answers of a question that `all` mines paths to


@dataclass(frozen=True, eq=False)
class Task:
    """A question with what is right about it, in numbers of its graph."""

    id: str
    question: Topical
    edges: Edges
    topics: tuple[int, ...]
    answers: frozenset[int]
    paths: dict[int, frozenset[Codes]]  # gold relation paths of each topic


@dataclass(slots=True)
class Mining:
    """Why questions were left out, and how often a limit cut something."""

    unknown_topic: list[str] = field(default_factory=list)
    unknown_answers: list[str] = field(default_factory=list)
    without_a_path: list[str] = field(default_factory=list)
    cut: int = 0


def plan_of(config: Config) -> Plan:
    """The rules of the environment under these settings."""
    return Plan(
        level=config.state == "level",
        siblings=config.siblings,
        repeats=config.repeats,
        max_depth=config.max_depth,
        max_frontier=config.max_frontier,
        max_calls=config.max_calls,
        max_tokens=config.max_question_tokens,
        max_seconds=config.max_seconds,
        batch_triples=config.batch_triples if config.notation == "json" else 1_000_000,
        batch_tokens=config.batch_tokens,
        batch_options=1_000_000 if config.notation == "json" else config.batch_options,
        shown=config.shown,
        max_entities=config.max_entities,
    )


class Names:
    """Ids and labels of one graph to numbers."""

    def __init__(self, graph: Subgraph) -> None:
        self._graph = graph
        self._labels: dict[str, list[int]] = {}
        for i, label in enumerate(graph.labels(np.arange(graph.num_entities, dtype=np.int32))):
            self._labels.setdefault(label.casefold(), []).append(i)

    def numbers(self, names: Sequence[str]) -> list[int]:
        found: list[int] = []
        for name in names:
            local = self._graph.local(name)
            found += [local] if local is not None else self._labels.get(name.casefold(), [])
        return list(dict.fromkeys(found))


def spellings(names: Sequence[str]) -> tuple[str, ...]:
    """How a topic may be written in its question."""
    return tuple(dict.fromkeys(s for name in names for s in (name, name.replace("_", " ")) if s.strip()))


def tasks_of(
    examples: Sequence[Example], shared: Graph, config: Config, train: TrainConfig, report: Mining
) -> Iterator[Task]:
    """The examples that can be learnt from, with their gold relation paths."""
    plan = plan_of(config)
    known: dict[str, tuple[ArrayEdges, Names]] = {}
    stated = [example.gold.hops for example in examples if example.gold.hops]
    hops = train.hops or min(4, max(stated, default=2))
    for example in examples:
        graph = example.graph if isinstance(example.graph, Graph) else shared
        if graph.name not in known:
            known[graph.name] = ArrayEdges(graph.whole), Names(graph.whole)
        edges, names = known[graph.name]
        topics = names.numbers(example.question.topics)
        answers = names.numbers(example.gold.entities or example.gold.answers)
        unanswerable = example.gold.hops == 0 or example.gold.kind == "unanswerable"
        if not topics:
            report.unknown_topic.append(example.question.id)
            continue
        if not answers and not unanswerable:
            report.unknown_answers.append(example.question.id)
            continue
        codes = {}
        for topic in topics:
            found = _stated(example, topic, edges.graph) if train.gold == "best" else frozenset()
            codes[topic] = found or _mined(edges, topic, answers, hops, plan, train, report)
        if answers and not any(codes.values()):
            report.without_a_path.append(example.question.id)
            continue
        mentions = {topic: spellings([edges.entity(topic).label, *example.question.topics]) for topic in topics}
        yield Task(
            example.question.id,
            Topical(shown_text(example.question.text, config.max_question), mentions),
            edges,
            tuple(topics),
            frozenset(answers),
            codes,
        )


def shown_text(text: str, limit: int) -> str:
    """A question on one line without control characters, cut at `limit` characters."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.split())[:limit]


def _stated(example: Example, topic: int, graph: Subgraph) -> frozenset[Codes]:
    """Gold paths that the data set names itself."""
    relations: dict[str, int] = {}
    for r in np.unique(graph.rels).tolist():
        relation = graph.relation(r)
        relations.setdefault(relation.id, r)
        relations.setdefault(relation.label, r)
    found: set[Codes] = set()
    for path in example.gold.paths:
        here = path[0][0] if path else ""
        if graph.local(here) != topic:
            continue
        codes: list[int] = []
        for head, name, tail in path:
            if name not in relations or here not in (head, tail):
                codes = []
                break
            codes.append(2 * relations[name] + (here != head))
            here = tail if here == head else head
        if codes:
            found.add(tuple(codes))
    return frozenset(found)


def _mined(
    edges: ArrayEdges, topic: int, answers: Sequence[int], hops: int, plan: Plan, train: TrainConfig, report: Mining
) -> frozenset[Codes]:
    """Relation paths from a topic to the answers: all, or those whose ends fit best."""
    wanted = answers[: MAX_GOLD if train.gold == "all" else MINED_ANSWERS]
    mined = mine_paths(
        edges.graph,
        [topic],
        wanted,
        slack=train.slack,
        max_len=hops,
        max_paths_per_pair=64,
        max_total=train.max_paths,
        returns=plan.repeats == "triples",
        repeats=plan.repeats,
    )
    report.cut += bool(mined.truncated)
    found = {tuple(2 * r + (not forward) for r, forward in steps) for steps in mined.relation_paths()}
    if train.gold == "all" or len(found) <= 1:
        return frozenset(found)
    gold = np.fromiter(answers, np.int32)
    walker = Walker(edges, plan, topic)
    fits = {codes: _fit(walker.ends(codes), gold) for codes in found}
    best = max(fits.values())
    return frozenset(codes for codes, fit in fits.items() if fit >= best - 1e-9)


def _fit(ends: np.ndarray, gold: np.ndarray) -> float:
    right = np.isin(ends, gold).sum()
    return float(2 * right / (len(ends) + len(gold))) if right else 0.0


class Walker:
    """The threads of one topic, each opened once."""

    def __init__(self, edges: Edges, plan: Plan, topic: int) -> None:
        self._edges, self._plan = edges, replace(plan, siblings="group")
        self._options: dict[Codes, dict[int, Option]] = {}
        self._threads: dict[Codes, Thread | None] = {(): root(topic)}

    def thread(self, codes: Codes) -> Thread | None:
        if codes not in self._threads:
            option = self.options(codes[:-1]).get(codes[-1])
            self._threads[codes] = None if option is None else extend(option)
        return self._threads[codes]

    def options(self, codes: Codes) -> dict[int, Option]:
        if codes not in self._options:
            thread = self.thread(codes)
            found = [] if thread is None else options_of(thread, self._edges, self._plan)
            self._options[codes] = {option.code: option for option in found}
        return self._options[codes]

    def ends(self, codes: Codes) -> np.ndarray:
        option = self.options(codes[:-1]).get(codes[-1])
        return np.empty(0, np.int32) if option is None else option.members


def gold_action(state: State, task: Task, config: Config, train: TrainConfig) -> Action:
    """The right action of any state: Algorithm 1 where it lies on a gold path, and else mostly nothing."""
    answers: list[Pick] = []
    explore: list[Pick] = []
    for i, option in enumerate(state.options):
        paths = task.paths.get(option.thread.topic, frozenset())
        codes = option.codes
        if any(len(path) > len(codes) and path[: len(codes)] == codes for path in paths):
            if config.siblings == "group":
                explore.append(Pick(i))
            else:
                explore += [Pick(i, k) for k in range(min(len(option.members), train.max_siblings))]
        if train.gold == "best" and codes not in paths:
            continue
        right = [k for k, member in enumerate(option.members.tolist()) if member in task.answers]
        if config.siblings == "each":
            answers += [Pick(i, k) for k in right]
        elif right and (codes in paths or train.gold == "all") and len(right) >= train.precision * len(option.members):
            answers.append(Pick(i))
    if config.siblings == "each":
        answers, explore = (_whole(picks, state) for picks in (answers, explore))
    return Action(tuple(answers), tuple(explore))


def _whole(picks: list[Pick], state: State) -> list[Pick]:
    """One member of one is written as the option itself: it has no number of its own."""
    return [Pick(p.option) if len(state.options[p.option].members) == 1 else p for p in picks]


def states_of(
    task: Task, config: Config, train: TrainConfig, weigh: Weigh, random: np.random.Generator
) -> Iterator[tuple[State, Action, bool]]:
    """The states on gold paths and beside them: state, right action, and whether the state lies on a gold path."""
    plan = plan_of(config)
    level = [root(topic) for topic in task.topics]
    on_path = {id(thread) for thread in level}
    for depth in range(plan.max_depth):
        groups = [level] if plan.level else [[thread] for thread in level]
        following: list[Thread] = []
        beside: list[Thread] = []
        for threads in groups:
            options = [option for thread in threads for option in options_of(thread, task.edges, plan)]
            others: list[Option] = []
            for batch in batches(options, plan, weigh):
                state = State(tuple(threads), batch)
                action = gold_action(state, task, config, train)
                yield state, action, any(id(thread) in on_path for thread in threads)
                chosen = {pick.option for pick in action.explore}
                for i in sorted(chosen):
                    child = _one(batch[i], config, random)
                    following.append(child)
                others += [option for i, option in enumerate(batch) if i not in chosen]
            if others and depth + 1 < plan.max_depth and any(id(thread) in on_path for thread in threads):
                picked = random.permutation(len(others))[: train.sibling_states]
                beside += [_one(others[i], config, random) for i in picked.tolist()]
        on_path = {id(thread) for thread in following}
        level = (following + beside)[: plan.max_frontier]
        if not level:
            return


def _one(option: Option, config: Config, random: np.random.Generator) -> Thread:
    """A thread over an option: all of it, or one of its members drawn by chance."""
    if config.siblings == "group":
        return extend(option)
    edge = int(random.integers(len(option.targets)))
    return extend(option, np.array([edge], np.intp))
