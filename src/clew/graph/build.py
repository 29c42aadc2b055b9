"""`build`: from files to a finished graph on disk, in one pass over the input and in bounded memory.

Kept apart because it is the only place that knows all readers. Reads in batches, hands them to `assembly`, lets
`naming` decide what things are called, and seals the folder; a build that fails leaves the old graph, and one that is
killed is gone on with by the same command. Each stage after reading works on files alone.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import ClewError, InputError, NotFoundError
from clew.graph.apart import Apart
from clew.graph.assembly import Assembly, sort_by_head, sort_by_tail
from clew.graph.clock import Clock, OnProgress
from clew.graph.databases import Databases, databases_of
from clew.graph.external import OnDisk
from clew.graph.formats import APART, BESIDE, FORMATS, RDF, SAME, format_of, there
from clew.graph.inputs import (
    Batch,
    BuildReport,
    InputProblem,
    Notes,
    Problems,
    Stream,
    TableColumn,
    size_of,
    split_suffix,
)
from clew.graph.jsonld import is_jsonld
from clew.graph.labelling import find_aliases, find_names, opaque
from clew.graph.layout import LITERAL, MEDIATOR, META, NAMED, VERSION, open_strings, open_texts
from clew.graph.memory import Memory, shown
from clew.graph.naming import (
    DEFAULT_MEDIATOR,
    Predicate,
    mediator_test,
    resolve_owners,
    write_id_lookup,
    write_kinds,
    write_labels,
    write_name_index,
)
from clew.graph.node_link import SAMPLE
from clew.graph.property_graph import PropertyTable, tables_of
from clew.graph.records import first_form
from clew.graph.schema import part
from clew.graph.stages import Stages, key_of
from clew.graph.tabular import delimited, json_lines, label_file, may_be_triple
from clew.graph.unpacking import OBJECTS, WORKBOOKS, Unpacked, unpack
from clew.graph.writing import replacing, seal

Source = str | PathLike[str]
MANY_OPAQUE = 0.2  # share of things without a name to read from which on a build warns

_BOOKS = re.compile(r"(?:\.structure\.json|^dump\.json|\.view\.json)(?:\.gz)?$")  # what arangodump notes of itself
LABEL_FILE = "labels"
MOST_BAD = 0.5
SAID = 1 << 30  # bytes of disk from which on a build says what it will take
ROOM: dict[str | None, tuple[float, float]] = {None: (1, 15), "gzip": (8, 15), "bz2": (10, 15), "zstd": (9, 15)}
"""Bytes on the disk for each byte of input, of text and of Parquet, by compression."""


def build(
    inputs: Source | Sequence[Source],
    out: Source,
    *,
    strict: bool = False,
    labels: Source | Sequence[Source] = (),
    label: str | Sequence[str] = (),
    language: str | Sequence[str] = "en",
    languages: str | Sequence[str] = (),
    drop_prefix: str | Sequence[str] = (),
    mediator: Predicate = None,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    memory: str | int | None = None,
    most_bad: float = MOST_BAD,
    foreign_keys: Mapping[str, str] | None = None,
    on_progress: OnProgress | None = None,
    part: int | None = None,
) -> BuildReport:
    """Build a graph folder from files; whatever stood at `out` stays until the new graph is whole.

    A build that was killed is gone on with, at its last finished stage, by the same call on the same files.

    Args:
        inputs: files whose suffix names the format, each may end in .gz, .bz2 or .zst; "-" is standard input.
        out: the folder to write, by custom `<name>.kg`.
        strict: stop at the first problem instead of counting it.
        labels: files of `id<TAB>label` lines, aliases in further fields, or Parquet; they win over labels in the data.
        label: properties whose values are the labels, by id or local name, best first; none: they are found.
        language: languages of labels in order of liking; others are a last resort.
        languages: texts of RDF in any other language are left out; none: all are read.
        drop_prefix: ids that begin so lose it: `http://rdf.freebase.com/ns/`.
        mediator: pattern of ids, or a test, of nameless n-ary nodes; blank nodes are such, labelled things never.
        format: one of `FORMATS`, for all inputs; needed for standard input.
        delimiter: of delimited text; None finds out.
        header: whether delimited text has one; None finds out.
        memory: the most it may take, in bytes or as "8GB"; None is half of what is free.
        foreign_keys: of relational tables, `table.column` and the table that it points to, or "" where it points to
            none; what is not said is found. Given, if only {}, several tables are those of a database at any rate.
        most_bad: share of statements that are none from which on a build stops, once there are ten thousand.
        part: rows held at once, whatever `memory` says.

    Raises:
        NotFoundError: an input does not exist.
        InputError: no triple in the input, an unknown format, a problem under `strict`, too little memory, too much
            that is no triple, or `out` is not a graph.
        ClewError: the disk is full, or has too little room to begin.
    """
    files, label_files = _paths(inputs), _paths(labels)
    formats = [format_of(file, format) for file in files]
    for file in (*files, *label_files):
        if str(file) != "-" and not there(file):
            raise NotFoundError(f"no file {str(file)[:200]}: check the spelling")
    if not files:
        raise InputError("nothing to build from: name at least one file")
    mediator_test(mediator)  # raises before anything is read
    if delimiter is not None and (len(delimiter.encode("utf-8", "replace")) != 1 or delimiter in '"\r\n\0'):
        raise InputError(f"delimiter {delimiter!r}: expected one character such as ',' ';' '|' or a tab")
    if not 0 < most_bad <= 1:
        raise InputError(f"most_bad {most_bad!r}: expected a share above 0 and up to 1")
    out = Path(out)
    limits = Memory.of(memory, part)
    _check_room(files, formats, out)
    pattern = mediator if isinstance(mediator, str) else getattr(mediator, "pattern", None)
    options = {
        "strict": strict, "labels": len(label_files), "label": label, "language": language, "languages": languages,
        "drop_prefix": drop_prefix, "mediator": pattern if mediator is None or pattern is not None else mediator,
        "format": format, "delimiter": delimiter, "header": header, "memory": memory, "part": part,
        "out": str(out.absolute()), "version": VERSION, "most_bad": most_bad,
        "foreign_keys": None if foreign_keys is None else dict(foreign_keys),
    }  # fmt: skip
    key = key_of([*files, *label_files], options)
    sources = list(zip(files, formats, strict=True))
    problems = Problems(strict, most_bad)
    reading = _Reading(
        files=sources,
        labels=label_files,
        label=_texts(label),
        languages=_texts(language),
        only=_texts(languages),
        drop=tuple(prefix.encode("utf-8", "replace") for prefix in _texts(drop_prefix)),
        delimiter=delimiter,
        header=header,
        foreign_keys=foreign_keys,
        problems=problems,
    )
    clock = Clock(on_progress, size_of([*files, *label_files]))
    with replacing(out, key=key) as folder:
        stages = Stages(folder.parent, key)
        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        try:
            read = stages.run("read", lambda: reading.run(folder, scratch, limits, clock))
        finally:
            if "read" not in stages.resumed:
                reading.problems.sample_to(out.with_suffix(".problems.tsv"))
        rows = clock.triples = read["rows"]
        clock.bytes = read["bytes"]
        clock.ended("read")
        clock.began("sort")
        triples = stages.run(
            "sort by head",
            lambda: {"triples": sort_by_head(folder, scratch, limits, sourced=read["sourced"], on_part=clock.part(0))},
            drop=[scratch / "triples.i32", scratch / "by-head.i32"],
        )["triples"]
        stages.run("sort by tail", lambda: sort_by_tail(folder, scratch, limits, on_part=clock.part(0.6)))
        clock.ended("sort")
        clock.began("names")
        stages.run("labels", lambda: write_labels(folder, scratch, limits, on_part=clock.part(0)))
        kinds = stages.run("kinds", lambda: write_kinds(folder, scratch, mediator))
        shutil.rmtree(scratch)
        stages.run("ids", lambda: write_id_lookup(folder, limits))
        stages.run("names", lambda: write_name_index(folder, limits, on_part=clock.part(0.3)))
        clock.ended("names")
        clock.began("write")
        things, opaque_ids = _unlabelled(folder)
        meta: dict[str, Any] = {
            "entities": len(OnDisk(folder / "kinds.u8")),
            "relations": len(OnDisk(folder / "relations.i64")) - 1,
            "triples": triples,
            "literals": kinds["literals"],
            "mediators": kinds["mediators"],
            "labels": len(open_texts(folder, "labels")),
            "names_from": read["names_from"],
            "parted": read["parted"],
            "mediator": None if callable(mediator) else pattern or DEFAULT_MEDIATOR,
            "languages": list(_texts(language)),
            "prefixes": read["prefixes"],
            "inputs": [file.name for file in files],
            "problems": read["problems"],
        }
        sealed = seal(folder, meta)
        stages.end()
        clock.ended("write")
    return BuildReport(
        path=out,
        name=f"{out.stem}@{sealed['fingerprint'][:12]}",
        triples=triples,
        entities=meta["entities"],
        relations=meta["relations"],
        duplicates=rows - triples,
        literals=meta["literals"],
        mediators=meta["mediators"],
        labels=meta["labels"],
        labels_unused=read["unused"],
        things=things,
        names_from=meta["names_from"],
        **read["parted"],
        opaque_ids=opaque_ids,
        bytes_read=read["bytes"],
        seconds=clock.seconds,
        problem_counts=read["problems"],
        problems=tuple(InputProblem(*each) for each in read["first"]),
        resumed=stages.resumed,
        tables=tuple(read["told"]),
    )


@dataclass
class _Reading:
    """The first stage: all input, in the order in which it was named."""

    files: list[tuple[Path, str]]
    labels: list[Path]
    label: tuple[str, ...]
    languages: tuple[str, ...]
    only: tuple[str, ...]
    drop: tuple[bytes, ...]
    delimiter: str | None
    header: bool | None
    foreign_keys: Mapping[str, str] | None
    problems: Problems
    tables: dict[Path, PropertyTable] = field(default_factory=dict)
    databases: Databases = field(default_factory=Databases)
    unpacked: Unpacked = field(default_factory=Unpacked)
    prefixes: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)  # what readers found out of their files
    bytes: int = 0

    def run(self, folder: Path, scratch: Path, memory: Memory, clock: Clock) -> dict[str, Any]:
        """Number every term and put triples and texts into files; what the later stages need to know."""
        clock.began("read", report=False)
        self._look(scratch / "unpacked", clock)
        assembly = Assembly(folder, scratch, memory)
        try:
            files = self.unpacked.files
            for number, (file, kind) in enumerate([*files, *((file, LABEL_FILE) for file in self.labels)]):
                self._file(file, kind, number, assembly, clock)
            parted = part(assembly)
            sources = find_names(assembly, self.label)
            find_aliases(assembly)
            assembly.flush()
            unused = resolve_owners(assembly)
        finally:
            assembly.close()
        if not assembly.rows:
            told = "".join(f"\n  {problem}" for problem in self.problems.first) or " they are empty"
            raise InputError(f"no triple in {', '.join(str(file) for file, _ in self.files)}:{told}")
        return {
            "rows": assembly.rows,
            "sourced": assembly.sourced,
            "bytes": self.bytes,
            "unused": unused,
            "parted": asdict(parted),
            "names_from": {source.property: source.named for source in sources},
            "prefixes": self.prefixes,
            "problems": dict(self.problems.counts),
            "first": [[each.file, each.line, each.kind, each.message] for each in self.problems.first],
            "told": [*self.databases.told, *self.unpacked.told, *self.told],
        }

    def _look(self, place: Path, clock: Clock) -> None:
        """What the files hold that are tables, decided from all of them together."""
        self.unpacked = unpack(self.files, place, self.problems, self.delimiter, lambda: clock.read(0))
        self.unpacked.files = [(file, "json" if kind == "jsonl" and _of_graph(file) else kind)
                               for file, kind in self.unpacked.files]  # fmt: skip
        self.bytes += self.unpacked.bytes
        told: dict[Path, list[str]] = {}
        self.tables = tables_of(self.unpacked.files, self.delimiter, self.header, told)
        self.databases = databases_of(
            self.unpacked, self.tables, delimiter=self.delimiter, header=self.header, foreign_keys=self.foreign_keys,
            problems=self.problems,
        )  # fmt: skip
        self.told += [line for file, lines in told.items() if file not in self.databases.plans for line in lines]

    def _file(self, file: Path, kind: str, number: int, assembly: Assembly, clock: Clock) -> None:
        before = assembly.rows + self.problems.total
        ours = str(file) in self.problems.shown  # a table of what was unpacked
        table = self.tables.get(file) if kind != LABEL_FILE else None
        stream: Stream | Apart
        plans = self.databases.plans.get(file) if kind != LABEL_FILE else None
        if plans is not None:
            stream = apart = Apart(file, self.problems)
            batches = apart.batches("tables", plans=plans)
        elif table is not None:
            stream = apart = Apart(file, self.problems)
            batches = apart.batches("table", table=asdict(table))
        else:
            parsed = kind in (*APART, OBJECTS) or (kind == LABEL_FILE and split_suffix(file)[0] == "parquet")
            stream = (Apart if parsed else Stream)(file, self.problems)
            batches = self._batches(file, kind, stream, number)
        try:
            for batch in batches:
                assembly.add(self._shortened(batch) if self.drop else batch)
                clock.triples = assembly.rows
                clock.read(self.bytes + (0 if ours else stream.position))
                self.problems.stop_when_too_many(assembly.rows)
            empty = assembly.rows + self.problems.total == before
            if kind != LABEL_FILE and empty and not (ours and plans is not None):  # a table may have no rows
                self.problems.add(str(file), None, "empty", "holds no triple")
            self.bytes += 0 if ours else stream.position
        finally:
            stream.close()
            if ours:
                file.unlink(missing_ok=True)

    def _batches(self, file: Path, kind: str, stream: Stream | Apart, number: int) -> Iterator[Batch]:
        problems = self.problems
        if isinstance(stream, Apart):
            options: dict[str, Any] = {}
            if kind in (*RDF, "json"):  # which may be JSON-LD
                options = {"languages": list(self.languages), "only": list(self.only), "number": number}
            yield from stream.batches("parquet labels" if kind == LABEL_FILE else kind, **options)
            self.prefixes.update(stream.prefixes)
            self.told += stream.told
        elif stream.failed:
            return
        elif kind == LABEL_FILE:
            yield from label_file(file, problems, stream)
        elif kind == "jsonl":
            yield from json_lines(file, problems, stream)
        else:
            yield from delimited(file, kind, problems, stream, self.delimiter, self.header)

    def _shortened(self, batch: Batch) -> Batch:
        """The batch with ids that lost what was to be dropped."""
        from clew.graph import bulk

        def short(column: TableColumn) -> TableColumn:
            for prefix in self.drop:
                column = TableColumn(column.data, *bulk.without(*column, np.frombuffer(prefix, np.uint8)))
            return column

        if isinstance(batch, Notes):
            return batch._replace(owners=short(batch.owners))
        sources = None if batch.sources is None else short(batch.sources)
        return batch._replace(
            heads=short(batch.heads), relations=short(batch.relations), tails=short(batch.tails), sources=sources
        )


def disk_needed(files: Sequence[Path], formats: Sequence[str]) -> int:
    """Bytes that a build of these files takes on the disk for a while, by experience; the graph itself takes half."""
    return sum(int(size_of([file]) * ROOM[split_suffix(file)[1]][kind in ("parquet", *WORKBOOKS)])
               for file, kind in zip(files, formats, strict=True))  # fmt: skip


def planned(
    inputs: Source | Sequence[Source], out: Source, *, memory: str | int | None = None, format: str | None = None
) -> str:
    """What a build of these files will take, in words; empty where that is little.

    Raises as `build` does where it cannot begin.
    """
    files = _paths(inputs)
    limits = Memory.of(memory)
    needed = disk_needed(files, [format or split_suffix(file)[0] for file in files])
    if needed < SAID and memory is None:
        return ""
    why = "" if memory is not None else ", half of what is free (--memory says otherwise)"
    try:
        room = f" of {shown(shutil.disk_usage(Path(out).absolute().parent).free)} that are free"
    except OSError:
        room = ""
    return f"takes up to {shown(limits.limit)} of memory{why}, and about {shown(needed)} of disk{room}"


def _check_room(files: Sequence[Path], formats: Sequence[str], out: Path) -> None:
    needed = disk_needed(files, formats)
    try:
        total, _, room = shutil.disk_usage(out.absolute().parent)
    except OSError:  # no such folder: `replacing` says so
        return
    if not total:  # a file system without a size of its own, as /proc: writing says what it allows
        return
    if room < needed // 2:
        raise ClewError(
            f"too little room for {out}: a build of this size takes about {shown(needed)} for a while, and there are "
            f"{shown(room)}; free some space or choose another place; nothing was changed"
        )


def _unlabelled(folder: Path) -> tuple[int, tuple[str, ...]]:
    """How many entities could have a name, and some ids of those without one that say nothing, if many are such."""
    kinds = np.fromfile(folder / "kinds.u8", np.uint8)
    labelled = np.zeros(len(kinds), bool)
    labelled[open_texts(folder, "labels").owners] = True
    stated = np.diff(np.memmap(folder / "out.offsets.i64", np.int64, "r")) > 0
    without = np.flatnonzero((kinds == NAMED) & ~labelled & stated)
    sample = open_strings(folder, "ids").take(without[:: max(1, len(without) // 1000)])
    dull = [id for id in sample if opaque(id)]  # of things that something is said of: a bare 1984 is a value
    things = int(np.count_nonzero((kinds != LITERAL) & (kinds != MEDIATOR)))
    many = len(dull) / max(len(sample), 1) * len(without) > MANY_OPAQUE * things
    return things, tuple(dull[:3]) if many else ()


def _of_graph(file: Path) -> bool:
    """Whether JSON lines are something else than triples: records of a database, JSON-LD, plain objects."""
    if str(file) == "-" or not file.is_file():
        return False
    stream = Stream(file, Problems())
    try:
        sample = stream.read(SAMPLE)
        return first_form(sample) != "" or is_jsonld(sample) or not may_be_triple(sample)
    finally:
        stream.close()


def _paths(sources: Source | Sequence[Source]) -> list[Path]:
    """The files that are meant; a folder means those in it that have a format."""
    named = [Path(sources)] if isinstance(sources, (str, PathLike)) else [Path(source) for source in sources]
    return [file for each in named for file in (_inside(each) or [each])]


def _inside(folder: Path) -> list[Path]:
    """What there is to read in a folder; texts and settings beside other files are taken for what they mostly are."""
    try:
        if not there(folder) or not folder.is_dir() or (folder / META).exists():  # a graph is nothing to build from
            return []
        files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name[0] != "."]
    except OSError:  # reading says so
        return []
    files = [file for file in files if split_suffix(file)[0] in (*FORMATS, *SAME) and not _BOOKS.search(file.name)]
    return [file for file in files if split_suffix(file)[0] not in BESIDE] or files


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
