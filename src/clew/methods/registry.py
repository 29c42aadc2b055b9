"""The list of methods. Adding one is a folder and a line here."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from clew.errors import NotFoundError, unknown
from clew.protocols import MethodCard

GROUP = "clew.methods"
DEFAULT_METHOD = "auto"  # what answers where nobody names a method

ROOMS: tuple[str, ...] = (
    "clew.methods.auto",
    "clew.methods.walk",
    "clew.methods.plan",
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
    ours = _ours(ROOMS)
    return {**ours, **{name: theirs for name, theirs in _announced().items() if name not in ours}}


def card(name: str) -> MethodCard:
    """Raises NotFoundError with the nearest names."""
    known = _ours(ROOMS)  # what other packages announce is read only for a name that is not ours
    if name not in known:
        known = cards()
    if name not in known:
        raise NotFoundError(unknown("method", name, known))
    return known[name]


@cache
def _ours(rooms: tuple[str, ...]) -> Mapping[str, MethodCard]:
    return {card.name: card for room in rooms for card in import_module(room).CARDS}


@cache
def _announced() -> Mapping[str, MethodCard]:
    """Read once in a process: it looks at the files of every installed package. A broken plug-in costs a warning."""
    found: dict[str, MethodCard] = {}
    for point in entry_points(group=GROUP):
        try:
            theirs = point.load().CARDS
            if wrong := [card for card in theirs if not isinstance(card, MethodCard)]:
                raise TypeError(f"CARDS holds {wrong[0]!r}, expected MethodCard")
            found.update({card.name: card for card in theirs})
        except Exception as error:  # noqa: BLE001 - code of other people, which must not end every command
            where = f"{point.dist.name} ({point.value})" if point.dist is not None else point.value
            warnings.warn(f"methods of {where} are left out: {type(error).__name__}: {error}", stacklevel=2)
    return found
