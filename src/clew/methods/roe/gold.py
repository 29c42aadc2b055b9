"""Gold actions of Stage I (Algorithm 1): which neighbours lead to the answers, and which are answers.

Separate from the environment because only training may look at `Gold`. Relation paths from the topics to the answers
come from the output-sensitive miner; every state of the environment, on those paths or off them, then has one right
action.

The paper takes all simple paths. Many of them are accidents: a film's director also wrote it, both paths end at the
right person here and at wrong ones for the next film. `best` keeps the relation paths whose ends fit the answers best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from clew.graph.paths import RelationPath, mine_paths
from clew.methods.roe.config import Config, Repeats, TrainConfig
from clew.methods.roe.edges import ArrayEdges, GraphEdges
from clew.methods.roe.notation import Topical
from clew.methods.roe.options import (
    Action,
    ExplorationRules,
    ExplorationState,
    PathGroup,
    Pick,
    RelationOption,
    Weigh,
    batches,
    extend,
    facts_of,
    options_of,
    root,
)
from clew.paths.examples import NO_PATH, LeftOut, TrainingQuestion, in_graphs, longest_stated, resolve
from clew.paths.gold import NEEDED, GoldLimits, gold_paths, share_needing
from clew.protocols import Example, GraphStore

Codes = tuple[int, ...]
MAX_PATHS = 256  # gold ones of a question
MAX_SIBLINGS = 32  # gold extensions through one relation, where siblings = "each"
SIBLING_STATES = 2  # off the gold paths, per step
PRECISION = 0.5  # a group counts as gold when so much of it is
MAX_QUESTION = 1500  # characters of a question that are shown
NO_PATH_FOUND = "no path found before a limit cut the search"
MAX_GOLD = 256  # answers of a question that `all` mines paths to


@dataclass(frozen=True, eq=False)
class Task:
    """A question with what is right about it, in numbers of its graph."""

    id: str
    question: Topical
    edges: GraphEdges
    topics: tuple[int, ...]
    answers: frozenset[int]
    paths: dict[int, frozenset[Codes]]  # gold relation paths of each topic
    _behind: dict[Codes, frozenset[int]] = field(default_factory=dict)

    def leading(self, option: RelationOption) -> frozenset[int]:
        """Entities behind an option from which the rest of some gold path reaches an answer."""
        codes = option.codes
        paths = self.paths.get(option.path_group.topic, frozenset())
        rests = [path[len(codes) :] for path in paths if len(path) > len(codes) and path[: len(codes)] == codes]
        return frozenset().union(*map(self._starts, rests))

    def _starts(self, rest: Codes) -> frozenset[int]:
        """Entities from which a relation path reaches an answer."""
        if not rest:
            return self.answers
        if rest not in self._behind:
            ends = np.fromiter(sorted(self._starts(rest[1:])), np.int32)
            moves = self.edges.moves(ends)
            self._behind[rest] = frozenset(moves.targets[moves.codes == rest[0] ^ 1].tolist())
        return self._behind[rest]


def plan_of(config: Config) -> ExplorationRules:
    """The rules of the environment under these settings."""
    return ExplorationRules(
        level=config.state == "level",
        siblings=config.siblings,
        repeats=config.repeats or "nothing",
        max_depth=config.max_depth,
        max_frontier=config.max_frontier,
        max_calls=config.max_calls,
        max_tokens=config.max_question_tokens,
        max_seconds=config.max_seconds,
        batch_triples=config.batch_triples if config.notation == "json" else 1_000_000,
        batch_tokens=config.batch_tokens,
        batch_options=1_000_000 if config.notation == "json" else config.batch_options,
        shown=config.shown,
        every_batch=config.every_batch,
        max_batches=config.max_batches,
    )


def spellings(names: Sequence[str]) -> tuple[str, ...]:
    """How a topic may be written in its question."""
    return tuple(dict.fromkeys(s for name in names for s in (name, name.replace("_", " ")) if s.strip()))


def tasks_of(
    examples: Sequence[Example], shared: GraphStore, config: Config, train: TrainConfig
) -> tuple[list[Task], LeftOut]:
    """The examples that can be learnt from, with their gold relation paths, and the others."""
    tasks: list[Task] = []
    left: LeftOut = {}
    hops = train.hops or longest_stated(examples, default=2)
    for example, index in in_graphs(examples, shared):
        edges, question = ArrayEdges(index.graph), example.question
        usable, unusable = resolve([example], index)
        for each in usable:
            paths, cut = _gold(edges, each, hops, config.repeats or "nothing", train)
            if len(each.answers) and not any(paths.values()):
                unusable[NO_PATH_FOUND if cut else NO_PATH] = [question.id]
                continue
            mentions = {t: spellings([edges.entity(t).label, *question.topics]) for t in each.topics}
            asked = Topical(shown_text(question.text), mentions)
            tasks.append(Task(question.id, asked, edges, each.topics, frozenset(each.answers.tolist()), paths))
        for reason, ids in unusable.items():
            left.setdefault(reason, []).extend(ids)
    return tasks, left


def repeats_of(tasks: Sequence[Task]) -> Repeats:
    """What a path must be allowed to meet again for these questions: "the spouse of her spouse" is who she is."""
    gold = (
        (task.edges.graph, topic, _steps(path), np.array(sorted(task.answers), np.int32))
        for task in tasks
        if isinstance(task.edges, ArrayEdges)
        for topic, paths in task.paths.items()
        for path in sorted(paths)
    )
    again = share_needing(
        gold,
        plain=lambda walk: len(set(walk.entities)) == len(walk.entities),
        allowed=lambda walk: all(a != b for a, b in pairwise(walk.triples)),
    )
    return "triples" if again >= NEEDED else "nothing"


def shown_text(text: str) -> str:
    """A question on one line without control characters, cut at MAX_QUESTION characters."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.split())[:MAX_QUESTION]


def _gold(
    edges: ArrayEdges, question: TrainingQuestion, hops: int, repeats: Repeats, train: TrainConfig
) -> tuple[dict[int, frozenset[Codes]], bool]:
    """Relation paths from each topic to the answers: those whose ends fit best, or all simple ones (the paper). Also
    whether a limit cut the search."""
    answers = question.answers
    if train.gold == "best":
        found = gold_paths(edges.graph, question.topics, answers, GoldLimits(hops), stated=question.stated)
        best = {
            topic: frozenset(_codes(each.path) for each in own if each.path)
            for topic, own in zip(question.topics, found.of_topics, strict=True)
        }
        return best, any(found.cut)
    every, cut = {}, False
    for topic in question.topics:
        mined = mine_paths(
            edges.graph,
            [topic],
            answers[:MAX_GOLD],
            slack=train.slack,
            max_len=hops,
            max_paths_per_pair=64,
            max_total=MAX_PATHS,
            returns=repeats == "triples",
            repeats=repeats,
        )
        cut |= bool(mined.truncated)
        every[topic] = frozenset(_codes(path) for path in mined.relation_paths())
    return every, cut


def _steps(codes: Codes) -> RelationPath:
    return tuple((code // 2, code % 2 == 0) for code in codes)


def _codes(path: RelationPath) -> Codes:
    """2 r + 1 backward: relations of a store are numbered as they are met, so their count is not known."""
    return tuple(2 * relation + (not forward) for relation, forward in path)


def gold_action(state: ExplorationState, task: Task, config: Config, train: TrainConfig) -> Action:
    """The right action of any state: Algorithm 1 where it lies on a gold path, and else mostly nothing."""
    answers: list[Pick] = []
    explore: list[Pick] = []
    for i, option in enumerate(state.options):
        paths = task.paths.get(option.path_group.topic, frozenset())
        codes = option.codes
        if any(len(path) > len(codes) and path[: len(codes)] == codes for path in paths):
            if config.siblings == "group":
                explore.append(Pick(i))
            else:
                leading = task.leading(option)
                picks = [Pick(i, k) for k, member in enumerate(option.members.tolist()) if member in leading]
                explore += picks[:MAX_SIBLINGS]
        if train.gold == "best" and codes not in paths:
            continue
        right = [k for k, member in enumerate(option.members.tolist()) if member in task.answers]
        if config.siblings == "each":
            answers += [Pick(i, k) for k in right]
        elif right and (codes in paths or train.gold == "all") and len(right) >= PRECISION * len(option.members):
            answers.append(Pick(i))
        elif right and codes in paths and config.notation == "json":  # apart, as far as they have numbers
            answers += [Pick(i, k) for k in right if k < option.shown]
    if config.siblings == "each":
        answers, explore = (_whole(picks, state) for picks in (answers, explore))
    return Action(tuple(answers), tuple(explore))


def answered_by(state: ExplorationState, action: Action, edges: GraphEdges) -> set[int]:
    """The entities that an action names as answers."""
    named: set[int] = set()
    for option, member, fact in action.answers:
        chosen = state.options[option]
        if fact is not None and member is not None:
            named |= set(facts_of(chosen, member, edges)[fact].targets.tolist())
        else:
            named |= set((chosen.members if member is None else chosen.members[[member]]).tolist())
    return named


def _whole(picks: list[Pick], state: ExplorationState) -> list[Pick]:
    """One member of one is written as the option itself: it has no number of its own."""
    return [Pick(p.option) if len(state.options[p.option].members) == 1 else p for p in picks]


def states_of(
    task: Task, config: Config, train: TrainConfig, weigh: Weigh, random: np.random.Generator
) -> Iterator[tuple[ExplorationState, Action, bool]]:
    """The states on gold paths and beside them: state, right action, and whether the state lies on a gold path."""
    plan = plan_of(config)
    level = [root(topic) for topic in task.topics]
    on_path = {id(path_group) for path_group in level}
    for depth in range(plan.max_depth):
        groups = [level] if plan.level else [[path_group] for path_group in level]
        following: list[PathGroup] = []
        beside: list[PathGroup] = []
        for path_groups in groups:
            options = [option for path_group in path_groups for option in options_of(path_group, task.edges, plan)]
            others: list[RelationOption] = []
            for batch in batches(options, plan, weigh):
                state = ExplorationState(tuple(path_groups), batch)
                action = gold_action(state, task, config, train)
                yield state, action, any(id(path_group) in on_path for path_group in path_groups)
                chosen = {pick.option for pick in action.explore}
                if config.siblings == "group":
                    following += [extend(batch[i]) for i in sorted(chosen)]
                else:  # every gold entity path, or answers behind the others are never taught
                    following += [extend(batch[i], batch[i].taken(k)[:1]) for i, k, _ in action.explore]
                others += [option for i, option in enumerate(batch) if i not in chosen]
            if others and depth + 1 < plan.max_depth and any(id(path_group) in on_path for path_group in path_groups):
                picked = random.permutation(len(others))[:SIBLING_STATES]
                beside += [_one(others[i], config, random) for i in picked.tolist()]
        on_path = {id(path_group) for path_group in following}
        level = (following + beside)[: plan.max_frontier if config.siblings == "group" else MAX_PATHS]
        if not level:
            return


def _one(option: RelationOption, config: Config, random: np.random.Generator) -> PathGroup:
    """A path group over an option: all of it, or one of its members drawn at random."""
    if config.siblings == "group":
        return extend(option)
    edge = int(random.integers(len(option.targets)))
    return extend(option, np.array([edge], np.intp))
