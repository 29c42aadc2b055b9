"""A plan as JSON and back, checked against a schema that is made from the records themselves.

Kept apart because JSON comes from files, rows and language models: nothing in it is trusted.
"""

from __future__ import annotations

import types
from dataclasses import fields
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from clew.errors import InputError, unknown
from clew.query import plan as p

SETS = (p.Entities, p.Class, p.EdgesOf, p.All, p.Follow, p.And, p.Or, p.Minus, p.Where, p.WhereCount, p.Top, p.Compare)
VALUES = (p.Values, p.Count, p.Aggregate, p.Difference, p.Arithmetic)
TRUTHS = (p.Exists, p.Is)
NODES = (*SETS, *VALUES, *TRUTHS)
_RECORDS = {kind.__name__: kind for kind in (*NODES, p.Number, p.Date, p.Text)}
_PARTS = (p.Test, p.Key, p.Since, p.Combined, p.Step)  # stand only where one kind of record can


def to_json(plan: Any) -> dict[str, Any]:
    """A plan as plain JSON values: each record an object whose `node` is its name."""
    named = {} if isinstance(plan, _PARTS) else {"node": type(plan).__name__}
    return {**named, **{each.name: _value(getattr(plan, each.name)) for each in fields(plan)}}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    return to_json(value) if isinstance(value, (p.Plan, *_PARTS, p.Number, p.Date, p.Text)) else value


def from_json(data: Any) -> p.Plan:
    """The plan that JSON values state. Raises InputError that names the place."""
    made = _Documents().record(data, p.Plan, "plan")
    for _ in p.walk(made):
        pass
    return made  # type: ignore[no-any-return]


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, vars(p))


class _Documents:
    """Reads one document; counts what it made."""

    def __init__(self) -> None:
        self._made = 0

    def record(self, data: Any, wanted: type, where: str, depth: int = 1) -> Any:
        self._made += 1
        if self._made > p.MAX_NODES or depth > p.MAX_DEPTH:
            raise InputError(
                f"{where}: the plan has more than {p.MAX_NODES} parts or is nested deeper than {p.MAX_DEPTH}"
            )
        if not isinstance(data, dict):
            raise InputError(f"{where}: expected an object, found {repr(data)[:60]}")
        if wanted in _PARTS:
            kind: type = wanted
        else:
            known = _RECORDS.get(str(data.get("node")))
            if known is None:
                raise InputError(f"{where}: {unknown('node', str(data.get('node')), _RECORDS)}")
            kind = known
        hints = _hints(kind)
        declared = {each.name: each for each in fields(kind)}
        for name in data:
            if name != "node" and name not in declared:
                raise InputError(f"{where}: {unknown('field', str(name), declared)} in {kind.__name__}")
        given = {}
        for name in declared:
            if name in data:
                given[name] = self._field(data[name], hints[name], f"{where}.{name}", depth + 1)
        try:
            return kind(**given)
        except TypeError:
            missing = [name for name in declared if name not in data]
            raise InputError(f"{where}: {kind.__name__} lacks {', '.join(missing)}") from None
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def _field(self, data: Any, hint: Any, where: str, depth: int) -> Any:
        origin = get_origin(hint)
        if origin is tuple:
            if not isinstance(data, list):
                raise InputError(f"{where}: expected a list, found {repr(data)[:60]}")
            inner = get_args(hint)[0]
            return tuple(self._field(item, inner, f"{where}[{i}]", depth) for i, item in enumerate(data))
        if origin in (Union, types.UnionType):
            if data is None and type(None) in get_args(hint):
                return None
            if (choices := _choices(hint)) is not None:
                return data if data in choices else self._refuse(data, choices, where)
            if (path := _path_in(hint)) is not None:
                return self._field(data, path, where, depth) if isinstance(data, list) else data
            parts = [each for each in get_args(hint) if each in _PARTS]
            part = next((each for each in parts if _fits(data, each)), parts[0] if parts else p.Plan)
            return self.record(data, part, where, depth)
        if isinstance(hint, type) and (issubclass(hint, p.Plan) or hint in _PARTS):
            return self.record(data, hint, where, depth)
        return data  # a text, number or choice: the record checks it

    @staticmethod
    def _refuse(data: Any, choices: tuple[Any, ...], where: str) -> Any:
        raise InputError(f"{where}: {unknown('value', str(data)[:60], choices)}")


def _fits(data: Any, kind: type) -> bool:
    """Whether an object has all that a kind of record must be told, and nothing else."""
    declared = {each.name for each in fields(kind)}
    return isinstance(data, dict) and declared - _optional(kind) <= data.keys() <= declared


def _choices(hint: Any) -> tuple[Any, ...] | None:
    """What a field of a few texts or nothing may be; None for another."""
    literal = next((each for each in get_args(hint) if get_origin(each) is Literal), None)
    return None if literal is None else get_args(literal)


def _path_in(hint: Any) -> Any:
    """The path that a field may be beside a number; None for another field."""
    return next((each for each in get_args(hint) if get_origin(each) is tuple), None)


@cache
def schema() -> dict[str, Any]:
    """The JSON schema of a plan, for a language model that writes one and for whoever checks it."""
    groups = {"set": SETS, "value": VALUES, "truth": TRUTHS}
    definitions: dict[str, Any] = {kind.__name__: _schema_of(kind) for kind in (*_RECORDS.values(), *_PARTS)}
    for group, kinds in groups.items():
        definitions[group] = {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds]}
    definitions["comparable"] = {
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("Number", "Date", "Text", "Entities", "value")]
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plan",
        "anyOf": [{"$ref": f"#/$defs/{group}"} for group in groups],
        "$defs": definitions,
    }


def _schema_of(kind: type) -> dict[str, Any]:
    hints = _hints(kind)
    properties: dict[str, Any] = {} if kind in _PARTS else {"node": {"const": kind.__name__}}
    properties.update({each.name: _schema_for(hints[each.name]) for each in fields(kind)})
    optional = _optional(kind)
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _optional(kind: type) -> set[str]:
    from dataclasses import MISSING

    return {each.name for each in fields(kind) if each.default is not MISSING}


def _schema_for(hint: Any) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin is tuple:
        return {"type": "array", "items": _schema_for(get_args(hint)[0])}
    if origin in (Union, types.UnionType):
        parts = [{"$ref": f"#/$defs/{each.__name__}"} for each in get_args(hint) if each in _PARTS]
        if (choices := _choices(hint)) is not None:
            return {"enum": [*choices, None]}
        if _path_in(hint) is not None:
            return {"anyOf": [_schema_for(each) for each in get_args(hint)]}
        some_set = p.SetPlan in get_args(hint)
        named = parts or [{"$ref": f"#/$defs/{'set' if some_set else 'comparable'}"}]
        return {"anyOf": [*named, {"type": "null"}]} if type(None) in get_args(hint) else named[0]
    plain = {str: "string", bool: "boolean", int: "integer", float: "number"}
    if hint in plain:
        return {"type": plain[hint]}
    group = {p.SetPlan: "set", p.ValuePlan: "value", p.TruthPlan: "truth"}.get(hint, getattr(hint, "__name__", ""))
    return {"$ref": f"#/$defs/{group}"}
