"""Configuration: typed trees from TOML and `--set a.b=c`; an unknown key is an error that names the nearest one.

Kept apart from the workspace so that a method's room can declare its settings without knowing who reads them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from clew.errors import ConfigError, InputError, unknown


class Settings(BaseModel):
    """The parent of every configuration section: immutable, strict about names."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, protected_namespaces=())


S = TypeVar("S", bound=BaseModel)


def parse(kind: type[S], values: Mapping[str, Any], where: str) -> S:
    """Check `values` against `kind`. Raises ConfigError that says where, which key, and what was expected."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(f"{where}: " + "; ".join(_explain(kind, e) for e in error.errors())) from None


def _explain(kind: type[BaseModel], error: Any) -> str:
    location = [str(part) for part in error["loc"]]
    if error["type"] == "extra_forbidden":
        section: Any = kind
        for part in location[:-1]:
            annotation = section.model_fields[part].annotation if part in section.model_fields else None
            section = annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else BaseModel
        clause = unknown("key", location[-1], section.model_fields)
        prefix = ".".join(location[:-1])
        return f"{clause} in [{prefix}]" if prefix else clause
    return f"{'.'.join(location)} = {error.get('input')!r}: {error['msg']}"


def read_toml(path: Path) -> dict[str, Any]:
    """The tree in a TOML file. Raises InputError with file, line and cause."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such configuration file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, expected a TOML file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None


def override(tree: Mapping[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """`tree` with `a.b=value` assignments applied; a value is read as TOML where it is TOML, else as a string."""
    result: dict[str, Any] = _copy(tree)
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not key.strip():
            raise ConfigError(f"--set {assignment!r}: expected key=value, for example --set method.beam=5")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        branch = result
        *parents, leaf = key.strip().split(".")
        for parent in parents:
            child = branch.setdefault(parent, {})
            if not isinstance(child, dict):
                raise ConfigError(f"--set {assignment!r}: {parent!r} is a value, not a section")
            branch = child
        branch[leaf] = value
    return result


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the leaves of `over` replacing its own."""
    result = _copy(base)
    for key, value in over.items():
        mine = result.get(key)
        result[key] = merge(mine, value) if isinstance(mine, dict) and isinstance(value, Mapping) else value
    return result


def _copy(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in tree.items()}
