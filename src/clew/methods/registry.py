"""The list of methods. Adding one is a folder and a line here."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from clew.errors import NotFoundError, unknown
from clew.protocols import MethodCard

ROOMS: tuple[str, ...] = (
    "clew.methods.walk",
    "clew.methods.direct",
    "clew.methods.scr",
    "clew.methods.eperm",
    "clew.methods.decompose",
    "clew.methods.roe",
    "clew.methods.stem",
)
"""Modules whose `CARDS` are a tuple of MethodCard; importing one must not import torch."""


def cards() -> dict[str, MethodCard]:
    """Every method by name: ours, then those that installed packages announce under `clew.methods`."""
    found = {card.name: card for room in ROOMS for card in import_module(room).CARDS}
    return {**{card.name: card for card in announced()}, **found}


@cache
def announced() -> tuple[MethodCard, ...]:
    """The methods of installed packages, looked for once per process. A package that is broken costs a warning."""
    found: list[MethodCard] = []
    for point in entry_points(group="clew.methods"):
        try:
            theirs = point.load().CARDS
            if wrong := [card for card in theirs if not isinstance(card, MethodCard)]:
                raise TypeError(f"CARDS holds {wrong[0]!r}, expected MethodCard")
        except Exception as error:  # noqa: BLE001 - somebody else's module may fail in any way
            package = point.dist.name if point.dist is not None else "an installed package"
            warnings.warn(
                f"the methods of {package} ({point.value}) cannot be used: {type(error).__name__}: {error}; "
                "correct or uninstall it",
                stacklevel=2,
            )
        else:
            found += theirs
    return tuple(found)


def card(name: str) -> MethodCard:
    """Raises NotFoundError with the nearest names."""
    known = cards()
    if name not in known:
        raise NotFoundError(unknown("method", name, known))
    return known[name]
