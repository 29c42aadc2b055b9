"""How a graph lies on disk: the files of a `.kg` folder, what `meta.json` says of them, and how a folder is swapped in.

Kept apart so that writer, reader and edits agree on one list of names. Every array is a raw little-endian file whose
suffix names its type; a folder is complete or not there: it is written beside its place and renamed into it.

Shapes: N entities, T triples.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import json
import mmap
import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import ClewError, FormatError, InputError, NotFoundError
from clew.graph.strings import Strings, Texts

VERSION = 1
META = "meta.json"
DELTA = "delta.log"
LOCK = "lock"
MODELS = "models"  # folder of what was trained on this graph; not part of its content
NAME_INDEX = "names"  # folder of the lexical index

NAMED, MEDIATOR, LITERAL = 0, 1, 2  # kinds of entity, in kinds.u8

TYPES = {".i32": np.int32, ".i64": np.int64, ".u8": np.uint8, ".u32": np.uint32, ".u64": np.uint64, ".i16": np.int16}


def _advice(folder: Path) -> str:
    return f"build it again:  clew build INPUT -o {folder}"


def mapped(file: Path) -> NDArray[Any]:
    """A file as an array of the type its suffix names, without reading it."""
    dtype = TYPES[file.suffix]
    with file.open("rb") as handle:
        size = os.fstat(handle.fileno()).st_size
        if size == 0:
            return np.empty(0, dtype)
        # Private and writable, so that compiled kernels see the same array type as for graphs in memory and need no
        # second compilation; nothing ever reaches the file. Unreserved, or a graph larger than memory could not open.
        flags = mmap.MAP_PRIVATE | (0x4000 if sys.platform == "linux" else 0)
        buffer = mmap.mmap(handle.fileno(), 0, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    return np.frombuffer(buffer, dtype)


def open_strings(folder: Path, stem: str) -> Strings:
    """Strings from `<stem>.i64` and `<stem>.u8`; none where the files are absent."""
    if not (folder / f"{stem}.i64").exists():
        return Strings()
    return Strings(mapped(folder / f"{stem}.i64"), mapped(folder / f"{stem}.u8"))


def write_strings(folder: Path, stem: str, strings: Iterable[str]) -> None:
    """The inverse of `open_strings`, some thousand at a time."""
    with (folder / f"{stem}.i64").open("wb") as offsets, (folder / f"{stem}.u8").open("wb") as data:
        end = 0
        np.zeros(1, np.int64).tofile(offsets)
        items = iter(strings)
        while chunk := [text.encode() for text in islice(items, 1 << 16)]:
            ends = np.cumsum([len(text) for text in chunk], dtype=np.int64) + end
            ends.tofile(offsets)
            data.write(b"".join(chunk))
            end = int(ends[-1])


def open_texts(folder: Path, stem: str) -> Texts:
    owners = folder / f"{stem}.owners.i32"
    return Texts(mapped(owners) if owners.exists() else np.empty(0, np.int32), open_strings(folder, stem))


def write_texts(folder: Path, stem: str, texts: Texts) -> None:
    texts.owners.tofile(folder / f"{stem}.owners.i32")
    write_strings(folder, stem, texts.strings)


def digest(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def files_in(folder: Path) -> list[Path]:
    """Every content file of a graph folder, in a stable order."""
    apart = {META, DELTA, LOCK}
    return sorted(f for f in folder.rglob("*") if f.is_file() and f.relative_to(folder).as_posix() not in apart)


def seal(folder: Path, meta: dict[str, Any], fingerprint: str | None = None) -> dict[str, Any]:
    """Write `meta.json` over what lies in `folder` and push everything to the disk.

    The fingerprint comes from the content unless it is given; an edited graph keeps its own through compaction.
    """
    sizes: dict[str, dict[str, Any]] = {}
    for file in files_in(folder):
        with file.open("rb") as handle:
            os.fsync(handle.fileno())
        name = file.relative_to(folder).as_posix()
        sizes[name] = {"bytes": file.stat().st_size, "sha256": digest(file)}
    content = {name: entry["sha256"] for name, entry in sizes.items() if not name.startswith(NAME_INDEX + "/")}
    if fingerprint is None:
        fingerprint = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    meta = {"format": "clew graph", "version": VERSION, "fingerprint": fingerprint, **meta, "files": sizes}
    with (folder / META).open("w", encoding="utf-8") as handle:
        json.dump(meta, handle, indent=1, ensure_ascii=False)
        handle.flush()
        os.fsync(handle.fileno())
    for place in [folder, *(f for f in folder.rglob("*") if f.is_dir())]:
        sync_folder(place)
    return meta


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_meta(folder: Path, *, verify: bool = False) -> dict[str, Any]:
    """What `meta.json` says, after checking that every file is there with its size (and checksum, with `verify`).

    Raises:
        NotFoundError: there is no such folder.
        FormatError: not a graph, a damaged one, or one of a newer version.
    """
    if not folder.exists():
        raise NotFoundError(f"no graph at {folder}: the folder does not exist; {_advice(folder)}")
    if not folder.is_dir():
        raise FormatError(
            f"{folder} is a file, and a graph is a folder: turn it into one with  clew build {folder} -o NAME.kg"
        )
    try:
        meta: dict[str, Any] = json.loads((folder / META).read_text("utf-8"))
        version, files = meta["version"], meta["files"]
        if meta["format"] != "clew graph" or not isinstance(version, int) or not isinstance(files, dict):
            raise ValueError("it describes something else")
    except FileNotFoundError:
        raise FormatError(f"{folder} is not a graph: it has no {META}; {_advice(folder)}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{folder / META} is damaged ({error}); {_advice(folder)}") from None
    if version > VERSION:
        raise FormatError(
            f"{folder} has format version {version}, this clew reads up to {VERSION}: upgrade clew, or "
            f"{_advice(folder)}"
        )
    for name, entry in files.items():
        file = folder / name
        size = file.stat().st_size if file.is_file() else None
        if size is None:
            raise FormatError(f"{folder} is damaged: {name} is missing; {_advice(folder)}")
        if size != entry["bytes"]:
            raise FormatError(
                f"{folder} is damaged: {name} has {size} bytes instead of {entry['bytes']}; {_advice(folder)}"
            )
        if verify and digest(file) != entry["sha256"]:
            raise FormatError(f"{folder} is damaged: {name} fails its checksum; {_advice(folder)}")
    return meta


def _exchange(new: Path, old: Path) -> bool:
    """Swap two folders in one step where the system can."""
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(libc, "renameat2"):
        here, exchange = -100, 2
        return bool(libc.renameat2(here, os.fsencode(new), here, os.fsencode(old), exchange) == 0)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        return bool(libc.renamex_np(os.fsencode(new), os.fsencode(old), 2) == 0)
    return False


def _prefix(out: Path) -> str:
    return f".{out.name}.building-"


def remove_leftovers(out: Path) -> list[Path]:
    """Delete what killed builds of `out` left beside it; a build that still runs holds its lock and is spared."""
    removed = []
    for folder in out.parent.glob(f"{_prefix(out)}*"):
        try:
            with (folder / LOCK).open("r+b") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        except FileNotFoundError:
            pass  # killed between making the folder and its lock
        shutil.rmtree(folder, ignore_errors=True)
        removed.append(folder)
    return removed


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A fresh folder that takes the place of `out` when the block ends well, and vanishes when it does not.

    Raises:
        InputError: `out` is something else than a graph, or its parent does not exist.
    """
    out = out.absolute()
    if not out.parent.is_dir():
        raise InputError(f"cannot write {out}: the folder {out.parent} does not exist; create it first")
    if out.exists() and not (out / META).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"will not overwrite {out}: it is not a graph; choose another name for the output")
    remove_leftovers(out)
    folder = out.parent / f"{_prefix(out)}{secrets.token_hex(6)}"
    folder.mkdir()
    lock: IO[bytes] = (folder / LOCK).open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
        if (out / MODELS).is_dir():  # trained on this graph, and worth more than the graph: never lost by a rebuild
            shutil.copytree(out / MODELS, folder / MODELS, copy_function=os.link)
        sync_folder(folder)
        if not out.exists():
            folder.rename(out)
        elif not _exchange(folder, out):
            aside = folder.with_name(folder.name + "-old")
            out.rename(aside)
            folder.rename(out)
            shutil.rmtree(aside, ignore_errors=True)
        sync_folder(out.parent)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        raise ClewError(
            f"no room to write {out}: {os.strerror(error.errno)}; free some space or choose another place; "
            "nothing was changed"
        ) from error
    finally:
        # After an exchange this is the old graph; after a failure, the half-built one.
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
        lock.close()
        (out / LOCK).unlink(missing_ok=True)
