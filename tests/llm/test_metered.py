"""Accounts: cache, budgets, log; also under threads and kill -9."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.errors import BudgetError, FormatError, UnavailableError
from clew.llm import Budget, BudgetExhausted, Meter, MeteredModel, ModelSettings, Price, ReplyCache, open_language_model
from clew.llm.cache import request_key
from clew.protocols import LLMReply, LLMRequest, LLMText, Message
from clew.testing.fake_llm import FakeLanguageModel, FakeServer
from clew.testing.language_model import LanguageModelSuite
from clew.types import Usage


def ask(text: str = "hi", **options: Any) -> LLMRequest:
    return LLMRequest((Message("user", text),), **{"max_tokens": 10, **options})


def ledger(model: Any, cache: Path | None = None, *, price: Price | None = None, **options: Any) -> MeteredModel:
    run = {key: options.pop(key) for key in ("concurrency", "group") if key in options}
    meter = Meter(Budget(**options), price)
    return MeteredModel(model, meter=meter, cache=None if cache is None else ReplyCache(cache), **run)


class TestConformance(LanguageModelSuite):
    @pytest.fixture(params=[(1, 1), (4, 1), (1, 2)])
    def model(self, request: pytest.FixtureRequest, tmp_path: Path) -> MeteredModel:
        script = lambda r: '{"city": "Paris"}' if r.json_schema else "Paris"  # noqa: E731
        concurrency, group = request.param
        return ledger(FakeLanguageModel(script), tmp_path / "c.db", concurrency=concurrency, group=group)


def test_cache_hits_cost_nothing_and_are_counted_apart(tmp_path: Path) -> None:
    fake = FakeLanguageModel("one two")
    model = ledger(fake, tmp_path / "c.db", price=Price(prompt=1e6, completion=2e6))
    first = model.generate([ask("a b c"), ask("a b c")])
    assert [reply.usage for reply in first] == [Usage(1, 0, 3, 2, 7.0), Usage(0, 1)]
    again = ledger(fake, tmp_path / "c.db").generate([ask("a b c")])[0]
    assert (again.text, again.usage) == ("one two", Usage(0, 1))
    assert len(fake.requests) == 1
    assert model.usage == Usage(1, 1, 3, 2, 7.0)


def test_key_sees_every_parameter() -> None:
    base = ask("a")
    changes: list[dict[str, Any]] = [
        {"messages": (Message("system", "a"),)}, {"max_tokens": 11}, {"temperature": 0.5}, {"n": 2}, {"beams": 2},
        {"stop": ("x",)}, {"seed": 1}, {"logprobs": True}, {"json_schema": {"type": "object"}},
        {"soft_prompt": np.zeros((1, 2), np.float32)}, {"soft_prompt": np.zeros((2, 1), np.float32)},
        {"soft_prompt": np.ones((1, 2), np.float32)},
    ]  # fmt: skip
    keys = [request_key("m", base), request_key("other", base)]
    keys += [request_key("m", replace(base, **change)) for change in changes]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert {name for change in changes for name in change} | {"constraint"} == set(base.__dataclass_fields__)
    assert request_key("m", replace(base, constraint=object())) is None


def test_lone_surrogates_survive(tmp_path: Path) -> None:
    model = ledger(FakeLanguageModel("ok \ud800"), tmp_path / "c.db")
    assert model.generate([ask("bad \udcff")])[0].text == model.generate([ask("bad \udcff")])[0].text
    assert model.usage.cached_calls == 1


def test_budget_of_calls_stops_hard_with_what_was_finished() -> None:
    fake = FakeLanguageModel(lambda request: request.messages[0].content.upper())
    model = ledger(fake, calls=2)
    with pytest.raises(BudgetExhausted, match=r"2 of 2 calls used.*language_model.budget.calls") as caught:
        model.generate([ask("a"), ask("b"), ask("c")])
    assert isinstance(caught.value, BudgetError)
    assert [reply and reply.text for reply in caught.value.partial] == ["A", "B", None]
    assert len(fake.requests) == 2


@pytest.mark.parametrize("group", [1, 4])
def test_budget_of_tokens_is_never_overrun_by_parallel_calls(group: int) -> None:
    def slowly(request: LLMRequest) -> str:
        time.sleep(0.005)
        return "w " * 9 + "w"

    fake = FakeLanguageModel(slowly)
    model = ledger(fake, tokens=100, concurrency=8, group=group)
    with pytest.raises(BudgetExhausted, match="tokens"):
        model.generate([ask(f"q{i}") for i in range(30)])
    spent = model.usage.prompt_tokens + model.usage.completion_tokens
    assert 60 <= spent <= 100


def test_budget_of_money_and_seconds() -> None:
    model = ledger(FakeLanguageModel("x"), price=Price(completion=1e6), cost=15.0)
    with pytest.raises(BudgetExhausted, match="cost"):
        model.generate([ask(str(i)) for i in range(30)])
    assert 5 <= model.usage.cost <= 15
    now = [0.0]
    meter = Meter(Budget(seconds=2), None, clock=lambda: now[0])
    timed = MeteredModel(FakeLanguageModel("x"), meter=meter)
    timed.generate([ask()])
    now[0] = 2.5
    with pytest.raises(BudgetExhausted, match="seconds"):
        timed.generate([ask()])


def test_a_failed_call_counts_by_its_estimate_and_gives_the_rest_back(tmp_path: Path) -> None:
    class Failing(FakeLanguageModel):
        def generate(self, requests: Any) -> list[LLMReply]:
            raise UnavailableError("no server")

    model = ledger(Failing("x"), tmp_path / "c.db", tokens=40)
    for _ in range(3):  # each is 9 tokens of prompt; reserved were 10 more
        with pytest.raises(UnavailableError):
            model.generate([ask()])
    assert model.usage == Usage(3, 0, 27, 0, 0.0, 3)
    with pytest.raises(BudgetExhausted, match=r"27 of 40 tokens used \(3 calls by estimate\)"):
        model.generate([ask()])
    assert model.cache is not None
    assert [call.error for call in model.cache.calls()] == ["no server"] * 3


def test_one_failure_in_a_batch_keeps_the_other_replies(tmp_path: Path) -> None:
    def script(request: LLMRequest) -> str:
        if request.messages[0].content == "bad":
            raise UnavailableError("refused")
        return "ok"

    model = ledger(FakeLanguageModel(script), tmp_path / "c.db", concurrency=4)
    with pytest.raises(UnavailableError):
        model.generate([*(ask(f"q{i}") for i in range(3)), ask("bad")])
    fresh = FakeLanguageModel("again")
    replies = ledger(fresh, tmp_path / "c.db").generate([ask("q0"), ask("bad")])
    assert [reply.text for reply in replies] == ["ok", "again"]


def test_call_log_shows_prompt_and_texts(tmp_path: Path) -> None:
    model = ledger(FakeLanguageModel("said"), tmp_path / "c.db")
    model.generate([ask("asked")])
    model.generate([ask("asked")])
    assert model.cache is not None
    last, first = model.cache.calls()
    assert (last.cached, first.cached) == (True, False)
    assert first.prompt == ({"role": "user", "content": "asked"},)
    assert first.texts == ("said",)
    assert first.usage == Usage(1, 0, 1, 1)


def test_threads_share_a_ledger(tmp_path: Path) -> None:
    fake = FakeLanguageModel(lambda request: request.messages[0].content)
    model = ledger(fake, tmp_path / "c.db", concurrency=2)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: model.generate([ask(f"q{i % 10}")])[0].text, range(200)))
    assert found == [f"q{i % 10}" for i in range(200)]
    assert model.usage.calls + model.usage.cached_calls == 200
    assert model.usage.calls == len(fake.requests) <= 80


def test_two_processes_create_the_file_at_once(tmp_path: Path) -> None:
    barrier = threading.Barrier(6)

    def open_() -> None:
        barrier.wait()
        ReplyCache(tmp_path / "deep" / "c.db").close()

    with ThreadPoolExecutor(6) as pool:
        for future in [pool.submit(open_) for _ in range(6)]:
            future.result()


WRITER = """
import sys
from pathlib import Path
from clew.llm import ReplyCache
from clew.protocols import LLMReply, LLMRequest, LLMText, Message
cache = ReplyCache(Path(sys.argv[1]))
for i in range(100000):
    request = LLMRequest((Message("user", f"q{i}"),))
    cache.put(str(i), "m", request, LLMReply((LLMText(f"a{i}" * 50),)))
    print(i, flush=True)
"""


def test_kill_minus_nine_loses_nothing_that_was_reported(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    for patience in (1, 40, 300):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, env={**os.environ}
        ) as process:
            assert process.stdout is not None
            for _ in range(patience):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.wait()
            rest = process.stdout.read().split()
        last = int(rest[-1]) if rest else patience - 1
        cache = ReplyCache(path)
        for i in range(last + 1):
            reply = cache.get(str(i))
            assert reply is not None
            assert reply.text == f"a{i}" * 50
        cache.close()


def test_damaged_foreign_and_newer_files_are_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"this is no database, " * 100)
    with pytest.raises(FormatError, match="damaged"):
        ReplyCache(damaged)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    with pytest.raises(FormatError, match="not a reply cache"):
        ReplyCache(foreign)
    newer = tmp_path / "newer.db"
    ReplyCache(newer).close()
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(FormatError, match="format 99"):
        ReplyCache(newer)
    with pytest.raises(UnavailableError, match="cannot be opened"):
        ReplyCache(tmp_path)


def test_probe_result_is_remembered_across_processes(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    with FakeServer('{"a": 1}', refuses=["json_schema"], honours_schema=False) as server:
        settings = ModelSettings(model="fake", base_url=server.url, cache=tmp_path / "c.db")
        (first,) = open_language_model(settings).generate([ask(json_schema=schema)])
        assert first.usage.calls > 1  # the probe is paid for and shown
        asked = len(server.bodies)
        open_language_model(settings).generate([ask("other", json_schema=schema)])
        assert len(server.bodies) == asked + 1


def test_replies_keep_their_fields(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    texts = (LLMText("a", -1.5, 3, False), LLMText("b"))
    cache.put("k", "m", ask(), LLMReply(texts, Usage(1, 0, 5, 5, 1.0)))
    assert cache.get("k") == LLMReply(texts, Usage(cached_calls=1))
    assert cache.get("other") is None


def test_a_full_disk_is_one_clear_message(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    pages = cache._db.execute("PRAGMA page_count").fetchone()[0]
    cache._db.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(UnavailableError, match=r"c\.db: the reply cache does not work: .*full"):
        for i in range(100):
            cache.put(str(i), "m", ask(), LLMReply((LLMText("x" * 2000),)))
    assert cache.get("0") is not None


def test_a_stream_is_budgeted(tmp_path: Path) -> None:
    model = ledger(FakeLanguageModel("one two three"), calls=1)
    assert list(model.stream(ask())) == ["one", " two", " three"]
    assert (model.usage.calls, model.usage.completion_tokens) == (1, 3)
    with pytest.raises(BudgetExhausted, match="calls"):
        list(model.stream(ask()))


def test_every_change_of_a_stored_reply_is_found(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    reply = LLMReply((LLMText("Paris", -1.5, 3),))
    cache.put("k", "m", ask(), reply)
    cache.log("m", "k", 0.1, Usage(1))
    cache.remember("m", {"json_mode": "prompt"})
    changes = {
        "replies": ["reply='[]'", "reply='{'", "reply=replace(reply, 'Paris', 'Parts')", "reply=x'00ff'", "sum=NULL",
                    "request='[]'", "reply='[{\"text\": 3}]'", "sum=x'00'", f"reply='{'[' * 5000}'"],
        "servers": ["findings='{'", "findings='3'", f"findings='{'[' * 5000}'", "findings='{}'", "sum=NULL"],
        "calls": ["time=1.5", "model='n'", "key=NULL", "cached=1", "seconds=-1", "prompt_tokens='x'", "cost=9",
                  "error='no'", "sum=NULL", "id=7"],
    }  # fmt: skip
    readers = {"replies": lambda: cache.get("k"), "servers": lambda: cache.findings("m"), "calls": cache.calls}
    for table, each in changes.items():
        for change in each:
            cache._db.execute("BEGIN")
            cache._db.execute(f"UPDATE {table} SET {change}")
            with pytest.raises(FormatError, match="damaged"):
                readers[table]()
            if table == "replies":
                with pytest.raises(FormatError, match="damaged"):
                    cache.calls()
            cache._db.execute("ROLLBACK")
    assert cache.get("k") == LLMReply(reply.texts, Usage(cached_calls=1))


@pytest.mark.parametrize(("version", "without"), [(1, ("replies", "calls", "servers")), (2, ("calls", "servers"))])
def test_a_cache_of_an_earlier_format_goes_on(tmp_path: Path, version: int, without: tuple[str, ...]) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    cache.put("k", "m", ask(), LLMReply((LLMText("a"),)))
    cache.log("m", "k", 0.1, Usage(1, 0, 5, 3, 0.5), "late")
    cache.remember("m", {"thinks": True})
    calls = cache.calls()
    cache.close()
    with sqlite3.connect(tmp_path / "c.db") as db:
        for table in without:
            db.execute(f"ALTER TABLE {table} DROP COLUMN sum")
        db.execute(f"PRAGMA user_version={version}")
    db.close()
    again = ReplyCache(tmp_path / "c.db")
    found = again.get("k")
    assert found is not None
    assert found.text == "a"
    assert (again.calls(), again.findings("m")) == (calls, {"thinks": True})
