"""Training of RoE: states from gold paths, supervision (Stage I), rewards (Stage II)."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import TrainingError
from clew.evaluation.answers import score_answer
from clew.learning.curve import write_curve
from clew.learning.folders import write_json, write_record
from clew.learning.processes import is_main_process, wait_for_all
from clew.learning.scratch import create_decoder
from clew.learning.stages import TrainingStages
from clew.learning.tuning import Pair, reinforce, tune
from clew.llm import estimate_tokens, load_prompt
from clew.methods.roe.config import Config, TrainConfig, for_scratch
from clew.methods.roe.gold import Mining, Task, answered_by, repeats_of, states_of, tasks_of
from clew.methods.roe.method import RoE, notation_of
from clew.methods.roe.model import RECORD, Part, RoeRecord, StageFolders, check, read_trained
from clew.methods.roe.notation import Notation, split_json
from clew.methods.roe.rewards import reward_functions
from clew.methods.roe.short import ShortNotation, split_short
from clew.methods.roe.stage_two import StageTwo
from clew.protocols import Example, OnEvent, TrainRequest, TrainResult, ignore
from clew.types import Event

# What Stage II leaves.
SECOND: dict[str, Part] = {"rewards": "reinforced/model", "supervision": "continued/model"}
SHOWN = 64_000  # examples that a decoder from scratch is shown at most, unless max_steps says otherwise
AROUND = 2048  # tokens of a prompt and its reply around the neighbours: instructions, examples, paths


@dataclass(frozen=True, slots=True)
class DealtTasks:
    """The questions that can be learned from, dealt to the two stages so that neither sees the other's."""

    supervised: tuple[Task, ...]
    rewarded: tuple[Task, ...]


class _Training:
    """The stages over one request."""

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        self.request, self.on_event = request, on_event
        self.report: dict[str, Any] = {}  # what stands in mining.json
        self.config: Config = request.config
        self.train: TrainConfig = request.train_config or TrainConfig()
        self.scratch = not self.train.base and request.tools.model is None
        if self.scratch:
            self.train = for_scratch(self.train)
            self.config = self._short_unless_stated(self.config)
        elif request.tools.model is not None:
            self.config = read_trained(request.tools.model).asked_with(self.config)
        check(self.config)
        one = self.train.stage_one
        if "max_tokens" not in one.model_fields_set:  # a state that may be shown may be learnt from
            room = max(one.max_tokens, self.config.batch_tokens + AROUND)
            self.train = self.train.model_copy(update={"stage_one": one.model_copy(update={"max_tokens": room})})
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

    def deal(self) -> DealtTasks:
        """Gold paths of every question."""
        request, report = self.request, Mining()
        order = np.random.default_rng((request.seed, 1)).permutation(len(request.examples)).tolist()
        order = order[: self.train.max_questions or None]
        cut = max(1, round(self.train.share * len(order)))
        dealt = DealtTasks(
            *(
                tuple(
                    tasks_of(
                        [request.examples[i] for i in sorted(part)], request.graph, self.config, self.train, report
                    )
                )
                for part in (order[:cut], order[cut:])
            )
        )
        if not dealt.supervised:
            raise TrainingError(
                f"no question has a path from a topic to an answer in graph {request.graph.name!r}: "
                f"{len(report.unknown_topic)} have an unknown topic, {len(report.unknown_answers)} unknown answers, "
                f"{len(report.without_a_path)} no path within {self.train.hops or 4} hops"
            )
        if self.config.repeats is None:
            self.config = self.config.model_copy(update={"repeats": repeats_of(dealt.supervised)})
        counts = {"supervised": len(dealt.supervised), "rewarded": len(dealt.rewarded)}
        self.report = {**counts, "repeats": self.config.repeats, **asdict(report)}
        return dealt

    def lay_out(self, tasks: Sequence[Task]) -> list[Pair]:
        """What Stage I learns from."""
        pairs, counts = self._pairs(tasks, np.random.default_rng((self.request.seed, 2)))
        self.report |= counts
        self._write_report()
        self.on_event(
            Event(
                "train",
                f"{counts['states_with_gold']} states with gold, {counts['states_without_gold']} without, from "
                f"{len(tasks)} questions; they teach {counts['gold_answers_taught']} of "
                f"{counts['gold_answers']} gold answers",
                {"states": len(pairs)},
            )
        )
        return pairs

    def _pairs(self, tasks: Sequence[Task], random: np.random.Generator) -> tuple[list[Pair], dict[str, int]]:
        """States and their gold actions; those without gold as many as asked for."""
        positive: dict[tuple[str, str], Pair] = {}
        negative: dict[tuple[str, str], Pair] = {}
        longest = taught = wanted_answers = 0
        for task in tasks:
            notation = self.notation(task)
            shown: set[int] = set()
            for state, action, _ in states_of(task, self.config, self.train, notation.weigh, random):
                pair = Pair(notation.messages(task.question, state), notation.write(action, state))
                has_gold = bool(action.answers or action.explore)
                shown |= answered_by(state, action, task.edges)
                kept = positive if has_gold else negative
                # Questions that repeat are kept: how often a state comes with which action is what a model learns.
                kept[f"{task.id}/{state.depth}/{len(kept)}", pair.prompt[-1].content] = pair
                longest = max(longest, state.depth + 1)
            taught, wanted_answers = taught + len(shown & task.answers), wanted_answers + len(task.answers)
            if len(positive) >= self.train.max_states:
                break
        without = list(negative.values())
        wanted = min(len(without), len(positive))
        chosen = sorted(random.permutation(len(without))[:wanted].tolist())
        counts = {"states_with_gold": len(positive), "states_without_gold": wanted, "depth": longest}
        counts |= {"gold_answers": wanted_answers, "gold_answers_taught": taught}
        return [*positive.values(), *(without[i] for i in chosen)], counts

    def begin(self, pairs: Sequence[Pair]) -> Path | str:
        """The model to start from: the one named, or a new small decoder."""
        request = self.request
        if request.tools.model is not None:
            return read_trained(request.tools.model).weights("last")
        if self.train.base:
            return self.train.base
        folder = request.out / "start"
        if folder.is_dir() and request.resume:
            return folder
        texts = [text for pair in pairs for text in (pair.prompt[-1].content, pair.completion)]
        keep: list[str] = []
        if self.config.notation != "json":
            labels = [relation.label for relation in request.graph.relations()]
            own = ShortNotation.own_tokens(labels, self.config.batch_options)
            fixed, marks = own[: 2 + self.config.batch_options], set(own[2 + self.config.batch_options :])
            used = Counter(mark for text in texts for mark in _marks(text) if mark in marks)
            keep = [*fixed, *(mark for mark, _ in used.most_common())] if self.config.notation != "words" else fixed
        if is_main_process():
            size = self.train.size
            self.report["parameters"] = create_decoder(folder, texts, size=size, keep=keep, seed=request.seed)
        wait_for_all()
        return folder

    def supervise(self, start: Path | str, pairs: Sequence[Pair]) -> int:
        """Stage I; how many examples were too long."""
        request, out = self.request, self.request.out / "supervised"
        if request.resume and (out / "model").is_dir():
            return 0
        settings = self.train.stage_one
        if self.scratch and not settings.max_steps:  # more examples need fewer rounds
            settings = settings.model_copy(update={"epochs": min(settings.epochs, SHOWN / len(pairs))})
        tuned = tune(
            start,
            pairs,
            out,
            settings,
            seed=request.seed,
            resume=request.resume,
            on_event=self.on_event,
        )
        write_curve(out, tuned.curve, "mean_token_accuracy")
        return tuned.refused

    def reward(self, tasks: Sequence[Task]) -> None:
        """Stage II, or its control."""
        request, train = self.request, self.train
        out = (request.out / SECOND[train.stage_two_by]).parent
        if not train.rl or not tasks or (request.resume and (out / "model").is_dir()):
            return
        if train.stage_two_by == "supervision":
            self._go_on(tasks, out)
            return
        if train.rl_states != "gold":  # the supervised model is asked where it goes
            self._write_record("supervised/model")
            wait_for_all()
        second = StageTwo(self.config, train, self.notation, request.out, request.seed)
        states = second.states(tasks)
        self.report |= second.report
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

    def _go_on(self, tasks: Sequence[Task], out: Path) -> None:
        """As many steps as Stage II on as many sequences of its questions, by gold actions."""
        two = self.train.stage_two
        settings = self.train.stage_one.model_copy(
            update={
                "max_steps": two.max_steps,
                "epochs": two.epochs,
                "batch": two.groups * two.group,
                "accumulate": two.accumulate,
                "learning_rate": two.learning_rate,
            }
        )
        pairs, _ = self._pairs(tasks, np.random.default_rng((self.request.seed, 3)))
        tuned = tune(
            self.request.out / "supervised" / "model",
            pairs,
            out,
            settings,
            seed=self.request.seed,
            resume=self.request.resume,
            constant=True,
            on_event=self.on_event,
        )
        write_curve(out, tuned.curve, "mean_token_accuracy")

    def _write_record(self, last: Part) -> None:
        if is_main_process():
            folders = StageFolders(supervised="supervised/model", last=last)
            write_record(
                self.request.out / RECORD,
                RoeRecord(notation=self.config.notation, repeats=self.config.repeats or "nothing", stages=folders),
            )

    def _write_report(self) -> None:
        if is_main_process():
            write_json(self.request.out / "mining.json", self.report)

    def finish(self) -> dict[str, float]:
        """Write what the folder holds, and ask the dev questions."""
        second = SECOND[self.train.stage_two_by]
        there = self.train.rl and (self.request.out / second).is_dir()
        self._write_record(second if there else "supervised/model")
        self._write_report()
        if not is_main_process():
            return {}
        shutil.rmtree(self.request.out / "start", ignore_errors=True)
        return self.measure(self.request.dev)

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
        for name in ("start", "supervised", "reinforced", "continued"):
            shutil.rmtree(request.out / name, ignore_errors=True)
    wait_for_all()
    work = _Training(request, on_event)
    stages = TrainingStages(6, on_event, needs=("torch", "trl", "peft"))
    dealt = stages.run("mine gold paths", work.deal)
    pairs = stages.run("lay out states", work.lay_out, dealt.supervised)
    start = stages.run("open the model", work.begin, pairs)
    refused = stages.run("stage I, supervision", work.supervise, start, pairs)
    stages.run("stage II, rewards", work.reward, dealt.rewarded)
    metrics = stages.run("write and measure", work.finish)
    details = {key: value for key, value in work.report.items() if not isinstance(value, list)}
    details |= {f"{key}_left_out": len(value) for key, value in work.report.items() if isinstance(value, list)}
    return TrainResult(request.out, metrics, stages.seconds, {**details, "refused": refused})
