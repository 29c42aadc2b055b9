"""`serve`, `mcp` and `chat`: the graph for others, for agents, and for a longer talk in the terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from clew.cli.options import ConfigFile, GraphArgument, MethodName, ModelFolder, Set, workspace

if TYPE_CHECKING:
    from clew.serve.hosting import Host
    from clew.serve.settings import ServiceLimits

Graphs = Annotated[
    list[str], typer.Argument(metavar="GRAPH...", help="Folders made by clew build; NAME=FOLDER gives one a name.")
]
TOKEN = "CLEW_TOKEN"


def serve(
    graphs: Graphs,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; beyond this machine needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0: any free one.")] = 8420,
    method: MethodName = None,
    model: ModelFolder = None,
    token_file: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--token-file", help=f"File with the token that clients must send; default: {TOKEN} where set."),
    ] = None,
    name: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--name", help="A host name under which this server is reached. May be repeated."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="Most seconds for one question.")] = 60.0,
    rate: Annotated[
        float, typer.Option("--rate", min=0, help="Requests a second of one client; 0: no limit here, 20 beyond it.")
    ] = 0.0,
    waiting: Annotated[int, typer.Option("--waiting", min=1, help="Most requests under way at once.")] = 256,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Log the text of questions.")] = False,
    config: ConfigFile = None,
    assignments: Set = None,
) -> None:
    """Serve graphs to a browser, chat clients and agents: page, HTTP API, OpenAI-compatible endpoint, MCP."""
    _require("clew serve", "serve")
    from clew.serve.process import run
    from clew.serve.settings import ServeSettings, ServiceLimits, read_token

    token = read_token(token_file) if token_file is not None else os.environ.get(TOKEN, "").strip()
    limits = ServiceLimits(seconds=seconds, rate=rate, waiting=waiting)
    settings = ServeSettings(
        host=host, port=port, token=token, names=tuple(name or ()), log_questions=log_questions, limits=limits
    ).checked()
    hosted = _host(graphs, method, model, config, assignments, limits)

    def told(url: str) -> None:
        names = ", ".join(hosted.graphs)
        sys.stderr.write(
            f"clew serves {names} at {url}  (page, API in {url}openapi.json, OpenAI base URL {url}v1, MCP {url}mcp)\n"
        )
        sys.stderr.flush()

    run(hosted, settings, told=told)


def mcp(
    graphs: Graphs,
    method: MethodName = None,
    model: ModelFolder = None,
    config: ConfigFile = None,
    assignments: Set = None,
) -> None:
    """Serve graphs to an agent over MCP on stdin and stdout. `clew serve` offers the same at /mcp."""
    _require("clew mcp", "serve", "mcp")
    from clew.serve.agents import mcp_server
    from clew.serve.service import Service

    hosted = _host(graphs, method, model, config, assignments, None)
    mcp_server(Service(hosted)).run("stdio")


def chat(
    graph: GraphArgument,
    method: MethodName = None,
    model: ModelFolder = None,
    config: ConfigFile = None,
    assignments: Set = None,
) -> None:
    """Talk to a graph: follow-up questions, /why, /topics, /method, /history."""
    from clew.cli.talking import talk

    talk(workspace(graph, config=config, assignments=assignments, method=method, model=model))


def _require(what: str, *extras: str) -> None:
    from clew.extras import require_extra

    for extra in extras:
        require_extra(what, extra)


def _host(
    graphs: list[str],
    method: str | None,
    model: Path | None,
    config: Path | None,
    assignments: list[str] | None,
    limits: ServiceLimits | None,
) -> Host:
    from clew.errors import InputError
    from clew.graph.remote import is_address
    from clew.graph.remote.address import parse
    from clew.serve.hosting import Host

    named: dict[str, Any] = {}
    for given in graphs:
        name, separator, path = ("", "", given) if is_address(given) else given.partition("=")
        path = path if separator else given
        if not separator:
            name = parse(path).host if is_address(path) else Path(path).resolve().stem
        if name in named:
            raise InputError(f"two graphs are called {name!r}; give one another name:  other={path}")
        named[name] = workspace(path, config=config, assignments=assignments, method=method, model=model).configuration
    return Host(named, limits=limits)
