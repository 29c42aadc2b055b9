"""All files of a graph, opened together: what a reader holds is one generation, whole, whatever is written meanwhile.

Kept apart from `store`, which never sees a path again: every array is mapped when the graph is opened, the name index
too, so that nothing is looked for later under a path where by then another generation may stand. Files are opened
relative to their folder's handle; when one is gone because the graph was replaced in between, all are opened anew.

A folder from somebody else is data: names of files are checked, links and devices are not followed, and no array is
handed out before `structure` found that nothing in it leads outside another. What a writer of clew has looked through
is known by its stamp (number and time of change of each file) and not read again; without one, opening reads the arrays
once and compares the checksums of files up to a megabyte.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, InputError, NotFoundError
from clew.graph import pages
from clew.graph.journal import parsed, refused
from clew.graph.layout import (
    DELTA,
    GENERATION,
    META,
    NAME_INDEX,
    SCHEMA,
    STAMP,
    TYPES,
    VERSION,
    checksum,
    identity,
    memory_of,
)
from clew.graph.strings import Strings, Texts
from clew.graph.structure import faults

SMALL = 1 << 20  # bytes of a file whose checksum is compared at the first opening
SCANNED = ("heads.i32", "rels.i32", "tails.i32", "kinds.u8")  # arrays that are read from one end to the other
LOOKED_UP = ("rels.i32", "tails.i32")  # of them those that are looked up by entity as well
COPIED = 1 << 16  # bytes of a file that is read and not mapped: a mapped one costs a file handle
MANIFEST_LIMIT = 64 << 20
_NAME = re.compile(r"(names/)?[a-z_]+(\.[a-z_0-9]+)+")
_SHA = re.compile(r"[0-9a-f]{64}")


class Generation:
    """The open files of a graph folder. Arrays stay valid when the files are replaced or deleted."""

    def __init__(
        self,
        folder: Path,
        meta: dict[str, Any],
        files: Mapping[str, tuple[NDArray[np.uint8], list[int]]],
        log: bytes,
        again: Mapping[str, NDArray[np.uint8]],
    ) -> None:
        self.folder, self.meta = folder, meta
        self.place = folder / meta.get("generation", "")
        self.log_bytes, self.log = log, parsed(log, version=meta["version"])
        self.seen = {name: seen for name, (_, seen) in files.items()}
        self.trusted = False  # whether a writer of clew has seen these very files in order
        self._raw = {name: raw for name, (raw, _) in files.items()}
        self._again = again  # second mappings of large files, of which single pages are read
        self.arrays: dict[str, NDArray[Any]] = {}

    @classmethod
    def open(cls, folder: Path, *, verify: bool = False, damaged: bool = False) -> Generation:
        """Open the files that the manifest of `folder` names.

        Args:
            verify: compare every file with its checksum.
            damaged: hand over what is there, faults and all, for those who look for them with `found`.

        Raises:
            NotFoundError: there is no such folder.
            FormatError: it is not a graph, damaged, or of a newer version; the message says what to do.
        """
        while True:
            content = _manifest(folder)
            meta = _checked(content, folder)
            try:
                opened = cls._opened(folder, meta)
            except FileNotFoundError as missing:
                if _manifest(folder) != content:
                    continue  # replaced while it was being opened
                if damaged:
                    return cls._opened(folder, meta, lenient=True)
                name = os.path.basename(os.fspath(missing.filename or meta.get("generation", "")))  # noqa: PTH119
                raise FormatError(f"{folder} is damaged: {name} is missing; {advice(folder)}") from None
            except OSError as error:
                reason = error.strerror or os.strerror(error.errno or 0)
                raise FormatError(f"{folder}: cannot read {error.filename or 'a file'}: {reason}") from None
            if damaged:
                return opened
            for fault in opened.found(verify=verify):
                raise FormatError(f"{folder} is damaged: {fault}; {advice(folder)}")
            if opened.log.damage:
                raise refused(opened.log, opened.place / DELTA, folder)
            for raw in (*opened._again.values(), *(r for name, r in opened._raw.items() if name not in SCANNED)):
                pages.at_random(raw)
            return opened

    @classmethod
    def _opened(cls, folder: Path, meta: dict[str, Any], *, lenient: bool = False) -> Generation:
        passed_over = (FileNotFoundError,) if lenient else ()
        files, again = {}, {}
        with _handle(folder / meta.get("generation", "")) as top:
            for name in meta["files"]:
                with suppress(*passed_over):
                    raw, status = _bytes_of(top, name)
                    files[name] = raw, identity(status)
                    if name in LOOKED_UP and len(raw) >= pages.LARGE:
                        again[name], _ = _bytes_of(top, name)
            log = b""
            try:
                log = _read(top, DELTA)
            except FileNotFoundError:
                if meta["version"] > 1 and not lenient:
                    raise
            stamp = _stamp(top) if meta["version"] > 1 else {}
        opened = cls(folder, meta, files, log, again)
        opened.trusted = stamp == opened.seen
        return opened

    def found(self, *, verify: bool) -> Iterator[str]:
        """Everything that is wrong with the files, in words; makes the arrays."""
        bad = self.bad(verify=verify)
        yield from bad.values()
        if not bad and (verify or not self.trusted):
            yield from faults(self.arrays, self.meta)

    def bad(self, *, verify: bool = True) -> dict[str, str]:
        """The files that are not what was written, and what is wrong with each; makes the arrays of the others."""
        bad = {}
        for name, entry in self.meta["files"].items():
            raw = self._raw.get(name)
            if raw is None:
                bad[name] = f"{name} is missing"
            elif len(raw) != entry["bytes"]:
                bad[name] = f"{name} has {len(raw)} bytes instead of {entry['bytes']}"
            elif (verify or (not self.trusted and len(raw) <= SMALL)) and _sha256(raw) != entry["sha256"]:
                bad[name] = f"{name} fails its checksum"
            elif verify or not self.trusted or not name.endswith(".npy"):  # those are only read when asked for
                try:
                    self.arrays[name] = _typed(name, raw)
                except ValueError as error:
                    bad[name] = f"{name} cannot be read ({error})"
        return bad

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def array(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def looked_up(self, name: str) -> NDArray[Any]:
        """An array for those who look up places in it; what `array` returns is for those who read all of it."""
        return _typed(name, self._again[name]) if name in self._again else self.arrays[name]

    def name_index(self) -> dict[str, NDArray[Any]]:
        """The arrays of the name index."""
        return {name: _typed(name, raw) for name, raw in self._raw.items() if name.startswith(f"{NAME_INDEX}/")}

    def schema(self) -> bytes | None:
        """What was set aside of the input (`graph.schema`), None where nothing was."""
        raw = self._raw.get(SCHEMA)
        return None if raw is None else raw.tobytes()

    def strings(self, stem: str) -> Strings:
        """The strings of `<stem>.i64` and `<stem>.u8`; none where the graph has no such files."""
        if f"{stem}.i64" not in self.arrays:
            return Strings()
        return Strings(self.arrays[f"{stem}.i64"], self.arrays[f"{stem}.u8"], source=str(self.place / stem))

    def texts(self, stem: str) -> Texts:
        owners = self.arrays.get(f"{stem}.owners.i32", np.empty(0, np.int32))
        return Texts(owners, self.strings(stem))


def advice(folder: Path) -> str:
    return f"clew repair {folder}  rebuilds what can be derived, or build it again:  clew build INPUT -o {folder}"


def _build_advice(folder: Path) -> str:
    return f"build it again:  clew build INPUT -o {folder}"


# -- the manifest ------------------------------------------------------------------------------------------------------


def _manifest(folder: Path) -> bytes:
    """The bytes of `meta.json`."""
    try:
        with _handle(folder) as top:
            return _read(top, META, MANIFEST_LIMIT)
    except OSError as error:
        _no_manifest(folder, error)


def _no_manifest(folder: Path, error: OSError) -> NoReturn:
    again = _build_advice(folder)
    if error.errno == errno.ENAMETOOLONG:
        raise NotFoundError(f"no graph at {str(folder)[:80]}…: the name is too long") from None
    try:
        exists, is_folder = folder.exists(), folder.is_dir()
    except OSError:
        exists = is_folder = False
    if not exists:
        raise NotFoundError(f"no graph at {folder}: the folder does not exist; {again}") from None
    if not is_folder:
        raise FormatError(
            f"{folder} is a file, and a graph is a folder: turn it into one with  clew build {folder} -o NAME.kg"
        ) from None
    if error.errno == errno.ENOENT:
        raise FormatError(f"{folder} is not a graph: it has no {META}; {again}") from None
    raise FormatError(f"{folder / META} cannot be read: {os.strerror(error.errno or 0)}") from None


def _checked(content: bytes, folder: Path) -> dict[str, Any]:
    """A manifest, whose every field is of the type and form that readers count on."""
    try:
        meta = json.loads(content)
        if not isinstance(meta, dict) or meta.get("format") != "clew graph" or type(meta.get("version")) is not int:
            raise ValueError("it describes something else")
        if meta["version"] > VERSION:
            raise FormatError(
                f"{folder} has format version {meta['version']}, this clew reads up to {VERSION}: upgrade clew, or "
                f"{_build_advice(folder)}"
            )
        if meta["version"] > 1:
            if meta.get("checksum") != checksum(meta):
                raise ValueError("it fails its checksum")
            if not isinstance(meta.get("generation"), str) or not GENERATION.fullmatch(meta["generation"]):
                raise ValueError("it names no generation of files")
        else:
            meta.pop("generation", None)
        _check_fields(meta)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{folder / META} is damaged ({error}); {_build_advice(folder)}") from None
    return meta


REQUIRED = ("heads.i32", "rels.i32", "tails.i32", "kinds.u8", "ids.i64", "ids.u8", "relations.i64", "relations.u8")


def _check_fields(meta: dict[str, Any]) -> None:
    """Raises ValueError, TypeError or KeyError where a field is not what it must be."""
    for name, entry in meta["files"].items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"a file of the name {name[:80]!r}")
        if type(entry["bytes"]) is not int or entry["bytes"] < 0 or not _SHA.fullmatch(entry["sha256"]):
            raise ValueError(f"the entry of {name}")
    missing = [name for name in REQUIRED if name not in meta["files"]]
    if missing:
        raise ValueError(f"no {missing[0]}")
    for key, kind in (("fingerprint", str), ("entities", int), ("relations", int), ("triples", int)):
        if type(meta[key]) is not kind:
            raise ValueError(f"{key} is {str(meta[key])[:80]!r}")
    for key, kinds in (("mediator", (str, type(None))), ("languages", (list,)), ("prefixes", (dict,))):
        if key in meta and not isinstance(meta[key], kinds):
            raise ValueError(f"{key} is {str(meta[key])[:80]!r}")
    if meta.get("mediator") is not None:
        try:
            re.compile(meta["mediator"])
        except (re.error, OverflowError):
            raise ValueError(f"mediator is no pattern: {meta['mediator'][:80]!r}") from None


# -- single files ------------------------------------------------------------------------------------------------------


@contextmanager
def _handle(folder: Path) -> Iterator[int]:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except ValueError:
        raise InputError(f"no graph at {str(folder)!r}: not a name that a folder can have") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _file(top: int, name: str) -> Iterator[int]:
    """A plain file in a folder; no link is followed and no pipe waited for."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=top)
    except OSError as error:
        if error.errno == errno.ELOOP:
            error.strerror = "it is a link"
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a plain file", name)
        yield descriptor
    finally:
        os.close(descriptor)


def _read(top: int, name: str, limit: int | None = None) -> bytes:
    with _file(top, name) as descriptor, io.FileIO(descriptor, closefd=False) as handle:
        if limit is not None and os.fstat(descriptor).st_size > limit:
            raise OSError(errno.EFBIG, "larger than any such file", name)
        return handle.readall()


def _bytes_of(top: int, name: str) -> tuple[NDArray[np.uint8], os.stat_result]:
    with _file(top, name) as descriptor:
        status = os.fstat(descriptor)
        if status.st_size > COPIED:
            return memory_of(descriptor, status.st_size), status
        with io.FileIO(descriptor, closefd=False) as handle:
            return np.frombuffer(bytearray(handle.readall()), np.uint8), status


def _stamp(top: int) -> dict[str, Any]:
    try:
        found = json.loads(_read(top, STAMP, MANIFEST_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _sha256(raw: NDArray[np.uint8]) -> str:
    return hashlib.sha256(raw.data).hexdigest()


def _typed(name: str, raw: NDArray[np.uint8]) -> NDArray[Any]:
    """Raises ValueError where the bytes are no such array."""
    suffix = name[name.rindex(".") :]
    if suffix == ".npy":
        return _numpy(raw)
    if suffix == ".json":
        return raw
    if suffix not in TYPES:
        raise ValueError(f"no type of array is called {suffix!r}")
    return raw.view(TYPES[suffix])


_HEAD = re.compile(rb"\{'descr': '(<[iu][248]|\|u1)', 'fortran_order': False, 'shape': \((\d{1,15}),\), \} *\n")


def _numpy(raw: NDArray[np.uint8]) -> NDArray[Any]:
    """The array of an `.npy` file as clew writes it: one dimension of numbers. Not copied."""
    start = raw[:10].tobytes()
    size = int.from_bytes(start[8:10], "little")
    head = _HEAD.fullmatch(raw[10 : 10 + size].tobytes())
    if not start.startswith(b"\x93NUMPY\x01\x00") or head is None:
        raise ValueError("not the form of .npy that clew writes")
    dtype, count = np.dtype(head[1].decode()), int(head[2])
    data = raw[10 + size :]
    if len(data) != count * dtype.itemsize:
        raise ValueError(f"{len(data)} bytes for {count} numbers of type {dtype}")
    return data.view(dtype)
