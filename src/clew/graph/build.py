"""`build`: from files to a finished graph on disk, in one pass over the input.

Kept apart because it is the only place that knows all readers. Reads in batches, hands them to `assembly`, lets
`naming` decide what things are called, and seals the folder; a build that fails or is killed leaves the old graph.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, NotFoundError
from clew.graph.apart import Apart
from clew.graph.assembly import PART, Assembly
from clew.graph.inputs import Batch, BuildReport, Problems, Progress, Stream, size_of, split_suffix
from clew.graph.labelling import find_names, opaque
from clew.graph.layout import LITERAL, MEDIATOR, NAMED, open_strings, open_texts
from clew.graph.naming import DEFAULT_MEDIATOR, Predicate, mediator_test, write_kinds, write_labels, write_lookups
from clew.graph.property_graph import tables_of
from clew.graph.tabular import delimited, json_lines, label_file
from clew.graph.writing import replacing, seal

Source = str | PathLike[str]
MANY_OPAQUE = 0.2  # share of things without a name to read from which on a build warns
OnProgress = Callable[[Progress], None]

RDF = ("nt", "nq", "ttl", "trig", "jsonld", "rdf", "xml", "owl", "n3")
TEXT = ("tsv", "csv", "txt")
FORMATS = (*RDF, *TEXT, "parquet", "jsonl", "graphml", "cypher", "cql")
APART = (*RDF, "parquet", "graphml", "cypher", "cql")  # a parser of which bytes can make much out of little


def build(
    inputs: Source | Sequence[Source],
    out: Source,
    *,
    strict: bool = False,
    labels: Source | Sequence[Source] = (),
    label: str | Sequence[str] = (),
    language: str | Sequence[str] = "en",
    mediator: Predicate = None,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    on_progress: OnProgress | None = None,
    part: int = PART,
) -> BuildReport:
    """Build a graph folder from files; whatever stood at `out` stays until the new graph is whole.

    Args:
        inputs: files whose suffix names the format, each may end in .gz, .bz2 or .zst; "-" is standard input.
        out: the folder to write, by custom `<name>.kg`.
        strict: stop at the first problem instead of counting it.
        labels: files of `id<TAB>label` lines, aliases in further fields; they win over labels in the data.
        label: properties whose values are the labels, by id or local name, best first; none: they are found.
        language: languages of labels in order of liking; others are a last resort.
        mediator: pattern of ids, or a test, of nameless n-ary nodes; blank nodes are such, labelled things never.
        format: one of `FORMATS`, for all inputs; needed for standard input.
        delimiter: of delimited text; None finds out.
        header: whether delimited text has one; None finds out.
        part: triples sorted in memory at once.

    Raises:
        NotFoundError: an input does not exist.
        InputError: no triple in the input, an unknown format, a problem under `strict`, or `out` is not a graph.
        ClewError: the disk is full.
    """
    files, label_files = _paths(inputs), _paths(labels)
    formats = [_format(file, format) for file in files]
    for file in (*files, *label_files):
        if str(file) != "-" and not _there(file):
            raise NotFoundError(f"no file {str(file)[:200]}: check the spelling")
    if not files:
        raise InputError("nothing to build from: name at least one file")
    mediator_test(mediator)  # raises before anything is read
    if delimiter is not None and (len(delimiter.encode("utf-8", "replace")) != 1 or delimiter in '"\r\n\0'):
        raise InputError(f"delimiter {delimiter!r}: expected one character such as ',' ';' '|' or a tab")
    languages = (language,) if isinstance(language, str) else tuple(language)
    out = Path(out)
    problems, clock, prefixes = Problems(strict), _Clock(), dict[str, str]()
    total = size_of([*files, *label_files])
    tables = tables_of(list(zip(files, formats, strict=True)), delimiter, header)
    with replacing(out) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        assembly = Assembly(folder, scratch, part)
        done = 0

        def report(stage: str, stream: Stream | Apart | None = None) -> None:
            if on_progress is not None:
                on_progress(Progress(stage, done + (stream.position if stream else 0), total, assembly.rows))

        try:
            for number, (file, kind) in enumerate(
                [*zip(files, formats, strict=True), *((f, "labels") for f in label_files)]
            ):
                before = assembly.rows + problems.total
                table = tables.get(file) if kind != "labels" else None
                stream: Stream | Apart
                if table is not None:
                    stream = apart = Apart(file, problems)
                    batches = apart.batches("table", table=asdict(table))
                else:
                    stream = (Apart if kind in APART else Stream)(file, problems)
                    batches = _read(file, kind, problems, stream, delimiter, header, languages, number, prefixes)
                try:
                    for batch in batches:
                        assembly.add(batch)
                        report("read", stream)
                    if kind != "labels" and assembly.rows + problems.total == before:
                        problems.add(str(file), None, "empty", "holds no triple")
                    done += stream.position
                finally:
                    stream.close()
            sources = find_names(assembly, (label,) if isinstance(label, str) else label)
        finally:
            assembly.close()
        if not assembly.rows:
            shown = "".join(f"\n  {problem}" for problem in problems.first) or " they are empty"
            raise InputError(f"no triple in {', '.join(map(str, files))}:{shown}")
        clock.stage("read")
        report("sort")
        triples = assembly.sort()
        clock.stage("sort")
        report("names")
        unused = write_labels(assembly)
        kinds = write_kinds(assembly, mediator)
        write_lookups(folder)
        shutil.rmtree(scratch)
        clock.stage("names")
        report("write")
        pattern = mediator if isinstance(mediator, str) else getattr(mediator, "pattern", None)
        things, opaque_ids = _unlabelled(folder, kinds)
        meta: dict[str, Any] = {
            "entities": len(kinds),
            "relations": assembly.relations.count,
            "triples": triples,
            "literals": int(np.count_nonzero(kinds == LITERAL)),
            "mediators": int(np.count_nonzero(kinds == MEDIATOR)),
            "labels": len(open_texts(folder, "labels")),
            "names_from": {source.property: source.named for source in sources},
            "mediator": None if callable(mediator) else pattern or DEFAULT_MEDIATOR,
            "languages": list(languages),
            "prefixes": prefixes,
            "inputs": [file.name for file in files],
            "problems": dict(problems.counts),
        }
        sealed = seal(folder, meta)
        clock.stage("write")
    return BuildReport(
        path=out,
        name=f"{out.stem}@{sealed['fingerprint'][:12]}",
        triples=triples,
        entities=meta["entities"],
        relations=meta["relations"],
        duplicates=assembly.rows - triples,
        literals=meta["literals"],
        mediators=meta["mediators"],
        labels=meta["labels"],
        labels_unused=unused,
        things=things,
        names_from=meta["names_from"],
        opaque_ids=opaque_ids,
        bytes_read=done,
        seconds=clock.seconds,
        problem_counts=dict(problems.counts),
        problems=tuple(problems.first),
    )


def _unlabelled(folder: Path, kinds: NDArray[np.uint8]) -> tuple[int, tuple[str, ...]]:
    """How many entities could have a name, and some ids of those without one that say nothing, if many are such."""
    labelled = np.zeros(len(kinds), bool)
    labelled[open_texts(folder, "labels").owners] = True
    without = np.flatnonzero((kinds == NAMED) & ~labelled)
    sample = open_strings(folder, "ids").take(without[:: max(1, len(without) // 1000)])
    dull = [id for id in sample if opaque(id)]
    things = int(np.count_nonzero((kinds != LITERAL) & (kinds != MEDIATOR)))
    many = len(dull) / max(len(sample), 1) * len(without) > MANY_OPAQUE * things
    return things, tuple(dull[:3]) if many else ()


def _paths(sources: Source | Sequence[Source]) -> list[Path]:
    return [Path(sources)] if isinstance(sources, (str, PathLike)) else [Path(source) for source in sources]


def _there(file: Path) -> bool:
    try:
        return file.exists()
    except (OSError, ValueError):  # no name that a file can have
        return False


def _format(file: Path, given: str | None) -> str:
    suffix = given or split_suffix(file)[0]
    if suffix not in FORMATS and not (_there(file) and file.is_dir()):
        raise InputError(
            f"{str(file)[:200]}: unknown format {suffix[:40]!r}; known are {', '.join(FORMATS)}: say which one it is"
        )
    return suffix


def _read(
    file: Path,
    kind: str,
    problems: Problems,
    stream: Stream | Apart,
    delimiter: str | None,
    header: bool | None,
    languages: Sequence[str],
    number: int,
    prefixes: dict[str, str],
) -> Iterator[Batch]:
    if isinstance(stream, Apart):
        options = {"languages": list(languages), "number": number} if kind in RDF else {}
        yield from stream.batches(kind, **options)
        prefixes.update(stream.prefixes)
    elif stream.failed:
        return
    elif kind == "labels":
        yield from label_file(file, problems, stream)
    elif kind == "jsonl":
        yield from json_lines(file, problems, stream)
    else:
        yield from delimited(file, kind, problems, stream, delimiter, header)


class _Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def stage(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._last = now - self._last, now
