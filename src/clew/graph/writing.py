"""Writing a graph folder: one writer at a time, a manifest over finished files, and a swap that is one step.

Kept apart from reading, which takes no lock. A new generation of files is written beside the graph, moved in whole, and
becomes the graph when `meta.json` is replaced, which every file system does in one step. Whoever has the old files open
keeps them; on disk they are removed at once.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from clew.errors import ClewError, InputError, NotFoundError
from clew.graph import stages
from clew.graph.journal import EMPTY
from clew.graph.layout import (
    DELTA,
    GENERATION,
    HALF_WRITTEN,
    META,
    NAME_INDEX,
    STAMP,
    TYPES,
    VERSION,
    checksum,
    digest,
    identity,
    sync_folder,
    write_whole,
)

NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
TICK_S = 0.02  # longer than the clock of any file system takes to go on
UNSEEN_S = 60.0  # a folder that nobody took for so long was left by a kill
FIRST_VERSION = (DELTA, NAME_INDEX, "lock")  # version 1 had its only generation in the graph's folder itself


def files_in(generation: Path) -> list[Path]:
    """Every content file of a generation, in a stable order."""
    return sorted(f for f in generation.rglob("*") if f.is_file() and f.name not in (DELTA, STAMP, META))


def stamp(generation: Path, seen: Mapping[str, list[int]]) -> None:
    """Note that files are in order as they were seen, so that nobody who opens them needs to look them through again.

    What is changed after `seen` was taken must have a later time: take it `TICK_S` after the last change.
    """
    write_whole(generation / STAMP, json.dumps(dict(seen)).encode())


def seal(generation: Path, meta: dict[str, Any], fingerprint: str | None = None) -> dict[str, Any]:
    """Write the manifest over a finished generation, beside its folder, and push everything to the disk.

    The fingerprint comes from the content unless it is given; an edited graph keeps its own through compaction.
    """
    for half in [*generation.rglob(".*"), *generation.parent.glob(".*")]:
        if HALF_WRITTEN.fullmatch(half.name):  # by a process that was killed, whose folder this one goes on with
            half.unlink()
    files: dict[str, dict[str, Any]] = {}
    for file in files_in(generation):
        with file.open("rb") as handle:
            os.fsync(handle.fileno())
        name = file.relative_to(generation).as_posix()
        files[name] = {"bytes": file.stat().st_size, "sha256": digest(file)}
    content = {name: entry["sha256"] for name, entry in files.items() if not name.startswith(NAME_INDEX + "/")}
    if fingerprint is None:
        fingerprint = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    if not (generation / DELTA).exists():
        write_whole(generation / DELTA, EMPTY)
    meta = {"format": "clew graph", "version": VERSION, "fingerprint": fingerprint, **meta, "files": files}
    meta["generation"] = generation.name
    meta["checksum"] = checksum(meta)
    for place in (f for f in generation.rglob("*") if f.is_dir()):
        sync_folder(place)
    time.sleep(TICK_S)
    stamp(generation, {f.relative_to(generation).as_posix(): identity(f.stat()) for f in files_in(generation)})
    said = json.dumps(meta, indent=1).encode()  # as ASCII: the name of an input need not be UTF-8
    write_whole(generation / META, said)  # a copy: without a manifest nothing could be checked
    write_whole(generation.parent / META, said)
    return meta


@contextmanager
def saying_what_failed(out: Path) -> Iterator[None]:
    """What the system refuses while `out` is written, in words.

    Raises:
        ClewError: no room, no permission, a folder that vanished, a name that is too long.
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in NO_ROOM:
            raise ClewError(
                f"no room to write {out}: {reason}; free some space or choose another place; nothing was changed"
            ) from error
        at = f" ({error.filename})" if error.filename is not None and str(error.filename) != str(out) else ""
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"cannot write {str(out)[:80]}…: {reason}; choose a shorter name") from error
        raise ClewError(
            f"cannot write {out}: {reason}{at}; nothing was changed: see to it that this user may write there, and "
            "that nobody moves or deletes the folder meanwhile"
        ) from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One writer of a graph folder at a time; another process that writes is waited for.

    Raises:
        NotFoundError: there is no such folder, or it was deleted meanwhile.
    """
    while True:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except (OSError, ValueError):  # ValueError: a NUL in the name
            raise NotFoundError(
                f"no graph at {folder}: nothing to edit; build it first:  clew build INPUT -o {folder}"
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _same(descriptor, folder):
                yield
                return
        finally:
            os.close(descriptor)


def _same(descriptor: int, folder: Path) -> bool:
    """Whether an open folder is still what stands at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except OSError:
        return False


def _beside(out: Path, word: str) -> str:
    """How the folders begin in which `out` is being made; the name of a graph may be as long as a name can be."""
    name = out.name if len(os.fsencode(out.name)) < 200 else hashlib.sha256(os.fsencode(out.name)).hexdigest()[:32]
    return f".{name}.{word}-"


def remove_leftovers(out: Path) -> list[Path]:
    """Delete what killed builds of `out` left beside it; a build that still runs holds its folder and is spared."""
    removed = []
    for folder, descriptor in _abandoned(out):
        shutil.rmtree(folder, ignore_errors=True)
        removed.append(folder)
        os.close(descriptor)
    return removed


def _abandoned(out: Path) -> Iterator[tuple[Path, int]]:
    """What killed builds of `out` left, each held; whoever takes one closes its descriptor."""
    for unseen in out.parent.glob(f"{_beside(out, 'new')}*"):  # empty: a kill came between two calls of `_own_folder`
        with suppress(OSError):
            if time.time() - unseen.stat().st_mtime > UNSEEN_S:
                unseen.rmdir()
    for folder in out.parent.glob(f"{_beside(out, 'building')}*"):
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except (OSError, ValueError):  # ValueError: a NUL in the name
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        if not folder.exists():  # its build ended, and let go of it, after it had been opened here
            os.close(descriptor)
            continue
        yield folder, descriptor


def _unfinished(out: Path, key: str | None) -> tuple[Path, int] | None:
    """A folder that the same command began and did not finish, held; the others of `out` are deleted."""
    found = None
    for folder, descriptor in _abandoned(out):
        if found is None and key is not None and stages.noted(folder).get("key") == key:
            found = folder, descriptor
            continue
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)
    return found


def _own_folder(out: Path) -> tuple[Path, int]:
    """A fresh folder beside `out`, held: it gets the name that others look for only once it is."""
    unseen = out.parent / f"{_beside(out, 'new')}{secrets.token_hex(6)}"
    unseen.mkdir()
    descriptor = os.open(unseen, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    folder = out.parent / f"{_beside(out, 'building')}{secrets.token_hex(6)}"
    unseen.rename(folder)
    return folder, descriptor


@contextmanager
def replacing(out: Path, *, held: bool = False, key: str | None = None) -> Iterator[Path]:
    """A fresh folder of files that become the graph at `out` when the block ends well, and vanish when it does not.

    The block must `seal` it. A link is followed: what it leads to is replaced.

    Args:
        held: the caller has `locked` the graph.
        key: of the command (`stages.key_of`): what it began and was killed at is gone on with.

    Raises:
        InputError: `out` is something else than a graph, or its parent does not exist.
    """
    given, out = out, out.absolute()
    with saying_what_failed(given):
        out = out.resolve() if out.is_symlink() else out
        if not out.parent.is_dir():
            raise InputError(f"cannot write {given}: the folder {out.parent} does not exist; create it first")
        if _foreign(out):
            raise InputError(f"will not overwrite {given}: it is not a graph; choose another name for the output")
        folder, descriptor = _unfinished(out, key) or _own_folder(out)
        try:
            begun = [entry for entry in folder.iterdir() if GENERATION.fullmatch(entry.name)]
            generation = begun[0] if begun else folder / f"g-{secrets.token_hex(6)}"
            generation.mkdir(exist_ok=True)
            yield generation
            sync_folder(folder)
            if not _renamed(folder, out):
                if held:
                    _swap(generation, out)
                else:
                    with locked(out):
                        _swap(generation, out)
            sync_folder(out.parent)
        finally:
            if _same(descriptor, folder):
                shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)


def _foreign(out: Path) -> bool:
    return out.exists() and not (out / META).is_file() and (not out.is_dir() or any(out.iterdir()))


def _renamed(folder: Path, out: Path) -> bool:
    """Move a whole graph to its place; False where there is something already."""
    if out.exists() and any(out.iterdir()):
        return False
    try:
        folder.rename(out)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _swap(generation: Path, out: Path) -> None:
    """Make a finished generation that of an existing graph, and remove what nobody names any more."""
    manifest = (generation.parent / META).read_bytes()
    generation.rename(out / generation.name)
    try:
        sync_folder(out)
        write_whole(out / META, manifest)
    except OSError:
        shutil.rmtree(out / generation.name, ignore_errors=True)
        raise
    for entry in list(out.iterdir()):  # whoever has them open keeps them
        if GENERATION.fullmatch(entry.name) and entry.name != generation.name:
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name in FIRST_VERSION or entry.suffix in TYPES:
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)
