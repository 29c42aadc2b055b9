"""The typed configuration: what may be set, where it comes from, and what a file that nobody named may not choose.

One typed tree. It comes from a TOML file, then `CLEW_SECTION__KEY` in the environment, then flags; later wins.
`[method]` and `[train]` hold the settings of the chosen method beside its `name`, and are checked against them.

What nobody named (a `clew.toml` that happens to lie in the working directory, the settings inside a graph's or a
model's folder) is data from a stranger: it may tune, and it may not choose an address, a variable, a file or code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, field_validator

from clew.config import DATA, OWN, Settings, merge, override, parse, read_toml, reserved
from clew.errors import ConfigError
from clew.graph.remote import ServerSettings, is_address
from clew.llm import ModelSettings
from clew.synthesis.structures import SamplingConfig

DEFAULT_ENCODER = "all-MiniLM-L6-v2"  # of clew.encoding, which is not imported before it is needed


class GraphSection(Settings):
    path: Annotated[Path | str | None, DATA] = (
        None  # a folder made by `clew build`, or a server's URL; else the question set's own graph
    )
    server: ServerSettings = ServerSettings()  # how a server is asked

    @field_validator("path", mode="after")
    @classmethod
    def _folder_or_address(cls, value: Path | str | None) -> Path | str | None:
        return Path(value) if isinstance(value, str) and not is_address(value) else value

    @property
    def folder(self) -> Path | None:
        """The graph's folder, where it is one."""
        return self.path if isinstance(self.path, Path) else None


class EncoderSection(Settings):
    name: str = ""  # empty: the one the trained model used, else the default of clew.encoding
    device: str = "auto"  # "cpu", "cuda"; auto: CUDA where there is one
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"  # of the weights; auto: float32 on a processor
    batch: int = Field(default=256, ge=1)  # texts encoded together
    engine: str = "auto"  # "onnx", "torch" or "sentence-transformers"; auto: the first that is installed and fits
    models: Path | None = None  # folder of downloaded models
    base_url: Annotated[str | None, OWN] = None  # of an OpenAI-compatible server; the key comes from the environment
    timeout_s: float = Field(default=60.0, gt=0)  # of one request to that server
    cache: Path | None = None  # file of vectors already computed


class LinkSection(Settings):
    limit: int = Field(default=3, ge=1)  # most names of a question that are taken as its topics


class DataSection(Settings):
    questions: str = ""  # a JSONL file, or a known set with its split: "metaqa-r-1hop:test"
    train: tuple[str, ...] = ()  # one or several of the same, read in order
    dev: str = ""  # for early stopping; empty: some training questions are held out
    synthetic: int = Field(default=0, ge=0)  # questions made from the graph itself to train on as well
    limit: int | None = Field(
        default=None, ge=1
    )  # a sample of so many questions, drawn with `seed`; the same for a same seed
    seed: int = 0  # of that sample
    folder: Annotated[Path | None, DATA] = None  # of the known sets; default: CLEW_DATA
    options: dict[str, Any] = Field(default_factory=dict)  # of the set's loader

    @field_validator("train", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return ((value,) if value else ()) if isinstance(value, str) else value


class RunSection(Settings):
    seed: int = 0  # of training and of sampling
    threads: int | None = Field(default=None, ge=1)  # default: the concurrency of the language model, 1 without one
    batch: int | None = Field(default=None, ge=1)  # questions handed over together; default 32, 1 with a language model
    max_failures: int = Field(default=20, ge=0)  # 0: never stop
    engine: Literal["local", "ray"] = "local"  # threads of this process, or a Ray cluster (extra ray)
    ray_address: Annotated[str | None, OWN] = None  # of a running cluster; default: one on this machine


class ExpectedSection(Settings):
    """What a run of this file should reach, and who says so."""

    source: str  # paper, table, or own measurement
    tolerance: float = Field(default=0.02, ge=0)  # a run this much below is reported as falling short
    metrics: dict[str, float]  # by the name of the metric, in [0, 1]


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
    _stray: dict[str, Any] = PrivateAttr(default_factory=dict)  # of a file nobody named: [method] and [train]


def configure(
    file: Path | None = None,
    assignments: Iterable[str] = (),
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Configuration:
    """The configuration from a TOML file, `CLEW_A__B` variables, `flags` (a tree) and `a.b=value` assignments.

    Without `file` the one that the variable CLEW_CONFIG names is read. Without both, `clew.toml` in the working
    directory where it exists, of which nobody knows who wrote it: see `reserved`.

    Raises ConfigError that names the nearest key, InputError for a file that is no TOML.
    """
    source = os.environ if environment is None else environment
    if file is None and source.get("CLEW_CONFIG"):
        file = Path(source["CLEW_CONFIG"])
    stray = file is None and STRAY.is_file()
    tree = read_toml(STRAY) if stray else {} if file is None else read_toml(file)
    configured = parse(Configuration, tree, str(STRAY if stray else file))
    if stray and isinstance(configured.graph.path, str):
        raise ConfigError(
            f"./{STRAY} names a server as graph.path; name it on the command line, or the file with --config, so that "
            "no file that happens to lie there chooses whom clew asks"
        )
    names = sorted(name for name in source if name.startswith("CLEW_") and "__" in name)
    spoken = [f"{name.removeprefix('CLEW_').lower().replace('__', '.')}={source[name]}" for name in names]
    own = override({}, spoken)
    if spoken:
        parse(Configuration, merge(tree, own), f"environment ({', '.join(names)})")
    own = override(merge(own, flags or {}), assignments)
    configuration = parse(Configuration, merge(tree, own), "configuration")
    if stray:
        left = without(tree, own)
        section = left.get("encoder", {})
        refuse_reserved(str(STRAY), [*reserved(Configuration, left), *foreign_encoder(section, own.get("encoder", {}))])
        configuration._stray = {key: left.get(key, {}) for key in ("method", "train")}
    return configuration


STRAY = Path("clew.toml")


def refuse_reserved(who: str, wanted: Sequence[str]) -> None:
    """Raises ConfigError when `wanted` is not empty: what a file or folder that nobody vouches for would choose."""
    if not wanted:
        return
    shown = "; ".join(wanted[:5]) + (f"; and {len(wanted) - 5} more" if len(wanted) > 5 else "")
    way = (
        f"name the file if you trust it (--config {who}, or CLEW_CONFIG={who})"
        if who == str(STRAY)
        else "say it yourself if you want it (--set KEY=VALUE, your configuration file, or the environment)"
    )
    raise ConfigError(
        f"{who} wants to set {shown}; addresses, keys, files and code are chosen by you alone, never by what lies in a "
        f"folder: {way}"
    )


def without(tree: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The leaves of `tree` that `own` does not replace."""
    left: dict[str, Any] = {}
    for key, value in tree.items():
        mine = own.get(key)
        if isinstance(value, Mapping) and isinstance(mine, Mapping):
            left[key] = without(value, mine)
        elif key not in own:
            left[key] = value
    return left


def foreign_encoder(section: Mapping[str, Any], own: Mapping[str, Any]) -> list[str]:
    """What an encoder's name in a stranger's settings would choose: a server, a folder, a download."""
    name = section.get("name")
    if not isinstance(name, str) or not name or "name" in own:
        return []
    if name.startswith("remote:"):
        return [] if own.get("base_url") else [f"encoder.name = {name!r} (a server that is sent the graph's texts)"]
    if re.fullmatch(r"hash-\d{1,6}", name) or name == DEFAULT_ENCODER:
        return []
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) or name.startswith("."):
        return [f"encoder.name = {name!r} (a folder to load)"]
    return [] if is_installed(name) else [f"encoder.name = {name!r} (a model to download)"]


def is_installed(name: str) -> bool:
    """Whether the weights of a named encoder came to this machine before: then its user has chosen them once."""
    from clew.encoding.local import PACKAGED

    package = PACKAGED.get(name.removeprefix("sentence-transformers/").casefold())
    if package is not None and find_spec(package) is not None:
        return True
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return False
    full = name if "/" in name else f"sentence-transformers/{name}"
    try:
        return isinstance(try_to_load_from_cache(full, "config.json"), str)
    except HFValidationError:
        return False
