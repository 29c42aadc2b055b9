"""What every training does around what it teaches: its questions, its stages, its decoders, and what it tells.

A room's training inherits `Training` and adds stages, so that every method holds out dev questions, counts what cannot
be learned from, resumes and reports in the same way. Loads no torch.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from clew.errors import MissingExtraError, TrainingError
from clew.learning.curve import write_curve
from clew.learning.folders import write_json
from clew.learning.processes import is_main_process, wait_for_all
from clew.learning.scratch import DecoderSize, create_decoder
from clew.learning.trainer import Tuned
from clew.learning.tuning import Pair, TuneSettings, tune
from clew.paths.examples import NO_PATH, LeftOut
from clew.protocols import OnEvent, TrainRequest, TrainResult
from clew.types import Event

MODEL, START = "model", "start"  # what a tuning leaves, and the decoder from scratch that it begins with
P = ParamSpec("P")
T = TypeVar("T")


class Training:
    """One training.

    Args:
        stages: how many there will be. needs: packages that must be importable.
        made: files and folders under `request.out`, which a training that does not go on from an earlier one removes.

    Raises MissingExtraError at once when a package is not installed, and not after hours of mining.
    """

    def __init__(
        self,
        request: TrainRequest,
        on_event: OnEvent,
        stages: int,
        *,
        needs: Sequence[str] = (),
        made: Sequence[str] = (),
    ) -> None:
        for package in needs:
            if find_spec(package) is None:
                raise MissingExtraError(f"this training ({package})", "train")
        self.request, self.on_event, self._stages = request, on_event, stages
        self.examples, self.dev = list(request.examples), list(request.dev)
        self.left: LeftOut = {}
        self.details: dict[str, Any] = {}  # of the result
        self.seconds: dict[str, float] = {}  # wall clock by stage
        request.out.mkdir(parents=True, exist_ok=True)
        if not request.resume and is_main_process():
            for path in (request.out / name for name in made):
                if path.is_dir():
                    shutil.rmtree(path)
                path.unlink(missing_ok=True)
        wait_for_all()

    def run(self, name: str, stage: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `stage` returns; it is told and timed."""
        self.tell(f"{name} ({len(self.seconds) + 1} of {self._stages})", stage=name)
        start = time.perf_counter()
        made = stage(*args, **kwargs)
        self.seconds[name] = time.perf_counter() - start
        return made

    def tell(self, message: str, **data: Any) -> None:
        self.on_event(Event("train", message, data))

    def sample(self, items: Sequence[T], count: int | None, salt: int) -> list[T]:
        """At most `count` of `items` (None: all), in an order by chance that seed and `salt` decide."""
        order = np.random.default_rng((self.request.seed, salt)).permutation(len(items))[:count]
        return [items[i] for i in order.tolist()]

    def hold_out(self, share: float, most: int | None = None) -> None:
        """Without dev questions, a share of the training questions becomes them; a single question is both.

        A question that stands there twice is on one side.
        """
        if self.dev or not share or most == 0:
            return
        texts = list(dict.fromkeys(example.question.text for example in self.examples))
        order = self.sample(texts, len(texts), 0)
        held = set(order[: min(max(1, round(share * len(order))), most or len(order))])
        self.dev = [example for example in self.examples if example.question.text in held]
        self.examples = [example for example in self.examples if example.question.text not in held] or self.dev

    def leave_out(self, left: Mapping[str, Sequence[str]]) -> None:
        """Count questions, by reason their ids, that cannot be learned from."""
        for reason, ids in left.items():
            self.left.setdefault(reason, []).extend(ids)

    def tell_mined(
        self, found: int, what: str, questions: int, report: Mapping[str, Any], out: Path | None = None
    ) -> None:
        """Write `mining.json` into `out` and say what there is to learn from.

        Raises TrainingError where there is nothing.
        """
        path = (out or self.request.out) / "mining.json"
        left = {reason: ids for reason, ids in self.left.items() if reason != NO_PATH}
        unreachable = self.left.get(NO_PATH, [])
        if is_main_process():
            full = {"questions": questions, **report, "without a path": unreachable, "left out": left}
            path.parent.mkdir(exist_ok=True)
            write_json(path, full)
        self.details |= {"questions": questions, **{k: v for k, v in report.items() if not isinstance(v, list)}}
        self.details["left out"] = {reason: len(ids) for reason, ids in self.left.items()}
        counts = ", ".join(f"{len(ids)} {reason}" for reason, ids in left.items())
        lost = f"{len(unreachable)} without a path" + (f"; left out: {counts}" if counts else "")
        self.tell(f"{found} {what} from {questions} questions; {lost}", found=found)
        if not found:
            raise TrainingError(
                f"no question has a path from a topic to an answer ({lost}): check that topics and answers are ids or "
                f"labels of this graph (graph {self.request.graph.name!r}); the reasons are in {path}"
            )

    def finished(self, out: Path) -> bool:
        """Whether an earlier start of this training has left `out/model`."""
        return self.request.resume and (out / MODEL / "config.json").is_file()

    def tune(
        self,
        base: str | Path,
        pairs: Sequence[Pair],
        out: Path,
        settings: TuneSettings,
        *,
        size: str | DecoderSize = "3m",
        keep: Iterable[str] = (),
        constant: bool = False,
    ) -> Tuned | None:
        """Tune `base`, or where it is empty a decoder from scratch, and leave it as `out/model`.

        Args:
            size, keep: of that decoder, see `create_decoder`.
            constant: as of `tune`.

        None where it is `finished`. The curve of the loss lies beside the model.
        """
        resume, start = self.request.resume, out / START
        if self.finished(out):
            return None
        if not base:
            if is_main_process() and not (resume and (start / "config.json").is_file()):
                texts = [text for pair in pairs for text in (*(turn.content for turn in pair.prompt), pair.completion)]
                parameters = create_decoder(start, texts, size=size, keep=keep, seed=self.request.seed)
                self.details["parameters" if out == self.request.out else f"parameters of {out.name}"] = parameters
                self.tell(f"a decoder of {parameters:,} parameters", parameters=parameters)
            wait_for_all()
        tuned = tune(
            base or start,
            pairs,
            out,
            settings,
            seed=self.request.seed,
            resume=resume,
            constant=constant,
            on_event=self.on_event,
        )
        write_curve(out, tuned.curve, "mean_token_accuracy")
        if is_main_process():
            shutil.rmtree(start, ignore_errors=True)
        return tuned

    def result(self, metrics: Mapping[str, float]) -> TrainResult:
        return TrainResult(self.request.out, metrics, self.seconds, self.details)
