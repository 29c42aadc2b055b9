"""Graphs held open for everybody: one graph, one encoder, one desk per method; replaced when the folder changes.

Kept apart from what is asked of them. A `Snapshot` is one state of a graph with the methods opened over it. A change on
disk (`clew add`, a rebuild, a new training) opens the next snapshot beside the present one, warms it up and then swaps
it in: whoever is being answered finishes on the old one.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import ClewError, ConfigError, MissingExtraError, NotFoundError, unknown
from clew.extras import missing_modules
from clew.graph import Graph
from clew.graph.layout import DELTA, META, MODELS
from clew.methods.registry import card, cards
from clew.protocols import GraphStore, LanguageModel, MethodCard, TextEncoder, ignore
from clew.retrieval.linking import link
from clew.serve.batching import Desk, Stoppable
from clew.serve.completion import Completion
from clew.serve.memory import give_back
from clew.serve.settings import ServiceLimits
from clew.settings import Configuration
from clew.trained import read_trained, trained_beside
from clew.types import Question, Topic
from clew.workspace import Workspace

log = logging.getLogger("clew.serve")
LAST_ANSWERS_S = 5.0  # how long the questions of a replaced state are waited for before its memory is given back

OnLink = Callable[[str, list[Topic]], None]
"""Told the id of a question and its topics as soon as they are known."""


class Encoders:
    """Every encoder that some method asked for, opened once for all graphs and methods."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, TextEncoder] = {}

    def get(self, workspace: Workspace) -> TextEncoder:
        """The encoder that a workspace would open for itself."""
        from clew.encoding import DEFAULT

        section, trained = workspace.configuration.encoder, workspace.model()
        theirs = {} if trained is None or section.name else dict(trained.encoder)
        key = json.dumps([section.name or theirs.get("name") or DEFAULT, section.model_dump(mode="json"), theirs])
        with self._lock:
            if key not in self._open:
                self._open[key] = workspace.encoder(trained)
            return self._open[key]


@dataclass(frozen=True, slots=True)
class MethodState:
    """Whether a method can answer over a graph here."""

    card: MethodCard
    lacks: tuple[str, ...]  # what to do before it can; empty: it is ready
    default: bool


class Served(Workspace):
    """A workspace whose parts are shared, and which says what its questions were linked to."""

    on_link: OnLink | None = None

    def link(self, encoder: TextEncoder | None, relations: TextEncoder | None = None) -> Any:
        linked = super().link(encoder, relations)

        def told(question: Question, graph: GraphStore) -> list[Topic]:
            topics: list[Topic] = linked(question, graph)
            if self.on_link is not None:
                self.on_link(question.id, topics)
            return topics

        return told


class Snapshot:
    """One state of a graph, with the methods that were opened over it."""

    def __init__(
        self,
        configuration: Configuration,
        graph: GraphStore,
        *,
        encoders: Encoders,
        language_model: LanguageModel | None,
        limits: ServiceLimits,
        on_link: OnLink,
    ) -> None:
        self.configuration, self.graph = configuration, graph
        self.completion = Completion(graph)
        self._encoders, self._language_model = encoders, language_model
        self._limits, self._on_link = limits, on_link
        self._lock = threading.Lock()
        self._desks: dict[str, Desk] = {}
        self._opening: dict[str, threading.Lock] = {}
        self._info: dict[str, Any] | None = None
        self._closed = False
        base = self._workspace(None)
        self.default = base.method_name()
        self._configured = configuration.method.get("name")

    def _workspace(self, method: str | None, encoder: TextEncoder | None = None) -> Served:
        configuration = self.configuration
        if method is not None:
            settings = {"name": method}
            if configuration.method.get("name") == method or self._model_of(configuration) == method:
                settings = {**configuration.method, **settings}  # the settings of [method] belong to the one it names
            configuration = configuration.model_copy(update={"method": settings})
        workspace = Served(configuration, graph=self.graph, encoder=encoder, language_model=self._language_model)
        workspace.on_link = self._on_link
        return workspace

    @staticmethod
    def _model_of(configuration: Configuration) -> str | None:
        given = configuration.method.get("model")
        return None if given is None else read_trained(Path(str(given))).method

    def encoder(self) -> TextEncoder | None:
        """The encoder with which questions are linked; None where none is installed."""
        try:
            return self._encoders.get(self._workspace(self.default))
        except (MissingExtraError, NotFoundError):
            return None

    def topics(self, question: Question) -> list[Topic]:
        """What a question is about, as every method of this graph would see it."""
        return link(question, self.graph, encoder=self.encoder(), **self.configuration.link.model_dump())

    def desk(self, method: str) -> Desk:
        """The opened method. Raises ClewError when it is unknown or lacks something."""
        with self._lock:
            if method in self._desks:
                return self._desks[method]
            opening = self._opening.setdefault(method, threading.Lock())
        with opening:  # the others of this graph stay reachable while a model is read
            if method not in self._desks:
                opened = self._open(method)
                with self._lock:
                    self._desks[method] = opened
                    if self._closed:  # it was replaced meanwhile: whoever asks here is sent to the next state
                        opened.close()
            return self._desks[method]

    def _open(self, method: str) -> Desk:
        workspace = self._workspace(method)
        if workspace.card().needs.encoder != "none":
            workspace = self._workspace(method, self._encoders.get(workspace))
        waits = workspace.uses_language_model()
        opened = workspace.open_method()
        self._warm(opened.predict)
        return Desk(
            opened.predict,
            self.graph,
            batch=1 if waits else self._limits.batch,
            threads=workspace.concurrency() if waits else 1,
            most=self._limits.waiting,
        )

    def _warm(self, predict: Callable[..., Any]) -> None:
        """Have everything computed that the first question would wait for; never with a language model."""
        if self._language_model is not None or not isinstance(self.graph, Graph) or not self.graph.num_triples:
            return
        head = self.graph.whole.triple(0).head
        predict([Question("warm-up", head.label or head.id, (head.id,))], self.graph, on_event=ignore)

    def opened(self) -> list[str]:
        with self._lock:
            return list(self._desks)

    def states(self) -> list[MethodState]:
        """Every method, and what it lacks here."""
        folder = getattr(self.graph, "path", None)
        beside = {} if folder is None else trained_beside(folder)
        found = []
        for each in cards().values():
            needs = each.needs
            lacks = [f"pip install 'clew[{extra}]'" for extra in needs.extras if missing_modules(extra)]
            if needs.language_model == "required" and self._language_model is None:
                lacks.append("a language model (--set language_model.model=NAME)")
            if needs.model == "required" and each.name not in beside and self._configured != each.name:
                lacks.append(f"a trained model (clew train {each.name} GRAPH --questions q.jsonl)")
            found.append(MethodState(each, tuple(lacks), each.name == self.default))
        return found

    def info(self) -> dict[str, Any]:
        """Counts of the graph, worked out once."""
        if self._info is None:
            self._info = self.graph.info() if isinstance(self.graph, Graph) else {"name": self.graph.name}
            self._info.pop("path", None)
        return self._info

    def close(self) -> list[Desk]:
        """Take no more questions; the desks, which still finish theirs."""
        with self._lock:
            self._closed = True
            for desk in self._desks.values():
                desk.close()
            return list(self._desks.values())


class Hosted:
    """One graph under a name, in its present state."""

    def __init__(
        self,
        name: str,
        configuration: Configuration,
        *,
        encoders: Encoders,
        limits: ServiceLimits,
        on_link: OnLink,
        graph: GraphStore | None = None,
    ) -> None:
        self.name, self._configuration = name, configuration
        self.reloads = 0
        self._given = graph
        workspace = Workspace(configuration, graph=graph)
        self._language_model: LanguageModel | None = None
        if workspace.has_language_model:
            self._language_model = Stoppable(workspace.language_model())
        self._parts: dict[str, Any] = {
            "encoders": encoders, "limits": limits, "on_link": on_link, "language_model": self._language_model,
        }  # fmt: skip
        self._seen = signature(self.folder)
        self.now = self._snapshot()

    @property
    def folder(self) -> Path | None:
        return self._configuration.graph.folder if self._given is None else getattr(self._given, "path", None)

    def _snapshot(self) -> Snapshot:
        graph = self._given if self._given is not None else Workspace(self._configuration).graph
        return Snapshot(self._configuration, graph, **self._parts)

    def refresh(self) -> bool:
        """Swap in what is on disk now, if it differs; where that cannot be opened, the present state stays."""
        if self._given is not None:
            return False
        found = signature(self.folder)
        if found == self._seen or not found:
            return False
        try:
            fresh = self._snapshot()
            for method in self.now.opened():
                fresh.desk(method)
        except (ClewError, OSError, IndexError, ValueError) as error:  # a folder that is being swapped at this moment
            log.warning("graph %s: the change on disk cannot be opened yet: %s", self.name, error)
            return False
        old, self.now, self._seen = self.now, fresh, found
        self.reloads += 1
        for desk in old.close():
            desk.join(LAST_ANSWERS_S)
            del desk
        del old
        give_back()
        return True


def signature(folder: Path | None) -> tuple[Any, ...]:
    """What tells one state of a graph folder from another without reading it; empty where there is none."""
    if folder is None:
        return ()
    try:
        files = [folder / META, folder / MODELS / "default"]
        files += sorted(folder.glob(f"*/{DELTA}")) + sorted((folder / MODELS).glob("*/trained.json"))
        return (folder.stat().st_ino, *(_stamp(file) for file in files))
    except OSError:
        return ()


def _stamp(file: Path) -> tuple[str, int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return (str(file), found.st_ino, found.st_size, found.st_mtime_ns)


class Host:
    """All graphs of a process, by name.

    Args:
        graphs: name → configuration whose `graph.path` names the folder, or name → (configuration, opened graph).
    """

    def __init__(
        self,
        graphs: Mapping[str, Configuration | tuple[Configuration, GraphStore]],
        *,
        limits: ServiceLimits | None = None,
    ) -> None:
        if not graphs:
            raise ConfigError("no graph to serve; name one that  clew build  made")
        self._listeners: dict[str, Callable[[list[Topic]], None]] = {}
        self._encoders = Encoders()
        self.limits = limits or ServiceLimits()
        self.graphs: dict[str, Hosted] = {}
        for name, given in graphs.items():
            configuration, graph = given if isinstance(given, tuple) else (given, None)
            self.graphs[name] = Hosted(
                name,
                configuration,
                encoders=self._encoders,
                limits=self.limits,
                on_link=self._linked,
                graph=graph,
            )

    @property
    def default(self) -> str:
        return next(iter(self.graphs))

    def graph(self, name: str | None) -> Hosted:
        """The graph of that name; None: the first. Raises NotFoundError with the nearest names."""
        wanted = self.default if name is None else name
        if wanted not in self.graphs:
            raise NotFoundError(unknown("graph", wanted, self.graphs))
        return self.graphs[wanted]

    def method(self, snapshot: Snapshot, name: str | None) -> str:
        """The name of a known method; None: the graph's default."""
        return snapshot.default if name is None else card(name).name

    def listen(self, id: str, told: Callable[[list[Topic]], None]) -> None:
        """Have `told` called with the topics of the question `id` when it is linked; see `forget`."""
        self._listeners[id] = told

    def forget(self, id: str) -> None:
        self._listeners.pop(id, None)

    def _linked(self, id: str, topics: list[Topic]) -> None:
        told = self._listeners.get(id)
        if told is not None:
            told(topics)

    def refresh(self) -> list[str]:
        """The names of the graphs that were replaced by what is on disk now."""
        return [name for name, hosted in self.graphs.items() if hosted.refresh()]

    def close(self, grace_s: float = 0.0) -> None:
        desks: Sequence[Desk] = [desk for hosted in self.graphs.values() for desk in hosted.now.close()]
        for desk in desks:
            desk.join(grace_s)
