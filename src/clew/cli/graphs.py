"""`build`, `info`, `add`, `remove`, `compact`, `repair`, `link`: everything about a graph that is not a question."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from clew.cli.options import ConfigFile, GraphArgument, Json, Quiet, Set, folder_of, workspace

if TYPE_CHECKING:
    from clew.graph import Graph

SHOWN, TRIED = 3, 15  # example questions
MADE_UP_TO = 5_000_000  # triples of a graph from which example questions are made


def build(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="RDF (.ttl .nt .nq .trig .jsonld .rdf), pages (.html), .tsv .csv .parquet .jsonl .json .graphml .gexf "
            ".gml .cyjs .cypher .sql, each may end in .gz .bz2 .zst; SQLite (.db .sqlite); workbooks (.xlsx .xls "
            ".ods); exports of Neo4j, ArangoDB, Dgraph, TinkerPop, Airtable, Notion; a folder of them; - is stdin.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The graph's folder, by custom NAME.kg.")],
    labels: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option("--labels", help="File of id<TAB>label lines. May be repeated."),
    ] = None,
    label: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--label", metavar="PROPERTY", help="Property that names things; default: found. Repeatable."),
    ] = None,
    language: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--language", help="Language of labels, best first; default en. May be repeated."),
    ] = None,
    mediator: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--mediator", metavar="REGEX", help="Which ids are nameless n-ary nodes."),
    ] = None,
    format: Annotated[Optional[str], typer.Option("--format", help="Format of all inputs, e.g. for stdin.")] = None,  # noqa: UP045
    delimiter: Annotated[Optional[str], typer.Option("--delimiter", help="Of delimited text; default: seen.")] = None,  # noqa: UP045
    header: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--header/--no-header", help="Whether delimited text has column names; default: seen."),
    ] = None,
    languages: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--languages", help="Read RDF texts in these languages alone, as en,de; default all."),
    ] = None,
    drop_prefix: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--drop-prefix", metavar="IRI", help="Ids that begin so lose it. May be repeated."),
    ] = None,
    memory: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--memory", metavar="SIZE", help="The most to take, as 8GB; default half of what is free."),
    ] = None,
    most_bad: Annotated[
        float, typer.Option("--most-bad", metavar="SHARE", help="Stop where a larger share of the input is no triple.")
    ] = 0.5,
    foreign_key: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--foreign-key",
            metavar="TABLE.COLUMN=TABLE",
            help="What a column of a relational table points to; TABLE.COLUMN= for nothing. May be repeated.",
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option("--table", help="The file is a table: rows become things, columns relations, order is kept."),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first line that is no triple.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Build a graph from files. One that fails leaves the old graph, or nothing; one that was killed is gone on with by
    the same command."""
    from clew.cli.screen import clean, progress, put_json
    from clew.graph import build as build_graph
    from clew.graph.build import planned
    from clew.types import to_json

    if table:
        _table(inputs, out, delimiter, json=json)
        return
    if not quiet and not json and (said := planned(inputs, out, memory=memory, format=format)):
        sys.stderr.write(f"{clean(said)}\n")
    with progress("build", quiet=quiet) as bar:
        report = build_graph(
            inputs,
            out,
            strict=strict,
            labels=labels or (),
            label=label or (),
            language=language or "en",
            mediator=mediator,
            format=format,
            delimiter=delimiter,
            header=header,
            languages=[each for some in languages or () for each in some.split(",") if each],
            drop_prefix=drop_prefix or (),
            memory=memory,
            most_bad=most_bad,
            foreign_keys=_foreign_keys(foreign_key) if foreign_key else None,
            on_progress=lambda p: bar(1000 * p.share, 1000 if p.bytes_total else None, str(p)),
        )
    if json:
        put_json({**to_json(report), "path": str(report.path)})
        return
    sys.stdout.writelines(clean(line) + "\n" for line in str(report).splitlines())
    sys.stdout.write(f'ask with  clew ask {clean(str(out))} "…"\n')


def _foreign_keys(said: Sequence[str]) -> dict[str, str]:
    from clew.errors import InputError

    found = {}
    for each in said:
        column, sign, target = each.partition("=")
        if not sign or "." not in column:
            raise InputError(f"--foreign-key {each!r}: expected TABLE.COLUMN=TABLE, as in orders.client_id=customers")
        found[column.strip()] = target.strip()
    return found


def _table(inputs: list[Path], out: Path, delimiter: str | None, *, json: bool) -> None:
    from clew.cli.screen import clean, put_json
    from clew.errors import InputError
    from clew.graph.tables import build_table

    if len(inputs) != 1:
        raise InputError(f"--table takes one file, got {len(inputs)}: build a graph of each")
    graph = build_table(inputs[0], out, delimiter=delimiter)
    found = {"triples": graph.num_triples, "entities": graph.num_entities, "relations": graph.num_relations}
    if json:
        put_json({"path": str(out), "name": graph.name, **found})
        return
    counts = ", ".join(f"{count:,} {what}" for what, count in found.items())
    sys.stdout.write(clean(f"{out}: {counts}") + "\n")
    sys.stdout.write(f'ask with  clew ask {clean(str(out))} "…"\n')


def info(
    graph: GraphArgument,
    questions: Annotated[
        bool,
        typer.Option("--questions/--no-questions", help="Show questions that it answers now."),
    ] = True,
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
) -> None:
    """Types, relations with an example and what they lead to, names, memory, and questions it can answer now."""
    from clew.cli.screen import clean, put_json, put_table
    from clew.graph import Graph
    from clew.graph.remote import ServerGraph

    opened = workspace(graph, config=config, assignments=assignments).graph
    assert isinstance(opened, (Graph, ServerGraph))  # a path or an address was given
    found: dict[str, Any] = opened.info()
    asked, why = _answered(Path(graph), opened) if questions and isinstance(opened, Graph) else ([], "")
    if json:
        put_json({**found, "questions": asked, "questions_note": why})
        return
    tables = {key: value for key, value in found.items() if isinstance(value, list) and value}
    put_table(("", str(graph)), [row for key, value in found.items() if key not in tables for row in _flat(key, value)])
    for key, rows in tables.items():
        if isinstance(rows[0], dict):
            columns = list(dict.fromkeys(name for row in rows for name in row))
            put_table(columns, [[row.get(name, "") for name in columns] for row in rows], title=key)
        else:
            put_table((key,), [(row,) for row in rows])
    if asked:
        sys.stdout.write("it answers now, for example\n")
        sys.stdout.writelines(clean(f'  clew ask {graph} "{question}"') + "\n" for question in asked)
    elif why:
        sys.stdout.write(f"no example questions: {clean(why)}\n")


def _answered(path: Path, graph: Graph) -> tuple[list[str], str]:
    """Three questions made from the graph that `ask` answers rightly with nothing trained, or why there are none."""
    from clew.errors import ClewError
    from clew.graph.kinds import kind_relations
    from clew.synthesis import SamplingConfig, synthesize

    if graph.num_triples > MADE_UP_TO:
        return [], f"the graph has more than {MADE_UP_TO:,} triples"
    right: list[str] = []
    try:
        space = workspace(str(path))
        states_type = {graph.relation_at(r).id for r in kind_relations(graph).all}
        sampling = SamplingConfig(hops=(0.8, 0.2), max_answers=5, exclude=(*SamplingConfig().exclude, *states_type))
        for made in synthesize(graph.whole, TRIED, sampling=sampling):
            answer = space.ask(made.question.text)
            if set(answer.texts[: len(made.gold.answers)]) == set(made.gold.answers):
                right.append(made.question.text)
            if len(right) == SHOWN:
                break
    except ClewError as error:
        return right, str(error)
    return right, "" if right else f"none of {TRIED} questions made from the graph was answered"


Triple = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Argument(metavar="[HEAD RELATION TAIL]", help="One triple; each an id, or a label only one entity has."),
]
File = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--file", "-f", help="Triples as lines of three tab-separated ids instead; - is stdin."),
]


def add(graph: GraphArgument, triple: Triple = None, file: File = None, json: Json = False) -> None:
    """Add triples without a rebuild; every reader sees them. A new name becomes a new entity."""
    from clew.graph import add as add_triples

    _edit(add_triples, "added", folder_of(graph), triple, file, json)


def remove(graph: GraphArgument, triple: Triple = None, file: File = None, json: Json = False) -> None:
    """Remove triples without a rebuild; their entities stay."""
    from clew.graph import remove as remove_triples

    _edit(remove_triples, "removed", folder_of(graph), triple, file, json)


def compact(graph: GraphArgument, json: Json = False) -> None:
    """Fold what was added and removed into the graph."""
    from clew.cli.screen import clean, put_json
    from clew.graph import compact as compact_graph

    changed = compact_graph(folder_of(graph))
    if json:
        put_json({"compacted": changed})
        return
    sys.stdout.write(
        f"{clean(str(graph))}: {'compacted' if changed else 'nothing to compact, no triple was added or removed'}\n"
    )


def repair(graph: GraphArgument, json: Json = False) -> None:
    """Rebuild what is damaged in a graph from what is not, and add what an earlier clew did not write.

    `clew doctor GRAPH` says what is damaged.
    """
    from clew.cli.screen import clean, put_json
    from clew.graph import repair as repair_graph
    from clew.types import to_json

    done = repair_graph(graph)
    if json:
        put_json({**to_json(done), "log": None if done.log is None else str(done.log)})
        return
    name, aside = clean(str(graph)), clean(str(done.log))
    if not done.rebuilt and not done.edits_lost:
        sys.stdout.write(f"{name}: nothing is damaged or lacking\n")
        return
    if done.rebuilt:
        sys.stdout.write(f"{name}: rebuilt {', '.join(done.rebuilt)}\n")
    if done.edits_lost:
        sys.stdout.write(f"{name}: {done.edits_kept:,} edits kept; the damaged log is now {aside}; lost:\n")
        sys.stdout.writelines(f"  {clean(lost)}\n" for lost in done.edits_lost)


def link(
    graph: GraphArgument,
    question: Annotated[str, typer.Argument(help="The question whose topics are wanted.")],
    limit: Annotated[int, typer.Option(min=1, help="Candidates to print.")] = 10,
    context: Annotated[bool, typer.Option("--context", help="Let the encoder tell namesakes apart.")] = False,
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
) -> None:
    """The entities a question may be about, with scores and reasons; those chosen are marked."""
    from clew.cli.screen import put_json, put_table
    from clew.errors import InputError
    from clew.retrieval.linking import candidates
    from clew.types import Question, to_json

    if not question.strip():
        raise InputError("the question is empty; ask for example  'what is the capital of France?'")
    space = workspace(graph, config=config, assignments=assignments)
    encoder = space.encoder() if context else None
    asked = Question("q1", question)
    chosen = {topic.entity.id for topic in space.link(encoder)(asked, space.graph)}
    found = candidates(asked, space.graph, encoder=encoder, limit=limit)
    if json:
        put_json([{**to_json(topic), "chosen": topic.entity.id in chosen} for topic in found])
        return
    if not found:
        sys.stdout.write("no entity of the graph is named in the question; name one with --topics when you ask\n")
        return
    rows = [
        ("*" if t.entity.id in chosen else "", t.entity.label, t.entity.id, t.score, t.mention, t.reason) for t in found
    ]
    put_table(("", "entity", "id", "score", "mention", "why"), rows)


def _flat(key: str, value: Any) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [row for name, inner in value.items() for row in _flat(f"{key} {name}", inner)]
    return [(key.replace("_", " "), value if isinstance(value, (int, float, str)) else str(value))]


def _edit(
    edit: Callable[[Path, list[tuple[str, str, str]]], int],
    word: str,
    graph: Path,
    triple: list[str] | None,
    file: Path | None,
    json: bool,
) -> None:
    from clew.cli.screen import clean, put_json
    from clew.errors import InputError

    if (triple is None) == (file is None):
        raise InputError("name one triple as HEAD RELATION TAIL, or a file of them with --file")
    if triple is not None and len(triple) != 3:
        raise InputError(f"{len(triple)} parts {triple}, expected HEAD RELATION TAIL; quote names that hold spaces")
    rows = [_known(graph, triple)] if triple is not None else _rows(file or Path("-"))
    changed = edit(graph, rows)
    if json:
        put_json({word: changed, "given": len(rows)})
        return
    if triple is not None:
        sys.stdout.write(clean(" | ".join(rows[0])) + "\n")
    sys.stdout.write(f"{clean(str(graph))}: {changed:,} of {len(rows):,} triples {word}\n")


def _known(path: Path, triple: list[str]) -> tuple[str, str, str]:
    """The ids that the three texts mean: an id as it is, else the one entity or relation so called, else itself."""
    from clew.graph import Graph

    graph = Graph.open(path)
    head, relation, tail = triple
    known = {each.id for each in graph.relations()}
    so_called = [each.id for each in graph.relations() if each.label == relation]
    if relation not in known and so_called:
        relation = _only(relation, so_called)
    return _entity(graph, head), relation, _entity(graph, tail)


def _entity(graph: Graph, text: str) -> str:
    if graph.number_of(text) is not None:
        return text
    named = [entity.id for entity, score in graph.find(text, limit=10) if score >= 1.0]
    return _only(text, named) if named else text


def _only(text: str, ids: list[str]) -> str:
    from clew.errors import InputError

    if len(ids) > 1:
        raise InputError(f"{text!r} is the name of several: {', '.join(ids[:5])}; give the id")
    return ids[0]


def _rows(file: Path) -> list[tuple[str, str, str]]:
    """Triples of a file, read as `build` reads them: a line ends at a line feed and nowhere else."""
    from clew.errors import InputError

    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot read triples: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}") from None
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        parts = [part.strip(" \r") for part in line.split("\t")]
        if len(parts) == 3 and all(parts):
            rows.append((parts[0], parts[1], parts[2]))
        elif len(parts) == 3 and any(parts):
            raise InputError(f"{file}:{number}: an empty head, relation or tail")
        elif line.strip():
            raise InputError(f"{file}:{number}: {len(parts)} fields, expected head, relation, tail separated by tabs")
    return rows
