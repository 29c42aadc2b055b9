"""What can go wrong, in one place, so that every edge of clew says it the same way.

A message states what failed, the value, what was expected and what to do. The command line prints `str(error)` and
exits with `error.exit_code`; nothing below it prints or exits.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ClewError(Exception):
    """A problem the user can act on. Never raised for a bug in clew itself."""

    exit_code = 1


class InputError(ClewError):
    """A file, record, question or argument is not what was expected."""

    exit_code = 2


class ConfigError(ClewError):
    """A configuration key or value is unknown or impossible."""

    exit_code = 2


class NotFoundError(ClewError):
    """A named thing (entity, relation, method, file) does not exist."""

    exit_code = 3


class FormatError(ClewError):
    """Something clew wrote earlier is damaged, truncated, or from a newer version."""

    exit_code = 4


class MissingExtraError(ClewError):
    """An optional package is not installed; the message holds the command that installs it."""

    exit_code = 5

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs a package that is not installed: run  pip install 'clew[{extra}]'")


class UnavailableError(ClewError):
    """A server (language model, encoder, graph) cannot be reached or refuses to answer."""

    exit_code = 6


class BudgetError(ClewError):
    """A budget of calls, tokens, money or seconds is used up."""

    exit_code = 7


class UnsupportedError(ClewError):
    """The chosen store or model lacks an ability that was asked for."""

    exit_code = 8


class RunStoppedError(ClewError):
    """Too many questions of a run failed; the rows so far are kept."""

    exit_code = 9


class TrainingError(ClewError):
    """A training cannot go on: a loss that is no number, nothing to learn from, impossible settings."""

    exit_code = 10


def nearest(word: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known words most like `word`, best first, for error messages."""
    return get_close_matches(word, list(known), n=limit, cutoff=0.5)


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """`no relation 'directed'; nearest: 'directed_by'`: the clause every look-up failure ends with."""
    names = list(known)
    close = nearest(word, names)
    if close:
        return f"no {what} {word!r}; nearest: {', '.join(map(repr, close))}"
    if 0 < len(names) <= 12:
        return f"no {what} {word!r}; known: {', '.join(map(repr, sorted(names)))}"
    return f"no {what} {word!r}"


class ReplyPendingError(ClewError):
    """A reply of a language model is still to come through batch files; nothing failed, and nothing is lost."""

    exit_code = 11
