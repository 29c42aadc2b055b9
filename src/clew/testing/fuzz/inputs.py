"""Where inputs come from: the corpus of what was found once, and bytes that are changed at random."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).with_name("corpus.jsonl")
Input = dict[str, Any]  # JSON: what the other process needs to try it


def corpus(door: str) -> list[Input]:
    """What was found at a door."""
    lines = CORPUS.read_text("utf-8").splitlines() if CORPUS.exists() else []
    return [given for line in lines if (given := json.loads(line)).pop("door") == door]


def draws(door: str, seed: int, count: int) -> Iterator[tuple[int, random.Random]]:
    """The numbers of a door's fresh inputs, each with a source of chance of its own: one input is made again alone."""
    for number in range(count):
        yield number, random.Random(f"{door} {seed} {number}")


_TOKENS = [
    b"\0", b"\xff", b"\xed\xa0\x80", b"\n", b"\r", b"\t", b'"', b"\\", b"\\u0000", b"\\uD800", b"{", b"[" * 50,
    b"]", b"<", b"<<( ", b"&a;", b"@prefix : <x> .", b"<!DOCTYPE r [<!ENTITY a 'b'>]>", b"\xef\xbb\xbf", b"9" * 400,
    b"-1", b"NaN", b"_:", b'"""', b"^^", b"\xe2\x80\xa8", b"|", b",", b"../../", b"%s%n", b"\x1b[2J", b"null",
    b"true", b"\x1f\x8b",
]  # fmt: skip


def changed(data: bytes, rng: random.Random, *, numbers: bool = False) -> bytes:
    """Some bytes of `data` flipped, cut, doubled, moved or written over; with `numbers`, often whole 4-byte ones."""
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(10)
        if numbers and rng.random() < 0.5 and len(content) >= 8:
            at = rng.randrange(len(content) // 4) * 4
            value = rng.choice([0, 1, -1, rng.randrange(-100, 100), 1 << 30, -(1 << 31), rng.randrange(1 << 31)])
            content[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
        elif kind < 4 and content:
            at = min(at, len(content) - 1)
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 4:
            del content[at:]
        elif kind == 5:
            content[at:at] = rng.choice(_TOKENS)
        elif kind == 6:
            content[at : at + rng.randrange(1, 64)] = bytes(rng.randrange(1, 64))
        elif kind == 7:
            end = min(len(content), at + rng.randrange(1, 200))
            content[at:at] = content[at:end] * rng.choice((1, 2, 30))
        elif kind == 8:
            content[at : at + 16] = rng.randbytes(16)
        else:
            del content[at : at + rng.randrange(1, 32)]
    return bytes(content)
