"""Options that several commands share, said once, and what turns them into a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

if TYPE_CHECKING:
    from clew.workspace import Workspace

GraphArgument = Annotated[
    str, typer.Argument(metavar="GRAPH", help="A folder made by clew build, or a server: http(s)://…, bolt://…")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say every step on stderr.")]
ConfigFile = Annotated[
    Optional[Path],  # noqa: UP045 - typer evaluates the annotation
    typer.Option("--config", "-c", metavar="TOML", help="Configuration or experiment file; default clew.toml."),
]
Set = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--set", metavar="A.B=VALUE", help="Change one setting, e.g. method.beam=5. May be repeated."),
]
MethodName = Annotated[Optional[str], typer.Option("--method", "-m", help="See clew methods.")]  # noqa: UP045
ModelFolder = Annotated[Optional[Path], typer.Option("--model", help="A folder made by clew train.")]  # noqa: UP045


def workspace(
    graph: str | None = None,
    *,
    config: Path | None = None,
    assignments: list[str] | None = None,
    method: str | None = None,
    model: Path | None = None,
    **sections: dict[str, Any],
) -> Workspace:
    """The workspace that files, environment and flags describe."""
    from clew.settings import configure
    from clew.workspace import Workspace

    flags: dict[str, Any] = {
        name: {k: v for k, v in values.items() if v is not None} for name, values in sections.items()
    }
    if graph is not None:
        flags["graph"] = {"path": graph}
    for key, value in (("name", method), ("model", model)):
        if value is not None:
            flags.setdefault("method", {})[key] = str(value)
    return Workspace(configure(config, assignments or (), flags=flags))


CHANGED_THERE = "a graph in a server is changed with the server's own means, not with clew"


def folder_of(graph: str, instead: str = CHANGED_THERE) -> Path:
    """The graph's folder. Raises UnsupportedError for a server's address, which says what to do `instead`."""
    from clew.errors import UnsupportedError
    from clew.graph.remote import is_address

    if is_address(graph):
        raise UnsupportedError(instead)
    return Path(graph)
