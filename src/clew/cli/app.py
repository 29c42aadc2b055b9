"""The commands, gathered. A new group of commands is a module with functions and a line here."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Annotated, Any

import typer

from clew.cli import (
    asking,
    examining,
    graphs,
    machine,
    querying,
    running,
    scoring,
    servers,
    serving,
    synthesizing,
    teaching,
)

app = typer.Typer(
    name="clew",
    help="Ask a knowledge graph; get answers with the thread that leads to them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:
    if wanted:
        from clew import __version__

        typer.echo(f"clew {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which clew.")
    ] = False,
) -> None:
    pass


for command in (
    graphs.build,
    graphs.info,
    graphs.add,
    graphs.remove,
    graphs.compact,
    graphs.repair,
    graphs.link,
    servers.pull,
    servers.sync,
    servers.link_index,
    asking.ask,
    asking.methods,
    querying.query,
    synthesizing.synthesize,
    running.train,
    teaching.teach,
    running.predict,
    scoring.score,
    scoring.compare,
    scoring.report,
    examining.diagnose,
    examining.sweep,
    serving.serve,
    serving.mcp,
    serving.chat,
    machine.doctor,
):
    app.command(command.__name__.replace("_", "-"))(command)


@cache
def group(name: str) -> Any:
    """The command line with the command of this name alone, or with all where there is none of it.

    Typer reads the signatures of all commands before it looks which one is called: a tenth of a second.
    """
    chosen = copy(app)
    chosen.registered_commands = [each for each in app.registered_commands if each.name == name]
    return typer.main.get_command(chosen if chosen.registered_commands else app)
