"""`ask` and `methods`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from clew.cli.options import ConfigFile, GraphArgument, Json, MethodName, ModelFolder, Set, Verbose, workspace

if TYPE_CHECKING:
    from clew.types import Answer, Event


def ask(
    graph: GraphArgument,
    question: Annotated[str, typer.Argument(help="The question; - reads one per line from stdin.")],
    method: MethodName = None,
    topics: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--topics", "-t", help="An entity the question is about, by label or id. May be repeated."),
    ] = None,
    model: ModelFolder = None,
    limit: Annotated[int, typer.Option(min=1, help="Answers to print.")] = 10,
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also topics and why, stages, seconds, relations.")
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Ask one question and print the answers with their evidence."""
    from clew.cli.screen import put_json, put_json_line
    from clew.errors import InputError
    from clew.protocols import ignore
    from clew.types import to_json

    if question != "-" and not question.strip():
        raise InputError("the question is empty; ask for example  'what is the capital of France?'")
    space = workspace(graph, config=config, assignments=assignments, method=method, model=model)
    listener = _say if verbose else ignore
    if question != "-":
        answer = space.ask(question, topics=topics or (), on_event=listener)
        put_json(to_json(answer)) if json else _put(answer, limit, explain)
        return
    for number, text in enumerate(_lines(), start=1):
        answer = space.ask(text, topics=topics or (), id=f"q{number}", on_event=listener)
        put_json_line(to_json(answer)) if json else _put(answer, limit, explain, heading=True)


def methods(
    graph: Annotated[Optional[str], typer.Argument(metavar="[GRAPH]", help="Also say what it can do there.")] = None,  # noqa: UP045
    json: Json = False,
    config: ConfigFile = None,
    assignments: Set = None,
) -> None:
    """List every method: what it needs, what is installed, what it can do here."""
    from clew.cli.screen import put_json, put_table
    from clew.extras import missing_modules
    from clew.methods.registry import cards

    space = workspace(graph, config=config, assignments=assignments)
    rows: list[dict[str, Any]] = []
    for card in cards().values():
        lacks = space.lacks(card)
        rows.append(
            {
                "name": card.name,
                "summary": card.summary,
                "paper": card.paper,
                "needs": {
                    "encoder": card.needs.encoder,
                    "language_model": card.needs.language_model,
                    "abilities": sorted(card.needs.abilities),
                    "model": card.needs.model,
                    "either": card.needs.either,
                    "extras": list(card.needs.extras),
                },
                "trains": card.train is not None,
                "installed": not any(missing_modules(extra) for extra in card.needs.extras),
                "ready": not lacks,
                "lacks": lacks,
            }
        )
    if json:
        put_json(rows)
        return
    put_table(
        ("method", "what it does", "needs", "trains", "here"),
        [
            (row["name"], row["summary"], _needs(row["needs"]), row["trains"], "; ".join(row["lacks"]) or "ready")
            for row in rows
        ],
    )


def _needs(needs: dict[str, Any]) -> str:
    words = {"encoder": "encoder", "language_model": "language model", "model": "trained model"}
    if needs["either"]:
        return ", ".join([*(["encoder"] if needs["encoder"] == "required" else []), "language model or trained model"])
    said = [
        word + (" (optional)" if needs[key] == "optional" else "")
        for key, word in words.items()
        if needs[key] != "none"
    ]
    return ", ".join(said) or "nothing"


def _lines() -> Iterator[str]:
    from clew.errors import InputError

    for number, raw in enumerate(getattr(sys.stdin, "buffer", sys.stdin), start=1):
        try:
            line = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"stdin:{number}: not UTF-8 at byte {error.start} of the line") from None
        if line.strip():
            yield line.strip()


def _say(event: Event) -> None:
    from clew.cli.screen import clean

    sys.stderr.write(f"{clean(event.stage)}: {clean(event.message)}\n")


def _put(answer: Answer, limit: int, explain: bool, *, heading: bool = False) -> None:
    from rich.text import Text

    from clew.cli.screen import clean, console

    out = console()
    if heading:
        out.print(Text(clean(answer.question.text), style="bold"))
    styles = {"answer": "bold green", "unsupported": "bold yellow", "plan": "italic", "path": "none"}
    for line in answer.lines(limit):
        out.print(Text(str(line), style=styles.get(line.kind, "dim")))
    if "answering" in answer.details and not explain:
        said = "answered by" if answer.candidates else "asked of"
        out.print(Text(f"{said} {clean(answer.details['answering'])}", style="dim"))
    if explain:
        _explain(answer)


def _explain(answer: Answer) -> None:
    from rich.text import Text

    from clew.cli.screen import clean, console, put_table

    out = console()
    out.print(Text(f"\nmethod: {clean(answer.method)}", style="bold"))
    if answer.topics:
        rows = [(t.entity.label, t.entity.id, t.score, t.mention, t.reason) for t in answer.topics]
        put_table(("topic", "id", "score", "mention", "why"), rows)
    else:
        out.print("topics: none")
    if answer.seconds:
        put_table(("stage", "seconds"), [(stage, seconds) for stage, seconds in answer.seconds.items()])
    for key, value in answer.details.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            names = list(dict.fromkeys(name for item in value for name in item))
            put_table(names, [[item.get(name, "") for name in names] for item in value[:20]], title=key)
        elif isinstance(value, dict) and value:
            put_table((key, ""), [(name, item) for name, item in list(value.items())[:20]])
        else:
            out.print(Text(clean(f"{key}: {value}")))
    if answer.usage.calls:
        used = answer.usage
        out.print(
            f"language model: {used.calls} calls ({used.cached_calls} from the cache), "
            f"{used.prompt_tokens} + {used.completion_tokens} tokens, cost {used.cost:.4f}"
            + (f"; {used.estimated_calls} calls by our estimate" if used.estimated_calls else "")
        )
    if answer.reply is not None:
        out.print(Text(f"reply: {clean(answer.reply)}"))
