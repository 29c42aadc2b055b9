"""The OpenAI-compatible backend against a real local server that misbehaves on purpose."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from clew.errors import ConfigError, UnavailableError
from clew.llm import ModelSettings, open_language_model, parse_answers, parse_json
from clew.llm.remote import RemoteModel
from clew.protocols import LanguageModel, LLMRequest, Message
from clew.secrecy import remember_secret
from clew.testing.fake_llm import FakeServer, Fault
from clew.testing.language_model import LanguageModelSuite


def ask(text: str = "hi", **options: Any) -> LLMRequest:
    return LLMRequest((Message("user", text),), **options)


def remote(server: FakeServer, *, waits: list[float] | None = None, **options: Any) -> RemoteModel:
    settings = ModelSettings(model="fake", base_url=server.url, **options)
    return RemoteModel(settings, sleep=[].append if waits is None else waits.append)


class TestConformance(LanguageModelSuite):
    @pytest.fixture(params=["plain", "no schema", "picky"])
    def model(self, request: pytest.FixtureRequest) -> Iterator[LanguageModel]:
        refuses = {"plain": [], "no schema": ["json_schema"], "picky": ["max_tokens", "temperature", "n", "seed"]}
        script = lambda body: '{"city": "Paris"}' if "JSON" in str(body["messages"]) else "Paris"  # noqa: E731
        with FakeServer(script, refuses=refuses[request.param]) as server:
            yield open_language_model(ModelSettings(model="fake", base_url=server.url))


def test_order_and_bounded_concurrency() -> None:
    together = threading.Event()

    def slowly(body: dict[str, Any]) -> str:
        if server.most_under_way == 3:
            together.set()
        assert together.wait(60), "three requests were never under way at once"
        time.sleep(0.01)
        return str(body["messages"][0]["content"]).upper()

    with FakeServer(slowly) as server:
        replies = remote(server, concurrency=3).generate([ask(f"q{i}") for i in range(10)])
        assert [reply.text for reply in replies] == [f"Q{i}" for i in range(10)]
        assert server.most_under_way == 3


def test_retry_after_is_obeyed() -> None:
    waits: list[float] = []
    script = [Fault(429, headers={"retry-after": "7"}), Fault(503), "fine"]
    with FakeServer(script) as server:
        assert remote(server, waits=waits).generate([ask()])[0].text == "fine"
    assert 7.0 <= waits[0] <= 7.0 * 1.25
    assert 1.0 <= waits[1] <= 1.25  # no header: exponential


def test_a_pause_beyond_the_limit_is_an_error() -> None:
    with (
        FakeServer([Fault(429, headers={"retry-after": "3600"})]) as server,
        pytest.raises(UnavailableError, match="asks to wait 3600 s"),
    ):
        remote(server).generate([ask()])


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(500, "exploded"), "failed 3 times, last with status 500: exploded"),
        (Fault(body=b"<html>proxy</html>"), "no JSON: '<html>proxy"),
        (Fault(body=b'{"choices": ["x", "y"]}', cut=True), "failed 3 times"),
        (Fault(delay_s=60.0), r"no whole reply within 0\.2 s"),
        (Fault(dribble_s=0.05), r"no whole reply within 0\.2 s"),
    ],
)
def test_what_keeps_failing_is_reported(fault: Fault, words: str) -> None:
    with FakeServer([fault] * 3) as server, pytest.raises(UnavailableError, match=words):
        slow = fault.delay_s or fault.dribble_s
        remote(server, max_retries=2, timeout_s=0.2 if slow else 60.0).generate([ask()])


@pytest.mark.parametrize(
    "body", [b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}', b"null"]
)
def test_a_reply_of_another_shape(body: bytes) -> None:
    with FakeServer([Fault(body=body)]) as server, pytest.raises(UnavailableError, match="fake@http"):
        remote(server).generate([ask()])


def test_refused_key_and_unknown_model_are_not_retried() -> None:
    with FakeServer("x", key="secret") as server:
        with pytest.raises(UnavailableError, match="check the key in OPENAI_API_KEY"):
            remote(server).generate([ask()])
        assert len(server.bodies) == 1
    with FakeServer("x", models=["other"]) as server, pytest.raises(UnavailableError, match="does not exist"):
        remote(server).generate([ask()])


def test_an_unreachable_server_is_said_at_once() -> None:
    waits: list[float] = []
    with socket.socket() as taken:  # bound, not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        model = RemoteModel(ModelSettings(model="m1", base_url=url), sleep=waits.append)
        with pytest.raises(UnavailableError) as caught:
            model.generate([ask()])
    assert not waits, "a refused connection is said at once"
    for part in (url, "m1", "refused"):
        assert part in str(caught.value)


def test_a_silent_network_is_waited_for_two_seconds_at_most() -> None:
    assert ModelSettings.model_fields["connect_timeout_s"].default <= 2
    with socket.socket() as full:  # a backlog of none that is never accepted: further connections hang
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        fillers = []
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(address)
            fillers.append(filler)
        model = RemoteModel(ModelSettings(model="m1", base_url=f"http://127.0.0.1:{address[1]}/v1"))
        begun = time.monotonic()
        with pytest.raises(UnavailableError, match="no language model server at"):
            model.generate([ask()])
        assert time.monotonic() - begun < 30  # the system itself gives up after two minutes
        for filler in fillers:
            filler.close()


def test_refused_parameters_are_left_out_and_remembered() -> None:
    with FakeServer("ok", refuses=["max_tokens", "temperature"]) as server:
        model = remote(server)
        model.generate([ask(max_tokens=5)])
        model.generate([ask(max_tokens=6)])
        assert len(server.bodies) == 4  # two refusals once, then none
        assert server.bodies[-1]["max_completion_tokens"] == 6
        assert "temperature" not in server.bodies[-1]


def test_server_that_gives_one_text_is_asked_again() -> None:
    with FakeServer(["a", "b", "c"], ignores=["n"]) as server:
        (reply,) = remote(server).generate([ask(n=3, temperature=1.0, seed=5)])
        assert [text.text for text in reply.texts] == ["a", "b", "c"]
        assert reply.usage.calls == 3
        assert [body["seed"] for body in server.bodies] == [5, 6, 7]


SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({}, "json_schema"),
        ({"refuses": ["json_schema"]}, "structured_outputs"),
        ({"refuses": ["json_schema"], "honours_schema": False}, "json_object"),
        ({"refuses": ["response_format"], "honours_schema": False}, "prompt"),
        ({"honours_schema": False}, "json_object"),  # accepts the schema and ignores it
    ],
)
def test_json_mode_is_probed_once(options: dict[str, Any], mode: str) -> None:
    with FakeServer('Sure! {"city": "Paris"}', **options) as server:
        model = remote(server)
        for _ in range(2):
            (reply,) = model.generate([ask(json_schema=SCHEMA)])
            assert parse_json(reply.text, SCHEMA).ok
        assert model.json_mode == mode
        probes = sum("Greet me" in str(body["messages"]) for body in server.bodies)
        assert len(server.bodies) == probes + 2
        if mode in ("json_object", "prompt"):
            assert '"city"' in server.bodies[-1]["messages"][-1]["content"]


def test_a_server_that_has_changed_is_probed_again() -> None:
    with FakeServer('{"city": "Paris"}', refuses=["response_format"], honours_schema=False) as server:
        model = remote(server)
        model.remember({"json_mode": "json_schema"})
        (reply,) = model.generate([ask(json_schema=SCHEMA)])
        assert parse_json(reply.text, SCHEMA).ok
        assert model.findings() == {"json_mode": "prompt"}
        with pytest.raises(UnavailableError, match="response_format"):  # a mode that was chosen is not changed
            remote(server, json_mode="json_object").generate([ask(json_schema=SCHEMA)])


def test_broken_json_is_repaired_once() -> None:
    with FakeServer(["oops", '{"city": "Paris"}'], honours_schema=False) as server:
        (reply,) = remote(server, json_mode="prompt").generate([ask(json_schema=SCHEMA)])
        assert json.loads(reply.text) == {"city": "Paris"}
        assert reply.usage.calls == 2
        assert "no JSON in the reply: oops" in server.bodies[1]["messages"][-1]["content"]


def test_logprobs_where_the_server_gives_them() -> None:
    with FakeServer("two words") as server:
        (reply,) = remote(server).generate([ask(logprobs=True)])
        assert (reply.texts[0].logprob, reply.texts[0].tokens) == (-0.5, 2)
    for options in ({"refuses": ["logprobs"]}, {"ignores": ["logprobs"]}):
        with FakeServer("two words", **options) as server:
            model = remote(server)
            with pytest.warns(UserWarning, match="no log-probabilities"):
                (reply,) = model.generate([ask(logprobs=True)])
            assert (reply.text, reply.texts[0].logprob) == ("two words", None)
            assert "logprobs" not in model.abilities
            assert model.findings() == {"logprobs": False}
            asked = len(server.bodies)
            model.generate([ask(logprobs=True)])  # built before it was known: done without, said once
            assert len(server.bodies) == asked + 1
            assert "logprobs" not in server.bodies[-1]


def test_a_cut_text_is_asked_for_once_more_and_marked() -> None:
    with FakeServer("one two three") as server:
        (reply,) = remote(server).generate([ask(max_tokens=2)])
        assert (reply.text, reply.texts[0].finished, reply.usage.calls) == ("one two three", True, 2)
        assert [body["max_tokens"] for body in server.bodies] == [2, 8]
    with FakeServer("w " * 40) as server:
        (reply,) = remote(server).generate([ask(max_tokens=2)])
        assert (len(reply.text.split()), reply.texts[0].finished, len(server.bodies)) == (8, False, 2)
        (reply,) = remote(server, retry_cut=False).generate([ask(max_tokens=2)])
        assert (reply.text, reply.texts[0].finished, len(server.bodies)) == ("w w", False, 3)
    with FakeServer(["w w w", Fault(400, "maximum context length is 8 tokens")]) as server:
        (reply,) = remote(server).generate([ask(max_tokens=2)])
        assert (reply.text, reply.texts[0].finished) == ("w w", False)


def test_a_model_that_thinks_gets_a_reserve() -> None:
    thoughts = "<think> " + "hm " * 500 + "</think> Paris"
    with FakeServer(thoughts) as server:
        model = remote(server)
        assert parse_answers(model.generate([ask(max_tokens=20)])[0].text) == ["Paris"]
        assert model.findings() == {"thinks": True}
        (reply,) = model.generate([ask(max_tokens=20)])  # from now on at once
        assert (parse_answers(reply.text), reply.usage.calls) == (["Paris"], 1)
        assert [body["max_tokens"] for body in server.bodies] == [20, 80 + 4096, 20 + 4096]
        later = remote(server)
        later.remember(model.findings())
        assert later.generate([ask(max_tokens=20)])[0].usage.calls == 1
        told = remote(server, thinking_tokens=1000)
        assert parse_answers(told.generate([ask(max_tokens=20)])[0].text) == ["Paris"]
        assert server.bodies[-1]["max_tokens"] == 1020


def test_a_stream_hides_a_key_that_arrives_in_pieces() -> None:
    remember_secret("piece key of a stream")
    with FakeServer("it is piece key of a stream yes") as server:
        assert "".join(remote(server).stream(ask())) == "it is [key] yes"


def test_stream_and_models() -> None:
    with FakeServer("one two three") as server:
        model = remote(server)
        assert list(model.stream(ask())) == ["one", " two", " three"]
        assert model.models() == ["fake"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "http://localhost:1/v1"}, "model is empty"),
        ({"model": "m", "base_url": "localhost:1"}, "expected http"),
        ({"model": "m", "base_url": "http://u:p@localhost:1/v1"}, "user name"),
        ({"model": "m", "base_url": "https://api.example.org/v1"}, "OPENAI_API_KEY"),
    ],
)
def test_bad_settings(settings: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=words):
        RemoteModel(ModelSettings(**settings))


def test_environment_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer("ok", key="secret") as server:
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = open_language_model(ModelSettings(model="fake"))
        assert model.generate([ask()])[0].text == "ok"
        assert "secret" not in model.name
