"""The loop behind `clew chat`: questions that may refer to earlier ones, and commands that begin with a slash."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.cli.asking import _put
from clew.cli.screen import clean
from clew.errors import ClewError, InputError

if TYPE_CHECKING:
    from clew.serve.followup import Said
    from clew.types import Answer
    from clew.workspace import Workspace

HELP = """Ask a question; "he", "it" or "and Italy?" refer to what was said before.
  /why [ENTITY]    the evidence of the last answer; why ENTITY is not one
  /topics [NAME…]  what the last question was about; ask it again about these, separated by ;
  /method [NAME]   which method answers; answer with another
  /history         what was asked
  /new             forget what was said
  /quit            end"""


@dataclass(slots=True)
class Talk:
    """What has been said, and who answers."""

    workspace: Workspace
    answers: list[Answer] = field(default_factory=list)
    turns: list[Said] = field(default_factory=list)

    def ask(self, text: str, topics: tuple[str, ...] = ()) -> Answer:
        """The answer, its pronouns read as earlier turns say."""
        from clew.serve.followup import resolve, turn_of
        from clew.types import Question

        space, note = self.workspace, ""
        if not topics and self.turns:
            encoder = space.encoder(space.model())
            link = space.link(encoder)
            found = resolve(
                text, self.turns, space.graph, lambda asked: list(link(asked, space.graph)), encoder=encoder
            )
            text, topics, note = found.text, found.topics, found.note
        answer = space.ask(Question("q", text).text, topics=topics, id=f"q{len(self.answers) + 1}")
        if note:
            answer = replace(answer, note=f"{note}; {answer.note}" if answer.note else note)
        self.answers.append(answer)
        self.turns.append(turn_of(answer))
        return answer

    def last(self) -> Answer:
        if not self.answers:
            raise InputError("nothing was asked yet")
        return self.answers[-1]


def talk(workspace: Workspace, read: Callable[[], str] | None = None) -> None:
    """Read questions until the input ends. An error is said and the talk goes on."""
    state = Talk(workspace)
    watched = sys.stdin.isatty()
    if watched:
        _line_editing()
        sys.stderr.write(f"{workspace.graph.name}, method {workspace.method_name()}. /help says what else there is.\n")
    while True:
        try:
            line = (read or (lambda: input("> " if watched else "")))().strip()
        except (EOFError, KeyboardInterrupt):
            sys.stderr.write("\n" if watched else "")
            return
        if line in ("/quit", "/exit"):
            return
        if not line:
            continue
        try:
            if line.startswith("/"):
                _command(state, line)
            else:
                _put(state.ask(line), 10, explain=False)
        except ClewError as error:
            sys.stdout.write(f"{clean(str(error))}\n")
        except KeyboardInterrupt:
            sys.stdout.write("stopped\n")
        sys.stdout.flush()


def _line_editing() -> None:
    """Arrow keys and a history where the terminal has them."""
    try:
        import readline  # noqa: F401
    except ImportError:
        return


def _command(state: Talk, line: str) -> None:
    name, _, rest = line[1:].partition(" ")
    rest = rest.strip()
    known: dict[str, Callable[[Talk, str], None]] = {
        "why": _why, "topics": _topics, "method": _method, "history": _history, "new": _new,
        "help": _help,
    }  # fmt: skip
    if name not in known:
        from clew.errors import unknown

        raise InputError(unknown("command", f"/{name}", [f"/{each}" for each in known]) + "; see /help")
    known[name](state, rest)


def _say(text: str) -> None:
    for line in text.splitlines():
        sys.stdout.write(clean(line) + "\n")


def _why(state: Talk, rest: str) -> None:
    answer = state.last()
    if not rest:
        _put(answer, 10, explain=True)
        return
    from clew.retrieval.linking import given
    from clew.serve.replies import said
    from clew.serve.whynot import why_not

    space = state.workspace
    expected = given(rest, space.graph)[0].entity
    found = why_not(answer, expected, space.graph, space.encoder(space.model()))
    _say(found.reason)
    for near in found.near:
        _say(f"    {said(near.path)}  {near.differs}")


def _topics(state: Talk, rest: str) -> None:
    answer = state.last()
    if not rest:
        for topic in answer.topics:
            _say(f"{topic.entity.label}  {topic.entity.id}  {topic.score:.3f}  {topic.mention}: {topic.reason}")
        if not answer.topics:
            _say("no topics; name some:  /topics NAME; NAME")
        return
    names = tuple(name.strip() for name in rest.split(";") if name.strip())
    _put(state.ask(answer.question.text, names), 10, explain=False)


def _method(state: Talk, rest: str) -> None:
    from clew.methods.registry import card
    from clew.workspace import Workspace

    space = state.workspace
    if not rest:
        _say(f"{space.method_name()}: {space.card().summary}")
        return
    configuration = space.configuration.model_copy(update={"method": {"name": card(rest).name}})
    changed = Workspace(configuration, graph=space.graph)
    changed.open_method()  # says now what is missing, not at the next question
    state.workspace = changed
    _say(f"{rest} answers from now on")


def _help(state: Talk, rest: str) -> None:  # noqa: ARG001 - every command takes the rest of its line
    _say(HELP)


def _history(state: Talk, rest: str) -> None:  # noqa: ARG001
    for number, answer in enumerate(state.answers, start=1):
        best = ", ".join(answer.texts[:3]) or "no answer"
        _say(f"{number}. {answer.question.text}  →  {best}")


def _new(state: Talk, rest: str) -> None:  # noqa: ARG001
    state.turns.clear()
    _say("forgotten")
