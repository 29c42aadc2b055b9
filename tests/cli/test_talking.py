"""`clew chat`: a talk in which later questions refer to earlier ones, and its commands."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.cli.talking import talk
from clew.graph import Graph
from clew.methods import registry
from clew.settings import configure
from clew.workspace import Workspace

sys.path.insert(0, str(Path(__file__).parents[1]))

TRIPLES = [
    ("brazil", "directed by", "gilliam"),
    ("bandits", "directed by", "gilliam"),
    ("gilliam", "born in", "minneapolis"),
    ("france", "capital", "paris"),
    ("italy", "capital", "rome"),
    ("italy", "currency", "euro"),
]
LABELS = {"brazil": "Brazil", "gilliam": "Terry Gilliam", "france": "France", "italy": "Italy", "paris": "Paris",
          "rome": "Rome", "minneapolis": "Minneapolis", "bandits": "Bandits", "euro": "Euro"}  # fmt: skip


@pytest.fixture(autouse=True)
def follow_method() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "ROOMS", (*registry.ROOMS, "follow_room"))
        yield


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """lines typed → for each the text that was printed before the next was read."""

    def run(*lines: str) -> list[str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))  # not a terminal
        graph = Graph.from_triples(TRIPLES, labels=LABELS, name="talk")
        flags = {"method": {"name": "follow"}, "encoder": {"name": "hash-256"}}
        printed: list[str] = []
        left = list(lines)

        def read() -> str:
            printed.append(capsys.readouterr().out)
            if not left:
                raise EOFError
            return left.pop(0)

        talk(Workspace(configure(flags=flags, environment={}), graph=graph), read)
        return printed[1:] + [capsys.readouterr().out] * (len(lines) + 1 - len(printed))

    return run


def test_a_follow_up_refers_to_what_was_said(said: Callable[..., list[str]]) -> None:
    first, second, third = said("What is the capital of France?", "and Italy?", "What is the currency of it?")[:3]
    assert first.startswith("Paris") and second.startswith("Rome") and "read as" in second
    assert third.startswith("Euro"), third


def test_why_shows_the_evidence_and_why_not_the_nearest_path(said: Callable[..., list[str]]) -> None:
    _, why, why_not, unknown = said("What is the capital of France?", "/why", "/why Rome", "/why Atlantis")[:4]
    assert "France" in why and "capital" in why
    assert "no path" in why_not or "capital" in why_not
    assert "no entity 'Atlantis'" in unknown


def test_topics_are_shown_and_can_be_corrected(said: Callable[..., list[str]]) -> None:
    _, shown, again = said("What is the capital of France?", "/topics", "/topics Italy")[:3]
    assert "France" in shown and "france" in shown
    assert again.startswith("Rome")


def test_the_method_can_be_changed(said: Callable[..., list[str]]) -> None:
    now, unknown, changed, answer = said("/method", "/method walc", "/method walk", "Where was Terry Gilliam born?")[:4]
    assert now.startswith("follow:")
    assert "walk" in unknown
    assert "walk answers from now on" in changed
    assert answer


def test_history_and_a_fresh_start(said: Callable[..., list[str]]) -> None:
    _, history, _, after = said("What is the capital of France?", "/history", "/new", "and Italy?")[:4]
    assert history == "1. What is the capital of France?  →  Paris\n"
    assert "Rome" not in after  # nothing to refer to any more


def test_mistakes_are_said_and_the_talk_goes_on(said: Callable[..., list[str]]) -> None:
    nothing, unknown, help_, answer, _ = said("/why", "/whi", "/help", "What is the capital of France?", "/quit")
    assert "nothing was asked yet" in nothing
    assert "/why" in unknown and "/help" in unknown
    assert "/topics" in help_
    assert answer.startswith("Paris")


def test_control_characters_of_a_label_never_reach_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = Graph.from_triples([("a", "capital", "b")], labels={"a": "France", "b": "\x1b[31mParis\x07"}, name="evil")
    flags = {"method": {"name": "follow"}, "encoder": {"name": "hash-256"}}
    lines = iter(["What is the capital of France?", "/why", "/history", "/quit"])
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    talk(Workspace(configure(flags=flags, environment={}), graph=graph), lambda: next(lines))
    out = capsys.readouterr().out
    assert "Paris" in out and "\x1b" not in out and "\x07" not in out
