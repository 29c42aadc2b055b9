"""The list of methods. Adding one is a folder and a line here."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from clew.errors import NotFoundError, unknown
from clew.protocols import MethodCard

ROOMS: tuple[str, ...] = (
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
    found = {card.name: card for room in ROOMS for card in import_module(room).CARDS}
    for point in entry_points(group="clew.methods"):
        found.update({card.name: card for card in point.load().CARDS if card.name not in found})
    return found


def card(name: str) -> MethodCard:
    """Raises NotFoundError with the nearest names."""
    known = cards()
    if name not in known:
        raise NotFoundError(unknown("method", name, known))
    return known[name]
