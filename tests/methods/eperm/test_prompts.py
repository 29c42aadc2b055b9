"""The prompts as they leave the house: every one rendered and compared with a file that a person has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.llm import load_prompt
from clew.methods.eperm.asking import _SLOTS

GOLDEN = Path(__file__).parent / "golden_prompts.txt"
VALUES = {
    "question": "who wrote X?",
    "topic": "X",
    "topics": "X, Y",
    "walked": "part of",
    "relations": "author; part of (inverse)",
    "vocabulary": "author; part of",
    "budget": 2,
    "count": 3,
    "examples": "",
    "plan": "part of | author",
    "entity": "m.01",
    "facts": "year: 2010\nauthor: Ada",
    "candidates": "1 m.01 (year: 2010)\n2 m.02 (year: 2011)",
    "lines": "X -> part of -> Y -> author -> Ada Score:0.712",
}


def rendered(name: str) -> str:
    slots = _SLOTS[name]
    messages = load_prompt("clew.methods.eperm", name, slots=slots).render(**{slot: VALUES[slot] for slot in slots})
    return "\n".join(f"<{message.role}>\n{message.content}" for message in messages)


def golden() -> dict[str, str]:
    parts = GOLDEN.read_text(encoding="utf-8").split("=== ")[1:]
    return {head: body.rstrip("\n") for head, _, body in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("name", sorted(_SLOTS))
def test_a_prompt_is_what_was_read(name: str) -> None:
    assert rendered(name).rstrip("\n") == golden()[name]


def test_no_prompt_is_left_unread() -> None:
    assert golden().keys() == _SLOTS.keys()
