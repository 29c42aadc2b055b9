"""`pull`, `sync`, `link-index`: what only makes sense for a graph that lives in a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from clew.cli.options import ConfigFile, Json, Quiet, Set, workspace

if TYPE_CHECKING:
    from clew.graph.remote import ServerGraph

Server = Annotated[str, typer.Argument(metavar="URL", help="http(s):// (SPARQL), bolt:// or neo4j:// (openCypher).")]


def pull(
    url: Server,
    out: Annotated[Path, typer.Option("--out", "-o", help="The copy's folder, by custom NAME.kg.")],
    around: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--around", help="File of ids or labels, one a line; - is stdin. May be repeated."),
    ] = None,
    topics: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--topics", "-t", help="An id or label. May be repeated."),
    ] = None,
    hops: Annotated[int, typer.Option(min=1, max=10, help="How far around them.")] = 2,
    relation: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--relation", help="Only this relation (id). May be repeated."),
    ] = None,
    per_entity: Annotated[int, typer.Option(min=1, help="Most triples of one entity.")] = 10_000,
    max_triples: Annotated[int, typer.Option(min=1, help="Most triples in all.")] = 5_000_000,
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Copy the part of a server's graph around some entities into a folder that every command reads."""
    from clew.cli.screen import clean, progress, put_json
    from clew.graph.remote.pull import pull as pull_part
    from clew.graph.remote.pull import topics_of

    store = _server(url, config, assignments)
    ids = topics_of(store, [*(topics or ()), *(line for file in around or () for line in _lines(file))])
    with progress("pull", quiet=quiet) as bar:
        graph, cut = pull_part(
            store,
            out,
            ids,
            hops,
            relations=relation,
            per_entity=per_entity,
            most=max_triples,
            on_progress=lambda p: bar(p.triples, None, f"hop {p.hop}, {p.entities:,} entities"),
        )
    if json:
        put_json(
            {
                "path": str(out),
                "topics": len(ids),
                "triples": graph.num_triples,
                "entities": graph.num_entities,
                "left_out": cut,
            }
        )
        return
    sys.stdout.write(
        f"{out}: {graph.num_triples:,} triples, {graph.num_entities:,} entities around {len(ids):,} topics\n"
    )
    if cut:
        sys.stdout.write(f"{cut:,} triples of large entities were left out (--per-entity, --max-triples)\n")
    sys.stdout.write(
        clean(f'ask with  clew ask {out} "…"; bring it up to date with  clew sync {store.address.shown} {out}') + "\n"
    )


def sync(
    url: Server,
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="A folder made by clew pull.")],
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring a copy made by pull up to date; what was trained on it stays beside it."""
    from clew.cli.screen import clean, progress, put_json
    from clew.graph.remote.pull import sync as sync_part
    from clew.types import to_json

    store = _server(url, config, assignments)
    with progress("sync", quiet=quiet) as bar:
        result = sync_part(store, graph, on_progress=lambda p: bar(p.triples, None, f"hop {p.hop}"))
    if json:
        put_json(to_json(result))
        return
    said = f"{result.added:,} triples added, {result.removed:,} removed, {result.relabelled:,} labels changed"
    sys.stdout.write(f"{graph}: {said if result.changed else 'nothing has changed'}\n")
    for note in result.notes:
        sys.stdout.write(clean(note) + "\n")


def link_index(
    url: Server, config: ConfigFile = None, assignments: Set = None, json: Json = False, quiet: Quiet = False
) -> None:
    """Fetch all names of a server's graph once, so that misspelt ones are found too; goes on after an interruption."""
    from clew.cli.screen import progress, put_json

    store = _server(url, config, assignments)
    with progress("link-index", quiet=quiet) as bar:
        names = store.fetch_names(lambda p: bar(p.done, p.total, p.stage))
    if json:
        put_json({"path": str(store.names_folder), "entities": len(names), "graph": store.name})
        return
    sys.stdout.write(f"{store.names_folder}: {len(names):,} entities by name\n")


def _server(url: str, config: Path | None, assignments: list[str] | None) -> ServerGraph:
    from clew.errors import InputError
    from clew.graph.remote import ServerGraph, is_address

    if not is_address(url):
        raise InputError(f"{url!r} is no server's address; expected http(s)://…, bolt://… or neo4j://…")
    store = workspace(url, config=config, assignments=assignments).graph
    assert isinstance(store, ServerGraph)  # an address was given
    return store


def _lines(file: str) -> list[str]:
    from clew.errors import InputError

    try:
        return (sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")).splitlines()
    except OSError as error:
        raise InputError(f"{file}: cannot read topics: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}") from None
