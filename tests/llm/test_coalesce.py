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
    worker.close()


def test_what_arrives_during_a_batch_is_shared() -> None:
    """Forty callers come while the first batch is under way: ten batches of four follow it."""
    begun, go, seen = threading.Event(), threading.Event(), list[list[int]]()

    def work(batch: list[int]) -> list[int]:
        begun.set()
        assert go.wait(60)
        seen.append(batch)
        return batch

    worker = Coalescer[int, int](work, limit=4, kind=lambda j: 0, length=lambda j: 0, rows=lambda j: 1)
    with ThreadPoolExecutor(41) as pool:
        first = pool.submit(worker.run, [100])
        assert begun.wait(60)
        others = [pool.submit(worker.run, [i]) for i in range(40)]
        while len(worker._waiting) < 40:
            time.sleep(0.01)
        go.set()
        assert [other.result() for other in others] == [[i] for i in range(40)] and first.result() == [100]
    assert [len(batch) for batch in seen] == [1] + [4] * 10
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
    """Five that fill a batch are in one, however late they come; one alone is served when nobody else does."""
    seen: list[list[int]] = []
    worker = coalescer(seen, limit=5, window_s=60)
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda i: worker.run([2 * i]), range(5)))
    assert [sorted(batch) for batch in seen] == [[0, 2, 4, 6, 8]]
    worker.close()
    alone = coalescer(seen, limit=5, window_s=0.05)
    assert alone.run([2]) == [-2]
    alone.close()


def test_a_closed_worker_says_so() -> None:
    worker = coalescer([])
    assert worker.run([2]) == [-2]
    worker.close()
    with pytest.raises(RuntimeError, match="closed"):
        worker.run([4])
