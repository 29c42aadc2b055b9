"""The four seams of clew: graph store, text encoder, language model, method.

Anything that satisfies one of these can be plugged in; `clew.testing` ships a conformance suite for each. A batch is
the primitive everywhere. What only some implementations can do is an *ability*, checked when a method is opened, so
that nobody learns on question 900 that a model has no log-probabilities.

Shapes: Q questions, L texts, D width of a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clew.types import Answer, Entity, Event, Gold, Question, Relation, Triple, Usage

Direction = Literal["out", "in", "both"]
Role = Literal["query", "passage"]
Ability = Literal["beams", "logprobs", "json_schema", "soft_prompt", "constrained", "stream"]
EncoderAbility = Literal["tokens"]
StoreAbility = Literal["arrays", "scan", "text_search", "plans"]
OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The default listener."""


@runtime_checkable
class GraphStore(Protocol):
    """A directed multigraph that can be asked by name and by neighbourhood."""

    @property
    def name(self) -> str:
        """Stable identity including the version of the content; part of cache keys and manifests."""
        ...

    def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
        """Entities whose label or alias resembles `label`, with a score in [0, 1], best first; 1.0 is exact."""
        ...

    def entity(self, id: str) -> Entity:
        """The entity with this id. Raises NotFoundError with the nearest ids or labels."""
        ...

    def neighbors(
        self,
        entities: Sequence[str],
        *,
        relations: Collection[str] | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[Triple]:
        """Every triple that touches one of `entities` (ids), parallel ones included; at most `limit` per entity."""
        ...

    def relations(self) -> list[Relation]:
        """All relations, in a stable order."""
        ...

    def triples(self) -> Iterator[Triple]:
        """A full scan. A remote store may raise UnsupportedError."""
        ...


def abilities_of(store: GraphStore) -> frozenset[StoreAbility]:
    """What a graph store can do beyond the protocol, as it says in a member `abilities`; without one, nothing.

    "scan": `triples` works. "arrays": its triples are arrays in this process (`clew.graph.store.has_arrays`).
    "text_search": `search` and `spans` find entities by any part of a text. "plans": it executes query plans itself.
    """
    found: frozenset[StoreAbility] = getattr(store, "abilities", frozenset())
    return found


@runtime_checkable
class TextEncoder(Protocol):
    """Texts to unit vectors. With the ability "tokens" it is a `TokenEncoder`; ask by `encodes_tokens`."""

    @property
    def name(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def abilities(self) -> frozenset[EncoderAbility]: ...

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32, rows of unit length."""
        ...


class TokenStates(NamedTuple):
    """The states of many texts' tokens without padding: those of text i are `states[offsets[i] : offsets[i + 1]]`."""

    states: NDArray[np.float32]  # (T, D), T the tokens of all texts together
    offsets: NDArray[np.int64]  # (L + 1,), from 0 to T


@runtime_checkable
class TokenEncoder(TextEncoder, Protocol):
    """A text encoder that also hands out what it knows of each token, for networks that read a text token by token."""

    def encode_tokens(self, texts: Sequence[str], *, role: Role = "query") -> TokenStates:
        """The states of the last layer before pooling, at least one per text, special tokens of the model included.

        A text longer than the model's limit is cut there, as in `encode`; what the model puts before a text of this
        role is read with it. States are not normalised.
        """
        ...

    def token_spans(self, texts: Sequence[str], *, role: Role = "query") -> NDArray[np.int64]:
        """(T, 2) the first character of each token of `encode_tokens` in its text, and the one after its last.

        0, 0 for special tokens and for what the model puts before a text.
        """
        ...


def encodes_tokens(encoder: TextEncoder) -> TypeGuard[TokenEncoder]:
    """Whether `encoder` has the ability "tokens"."""
    return "tokens" in encoder.abilities


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """What to generate. Every field is part of the cache key."""

    messages: tuple[Message, ...]
    max_tokens: int = 512
    temperature: float = 0.0
    n: int = 1  # texts wanted
    beams: int = 0  # > 0: beam search with this width; needs "beams"
    stop: tuple[str, ...] = ()
    seed: int | None = None
    logprobs: bool = False  # needs "logprobs"
    json_schema: Mapping[str, Any] | None = None  # the reply must be JSON of this schema
    soft_prompt: NDArray[np.float32] | None = None  # (tokens, width of the model); needs "soft_prompt"
    constraint: Any = None  # an object that narrows the next token; needs "constrained"


@dataclass(frozen=True, slots=True)
class LLMText:
    """One generated text. `logprob` is the sum over its tokens, `tokens` how many there are."""

    text: str
    logprob: float | None = None
    tokens: int = 0
    finished: bool = True  # False when it was cut at max_tokens


@dataclass(frozen=True, slots=True)
class LLMReply:
    """The texts for one request, best first."""

    texts: tuple[LLMText, ...]
    usage: Usage = field(default_factory=Usage)

    @property
    def text(self) -> str:
        return self.texts[0].text


@runtime_checkable
class LanguageModel(Protocol):
    """Text to text."""

    @property
    def name(self) -> str: ...
    @property
    def abilities(self) -> frozenset[Ability]: ...

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        """One reply per request, in order."""
        ...


Requirement = Literal["none", "optional", "required"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a method needs before it can answer."""

    encoder: Requirement = "none"
    language_model: Requirement = "none"
    abilities: frozenset[Ability] = frozenset()  # of the language model
    model: Requirement = "none"  # a folder written by `clew train`
    extras: tuple[str, ...] = ()  # of pip install 'clew[…]'
    either: bool = False  # it answers with a language model or a trained model, and needs one of the two


@dataclass(frozen=True, slots=True)
class Tools:
    """What a method is handed when it is opened. The workspace fills it from configuration."""

    encoder: TextEncoder | None = None
    language_model: LanguageModel | None = None
    model: FilePath | None = None  # folder of trained weights
    link: Callable[[Question, GraphStore], list[Any]] | None = None  # question → list[Topic]; default: clew.retrieval
    cache: FilePath | None = None  # where derived arrays may be kept; None: nothing is kept
    relations: TextEncoder | None = None  # for names of relations: of a large graph kept on disk; None: `encoder`


class Method(Protocol):
    """A way to answer questions over a graph. A class that derives from it has `answer` from its `predict`.

    Where it has an attribute `reads_whole` that is true, a language model reads the question: it is then asked as it
    stands, and no count, comparison or filter is taken out of it before.
    """

    name: ClassVar[str]

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        """One answer, that of `predict`. Never raises for a hard question; abstains with a note instead."""
        return self.predict([question], graph, on_event=on_event)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """One answer per question, in order; may share work between them."""
        ...


@dataclass(frozen=True, slots=True)
class MethodCard:
    """What `clew methods` shows and what the workspace opens. Importing it must not import the room's heavy parts."""

    name: str
    summary: str
    paper: str  # citation, or "" for a baseline
    needs: Needs
    method: str  # "package.module:Class"; Class(config, tools)
    config: str  # "package.module:Config"
    train: str | None = None  # "package.module:train", a Train; None: nothing to train
    train_config: str | None = None  # "package.module:TrainConfig", the [train.config] section
    report: str | None = None  # "package.module:report", a StageReport; None: clew diagnose has nothing to say


class StageReport(Protocol):
    """What `MethodCard.report` points at: what went wrong where in a run, as JSON values."""

    def __call__(
        self, answers: Iterable[Answer], examples: Sequence[Example], graph: Any, *, hops: int
    ) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class StatedSchema:
    """What a training set says of a question's schema (D_syn of STEM): names of topics, unknowns as [ENT1], [ENT2] …"""

    triples: tuple[tuple[str, str, str], ...]
    assertions: tuple[str, ...] = ()  # one per triple, or none
    strategy: str = ""  # "Precision", "Breadth", or not said


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its gold answer, for training and scoring only; `graph` where the set has one per question."""

    question: Question
    gold: Gold
    graph: GraphStore | None = None
    synthetic: bool = False  # made from the graph itself, so that it says little about what people ask
    schema: StatedSchema | None = None


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """Everything a training needs. It may write under `out` and nowhere else."""

    graph: GraphStore  # the shared graph; an example's own graph goes first
    examples: Sequence[Example]
    dev: Sequence[Example]  # for early stopping and calibration; may be empty
    config: Any  # the method's Config
    train_config: Any  # the card's TrainConfig, or None
    tools: Tools  # `tools.model` is a folder to start from, or None
    out: FilePath  # becomes the folder that `Tools.model` names when answering
    seed: int = 0
    resume: bool = False  # go on from the last checkpoint in `out`; the result equals an uninterrupted training


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What a training left behind."""

    model: FilePath  # the folder to answer with
    metrics: Mapping[str, float] = field(default_factory=dict)  # on dev, of the checkpoint that was kept
    seconds: Mapping[str, float] = field(default_factory=dict)  # wall clock by stage
    details: Mapping[str, Any] = field(default_factory=dict)  # JSON values for the manifest


class Train(Protocol):
    """What `MethodCard.train` points at. Progress goes out as events: data may hold step, steps, loss and metrics."""

    def __call__(self, request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult: ...
