"""Text tables as people save them: titles above the header, sums and remarks below the rows, rules between them, or in
UTF-16.

Kept apart from the readers of tables, which take a file as a program writes it: an untidy one is written anew first,
as a sheet of a workbook is. Whether it is, its first lines say.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from clew.graph.inputs import Problems, Stream
from clew.graph.tabular import sniff, split_line
from clew.graph.workbooks import Row, table_in

HEAD = 1 << 16  # bytes that are looked at
LARGEST = 256 << 20  # bytes of an untidy file
LINES = 12  # in which a header is sought
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_RULE = re.compile(r"[-=_+|]{4,}")  # drawn above and below a header
_UNKNOWN = "is not UTF-8; read as Windows-1252"


def is_untidy(file: Path, suffix: str, delimiter: str | None) -> bool:
    """Whether a text table has a title or remarks above its header or a line break in it, or is in UTF-16."""
    stream = Stream(file, Problems())
    try:
        head = stream.read(HEAD)
    finally:
        stream.close()
    if not head.strip():
        return False
    if head.startswith(_UTF16):
        return True
    text = head.decode("utf-8-sig", "replace")
    lines = [line.rstrip("\r") for line in text.split("\n")[:LINES]]
    apart = delimiter or _apart(text, suffix)
    if lines[0].startswith('"') and lines[0].count('"') % 2 and text.count('"') > 1:
        return True  # the name of a column goes on in the next line
    filled = [sum(bool(cell.strip()) for cell in split_line(line, apart, '"')) for line in lines]
    first = next((count for count in filled if count), 0)
    wide = 3 if first <= 1 else 5  # above a table with five columns stand lines of a word and what it is
    return first <= 2 and sum(count >= wide for count in filled) > 1


def tidied(
    folder: Path, stream: Stream, problems: Problems, moved: Callable[[], None], suffix: str, delimiter: str | None
) -> list[dict[str, Any]]:
    """Write the table of a file into a folder, in UTF-8 and with nothing around it.

    Returns:
        "file", "name", "columns", "line" (of its header); nothing where the file holds no table.
    """
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        problems.add(
            str(stream.file), None, "long", f"an untidy table larger than {LARGEST >> 20} MB; save it as UTF-8"
        )
        return []
    text = _decoded(data, stream.file, problems)
    apart = delimiter or _apart(text[:HEAD], suffix)
    table = table_in(_rows(text, apart))
    if table is None:
        problems.add(str(stream.file), None, "empty", "holds no table of two columns or more under a header")
        return []
    line, header, rows = table
    file = folder / f"{stream.file.name.split('.')[0]}.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        written = csv.writer(out, lineterminator="\n")
        written.writerow(header)
        for number, row in enumerate(rows):
            written.writerow(row)
            if number % 65_536 == 0:
                moved()
    return [{"file": str(file), "name": file.stem, "line": line, "columns": header}]


def _decoded(data: bytes, file: Path, problems: Problems) -> str:
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        problems.add(str(file), None, "utf8", _UNKNOWN)
        return data.decode("cp1252", "replace")


def _apart(text: str, suffix: str) -> str:
    """The delimiter that splits most lines below a title into most fields."""
    lines = [line for line in text.split("\n")[2:50] if line.strip()]
    if suffix == "tsv" or not lines:
        return sniff(text, suffix)

    def fields(delimiter: str) -> int:
        counts = Counter(len(split_line(line, delimiter, '"')) for line in lines)
        return max((number * some for number, some in counts.items() if number > 2), default=0)

    return max(",;\t|" if suffix == "csv" else "\t|,;", key=fields)


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        cells = [cell.strip() for cell in row]
        if not _RULE.fullmatch("".join(cells)):
            yield cells
