"""Configuration: typed trees from TOML and `--set a.b=c`; an unknown key is an error that names the nearest one.

Kept apart from the workspace so that a method's room can declare its settings without knowing who reads them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo

from clew.errors import ConfigError, InputError, unknown
from clew.secrecy import public_url, redact

OWN = "only its user may say this"
"""Marks a field that chooses an address, a variable, a file or code: `Annotated[str, OWN]`. Paths need no mark."""
DATA = "anybody may say this"
"""Marks a path that is only read, by a reader made for what strangers send."""
DEEPEST = 20  # sections within sections of one --set
LONGEST = 2**20  # bytes of a configuration file


class Settings(BaseModel):
    """The parent of every configuration section: immutable, strict about names."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, protected_namespaces=())
    own: ClassVar[bool] = False  # every key of the section is for its user alone, see OWN
    # Keys of earlier versions with the value that is now a constant: a file that states it is read, another refused.
    removed: ClassVar[Mapping[str, Any]] = {}

    @model_validator(mode="before")
    @classmethod
    def _without_removed(cls, values: Any) -> Any:
        gone = cls.removed.keys() & values.keys() if cls.removed and isinstance(values, Mapping) else ()
        for key in gone:
            value, constant = values[key], cls.removed[key]
            if value is not None and value != (list(constant) if isinstance(constant, tuple) else constant):
                raise ValueError(
                    f"{key} = {_said(value)} is no setting any more: it is always {constant!r}. Leave it out; a model "
                    "that was made with another value is made again by clew train"
                )
        return {key: value for key, value in values.items() if key not in gone} if gone else values


S = TypeVar("S", bound=BaseModel)


def parse(kind: type[S], values: Mapping[str, Any], where: str) -> S:
    """Check `values` against `kind`. Raises ConfigError that says where, which key, and what was expected."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(f"{where}: " + "; ".join(_explain(kind, e) for e in error.errors())) from None


def _explain(kind: type[BaseModel], error: Any) -> str:
    location = [str(part) for part in error["loc"]]
    if error["type"] == "value_error":  # what a section says of itself is whole
        return f"{'.'.join(location)}{': ' if location else ''}{error['msg'].removeprefix('Value error, ')}"
    if error["type"] == "extra_forbidden":
        section: Any = kind
        for part in location[:-1]:
            annotation = section.model_fields[part].annotation if part in section.model_fields else None
            section = annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else BaseModel
        clause = unknown("key", location[-1], section.model_fields)
        prefix = ".".join(location[:-1])
        return f"{clause} in [{prefix}]" if prefix else clause
    return f"{'.'.join(location)} = {_said(error.get('input'))}: {error['msg']}"


def _said(value: Any) -> str:
    """A value as a message shows it: in short, and without keys."""
    try:
        text = redact(repr(public(value)))
    except (ValueError, RecursionError):  # an integer of 5,000 digits, lists in lists in lists
        return f"a {type(value).__name__}"
    return text if len(text) <= 120 else text[:119] + "…"


def public(value: Any) -> Any:
    """JSON values as they may be written down: keys redacted, addresses without user, password and parameters."""
    if isinstance(value, str):
        return redact(public_url(value) if "://" in value and len(value.split()) == 1 else value)
    if isinstance(value, Mapping):
        return {str(key): public(item) for key, item in value.items()}
    return [public(item) for item in value] if isinstance(value, (list, tuple)) else value


def public_dump(settings: BaseModel) -> dict[str, Any]:
    """A configuration as JSON values for manifests and model folders, see `public`."""
    return {key: public(value) for key, value in settings.model_dump(mode="json").items()}


def reserved(kind: type[BaseModel], values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """`key = value` for everything in `values` that only the user may say: addresses, variables, files, code.

    What equals the default is nobody's wish. Used on what comes from a graph, a model or a file nobody named.
    """
    for key, value in values.items():
        field = kind.model_fields.get(key)
        if field is None:
            continue
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel) and isinstance(value, Mapping):
            if getattr(section, "own", False):
                default = section().model_dump(mode="json")
                wanted = {name: each for name, each in value.items() if each != default.get(name)}
                yield from (f"{prefix}{key}.{name} = {_said(each)}" for name, each in wanted.items())
            else:
                yield from reserved(section, value, f"{prefix}{key}.")
        elif _is_reserved(field) and value not in (None, "", field.default):
            yield f"{prefix}{key} = {_said(value)}"


def _is_reserved(field: FieldInfo) -> bool:
    if DATA in field.metadata:
        return False
    return OWN in field.metadata or _mentions_path(field.annotation)


def _mentions_path(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, Path):
        return True
    return any(_mentions_path(part) for part in get_args(annotation))


def read_toml(path: Path) -> dict[str, Any]:
    """The tree in a TOML file. Raises InputError with file, line and cause."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise InputError(f"{path}: longer than {LONGEST:,} bytes, expected a TOML file of settings")
        return tomllib.loads(content.decode("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such configuration file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, expected a TOML file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: not valid TOML: nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits, a NUL in the path
        raise InputError(f"{path}: cannot be read as TOML: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def override(tree: Mapping[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """`tree` with `a.b=value` assignments applied; a value is read as TOML where it is TOML, else as a string."""
    result: dict[str, Any] = _copy(tree)
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or not key.strip():
            raise ConfigError(f"--set {_said(assignment)}: expected key=value, for example --set method.beam=5")
        value: Any = text
        try:
            read = tomllib.loads(f"value = {text}")
            value = read["value"] if len(read) == 1 else text
        except tomllib.TOMLDecodeError:
            pass
        except (ValueError, RecursionError) as error:
            said = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise ConfigError(f"--set {_said(assignment)}: cannot be read as a value: {said}") from None
        branch = result
        *parents, leaf = key.strip().split(".")
        if len(parents) >= DEEPEST:
            raise ConfigError(f"--set {_said(assignment)}: {len(parents)} sections deep, expected a.b=value")
        for parent in parents:
            child = branch.setdefault(parent, {})
            if not isinstance(child, dict):
                raise ConfigError(f"--set {_said(assignment)}: {parent!r} is a value, not a section")
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
