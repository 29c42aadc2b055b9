"""The states that Stage II is rewarded in, and what its rewards have to know of each.

Apart from the training because which states these are is a choice of its own: on gold prefixes, where the supervised
model goes, or of those the ones that it gets wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clew.learning.tuning import RewardedState
from clew.methods.roe.config import Config, TrainConfig
from clew.methods.roe.edges import GraphEdges
from clew.methods.roe.environment import Exploration
from clew.methods.roe.gold import Task, gold_action, plan_of, states_of
from clew.methods.roe.model import read_trained
from clew.methods.roe.notation import JsonNotation, Notation
from clew.methods.roe.options import Action, ExplorationState, Pick, facts_of
from clew.protocols import LLMRequest

MAX_RL_STATES = 2000  # most of them
MAX_MEMBERS = 64  # members of a group that a reward looks at: the first of them
JudgedState = tuple[Task, ExplorationState, Action]  # with the right action


class StageTwo:
    """The states of one training."""

    def __init__(
        self, config: Config, train: TrainConfig, notation: Callable[[Task], Notation], out: Path, seed: int
    ) -> None:
        self.config, self.train, self.notation, self._out, self._seed = config, train, notation, out, seed
        self.report: dict[str, Any] = {}

    def states(self, tasks: Sequence[Task]) -> list[RewardedState]:
        """States of the questions that Stage I has not seen, on gold prefixes or where its model goes."""
        random = np.random.default_rng((self._seed, 3))
        source = {"gold": self._gold_states, "visited": self._visited_states, "hard": self._hard_states}
        states: list[RewardedState] = []
        for task, state, action in source[self.train.rl_states](tasks, random):
            states.append(
                RewardedState(self.notation(task).messages(task.question, state), self.facts(task, state, action))
            )
            if len(states) >= MAX_RL_STATES:
                break
        order = random.permutation(len(states)).tolist()
        self.report["rewarded_states"] = len(states)
        return [states[i] for i in order]

    def _gold_states(self, tasks: Sequence[Task], random: np.random.Generator) -> Iterator[JudgedState]:
        for task in (tasks[i] for i in random.permutation(len(tasks)).tolist()):
            for state, action, on_path in states_of(task, self.config, self.train, self.notation(task).weigh, random):
                if on_path:
                    yield task, state, action

    def _visited_states(self, tasks: Sequence[Task], random: np.random.Generator) -> Iterator[JudgedState]:
        """The states that the supervised model walks through."""
        for task, state, action, _ in self._visits(tasks):
            yield task, state, action

    def _hard_states(self, tasks: Sequence[Task], random: np.random.Generator) -> Iterator[JudgedState]:
        """Of those the ones where it does not do what is right, and as many others.

        Where all replies of a group earn the same, nothing is learnt: that is most states of a model that knows most.
        """
        wrong: list[JudgedState] = []
        others: list[JudgedState] = []
        for task, state, action, done in self._visits(tasks):
            same = {*done.answers} == {*action.answers} and {*done.explore} == {*action.explore}
            (others if same else wrong).append((task, state, action))
        self.report["hard_states"] = len(wrong)
        yield from wrong
        yield from (others[i] for i in random.permutation(len(others))[: len(wrong) or None].tolist())

    def _visits(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, ExplorationState, Action, Action]]:
        """Every state the supervised model comes to: the right action, and what it does."""
        model = read_trained(self._out).open(self.config)
        for at in range(0, len(tasks), 32):
            live = [
                (task, Exploration(task.topics, task.edges, plan_of(self.config), self.notation(task).weigh))
                for task in tasks[at : at + 32]
            ]
            while live := [(task, walk) for task, walk in live if not walk.done]:
                requests = [self._asked(task, walk.prompt()) for task, walk in live]
                for (task, walk), reply in zip(live, model.generate(requests), strict=True):
                    state = walk.prompt()
                    done = self.notation(task).read(reply.text if reply.texts else "", state)
                    yield task, state, gold_action(state, task, self.config, self.train), done
                    walk.advance(done)

    def _asked(self, task: Task, state: ExplorationState) -> LLMRequest:
        notation = self.notation(task)
        return LLMRequest(
            notation.messages(task.question, state),
            max_tokens=self.config.max_tokens,
            constraint=notation.grammar(state),
        )

    def facts(self, task: Task, state: ExplorationState, action: Action) -> dict[str, Any]:
        """What the rewards need: for each item that may be written its entities and its edge."""
        notation = self.notation(task)
        if isinstance(notation, JsonNotation):
            tags = notation.tags(state)
        else:
            texts = notation.grammar(state).tags
            tags = {text: Pick(i) for i, text in enumerate(texts)}
        meant = partial(self._meant, edges=task.edges, state=state)
        return {
            "tags": {tag: meant(pick) for tag, pick in tags.items()},
            "answers": [e for pick in action.answers for e in meant(pick)["entities"]],
            "paths": [p for pick in action.explore for p in meant(pick)["paths"]],
            "every": sorted(task.answers),
        }

    def _meant(self, pick: Pick, edges: GraphEdges, state: ExplorationState) -> dict[str, list[Any]]:
        option = state.options[pick.option]
        if pick.fact is not None and pick.member is not None:
            fact = facts_of(option, pick.member, edges)[pick.fact]
            return {"entities": fact.targets.tolist(), "paths": [f"{pick.option}/{pick.member}/{pick.fact}"]}
        members = option.members[:MAX_MEMBERS] if pick.member is None else option.members[[pick.member]]
        paths = [f"{pick.option}"] if self.config.siblings == "group" else [f"{pick.option}/{m}" for m in members]
        return {"entities": members.tolist(), "paths": paths}
