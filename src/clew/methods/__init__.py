"""The methods, one room each. A room is complete and imports no other room.

`cards()` lists them with what they need; `card(name)` is one.
"""

from clew.methods.registry import card, cards

__all__ = ["card", "cards"]
