"""The same rows from many machines: Ray Data hands batches to workers that each open the method once.

Separate from the local engine because nothing else may import ray. Questions travel as plain JSON (without gold), rows
come back as finished lines, and only the process that holds the run's folder writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from clew.datasets import parse_example, to_plain
from clew.errors import MissingExtraError, UnavailableError
from clew.jsontext import read_json, write_json
from clew.protocols import Example, GraphStore
from clew.runs.engine import Keeper, Predict, RunProgress, answer_chunk, chunks
from clew.runs.folder import Run, RunRow
from clew.types import Gold

Opener = Callable[[], tuple[Predict, GraphStore]]


def answer_with_ray(
    run: Run,
    examples: Iterable[Example],
    opener: Opener,
    *,
    batch: int = 32,
    workers: int = 2,
    address: str | None = None,
    max_failures: int = 20,
    on_progress: Callable[[RunProgress], None] | None = None,
    total: int | None = None,
) -> RunProgress:
    """Answer every example that has no answer in `run` yet, on a Ray cluster.

    Args:
        opener: makes the method and the graph inside a worker; must be picklable.
        workers: processes that each hold a method.
        address: of a running cluster; None starts one on this machine and stops it at the end.

    Raises:
        MissingExtraError: ray is not installed. UnavailableError: no cluster at `address`.
        RunStoppedError: after `max_failures` failures; every row so far is kept.
    """
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None
    finished = run.answered()
    asked = [{"question": _line(example)} for example in examples if example.question.id not in finished]
    keeper = Keeper(run, max_failures, on_progress, total)
    if not asked:
        return keeper.progress
    ours = not ray.is_initialized()
    if ours:
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
        except ConnectionError as error:
            raise UnavailableError(
                f"no Ray cluster at {address!r}: {error}; start one with  ray start --head"
            ) from None
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        answered = ray.data.from_items(asked).map_batches(
            _Worker, fn_constructor_args=(opener,), batch_size=batch, compute=ray.data.ActorPoolStrategy(size=workers)
        )
        for lines in answered.iter_batches(batch_size=batch, prefetch_batches=0):
            keeper.keep([RunRow.from_json(read_json(line)) for line in lines["row"]])
    finally:
        if ours:
            ray.shutdown()
    return keeper.progress


class _Worker:
    """Lives in a Ray process."""

    def __init__(self, opener: Opener) -> None:
        self.predict, self.graph = opener()

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        examples = [parse_example(read_json(line)) for line in batch["question"]]
        items = [(e.question, self.graph if e.graph is None else e.graph) for e in examples]
        rows = []
        for chunk in chunks(items, len(items)):
            found, fatal = answer_chunk(chunk, self.predict)
            if fatal is not None:
                raise fatal
            rows += found
        return {"row": [row.to_line().decode() for row in rows]}


def _line(example: Example) -> str:
    """An example as JSON without its gold."""
    return write_json(to_plain(Example(example.question, Gold((), stated=False), example.graph)))
