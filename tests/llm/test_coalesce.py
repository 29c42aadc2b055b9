"""Many callers, one worker."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from clew.llm.coalesce import Coalescer


def coalescer(seen: list[list[int]], **options: float) -> Coalescer[int, int]:
    """Jobs are numbers: odd and even ones do not go together, the tens are the length."""

    def work(batch: list[int]) -> list[int]:
        seen.append(batch)
        time.sleep(0.005)
        if 99 in batch:
            raise ValueError("no 99")
        return [-job for job in batch]

    limit = int(options.pop("limit", 4))
    return Coalescer(work, limit=limit, kind=lambda j: j % 2, length=lambda j: j // 10, rows=lambda j: 1, **options)


def test_each_caller_gets_its_own_results() -> None:
    seen: list[list[int]] = []
    worker = coalescer(seen)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: worker.run([2 * i, 2 * i + 1]), range(40)))
    assert found == [[-2 * i, -2 * i - 1] for i in range(40)]
    assert all(len({job % 2 for job in batch}) == 1 and len(batch) <= 4 for batch in seen)
    assert len(seen) < 60
    worker.close()


def test_similar_lengths_go_together_and_the_oldest_goes_first() -> None:
    seen: list[list[int]] = []
    worker = coalescer(seen, limit=2)
    assert worker.run([50, 10, 52, 12, 90]) == [-50, -10, -52, -12, -90]
    assert seen == [[50, 52], [10, 12], [90]]
    worker.close()


def test_an_error_reaches_only_the_callers_of_its_batch() -> None:
    seen: list[list[int]] = []
    worker = coalescer(seen)
    with pytest.raises(ValueError, match="no 99"):
        worker.run([99])
    assert worker.run([2]) == [-2]
    worker.close()


def test_company_is_waited_for_but_not_for_ever() -> None:
    seen: list[list[int]] = []
    worker = coalescer(seen, limit=100, window_s=0.05)
    barrier = threading.Barrier(5)

    def call(i: int) -> list[int]:
        barrier.wait()
        time.sleep(0.01 * i)
        return worker.run([2 * i])

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(call, range(5)))
    assert len(seen) == 1
    begun = time.monotonic()
    worker.run([2])
    assert time.monotonic() - begun < 0.5
    worker.close()


def test_a_closed_worker_says_so() -> None:
    worker = coalescer([])
    assert worker.run([2]) == [-2]
    worker.close()
    with pytest.raises(RuntimeError, match="closed"):
        worker.run([4])
