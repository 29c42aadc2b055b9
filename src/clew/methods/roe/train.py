"""Training of RoE: states from gold paths, supervision (Stage I), rewards (Stage II)."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import TrainingError, UnsupportedError
from clew.evaluation.answers import score_answer
from clew.graph import Graph
from clew.learning.curve import write_curve
from clew.learning.processes import is_main_process, wait_for_all
from clew.learning.scratch import create_decoder
from clew.learning.stages import Stage, run_stages
from clew.learning.tuning import Pair, RewardedState, reinforce, tune
from clew.llm import estimate_tokens, load_prompt
from clew.methods.roe import environment as env
from clew.methods.roe.config import Config, TrainConfig, for_scratch
from clew.methods.roe.edges import GraphEdges
from clew.methods.roe.gold import Mining, Task, answered_by, gold_action, plan_of, states_of, tasks_of
from clew.methods.roe.method import RECORD, RoE, check, in_its_notation, notation_of, open_trained, stage_of
from clew.methods.roe.notation import JsonNotation, Notation, split_json
from clew.methods.roe.rewards import reward_functions
from clew.methods.roe.short import ShortNotation, split_short
from clew.protocols import Example, LLMRequest, OnEvent, TrainRequest, TrainResult, ignore
from clew.types import Event

SECOND = {"rewards": "reinforced", "supervision": "continued"}  # folder of what Stage II leaves
SHOWN = 64_000  # examples that a decoder from scratch is shown at most, unless max_steps says otherwise
AROUND = 2048  # tokens of a prompt and its reply around the neighbours: instructions, examples, paths
MAX_MEMBERS = 64  # members of a group that a reward looks at: the first of them


@dataclass(slots=True)
class _TrainingState:
    """What the stages hand on to each other."""

    supervised: list[Task] = field(default_factory=list)
    rewarded: list[Task] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)
    start: Path | str = ""
    metrics: dict[str, float] = field(default_factory=dict)
    refused: int = 0


class _Training:
    """The stages over one `_TrainingState`."""

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        self.request, self.on_event, self.m = request, on_event, _TrainingState()
        self.config: Config = request.config
        self.train: TrainConfig = request.train_config or TrainConfig()
        self.scratch = not self.train.base and request.tools.model is None
        if self.scratch:
            self.train = for_scratch(self.train)
            self.config = self._short_unless_stated(self.config)
        elif request.tools.model is not None:
            self.config = in_its_notation(self.config, request.tools.model)
        check(self.config)
        one = self.train.stage_one
        if "max_tokens" not in one.model_fields_set:  # a state that may be shown may be learnt from
            room = max(one.max_tokens, self.config.batch_tokens + AROUND)
            self.train = self.train.model_copy(update={"stage_one": one.model_copy(update={"max_tokens": room})})
        if not isinstance(request.graph, Graph) and any(example.graph is None for example in request.examples):
            raise UnsupportedError(
                f"graph {request.graph.name!r}: training needs its triples at hand; clew build makes such a graph"
            )
        self.prompt = load_prompt(
            "clew.methods.roe",
            "explore",
            slots=("question", "path", "neighbours"),
            override=self.config.prompt,
        )

    @staticmethod
    def _short_unless_stated(config: Config) -> Config:
        """States in tens of tokens: a small decoder can copy no names, and a thousand tokens of JSON take hours."""
        if "notation" in config.model_fields_set or config.siblings == "each" or config.mediators == "inline":
            return config
        return config.model_copy(update={"notation": "numbers" if config.state == "level" else "names"})

    def notation(self, task: Task) -> Notation:
        return notation_of(self.config, task.edges, self.prompt, estimate_tokens)

    def gold_paths(self) -> None:
        """Gold paths; the questions are dealt to the two stages first, so that neither sees the other's."""
        request, m, report = self.request, self.m, Mining()
        order = np.random.default_rng((request.seed, 1)).permutation(len(request.examples)).tolist()
        order = order[: self.train.max_questions or None]
        cut = max(1, round(self.train.share * len(order)))
        shared: Any = request.graph
        for part, into in ((order[:cut], m.supervised), (order[cut:], m.rewarded)):
            chosen = [request.examples[i] for i in sorted(part)]
            into += tasks_of(chosen, shared, self.config, self.train, report)
        if not m.supervised:
            raise TrainingError(
                f"no question has a path from a topic to an answer in graph {request.graph.name!r}: "
                f"{len(report.unknown_topic)} have an unknown topic, {len(report.unknown_answers)} unknown answers, "
                f"{len(report.without_a_path)} no path within {self.train.hops or 4} hops"
            )
        m.report = {"supervised": len(m.supervised), "rewarded": len(m.rewarded), **asdict(report)}

    def lay_out(self) -> None:
        """What Stage I learns from."""
        m = self.m
        m.pairs, counts = self._pairs(m.supervised, np.random.default_rng((self.request.seed, 2)))
        m.report |= counts
        self._write("mining.json", m.report)
        self.on_event(
            Event(
                "train",
                f"{counts['states_with_gold']} states with gold, {counts['states_without_gold']} without, from "
                f"{len(m.supervised)} questions; they teach {counts['gold_answers_taught']} of "
                f"{counts['gold_answers']} gold answers",
                {"states": len(m.pairs)},
            )
        )

    def _pairs(self, tasks: Sequence[Task], random: np.random.Generator) -> tuple[list[Pair], dict[str, int]]:
        """States and their gold actions; those without gold as many as asked for."""
        train = self.train
        positive: dict[tuple[str, str], Pair] = {}
        negative: dict[tuple[str, str], Pair] = {}
        longest = taught = wanted_answers = 0
        for task in tasks:
            notation = self.notation(task)
            shown: set[int] = set()
            for state, action, _ in states_of(task, self.config, train, notation.weigh, random):
                pair = Pair(notation.messages(task.question, state), notation.write(action, state))
                has_gold = bool(action.answers or action.explore)
                shown |= answered_by(state, action, task.edges)
                kept = positive if has_gold else negative
                # Questions that repeat are kept: how often a state comes with which action is what a model learns.
                kept[f"{task.id}/{state.depth}/{len(kept)}", pair.prompt[-1].content] = pair
                longest = max(longest, state.depth + 1)
            taught, wanted_answers = taught + len(shown & task.answers), wanted_answers + len(task.answers)
            if len(positive) >= train.max_states:
                break
        without = list(negative.values())
        wanted = min(len(without), round(train.negatives * len(positive)))
        chosen = sorted(random.permutation(len(without))[:wanted].tolist())
        counts = {"states_with_gold": len(positive), "states_without_gold": wanted, "depth": longest}
        counts |= {"gold_answers": wanted_answers, "gold_answers_taught": taught}
        return [*positive.values(), *(without[i] for i in chosen)], counts

    def begin(self) -> None:
        """The model to start from: the one named, or a new small decoder."""
        m, request = self.m, self.request
        if request.tools.model is not None:
            m.start = request.tools.model / stage_of(request.tools.model, "last")
            return
        if self.train.base:
            m.start = self.train.base
            return
        folder = request.out / "start"
        m.start = folder
        if folder.is_dir() and request.resume:
            return
        texts = [text for pair in m.pairs for text in (pair.prompt[-1].content, pair.completion)]
        keep: list[str] = []
        if self.config.notation != "json":
            labels = [relation.label for relation in request.graph.relations()]
            own = ShortNotation.own_tokens(labels, self.config.batch_options)
            fixed, marks = own[: 2 + self.config.batch_options], set(own[2 + self.config.batch_options :])
            used = Counter(mark for text in texts for mark in _marks(text) if mark in marks)
            keep = [*fixed, *(mark for mark, _ in used.most_common())] if self.config.notation != "words" else fixed
        if is_main_process():
            m.report["parameters"] = create_decoder(folder, texts, size=self.train.size, keep=keep, seed=request.seed)
        wait_for_all()

    def supervise(self) -> None:
        """Stage I."""
        m, request = self.m, self.request
        out = request.out / "supervised"
        if request.resume and (out / "model").is_dir():
            return
        settings = self.train.stage_one
        if self.scratch and not settings.max_steps:  # more examples need fewer rounds
            settings = settings.model_copy(update={"epochs": min(settings.epochs, SHOWN / len(m.pairs))})
        tuned = tune(
            m.start,
            m.pairs,
            out,
            settings,
            seed=request.seed,
            resume=request.resume,
            on_event=self.on_event,
        )
        m.refused = tuned.refused
        write_curve(out, tuned.curve, "mean_token_accuracy")

    def reward(self) -> None:
        """Stage II, or its control."""
        m, request, train = self.m, self.request, self.train
        out = request.out / SECOND[train.stage_two_by]
        if not train.rl or not m.rewarded or (request.resume and (out / "model").is_dir()):
            return
        if train.stage_two_by == "supervision":
            self._go_on(out)
            return
        states = self.rewarded_states()
        widths: list[int] = []
        told: list[int] = []  # how many widths there were at each row of the curve

        def listen(event: Event) -> None:
            if "loss" in event.data:
                told.append(len(widths))
            self.on_event(event)

        rewards = reward_functions(
            split_json if self.config.notation == "json" else split_short,
            beta=train.beta,
            mode=train.discovery,
            observe=widths.append,
        )
        tuned = reinforce(
            request.out / "supervised" / "model",
            states,
            rewards,
            out,
            train.stage_two,
            seed=request.seed,
            resume=request.resume,
            on_event=listen,
        )
        rows = [dict(row) for row in tuned.curve]
        # Rows that an earlier start logged come first, without widths.
        for row, (first, last) in zip(rows[len(rows) - len(told) :], pairwise([0, *told]), strict=True):
            row["paths_per_action"] = sum(widths[first:last]) / max(1, last - first)
        write_curve(out, rows, "reward", highest=None)

    def _go_on(self, out: Path) -> None:
        """As many steps as Stage II on as many sequences of its questions, by gold actions."""
        two = self.train.stage_two
        settings = self.train.stage_one.model_copy(
            update={
                "max_steps": two.max_steps,
                "epochs": two.epochs,
                "batch": two.groups * two.group,
                "accumulate": two.accumulate,
                "learning_rate": two.learning_rate,
                "schedule": "constant",
                "warmup": 0.0,
            }
        )
        pairs, _ = self._pairs(self.m.rewarded, np.random.default_rng((self.request.seed, 3)))
        tuned = tune(
            self.request.out / "supervised" / "model",
            pairs,
            out,
            settings,
            seed=self.request.seed,
            resume=self.request.resume,
            on_event=self.on_event,
        )
        write_curve(out, tuned.curve, "mean_token_accuracy")

    def rewarded_states(self) -> list[RewardedState]:
        """States of the questions that Stage I has not seen, on gold prefixes or where its model goes."""
        m, train = self.m, self.train
        random = np.random.default_rng((self.request.seed, 3))
        source = {"gold": self._gold_states, "visited": self._visited_states, "hard": self._hard_states}
        states: list[RewardedState] = []
        for task, state, action in source[train.rl_states](random):
            states.append(
                RewardedState(self.notation(task).messages(task.question, state), self.facts(task, state, action))
            )
            if len(states) >= train.max_rl_states:
                break
        order = random.permutation(len(states)).tolist()
        m.report["rewarded_states"] = len(states)
        return [states[i] for i in order]

    def _gold_states(self, random: np.random.Generator) -> Iterator[tuple[Task, env.ExplorationState, env.Action]]:
        order = random.permutation(len(self.m.rewarded)).tolist()
        for task in (self.m.rewarded[i] for i in order):
            for state, action, on_path in states_of(task, self.config, self.train, self.notation(task).weigh, random):
                if on_path:
                    yield task, state, action

    def _visited_states(self, random: np.random.Generator) -> Iterator[tuple[Task, env.ExplorationState, env.Action]]:
        """The states that the supervised model walks through."""
        for task, state, action, _ in self._visits():
            yield task, state, action

    def _hard_states(self, random: np.random.Generator) -> Iterator[tuple[Task, env.ExplorationState, env.Action]]:
        """Of those the ones where it does not do what is right, and as many others.

        Where all replies of a group earn the same, nothing is learnt: that is most states of a model that knows most.
        """
        wrong: list[tuple[Task, env.ExplorationState, env.Action]] = []
        others: list[tuple[Task, env.ExplorationState, env.Action]] = []
        for task, state, action, done in self._visits():
            same = {*done.answers} == {*action.answers} and {*done.explore} == {*action.explore}
            (others if same else wrong).append((task, state, action))
        self.m.report["hard_states"] = len(wrong)
        yield from wrong
        yield from (others[i] for i in random.permutation(len(others))[: len(wrong) or None].tolist())

    def _visits(self) -> Iterator[tuple[Task, env.ExplorationState, env.Action, env.Action]]:
        """Every state the supervised model comes to: the right action, and what it does."""
        self._write(RECORD, {"stages": {"supervised": "supervised/model", "last": "supervised/model"}})
        wait_for_all()
        model = open_trained(self.request.out, self.config)
        for at in range(0, len(self.m.rewarded), 32):
            live = [
                (task, env.Exploration(task.topics, task.edges, plan_of(self.config), self.notation(task).weigh))
                for task in self.m.rewarded[at : at + 32]
            ]
            while live := [(task, walk) for task, walk in live if not walk.done]:
                requests = [self._asked(task, walk.prompt()) for task, walk in live]
                for (task, walk), reply in zip(live, model.generate(requests), strict=True):
                    state = walk.prompt()
                    done = self.notation(task).read(reply.text if reply.texts else "", state)
                    yield task, state, gold_action(state, task, self.config, self.train), done
                    walk.advance(done)

    def _asked(self, task: Task, state: env.ExplorationState) -> LLMRequest:
        notation = self.notation(task)
        return LLMRequest(
            notation.messages(task.question, state),
            max_tokens=self.config.max_tokens,
            constraint=notation.grammar(state),
        )

    def facts(self, task: Task, state: env.ExplorationState, action: env.Action) -> dict[str, Any]:
        """What the rewards need: for each item that may be written its entities and its edge."""
        notation = self.notation(task)
        if isinstance(notation, JsonNotation):
            tags = notation.tags(state)
        else:
            texts = notation.grammar(state).tags
            tags = {text: env.Pick(i) for i, text in enumerate(texts)}
        meant = partial(self._meant, edges=task.edges, state=state)
        return {
            "tags": {tag: meant(pick) for tag, pick in tags.items()},
            "answers": [e for pick in action.answers for e in meant(pick)["entities"]],
            "paths": [p for pick in action.explore for p in meant(pick)["paths"]],
            "every": sorted(task.answers),
        }

    def _meant(self, pick: env.Pick, edges: GraphEdges, state: env.ExplorationState) -> dict[str, list[Any]]:
        option = state.options[pick.option]
        if pick.fact is not None and pick.member is not None:
            fact = env.facts_of(option, pick.member, edges)[pick.fact]
            return {"entities": fact.targets.tolist(), "paths": [f"{pick.option}/{pick.member}/{pick.fact}"]}
        members = option.members[:MAX_MEMBERS] if pick.member is None else option.members[[pick.member]]
        paths = [f"{pick.option}"] if self.config.siblings == "group" else [f"{pick.option}/{m}" for m in members]
        return {"entities": members.tolist(), "paths": paths}

    def _write(self, name: str, value: Any) -> None:
        if is_main_process():
            (self.request.out / name).write_text(json.dumps(value, indent=1), encoding="utf-8")

    def finish(self) -> None:
        """Write what the folder holds, and ask the dev questions."""
        m, request = self.m, self.request
        second = f"{SECOND[self.train.stage_two_by]}/model"
        last = second if self.train.rl and (request.out / second).is_dir() else "supervised/model"
        stages = {"supervised": "supervised/model", "last": last}
        record = {"format": 1, "notation": self.config.notation, "stages": stages}
        self._write(RECORD, record)
        self._write("mining.json", m.report)
        if is_main_process():
            shutil.rmtree(request.out / "start", ignore_errors=True)
            m.metrics |= self.measure(request.dev)

    def measure(self, dev: Sequence[Example]) -> dict[str, float]:
        """Hit, F1 and calls on a sample of dev questions."""
        random = np.random.default_rng((self.request.seed, 4))
        chosen = sorted(random.permutation(len(dev))[: self.train.validate_on].tolist())
        if not chosen:
            return {}
        tools = self.request.tools
        method = RoE(self.config, type(tools)(link=tools.link, model=self.request.out))
        scores, calls = [], []
        by_graph: dict[str, list[Example]] = {}
        for i in chosen:
            by_graph.setdefault((dev[i].graph or self.request.graph).name, []).append(dev[i])
        for examples in by_graph.values():
            graph = examples[0].graph or self.request.graph
            for example, answer in zip(
                examples, method.predict([example.question for example in examples], graph), strict=True
            ):
                scores.append(score_answer(answer, example.gold))
                calls.append(float(answer.details.get("calls", 0)))
        return {
            "hit": float(np.mean([score.hit for score in scores])),
            "hits@1": float(np.mean([score.hits_at_1 for score in scores])),
            "f1": float(np.mean([score.f1 for score in scores])),
            "median_calls": float(np.median(calls)),
        }


def _marks(text: str) -> Iterator[str]:
    for part in text.split("<")[1:]:
        name, close, _ = part.partition(">")
        if close:
            yield f"<{name}>"


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Train a model for `request.graph` from `request.examples`: Stage I, then Stage II unless `rl` is off.

    Both models stay in the folder (`method.stage` chooses) with the curves of loss, accuracy and every reward beside
    them (`supervised/curve.csv`, `reinforced/curve.svg`, …); what was left out and why is in `mining.json`.

    Raises TrainingError when no question has a path to an answer, ConfigError for settings that do not go together.
    """
    request.out.mkdir(parents=True, exist_ok=True)
    if not request.resume and is_main_process():
        for name in ("start", "supervised", *SECOND.values()):
            shutil.rmtree(request.out / name, ignore_errors=True)
    wait_for_all()
    work = _Training(request, on_event)
    stages: list[tuple[str, Callable[[], None]]] = [
        ("mine gold paths", work.gold_paths),
        ("lay out states", work.lay_out),
        ("open the model", work.begin),
        ("stage I, supervision", work.supervise),
        ("stage II, rewards", work.reward),
        ("write and measure", work.finish),
    ]
    needs = ("torch", "trl", "peft")
    seconds = run_stages([Stage(name, run, needs) for name, run in stages], on_event)
    details = {key: value for key, value in work.m.report.items() if not isinstance(value, list)}
    details |= {f"{key}_left_out": len(value) for key, value in work.m.report.items() if isinstance(value, list)}
    return TrainResult(request.out, work.m.metrics, seconds, {**details, "refused": work.m.refused})
