"""Where the files of a question set come from, and the proof that they are the ones the counts were taken from.

Kept apart from the loaders so that every set states source, licence and checksums in one shape, which the manifest of
a run and `clew doctor` can show. No path is hard-coded: the folder is an argument or the environment's CLEW_DATA.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import InputError, NotFoundError

FOLDER_VARIABLE = "CLEW_DATA"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a question set comes from and what may be done with it."""

    url: str
    licence: str
    folder: str  # name of its folder under CLEW_DATA
    checksums: Mapping[str, str] = field(default_factory=dict)  # file inside the folder → sha256
    notice: str = ""  # must stand wherever a score on the set stands


def data_folder(folder: str | Path | None = None) -> Path:
    """The folder of question sets: the argument, else CLEW_DATA. Raises NotFoundError that says what to set."""
    given = folder if folder is not None else os.environ.get(FOLDER_VARIABLE)
    if given is None or str(given) == "":
        raise NotFoundError(f"no folder of question sets: pass one, or set {FOLDER_VARIABLE}=/path/to/folder")
    path = Path(given)
    if not path.is_dir():
        raise NotFoundError(f"folder of question sets {str(path)!r} is not a folder: set {FOLDER_VARIABLE} to one")
    return path


def locate(source: Source, name: str, folder: str | Path | None, *, verify: bool = True) -> Path:
    """A file of the set, checked against its checksum.

    Args:
        folder: the folder of all sets, or the set's own folder.

    Raises:
        NotFoundError: the file is absent; InputError: its content is another one.
    """
    root = data_folder(folder)
    places = [root / source.folder / name, root / name]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise NotFoundError(f"{places[0]}: no such file; it comes from {source.url} ({source.licence})")
    expected = source.checksums.get(name)
    if verify and expected is not None:
        found = checksum(path)
        if found != expected:
            raise InputError(
                f"{path}: sha256 is {found}, expected {expected}: not the file that the counts and published figures "
                "were taken from; fetch it again, or read it with verify=False"
            )
    return path


def checksum(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers from 1, blank ones left out. Raises InputError with file:line."""
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            try:
                text = raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(f"{path}:{number}: not UTF-8 at byte {error.start} of the line") from None
            if text.strip():
                yield number, text


def fields(path: Path, count: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Lines cut at `separator` into exactly `count` fields. Raises InputError with file:line."""
    for number, text in lines(path):
        parts = text.split(separator)
        if len(parts) != count:
            raise InputError(f"{path}:{number}: {len(parts)} fields, expected {count} separated by {separator!r}")
        yield number, parts


def assert_count(what: str, found: int, expected: int) -> None:
    """Raises InputError when a split holds another number of questions than published."""
    if found != expected:
        raise InputError(f"{what}: {found} questions, expected {expected}: the files are incomplete or another version")
