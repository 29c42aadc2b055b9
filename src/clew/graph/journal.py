"""`delta.log`: edits that are not compacted yet, one line each, and what may be said of a log that is damaged.

Kept apart from what edits mean because losing one silently is the worst a store can do. A line carries its checksum
and its place; the head of the file says how many edits were acknowledged and where the last of them ends. So a line
that a crash cut off (it has no end, and lies beyond what was acknowledged) can be told from every other bad line: that
one is damage and is said, never passed over, and never written over.
"""

from __future__ import annotations

import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clew.errors import FormatError, InputError
from clew.graph.delta import Change
from clew.graph.layout import sync_folder, write_whole

_HEAD = re.compile(rb"clew edits 2 (\d{12}) (\d{16}) ([0-9a-f]{8})\n")
_OLD = re.compile(rb"[0-9a-f]{8} \{")


def _head(edits: int, end: int) -> bytes:
    body = b"clew edits 2 %012d %016d" % (edits, end)
    return b"%b %08x\n" % (body, zlib.crc32(body))


HEAD_SIZE = len(_head(0, 0))
EMPTY = _head(0, HEAD_SIZE)


@dataclass(frozen=True, slots=True)
class Log:
    """What a log holds.

    `whole` is where the last line ends: what follows was cut off by a crash. `damage` says in words, with the line,
    what is wrong; `changes` are then those of the lines that are in order.
    """

    changes: tuple[Change, ...]
    whole: int
    damage: tuple[str, ...] = ()
    first_version: bool = False


def line_of(change: Change, number: int) -> bytes:
    """Edit `number`, counted from 1, as a line."""
    body = b"%d %b" % (number, change.to_json())
    return b"%08x %b\n" % (zlib.crc32(body), body)


def parsed(content: bytes, *, version: int = 2) -> Log:
    """The edits of a log in order; a graph of version 1 may have no log, or one without a head."""
    if version == 1 and (not content or _OLD.match(content)):
        return _parsed_old(content)
    damage: list[str] = []
    edits, end, whole = 0, 0, HEAD_SIZE
    head = _HEAD.fullmatch(content[:HEAD_SIZE])
    if head is None or _head(int(head[1]), int(head[2])) != head[0]:
        damage.append("line 1: the head of the log is damaged")
        whole = content.find(b"\n") + 1 or len(content)
    else:
        edits, end = int(head[1]), int(head[2])
    changes: list[Change] = []
    expected = 1
    for row, line in enumerate(_lines(content[whole:]), 2):
        found = _read_line(line)
        if found is None and not line.endswith(b"\n") and whole >= end and not damage:
            break  # cut off by a crash before it was acknowledged
        whole += len(line)
        if found is None:
            damage.append(f"line {row}: an edit that is damaged")
            expected += 1
            continue
        number, change = found
        if number < expected:
            damage.append(f"line {row}: edit {number} a second time")
            continue
        if number > expected:
            damage.append(f"line {row}: edit {number} where edit {expected} should stand")
        changes.append(change)
        expected = number + 1
    if expected - 1 < edits and not damage:
        damage.append(f"{edits - expected + 1} acknowledged edits are missing at the end")
    return Log(tuple(changes), whole, tuple(damage))


def _lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    last = lines.pop()
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _read_line(line: bytes) -> tuple[int, Change] | None:
    """Number and content of a line, None when it is not whole."""
    stated, _, body = line.removesuffix(b"\n").partition(b" ")
    if not line.endswith(b"\n") or stated != b"%08x" % zlib.crc32(body):
        return None
    number, _, content = body.partition(b" ")
    try:
        return int(number), Change.from_json(content)
    except (ValueError, KeyError, TypeError, RecursionError, InputError):
        return None


def _parsed_old(content: bytes) -> Log:
    """The log of the first version: neither a head nor numbers."""
    changes: list[Change] = []
    whole = 0
    damage = []
    for row, line in enumerate(_lines(content), 1):
        stated, _, body = line.removesuffix(b"\n").partition(b" ")
        try:
            if not line.endswith(b"\n") or stated != b"%08x" % zlib.crc32(body):
                raise ValueError
            changes.append(Change.from_json(body))
        except (ValueError, KeyError, TypeError, RecursionError, InputError):
            if not line.endswith(b"\n"):
                break
            damage.append(f"line {row}: an edit that is damaged")
        whole += len(line)
    return Log(tuple(changes), whole, tuple(damage), first_version=True)


def refused(log: Log, file: Path, folder: Path) -> FormatError:
    """What to say to somebody who opens or edits a graph whose log is damaged."""
    return FormatError(
        f"{file} is damaged ({'; '.join(log.damage[:3])}): {len(log.changes):,} edits can be read. "
        f"See what is wrong with  clew doctor {folder};  clew repair {folder}  keeps what can be read and sets the "
        "damaged log aside"
    )


def append(file: Path, log: Log, change: Change) -> None:
    """Write one more edit behind those of `log`; it is on the disk when this returns."""
    if log.first_version:
        write_whole(file, written(log.changes))
        log = parsed(file.read_bytes())
    number = len(log.changes) + 1
    line = line_of(change, number)
    with file.open("r+b") as handle:
        handle.truncate(log.whole)
        try:
            _write_at(handle, log.whole, line)
        except OSError:
            handle.truncate(log.whole)  # not acknowledged, so it must not be seen later either
            raise
        _write_at(handle, 0, _head(number, log.whole + len(line)))
    sync_folder(file.parent)


def written(changes: tuple[Change, ...]) -> bytes:
    """A log of these edits."""
    lines = b"".join(line_of(change, number) for number, change in enumerate(changes, 1))
    return _head(len(changes), HEAD_SIZE + len(lines)) + lines


def _write_at(handle: IO[bytes], place: int, content: bytes) -> None:
    handle.seek(place)
    handle.write(content)
    handle.flush()
    os.fsync(handle.fileno())
