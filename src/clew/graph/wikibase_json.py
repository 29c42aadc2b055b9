"""Entities of a Wikibase as JSON, as its dumps have them, where the properties are among them: as nodes and links.

Kept apart from the readers of what a Wikibase exports as RDF. Pages of single entities name neither their properties
nor what they lead to and are refused elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

LANGUAGES = ("en", "mul", "en-gb", "en-us")  # in which a name is sought first
_TIME = re.compile(r"(?P<year>[+-]\d+)-(?P<month>\d\d)-(?P<day>\d\d)T")
_YEAR, _MONTH = 9, 10  # precisions


def of_wikibase(held: Any) -> dict[str, list[Any]] | None:
    """A document of entities as "nodes" and "links"; None for another, and where no property is among them."""
    entities = (
        list(held["entities"].values())
        if isinstance(held, Mapping) and isinstance(held.get("entities"), Mapping)
        else held
    )
    if not isinstance(entities, list) or not entities or not all(map(_is_entity, entities)):
        return None
    if not any(each.get("type") == "property" for each in entities):
        return None
    names = {each["id"]: _label(each.get("labels")) for each in entities}
    nodes: list[Any] = []
    links: list[Any] = []
    for each in entities:
        if each.get("type") == "property":
            continue
        node: dict[str, Any] = {"id": each["id"]}
        if name := names[each["id"]]:
            node["name"] = name
        if described := _label(each.get("descriptions")):
            node["description"] = described
        if others := _aliases(each.get("aliases")):
            node["also known as"] = others
        for property, statements in _items(each.get("claims")):
            relation = names.get(property) or property
            for stated in statements if isinstance(statements, list) else ():
                value = _value(stated.get("mainsnak"), names) if stated.get("rank") != "deprecated" else None
                if isinstance(value, Mapping):
                    links.append(
                        {
                            "source": each["id"],
                            "target": value["id"],
                            "relation": relation,
                            **_qualifiers(stated, names),
                        }
                    )
                elif value is not None:
                    node.setdefault(relation, []).append(value)
        nodes.append(node)
    return {"nodes": nodes, "links": links}


def _is_entity(held: Any) -> bool:
    return isinstance(held, Mapping) and isinstance(held.get("id"), str) and "claims" in held and "labels" in held


def _items(held: Any) -> Sequence[tuple[str, Any]]:
    """The pairs of a map; what is empty may be a list."""
    return list(held.items()) if isinstance(held, Mapping) else []


def _label(held: Any) -> str:
    said = {language: each["value"] for language, each in _items(held) if isinstance(each, Mapping) and "value" in each}
    return next((str(said[each]) for each in LANGUAGES if each in said), str(next(iter(said.values()), "")))


def _aliases(held: Any) -> list[str]:
    return [str(one["value"]) for _, some in _items(held) if isinstance(some, list) for one in some if "value" in one]


def _qualifiers(stated: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """What is said of a statement: since when it holds."""
    found: dict[str, Any] = {}
    for property, snaks in _items(stated.get("qualifiers")):
        for snak in snaks if isinstance(snaks, list) else ():
            value = _value(snak, names)
            if value is not None:
                shown = names.get(value["id"]) or value["id"] if isinstance(value, Mapping) else value
                found.setdefault(names.get(property) or property, shown)
    return found


def _value(snak: Any, names: Mapping[str, str]) -> Any:
    """What a snak states: an entity as {"id": …}, else a value; None for what is unknown or there is none of."""
    stated = snak.get("datavalue") if isinstance(snak, Mapping) and snak.get("snaktype", "value") == "value" else None
    value = stated.get("value") if isinstance(stated, Mapping) else None
    if not isinstance(value, Mapping):
        return value
    if "time" in value:
        return _time(str(value["time"]), value.get("precision", 11))
    if "amount" in value:
        unit = names.get(str(value.get("unit", "")).rpartition("/")[2], "")
        return f"{str(value['amount']).lstrip('+')} {unit}".strip()
    if "text" in value:
        return value["text"]
    if "latitude" in value:
        return f"Point({value.get('longitude')} {value['latitude']})"
    id = value.get("id") or (f"Q{value['numeric-id']}" if "numeric-id" in value else None)
    return {"id": str(id)} if id else None


def _time(text: str, precision: int) -> str:
    match = _TIME.match(text)
    if match is None:
        return text
    year = f"{int(match['year']):04d}"
    if precision <= _YEAR:
        return year
    return f"{year}-{match['month']}" if precision == _MONTH else f"{year}-{match['month']}-{match['day']}"
