"""Files that hold several tables (workbooks, dumps of databases): each table becomes a file of its own for the build.

Kept apart because the readers of tables, and what is decided of them together, take one file a table. They are written
once, beside the graph that is made, in the process that parses (`apart`), and are gone when they are read.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew.graph.apart import Apart
from clew.graph.inputs import Problems, Stream
from clew.graph.nouns import without_shared
from clew.graph.untidy import is_untidy
from clew.graph.xml_data import is_xml_data

WORKBOOKS = ("xlsx", "xlsm", "xlsb", "xls", "ods")
DUMPS = ("sql",)
TEXT = ("csv", "tsv", "txt")  # tables of which some are untidy
JSON = ("json", "jsonl")
OBJECTS = "objects"  # the format of what several of these hold together
MOST_AS_ONE = 256 << 20  # bytes of them
_NOTION = re.compile(r" [0-9a-f]{32}\.csv$")  # which exports each table as the view that is shown and whole
PACKED = (*WORKBOOKS, *DUMPS)


@dataclass(slots=True)
class Unpacked:
    """The files of a build with tables in the place of what held them."""

    files: list[tuple[Path, str]] = field(default_factory=list)  # file, format
    sheets: list[Path] = field(default_factory=list)  # of workbooks
    dumps: list[list[dict[str, Any]]] = field(default_factory=list)  # the tables of each: file, name, what is stated
    told: list[str] = field(default_factory=list)  # what is left out
    bytes: int = 0  # of the files that held them


def unpack(
    files: Sequence[tuple[Path, str]],
    folder: Path,
    problems: Problems,
    delimiter: str | None,
    moved: Callable[[], None],
) -> Unpacked:
    """Write the tables of workbooks and dumps into a folder; other files stay what they are.

    Args:
        moved: called when a file is done.
    """
    made = Unpacked()
    files = _as_one(files, folder, problems, made, moved)
    taken: dict[str, list[str]] = {}  # columns of sheets, by the name of their file
    names = {file.name for file, _ in files}
    for number, (file, suffix) in enumerate(files):
        if _NOTION.search(file.name) and f"{file.stem}_all{file.suffix}" in names:
            made.told.append(f"left out: {file.name}, a view of what {file.stem}_all{file.suffix} holds")
            continue
        untidy = suffix in TEXT and file.is_file() and is_untidy(file, suffix, delimiter)
        xml = suffix == "xml" and file.is_file() and is_xml_data(file)
        if suffix not in PACKED and not untidy and not xml:
            made.files.append((file, suffix))
            continue
        place = folder / str(number)
        place.mkdir(parents=True, exist_ok=True)
        before = problems.total
        apart = Apart(file, problems)
        try:
            said = apart.found("unpack", suffix=suffix, folder=str(place), delimiter=delimiter)
            made.bytes += apart.position
        finally:
            apart.close()
        tables, left_out = said[0]["tables"] if said else [], said[0]["left_out"] if said else []
        made.told += [f"left out: {each}" for each in left_out]
        if not tables and problems.total == before:
            problems.add(str(file), None, "empty", "holds no table" + "".join(f"; {each}" for each in left_out))
        for table in tables:
            path = Path(table["file"])
            # A sheet of one name in two workbooks is one table, unless it has other columns there.
            if suffix in WORKBOOKS and taken.setdefault(path.name, table["columns"]) != table["columns"]:
                path = path.rename(path.with_name(f"{file.name.split('.')[0]}_{path.name}"))
            table["file"] = str(path)
            made.files.append((path, path.suffix[1:]))
            alone = untidy or path.suffix == ".json"
            what = f": sheet {table['sheet']}" if suffix in WORKBOOKS else "" if alone else f": table {table['name']}"
            problems.shown[str(path)] = f"{file}{what}", table.get("line", 0) - 1
        if suffix in WORKBOOKS or untidy or xml:  # what has a title is a table, as a sheet is
            made.sheets += [Path(each["file"]) for each in tables if suffix in WORKBOOKS or each["line"] > 1]
        elif tables:
            made.dumps.append(tables)
        moved()
    return made


def _as_one(
    files: Sequence[tuple[Path, str]],
    folder: Path,
    problems: Problems,
    made: Unpacked,
    moved: Callable[[], None],
) -> list[tuple[Path, str]]:
    """The files with one in the place of several JSON documents of plain objects, which refer to one another."""
    some = [file for file, suffix in files if suffix in JSON and file.is_file()]
    if len(some) < 2 or sum(file.stat().st_size for file in some) > MOST_AS_ONE:
        return list(files)
    lines: dict[Path, Path] = {}
    called = dict(zip(some, without_shared([file.name.split(".")[0] for file in some]), strict=True))
    for number, file in enumerate(some):
        place = folder / f"json {number}"
        place.mkdir(parents=True, exist_ok=True)
        apart = Apart(file, Problems())  # what is wrong with it is said when it is read by itself
        try:
            said = apart.found("unpack", suffix="json", folder=str(place), delimiter=None, called=called[file])
        finally:
            apart.close()
        if said and said[0]["tables"]:
            lines[file] = Path(said[0]["tables"][0]["file"])
    if len(lines) < 2:
        return list(files)
    whole = folder / f"{len(lines)}+.objects"
    with whole.open("wb") as out:
        for file, part in lines.items():
            with part.open("rb") as held:
                shutil.copyfileobj(held, out)
            part.unlink()
            made.bytes += file.stat().st_size
            moved()
    first, *others = lines
    problems.shown[str(whole)] = f"{first.name} and {len(others)} more", -1
    return [(whole, OBJECTS) if file == first else (file, suffix) for file, suffix in files if file not in others]


def written(
    stream: Stream,
    problems: Problems,
    moved: Callable[[], None],
    *,
    suffix: str,
    folder: str,
    delimiter: str | None,
    called: str = "",
) -> dict[str, Any]:
    """The tables of a file written into a folder, and what is left out: the part that the other process does."""
    if suffix in WORKBOOKS:
        from clew.graph.workbooks import sheets

        tables, left_out = sheets(Path(folder), stream, problems, moved, delimiter or ",")
    elif suffix in JSON:
        from clew.graph.json_documents import objects_written

        tables, left_out = objects_written(Path(folder), stream, called), []
    elif suffix == "xml":
        from clew.graph.xml_data import recorded

        tables, left_out = recorded(Path(folder), stream, problems, moved), []
    elif suffix in TEXT:
        from clew.graph.untidy import tidied

        tables, left_out = tidied(Path(folder), stream, problems, moved, suffix, delimiter), []
    else:
        from clew.graph.sql_dump import dumped

        tables, left_out = dumped(Path(folder), stream, problems, moved)
    return {"tables": tables, "left_out": left_out}
