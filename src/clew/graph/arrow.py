"""Arrow columns of text to batches of a build: ids joined, values typed as literals, bytes as they lie in memory.

Apart because every reader of tables whose rows are things needs the same few steps.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph import bulk
from clew.graph.inputs import Rows, Stream, TableColumn

XSD = "http://www.w3.org/2001/XMLSchema#"
FLOAT = r"^(-?\d{1,15})\.0$"  # how pandas writes a whole number of a column with holes
FORMS = (
    (r"^[-+]?\d{1,18}$", "integer"),
    (r"^[-+]?\d+\.\d+$", "decimal"),
    (r"^\d{4}-\d\d-\d\d$", "date"),
    (r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?$", "dateTime"),
    (r"^(true|false)$", "boolean"),
)


class RawStream(io.RawIOBase):
    """A `Stream` as a file object."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def write_frame(frame: Any, table: str, folder: Path) -> Path:
    """A pandas or polars frame or an Arrow table as a Parquet file of a table's name."""
    import pyarrow as pa
    from pyarrow import parquet

    if not table or "/" in table or "\0" in table:
        raise InputError(f"frame {table[:40]!r}: expected the name of a table")
    file = folder / f"{table}.parquet"
    try:
        if not isinstance(frame, pa.Table):
            own = getattr(frame, "to_arrow", None)  # of polars
            frame = own() if own is not None else pa.Table.from_pandas(frame, preserve_index=False)
        parquet.write_table(frame, file)
    except (pa.ArrowException, AttributeError, TypeError, ValueError) as error:
        raise InputError(f"frame {table[:40]!r}: cannot be held as a table: {error}") from None
    return file


def text_array(texts: Sequence[str | None]) -> Any:
    """Texts as a large_string array."""
    import pyarrow as pa

    return pa.array(texts, pa.large_string())


def hashes_of(array: Any) -> NDArray[np.uint64]:
    """(n,) hashes of texts by which values of different columns are compared; 5.0 is 5."""
    import pyarrow.compute as pc

    first: NDArray[np.uint64] = bulk.hash_terms(*terms_of(pc.replace_substring_regex(array, FLOAT, r"\1")))[0]
    return first


def literal_ids(values: Any) -> Any:
    """The ids of literals: numbers, dates and truth values with their datatype, any other text without."""
    import pyarrow.compute as pc

    ids = joined('"', values, '"')
    for pattern, kind in FORMS:
        typed = joined('"', values, f'"^^<{XSD}{kind}>')
        ids = pc.if_else(pc.match_substring_regex(values, pattern), typed, ids)
    return ids


def joined(*parts: Any) -> Any:
    """Columns and texts joined row by row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    large = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*large, pa.scalar("", pa.large_string()))


def rows_of(owners: Any, relation: str, tails: Any, literal: bool = False) -> Rows:
    """A triple of each owner, all of one relation."""
    import pyarrow as pa

    relations = pa.array([relation] * len(owners), pa.large_string())
    flags = np.ones(len(owners), bool) if literal else None
    return Rows(terms_of(owners), terms_of(relations), terms_of(tails), flags)


def terms_of(array: Any) -> TableColumn:
    """The texts of a large_string array without nulls."""
    import pyarrow as pa

    assert pa.types.is_large_string(array.type), array.type  # offsets of another width would be read as these
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    offsets = np.frombuffer(array.buffers()[1], np.int64)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    return TableColumn(
        np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8), offsets[:-1], np.diff(offsets)
    )
