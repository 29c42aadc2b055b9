"""Training of RoE: states from gold paths, supervision (Stage I), rewards (Stage II)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from clew.evaluation.answers import measure
from clew.learning.curve import write_curve
from clew.learning.folders import write_record
from clew.learning.processes import is_main_process, wait_for_all
from clew.learning.training import Training
from clew.learning.tuning import Pair, reinforce
from clew.llm import estimate_tokens, load_prompt
from clew.methods.roe.config import Config, TrainConfig, for_scratch
from clew.methods.roe.gold import Task, answered_by, repeats_of, states_of, tasks_of
from clew.methods.roe.method import RoE, notation_of
from clew.methods.roe.model import RECORD, Part, RoeRecord, StageFolders, check, read_trained
from clew.methods.roe.notation import Notation, split_json
from clew.methods.roe.rewards import reward_functions
from clew.methods.roe.short import ShortNotation, split_short
from clew.methods.roe.stage_two import StageTwo
from clew.protocols import OnEvent, Tools, TrainRequest, TrainResult, ignore
from clew.types import Event

# What Stage II leaves.
SECOND: dict[str, Part] = {"rewards": "reinforced/model", "supervision": "continued/model"}
SHOWN = 64_000  # examples that a decoder from scratch is shown at most, unless max_steps says otherwise
AROUND = 2048  # tokens of a prompt and its reply around the neighbours: instructions, examples, paths


class RoeTraining(Training):
    """The stages over one request."""

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        made = ("supervised", "reinforced", "continued")
        super().__init__(request, on_event, 4, needs=("torch", "trl", "peft"), made=made)
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

    def mine(self) -> tuple[list[Pair], list[Task]]:
        """What Stage I learns from, and the questions of Stage II; neither sees the other's."""
        train = self.train
        order = self.sample(range(len(self.examples)), train.max_questions or None, 1)
        cut = max(1, round(train.share * len(order)))
        dealt = []
        for part in (order[:cut], order[cut:]):
            own = [self.examples[i] for i in sorted(part)]
            tasks, left = tasks_of(own, self.request.graph, self.config, train)
            self.leave_out(left)
            dealt.append(tasks)
        supervised, rewarded = dealt
        if self.config.repeats is None:
            self.config = self.config.model_copy(update={"repeats": repeats_of(supervised)})
        pairs, counts = self._pairs(supervised, 2)
        report = {"supervised": len(supervised), "rewarded": len(rewarded), "repeats": self.config.repeats, **counts}
        self.tell_mined(len(pairs), "states", len(order), report)
        return pairs, rewarded

    def _pairs(self, tasks: Sequence[Task], salt: int) -> tuple[list[Pair], dict[str, int]]:
        """States and their gold actions, as many of them without gold as with; and how many."""
        random = np.random.default_rng((self.request.seed, salt))
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

    def supervise(self, pairs: Sequence[Pair]) -> None:
        """Stage I, from the model that is named or a new small decoder."""
        request, settings = self.request, self.train.stage_one
        if self.scratch and not settings.max_steps:  # more examples need fewer rounds
            settings = settings.model_copy(update={"epochs": min(settings.epochs, SHOWN / len(pairs))})
        start = self.train.base if request.tools.model is None else read_trained(request.tools.model).weights("last")
        keep = self._own_tokens(pairs) if self.scratch else []
        tuned = self.tune(start, pairs, request.out / "supervised", settings, size=self.train.size, keep=keep)
        self.details["refused"] = 0 if tuned is None else tuned.refused

    def _own_tokens(self, pairs: Sequence[Pair]) -> list[str]:
        """What the notation writes again and again, the relations that occur most first."""
        if self.config.notation == "json":
            return []
        labels = [relation.label for relation in self.request.graph.relations()]
        own = ShortNotation.own_tokens(labels, self.config.batch_options)
        fixed, marks = own[: 2 + self.config.batch_options], set(own[2 + self.config.batch_options :])
        if self.config.notation == "words":
            return fixed
        texts = (text for pair in pairs for text in (pair.prompt[-1].content, pair.completion))
        used = Counter(mark for text in texts for mark in re.findall("<[^<>]*>", text) if mark in marks)
        return [*fixed, *(mark for mark, _ in used.most_common())]

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
        self.details |= second.report
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
        pairs, _ = self._pairs(tasks, 3)
        self.tune(self.request.out / "supervised" / "model", pairs, out, settings, constant=True)

    def _write_record(self, last: Part) -> None:
        if is_main_process():
            folders = StageFolders(supervised="supervised/model", last=last)
            write_record(
                self.request.out / RECORD,
                RoeRecord(notation=self.config.notation, repeats=self.config.repeats or "nothing", stages=folders),
            )

    def finish(self) -> dict[str, float]:
        """Write what the folder holds; metrics, and the calls of a question, on a sample of dev."""
        request, second = self.request, SECOND[self.train.stage_two_by]
        there = self.train.rl and (request.out / second).is_dir()
        self._write_record(second if there else "supervised/model")
        dev = self.sample(self.dev, self.train.validate_on, 4)
        if not dev or not is_main_process():
            return {}
        method = RoE(self.config, Tools(link=request.tools.link, model=request.out))
        metrics, answers = measure(method, dev, request.graph)
        return metrics | {"median_calls": float(np.median([answer.details.get("calls", 0) for answer in answers]))}


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Train a model for `request.graph` from `request.examples`: Stage I, then Stage II unless `rl` is off.

    Both models stay in the folder (`method.stage` chooses) with the curves of loss, accuracy and every reward beside
    them (`supervised/curve.csv`, `reinforced/curve.svg`, …); what was left out and why is in `mining.json`.

    Raises TrainingError when no question has a path to an answer, ConfigError for settings that do not go together.
    """
    work = RoeTraining(request, on_event)
    pairs, rewarded = work.run("mine gold paths", work.mine)
    work.run("stage I, supervision", work.supervise, pairs)
    work.run("stage II, rewards", work.reward, rewarded)
    return work.result(work.run("write and measure", work.finish))
