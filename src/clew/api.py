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
from clew.config import parse, public_dump
from clew.datasets import load
from clew.errors import InputError, UnsupportedError
from clew.evaluation import Comparison, Scores
from clew.evaluation import compare as compare_scores
from clew.evaluation import score as score_rows
from clew.protocols import (
    Example,
    GraphStore,
    LanguageModel,
    Method,
    MethodCard,
    OnEvent,
    TextEncoder,
    TrainResult,
    ignore,
)
from clew.questions import synthetic as synthetic_questions
from clew.questions import training_examples
from clew.runs import (
    Predict,
    Run,
    RunProgress,
    RunRow,
    answer_all,
    answer_chunk,
    checksum,
    chunks,
    environment,
    measured,
)
from clew.scores import score_run
from clew.settings import Configuration, configure
from clew.types import Answer, Question
from clew.workspace import Workspace


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
        method: its name; None: the one trained for this graph where it is better, else `auto`.
        model: a folder made by `clew train`.
        encoder: an object, or a name as in a configuration file.
        language_model: the same.
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


def open(graph: str | Path) -> GraphStore:
    """The graph in a folder made by `build`. Raises NotFoundError or FormatError that names it."""
    return _workspace(graph, None, None, None, None, None).graph


def train(
    graph: GraphStore | str | Path,
    method: str,
    questions: Iterable[Example] | str | Path | Sequence[str] = (),
    *,
    out: str | Path | None = None,
    dev: Iterable[Example] | str | Path = (),
    synthetic: int = 0,
    encoder: TextEncoder | str | None = None,
    language_model: LanguageModel | str | None = None,
    settings: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    seed: int = 0,
    resume: bool = False,
    on_event: OnEvent = ignore,
) -> TrainResult:
    """Train a method on questions with answers; `ask` on the same graph uses the model from then on.

    Args:
        questions: examples, or a file of JSON lines or known set as in `clew train --questions`; several names are read
            one after the other.
        out: folder of the model; None: beside a graph that lies on disk.
        dev: for early stopping; without any, some of the questions are held out.
        synthetic: questions made from the graph itself, to train on as well.
        settings: of the method.
        training: settings of its training.

    Raises:
        InputError: there is nothing to train on, or no folder for the model.
        TrainingError: the questions teach nothing; the message says why.
    """
    named = [str(questions)] if isinstance(questions, (str, Path)) else list(questions)
    given = [each for each in named if isinstance(each, Example)]
    names = [str(each) for each in named if not isinstance(each, Example)]
    judges = str(dev) if isinstance(dev, (str, Path)) else ""
    data = {"train": names, "dev": judges, "synthetic": synthetic}
    flags = {"data": data, "train": dict(training or {}), "run": {"seed": seed}}
    space = _workspace(graph, method, None, encoder, language_model, settings, flags)
    examples, held_out = training_examples(space) if names or synthetic or not given else ([], [])
    if not isinstance(dev, (str, Path)):
        held_out = [*held_out, *dev]
    folder = Path(out) if out is not None else space.model_folder()
    return space.train([*given, *examples], held_out, folder, resume=resume, on_event=on_event)


def synthesize(
    graph: GraphStore | str | Path, count: int, *, seed: int = 0, sampling: Mapping[str, Any] | None = None
) -> list[Example]:
    """`count` questions with topics and all their answers, made from an embedded graph alone; the same for a seed.

    Raises UnsupportedError for another store, InputError when the graph cannot yield so many different questions.
    """
    space = _workspace(graph, None, None, None, None, None, {"synthesis": dict(sampling or {})})
    return [each.example() for each in synthetic_questions(space, count, seed=seed)]


def score(
    answers: str | Path | Iterable[Answer],
    questions: str | Path | Iterable[Example] | None = None,
    *,
    name: str = "",
    modes: Sequence[str] = (),
) -> Scores:
    """Metrics of a run's folder, or of answers to questions whose gold is given.

    Args:
        answers: the folder of a run, which holds its gold, or answers.
        questions: gold for answers: examples, a file of JSON lines, or a known set such as "pq-2h:test". Every one of
            them counts; one without an answer is wrong.
        modes: metrics as somebody else counts them, added under that name: rog, gcr, subgraphrag, tog.
    """
    if isinstance(answers, (str, Path)):
        return score_run(Path(answers), modes)
    if questions is None:
        raise InputError("score: answers need gold to be scored against; name the questions as a file, set or examples")
    examples = load(questions) if isinstance(questions, (str, Path)) else questions
    gold = [(example.question, example.gold) for example in examples]
    rows = [RunRow(answer.question.id, answer) for answer in answers]
    return score_rows(rows, gold, name=name or "answers", modes=modes)


def compare(
    first: str | Path | Scores,
    second: str | Path | Scores,
    *,
    metrics: Sequence[str] = ("hit", "hits@1", "f1"),
    common: bool = False,
) -> Comparison:
    """Paired tests of two runs or scores on the same questions; with `common` on those that both have."""
    before, after = (each if isinstance(each, Scores) else score_run(Path(each)) for each in (first, second))
    return compare_scores(before, after, metrics=metrics, common=common)


def _workspace(
    graph: GraphStore | str | Path,
    method: str | None,
    model: str | Path | None,
    encoder: TextEncoder | str | None,
    language_model: LanguageModel | str | None,
    settings: Mapping[str, Any] | None,
    sections: Mapping[str, Any] | None = None,
) -> Workspace:
    flags: dict[str, Any] = {**(sections or {}), "method": dict(settings or {})}
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
    on_progress: Callable[[RunProgress], None] | None = None,
) -> Run:
    """Answer `examples` into a run's folder: durable rows, failures as rows, resumable.

    Args:
        examples: can be iterated more than once. Gold goes into the folder for `clew score`, never to the method.

    Raises:
        ReplyPendingError: language_model.batch is set, and requests wait there for replies.
        ClewError: the method cannot be opened, the folder belongs to another run, or too many questions failed.
    """
    method, section = workspace.open_method(), workspace.configuration.run
    graph = workspace.graph
    batch = workspace.batch_model()
    if batch is not None:
        batch.raise_for_open()
    expected = workspace.configuration.expected
    session = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        **environment(clew.__version__),
        "expected": None if expected is None else expected.model_dump(mode="json"),
    }
    with (
        Run.create(folder, identity(workspace), examples, session=session, resume=resume) as run,
        measured(folder, served=workspace.configuration.language_model.backend != "local") as meter,
    ):

        def told(progress: RunProgress) -> None:
            meter.poll()
            if on_progress is not None:
                on_progress(progress)

        left = run.question_count() - len(run.answered())
        asks = workspace.uses_language_model()
        threads = section.threads or (workspace.concurrency() if asks and batch is None else 1)
        if section.engine == "ray":
            if batch is not None:
                raise UnsupportedError("batch files are written by one process: use the local engine")
            from clew.runs.ray_engine import answer_with_ray

            if any(workspace.configuration.language_model.budget.model_dump().values()):
                raise UnsupportedError(
                    "engine 'ray' opens a language model in every worker, and a budget counts for one of them only: "
                    "use the local engine, or leave out language_model.budget"
                )
            if workspace.folder is None:
                raise UnsupportedError("engine 'ray' needs a graph on disk that every worker can open: clew build it")
            answer_with_ray(
                run,
                examples,
                partial(_opened, configuration_of(workspace), folder / "vectors"),
                batch=section.batch or 32,
                workers=section.threads or 2,
                address=section.ray_address,
                max_failures=section.max_failures,
                on_progress=told,
                total=left,
            )
            return Run.open(folder)
        answer_all(
            run,
            ((example.question, graph if example.graph is None else example.graph) for example in examples),
            method.predict,
            batch=section.batch or (1 if asks or threads > 1 else 32),
            threads=threads,
            max_failures=section.max_failures,
            on_progress=told,
            total=left,
        )
        if batch is not None:
            batch.finish()
    return Run.open(folder)


def configuration_of(workspace: Workspace) -> dict[str, Any]:
    """The configuration as JSON values, from which another process makes an equal workspace."""
    return workspace.configuration.model_dump(mode="json")


def _opened(tree: Mapping[str, Any], vectors: Path) -> tuple[Predict, GraphStore]:
    """The method and the graph of a configuration, in a worker process.

    Args:
        vectors: what the workers of one machine, that of the run, share where the configuration names no cache: a text
            is then encoded by one of them.
    """
    configuration = parse(Configuration, tree, "configuration")
    if configuration.encoder.cache is None and vectors.parent.is_dir():
        section = configuration.encoder.model_copy(update={"cache": vectors})
        configuration = configuration.model_copy(update={"encoder": section})
    workspace = Workspace(configuration)
    return workspace.open_method().predict, workspace.graph


def predict_lines(workspace: Workspace, examples: Iterable[Example]) -> Iterator[dict[str, Any]]:
    """The rows of a run as JSON values, one at a time, without a folder."""
    method, section = workspace.open_method(), workspace.configuration.run
    items = ((example.question, workspace.graph if example.graph is None else example.graph) for example in examples)
    for chunk in chunks(items, section.batch or (1 if workspace.uses_language_model() else 32)):
        rows, fatal = answer_chunk(chunk, method.predict)
        yield from (row.to_json() for row in rows)
        if fatal is not None:
            raise fatal


def identity(workspace: Workspace) -> dict[str, Any]:
    """What the rows of one run have in common. Two runs with the same identity and questions give the same answers."""
    model = workspace.model()
    configuration = workspace.configuration
    tools = workspace.tools()
    return {
        "method": workspace.method_name(),
        "config": public_dump(workspace.method_config()),
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
