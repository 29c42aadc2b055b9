"""How a graph lies on disk: the names of the files in a `.kg` folder, and arrays and strings as files.

Kept apart so that writer, reader and edits agree on one list of names. `meta.json` is the manifest: it names the folder
of one generation of files, which never change once it is named; only the log of edits in it grows. Every array is a raw
little-endian file whose suffix names its type.

Shapes: N entities, T triples.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import secrets
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.graph.strings import Strings, Texts

VERSION = 2
META = "meta.json"
DELTA = "delta.log"
HALF_WRITTEN = re.compile(r"\..+\.[0-9a-f]{12}")  # what `write_whole` writes, until it gets its name
STAMP = "checked.json"  # which files, by number and time of change, were looked through and are in order
MODELS = "models"  # folder of what was trained on this graph; not part of its content
SCHEMA = "schema.json"  # what the input states that is no fact (`graph.schema`), as an edit that is not applied
NAME_INDEX = "names"  # folder of the lexical index
GENERATION = re.compile(r"g-[0-9a-f]{12}")

NAMED, MEDIATOR, LITERAL = 0, 1, 2  # kinds of entity, in kinds.u8

TYPES = {".i32": np.int32, ".i64": np.int64, ".u8": np.uint8, ".u32": np.uint32, ".u64": np.uint64, ".i16": np.int16}


# -- arrays and strings as files ---------------------------------------------------------------------------------------


def memory_of(descriptor: int, size: int) -> NDArray[np.uint8]:
    """A file's bytes, mapped and not read."""
    if size == 0:
        return np.empty(0, np.uint8)
    # Private and writable, so that compiled kernels see the same array type as for graphs in memory and need no
    # second compilation; nothing ever reaches the file. Unreserved, or a graph larger than memory could not open.
    flags = mmap.MAP_PRIVATE | (0x4000 if sys.platform == "linux" else 0)
    more: dict[str, Any] = {"trackfd": False} if sys.version_info >= (3, 13) else {}
    return np.frombuffer(mmap.mmap(descriptor, size, flags, mmap.PROT_READ | mmap.PROT_WRITE, **more), np.uint8)


def mapped(file: Path) -> NDArray[Any]:
    """A file as an array of the type its suffix names, without reading it."""
    with file.open("rb") as handle:
        return memory_of(handle.fileno(), os.fstat(handle.fileno()).st_size).view(TYPES[file.suffix])


def put(array: NDArray[Any], handle: IO[bytes]) -> None:
    """Write an array's bytes; unlike `tofile` it says why when it cannot."""
    if array.size:
        handle.write(np.ascontiguousarray(array).data.cast("B"))


class _Closable(Protocol):
    def close(self) -> None: ...


def close_all(*files: _Closable) -> None:
    """Close every one, also where closing one fails because what it held does not fit on the disk."""
    with ExitStack() as stack:
        for file in files:
            stack.callback(file.close)


def write_array(file: Path, array: NDArray[Any]) -> None:
    with file.open("wb") as handle:
        put(array, handle)


def open_strings(folder: Path, stem: str) -> Strings:
    """Strings from `<stem>.i64` and `<stem>.u8`; none where the files are absent."""
    if not (folder / f"{stem}.i64").exists():
        return Strings()
    return Strings(mapped(folder / f"{stem}.i64"), mapped(folder / f"{stem}.u8"))


def write_strings(folder: Path, stem: str, strings: Iterable[str]) -> None:
    """The inverse of `open_strings`, some thousand at a time."""
    with (folder / f"{stem}.i64").open("wb") as offsets, (folder / f"{stem}.u8").open("wb") as data:
        end = 0
        put(np.zeros(1, np.int64), offsets)
        items = iter(strings)
        while chunk := [text.encode() for text in islice(items, 1 << 16)]:
            ends = np.cumsum([len(text) for text in chunk], dtype=np.int64) + end
            put(ends, offsets)
            data.write(b"".join(chunk))
            end = int(ends[-1])


def open_texts(folder: Path, stem: str) -> Texts:
    owners = folder / f"{stem}.owners.i32"
    return Texts(mapped(owners) if owners.exists() else np.empty(0, np.int32), open_strings(folder, stem))


def write_texts(folder: Path, stem: str, texts: Texts) -> None:
    write_array(folder / f"{stem}.owners.i32", texts.owners)
    write_strings(folder, stem, texts.strings)


# -- whole files -----------------------------------------------------------------------------------------------------


def digest(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def write_whole(file: Path, content: bytes) -> None:
    """Replace a file in one step, on the disk when this returns."""
    beside = file.with_name(f".{file.name}.{secrets.token_hex(6)}")
    try:
        with beside.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checksum(manifest: dict[str, Any]) -> str:
    """What a manifest says of itself under "checksum"."""
    content = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def identity(status: os.stat_result) -> list[int]:
    """What changes whenever a file is written or replaced; no one but the system sets the last number."""
    return [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
