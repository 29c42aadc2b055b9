"""Asking from Python: one call for one question, one for many.

Kept apart from the workspace, which turns configuration into objects; here people who have objects already hand them
over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import clew
from clew.config import parse
from clew.errors import UnsupportedError
from clew.protocols import Example, GraphStore, LanguageModel, Method, MethodCard, OnEvent, TextEncoder, ignore
from clew.runs import Predict, Progress, Run, answer_all, answer_chunk, checksum, chunks, environment
from clew.types import Answer, Question
from clew.workspace import Configuration, Workspace, configure


def open_method(
    graph: GraphStore | str | Path,
    method: str | None = None,
    *,
    model: str | Path | None = None,
    encoder: TextEncoder | str | None = None,
    language_model: LanguageModel | str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Method:
    """A method ready for many questions over one graph: `open_method(g, "walk").predict(questions, g)`.

    Args:
        method: its name; None: the one trained for this graph, else `walk`.
        model: a folder made by `clew train`.
        encoder, language_model: an object, or a name as in a configuration file.
        settings: of the method, such as {"beam": 5}.

    Raises:
        ClewError: something the method needs is missing; the message says what to do.
    """
    return _workspace(graph, method, model, encoder, language_model, settings).open_method()


def ask(
    graph: GraphStore | str | Path,
    question: str,
    *,
    method: str | None = None,
    topics: Sequence[str] = (),
    model: str | Path | None = None,
    encoder: TextEncoder | str | None = None,
    language_model: LanguageModel | str | None = None,
    settings: Mapping[str, Any] | None = None,
    on_event: OnEvent = ignore,
) -> Answer:
    """Answer one question. See `open_method` for the arguments; `topics` are labels or ids the asker knows."""
    workspace = _workspace(graph, method, model, encoder, language_model, settings)
    return workspace.ask(question, topics=topics, on_event=on_event)


def predict(
    graph: GraphStore | str | Path,
    questions: Iterable[Question | str],
    *,
    method: str | None = None,
    model: str | Path | None = None,
    encoder: TextEncoder | str | None = None,
    language_model: LanguageModel | str | None = None,
    settings: Mapping[str, Any] | None = None,
    on_event: OnEvent = ignore,
) -> list[Answer]:
    """Answer many questions, in order. For runs that survive a crash use `clew predict --run`."""
    workspace = _workspace(graph, method, model, encoder, language_model, settings)
    asked = [q if isinstance(q, Question) else Question(f"q{i}", q) for i, q in enumerate(questions, start=1)]
    return workspace.open_method().predict(asked, workspace.graph, on_event=on_event)


def _workspace(
    graph: GraphStore | str | Path,
    method: str | None,
    model: str | Path | None,
    encoder: TextEncoder | str | None,
    language_model: LanguageModel | str | None,
    settings: Mapping[str, Any] | None,
) -> Workspace:
    flags: dict[str, Any] = {"method": dict(settings or {})}
    if method is not None:
        flags["method"]["name"] = method
    if model is not None:
        flags["method"]["model"] = str(model)
    if isinstance(graph, (str, Path)):
        flags["graph"] = {"path": str(graph)}
    if isinstance(encoder, str):
        flags["encoder"] = {"name": encoder}
    if isinstance(language_model, str):
        flags["language_model"] = {"model": language_model}
    configuration: Configuration = configure(flags=flags)
    return Workspace(
        configuration,
        graph=None if isinstance(graph, (str, Path)) else graph,
        encoder=None if isinstance(encoder, str) else encoder,
        language_model=None if isinstance(language_model, str) else language_model,
    )


def predict_run(
    workspace: Workspace,
    examples: Iterable[Example],
    folder: Path,
    *,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Answer `examples` into a run's folder: durable rows, failures as rows, resumable.

    Args:
        examples: can be iterated more than once. Gold goes into the folder for `clew score`, never to the method.

    Raises:
        ClewError: the method cannot be opened, the folder belongs to another run, or too many questions failed.
    """
    method, section = workspace.open_method(), workspace.configuration.run
    graph = workspace.graph
    expected = workspace.configuration.expected
    session = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        **environment(clew.__version__),
        "expected": None if expected is None else expected.model_dump(mode="json"),
    }
    with Run.create(folder, identity(workspace), examples, session=session, resume=resume) as run:
        left = run.question_count() - len(run.answered())
        threads = section.threads or (workspace.concurrency() if workspace.uses_language_model() else 1)
        if section.engine == "ray":
            from clew.runs.ray_engine import answer_with_ray

            if workspace.folder is None:
                raise UnsupportedError("engine 'ray' needs a graph on disk that every worker can open: clew build it")
            answer_with_ray(
                run,
                examples,
                partial(_opened, configuration_of(workspace)),
                batch=section.batch or 32,
                workers=section.threads or 2,
                address=section.ray_address,
                max_failures=section.max_failures,
                on_progress=on_progress,
                total=left,
            )
            return Run.open(folder)
        answer_all(
            run,
            ((example.question, graph if example.graph is None else example.graph) for example in examples),
            method.predict,
            batch=section.batch or (1 if threads > 1 else 32),
            threads=threads,
            max_failures=section.max_failures,
            on_progress=on_progress,
            total=left,
        )
    return Run.open(folder)


def configuration_of(workspace: Workspace) -> dict[str, Any]:
    """The configuration as JSON values, from which another process makes an equal workspace."""
    return workspace.configuration.model_dump(mode="json")


def _opened(tree: Mapping[str, Any]) -> tuple[Predict, GraphStore]:
    """The method and the graph of a configuration, in a worker process."""
    workspace = Workspace(parse(Configuration, tree, "configuration"))
    return workspace.open_method().predict, workspace.graph


def predict_lines(workspace: Workspace, examples: Iterable[Example]) -> Iterator[dict[str, Any]]:
    """The rows of a run as JSON values, one at a time, without a folder."""
    method, section = workspace.open_method(), workspace.configuration.run
    items = ((example.question, workspace.graph if example.graph is None else example.graph) for example in examples)
    for chunk in chunks(items, section.batch or 32):
        for row in answer_chunk(chunk, method.predict):
            yield row.to_json()


def identity(workspace: Workspace) -> dict[str, Any]:
    """What the rows of one run have in common. Two runs with the same identity and questions give the same answers."""
    model = workspace.model()
    configuration = workspace.configuration
    tools = workspace.tools()
    return {
        "method": workspace.method_name(),
        "config": workspace.method_config().model_dump(mode="json"),
        "operators": workspace.operators(),
        "graph": workspace.graph.name,
        "encoder": None if tools.encoder is None else tools.encoder.name,
        "language_model": None if tools.language_model is None else tools.language_model.name,
        "model": None if model is None else {"folder": model.folder.name, "sha256": checksum(model.folder)},
        "link": configuration.link.model_dump(),
        "data": {"questions": configuration.data.questions, "limit": configuration.data.limit},
        "seed": configuration.run.seed,
        "prompts": prompt_hashes(workspace.card()),
    }


def prompt_hashes(card: MethodCard) -> dict[str, str]:
    """SHA-256 of each prompt in the method's room, by file name."""
    module = import_module(card.method.partition(":")[0])
    folder = Path(str(module.__file__)).parent / "prompts"
    return {path.name: checksum(path) for path in sorted(folder.glob("*.txt"))}
