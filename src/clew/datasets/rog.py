"""RoG-WebQSP and RoG-CWQ: Freebase questions that bring a graph each, as published on the Hub.

Source: "Reasoning on Graphs: Faithful and Interpretable Large Language Model Reasoning", ICLR 2024. A row holds `id`,
`question`, `q_entity`, `answer`, `a_entity` and `graph` (a list of triples), and any set of that schema can be read.
Decoded, RoG-CWQ takes 11.3 GB, because neighbouring questions repeat their triples: `prepare` (see `shared_triples`)
turns the files into one store and arrays of triple numbers. Unprepared files can be read too, one graph at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.datasets.plain import parse_example
from clew.datasets.shared_triples import SharedTriples, prepare
from clew.datasets.source import Source, assert_count, data_folder
from clew.errors import InputError, MissingExtraError, NotFoundError, UnavailableError
from clew.graph import Graph
from clew.protocols import Example

if TYPE_CHECKING:
    import pyarrow as pa

SPLITS = ("train", "dev", "test")
FILE = re.compile(r"(train|validation|dev|test)\b.*\.parquet")
COLUMNS = ("id", "question", "answer", "q_entity", "a_entity", "graph")
COUNTS: Mapping[str, Mapping[str, int]] = {
    "rog-webqsp": {"train": 2826, "dev": 246, "test": 1628},
    "rog-cwq": {"train": 27639, "dev": 3519, "test": 3531},
}
HUB = {"rog-webqsp": "rmanluo/RoG-webqsp", "rog-cwq": "rmanluo/RoG-cwq"}
ROWS = 32
"""Rows decoded at once; each may hold ten thousand triples."""


def source_of(name: str) -> Source:
    """Where a set comes from; the Hub states no licence beyond those of WebQSP or CWQ and Freebase."""
    questions = "WebQSP" if name == "rog-webqsp" else "ComplexWebQuestions"
    return Source(
        url=f"https://huggingface.co/datasets/{HUB[name]}",
        licence=f"none stated on the Hub; {questions} and Freebase (CC BY) as published",
        folder=name,
        notice="Some answers lie outside of their question's graph: report the share that is inside beside a score.",
    )


def load_rog(
    name: str, split: str, folder: str | Path | None = None, *, counts: Mapping[str, int] | None = None
) -> Iterator[Example]:
    """The questions of one split, each with its own graph: from a prepared folder, else from Parquet files.

    Args:
        folder: the folder of all sets, or the set's own.
        counts: questions expected per split; default: the published ones.

    Raises:
        NotFoundError: neither a prepared folder nor Parquet files there. InputError: other counts or other columns.
    """
    root = data_folder(folder)
    home = root / name if (root / name).is_dir() else root
    expected = (COUNTS[name] if counts is None else counts).get(split)
    if (home / "meta.json").is_file():
        shared = SharedTriples.open(home)
        if expected is not None:
            assert_count(f"{home}, {split}", shared.count(split), expected)
        return shared.examples(split)
    files = parquet_files(home)
    if split not in files:
        raise NotFoundError(
            f"{home}: neither a prepared folder nor Parquet files of split {split!r}; fetch them from "
            f"{source_of(name).url}, or let clew.datasets.prepare_rog({name!r}, {str(home)!r}) do so"
        )
    return _unprepared(files[split], f"{home}, {split}", expected)


def prepare_rog(name: str, out: str | Path, source: str | Path | None = None) -> dict[str, Any]:
    """Turn the Parquet files of a set into a folder that `load_rog` reads; returns what it holds.

    Args:
        source: a folder of Parquet files; without one they are fetched from the Hub.

    Raises:
        InputError: other counts than published. MissingExtraError, UnavailableError: the Hub cannot be asked.
    """
    return prepare_parquet(download(name) if source is None else source, out, counts=COUNTS[name])


def prepare_parquet(source: str | Path, out: str | Path, *, counts: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The same for any folder of Parquet files of this schema."""
    files = parquet_files(Path(source))
    if not files:
        raise NotFoundError(f"{source}: no Parquet files named after a split, such as test-00000-of-00001.parquet")
    batches = {split: _batches(files[split]) for split in SPLITS if split in files}
    return prepare(batches, out, counts=counts or {})


def download(name: str) -> Path:
    """The Hub's Parquet files of a set, in the local cache of huggingface_hub."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled
    except ImportError:
        raise MissingExtraError("fetching question sets from the Hub", "models") from None
    try:
        return Path(snapshot_download(HUB[name], repo_type="dataset", allow_patterns=["*.parquet"]))
    except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError) as error:
        cause = str(error).splitlines()[0]
        raise UnavailableError(
            f"{HUB[name]} cannot be fetched from the Hub: {cause}; go online (and unset HF_HUB_OFFLINE), or fetch "
            f"{source_of(name).url} elsewhere and name the folder"
        ) from None


def parquet_files(folder: Path) -> dict[str, list[Path]]:
    """The Parquet files of a folder by split, in order; the Hub's `validation` is `dev`."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.parquet")):
        if match := FILE.match(path.name):
            found.setdefault("dev" if match[1] == "validation" else match[1], []).append(path)
    return found


def _batches(files: list[Path]) -> Iterator[tuple[list[dict[str, Any]], np.ndarray, pa.Array]]:
    """(questions without graphs, triples per question (Q,), all their terms as one flat array (3T,))."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    for path in files:
        try:
            file = pq.ParquetFile(path)
            missing = [column for column in COLUMNS if column not in file.schema_arrow.names]
            if missing:
                raise InputError(f"{path}: no column {', '.join(missing)}; its columns: {file.schema_arrow.names}")
            for batch in file.iter_batches(ROWS, columns=list(COLUMNS)):
                graph = batch.column("graph")
                questions = batch.select(COLUMNS[:-1]).to_pylist()
                edges = graph.flatten()
                widths = pc.list_value_length(edges)
                if len(edges) and pc.min_max(widths).as_py() != {"min": 3, "max": 3}:
                    ids = [question["id"] for question in questions]
                    raise InputError(f"{path}: a graph among questions {ids[0]!r} to {ids[-1]!r} holds no triples of 3")
                sizes = pc.fill_null(pc.list_value_length(graph), 0).to_numpy(zero_copy_only=False)
                yield questions, sizes.astype(np.int64), edges.flatten()
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path}: cannot be read as Parquet: {str(error).splitlines()[0]}") from None


def _unprepared(files: list[Path], what: str, expected: int | None) -> Iterator[Example]:
    count = 0
    for questions, sizes, terms in _batches(files):
        start = 0
        for row, size in zip(questions, sizes.tolist(), strict=True):
            flat = terms.slice(3 * start, 3 * size).to_pylist()
            start += size
            count += 1
            triples = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
            example = parse_example(row)
            yield Example(example.question, example.gold, Graph.from_triples(triples, name=f"question {row['id']}"))
    if expected is not None:
        assert_count(what, count, expected)
