"""Nodes that only hold a value, read as the value: `length [value 320; unitCode MTR]` is `length (m)` 320.

Kept apart from `schema`, which sets the nodes aside. They collapse at import, once, and no operator looks through them:
counts, filters, superlatives, plans, evidence and what is shown all work on literals beside their things, and the unit
in the name of a relation is what they know already (`height_mm`). Known are schema.org (QuantitativeValue,
MonetaryAmount, PropertyValue), QUDT, OM and `rdf:value`; GeoCoordinates, PostalAddress, ratings, offers and sound files
hand what they state to the thing that has them, a nameless picture is its address, and the members of an `rdf:List` are
several values. A node that says anything else, has a name, or whose property comes in several units stays a node.

Shapes: N entities, V value nodes; a row is (head, relation, tail, source).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from clew.graph.inputs import CHOSEN, Notes, column
from clew.graph.layout import LITERAL
from clew.graph.strings import literal_parts
from clew.graph.subgraph import Ints
from clew.labels import label_to_text

if TYPE_CHECKING:
    from clew.graph.schema import Everything, Rows

_VALUE = re.compile(
    r"https?://schema\.org/value|http://www\.w3\.org/1999/02/22-rdf-syntax-ns#value"
    r"|https?://qudt\.org/.*[/#](?:numericValue|value)|.*unit-of-measure.*[/#](?:hasNumericalValue|numerical_value)"
    r"|.*units-of-measure.*[/#](?:hasNumericalValue|numerical_value)"
)
_UNIT = ("unitText", "unit", "hasUnit", "unit_of_measure_or_measurement_scale", "currency", "unitCode")  # best first
_BESIDE = ("propertyID", "measurementTechnique", "measurementMethod", "hasQuantityKind", "quantityKind")
_HANDED_ON = (
    "GeoCoordinates", "PostalAddress", "AggregateRating", "Rating", "Offer", "AggregateOffer", "ContactPoint",
    "NutritionInformation", "AudioObject", "VideoObject", "MediaObject", "DataDownload",
)  # fmt: skip
_PICTURES = ("contentUrl", "url")  # best first
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:[eE][+-]?\d+)?")
_SPELLED = {  # UN/CEFACT, QUDT and OM, by what people write
    "m": "MTR M metre", "km": "KMT KiloM kilometre", "cm": "CMT CentiM centimetre", "mm": "MMT MilliM millimetre",
    "ft": "FOT FT", "inch": "INH IN", "mi": "SMI MI", "nmi": "NMI", "yd": "YRD", "kg": "KGM KiloGM kilogram",
    "g": "GRM GM gram", "mg": "MGM MilliGM", "t": "TNE TON_M", "lb": "LBR LB", "l": "LTR L litre", "ml": "MLT MilliL",
    "m3": "MTQ M3", "h": "HUR HR hour", "min": "MIN minute-Time", "s": "SEC second-Time", "days": "DAY",
    "weeks": "WEE WK", "months": "MON MO", "years": "ANN YR", "m2": "MTK M2", "km2": "KMK KiloM2", "ha": "HAR HA",
    "km/h": "KMH KiloM-PER-HR", "m/s": "MTS M-PER-SEC", "°C": "CEL DEG_C degreeCelsius", "°F": "FAH DEG_F",
    "K": "KEL", "W": "WTT", "kW": "KWT KiloW", "MW": "MAW MegaW", "kWh": "KWH KiloW-HR", "%": "P1 PERCENT",
    "": "C62 UNITLESS NUM",
}  # fmt: skip
_CODES = {code: said for said, codes in _SPELLED.items() for code in codes.split()}


@dataclass(frozen=True, slots=True)
class ReadValues:
    """The nodes that are read as values, as a mask (N,), and the rows that state what they stated."""

    gone: NDArray[np.bool_]
    rows: Rows


def read_values(read: Everything, most: int) -> ReadValues:
    """Find the value nodes of what has been read, and name the relations that lead to values now.

    Args:
        most: nodes; of more all stay nodes.
    """
    gone = np.zeros(read.assembly.entities.count, bool)
    value = read.relations_of(lambda id: _VALUE.fullmatch(id) is not None)
    handed = read.of_types(lambda id: _local(id) in _HANDED_ON)
    holders = np.unique(read.picked(lambda row: value[row[:, 1]])[:, 0]) if value.any() else handed[:0]
    pictures = read.of_types(lambda id: _local(id) == "ImageObject")
    if not 0 < len(holders) + len(handed) + len(pictures) <= most:
        return ReadValues(gone, np.empty((0, 4), np.int32))
    around = read.mask(np.concatenate([holders, handed, pictures]))
    out = read.picked(lambda row: around[row[:, 0]])
    inc = read.picked(lambda row: around[row[:, 2]])
    names = read.names(np.concatenate([holders, handed, pictures]))
    rows = [
        _numbers(read, out, inc, holders, value, names, gone),
        _handed_on(read, out, inc, handed, names, gone),
        _pictured(read, out, inc, pictures, names, gone),
    ]
    return ReadValues(gone, np.concatenate(rows))


def _numbers(
    read: Everything,
    out: Rows,
    inc: Rows,
    holders: Ints,
    value: NDArray[np.bool_],
    names: dict[int, list[tuple[int, str]]],
    gone: NDArray[np.bool_],
) -> Rows:
    """Rows that lead from things to the values of nodes that hold one, and nothing else but its unit."""
    unit = np.array([_place(_local(id)) for id in read.relations], np.int64)
    beside = read.relations_of(lambda id: _local(id) in _BESIDE) | (unit >= 0) | value
    if read.type >= 0:
        beside[read.type] = True
    alone = read.mask(holders)
    alone[out[~beside[out[:, 1]], 0]] = False
    stated = out[value[out[:, 1]] & (read.kinds[out[:, 2]] == LITERAL)]
    nodes, first, counts = np.unique(stated[:, 0], return_index=True, return_counts=True)
    one = nodes[counts == 1]
    held = dict(zip(one.tolist(), stated[first[counts == 1], 2].tolist(), strict=True))
    named = set(read.of_types(lambda id: _local(id) == "PropertyValue").tolist())
    text = dict(zip(held.values(), read.texts.take(np.array([*held.values()], np.int64)), strict=True))
    units = _units(read, out[unit[out[:, 1]] >= 0], unit)
    led: dict[int, list[tuple[int, str, int, int]]] = {}  # relation: head, the name of a PropertyValue, node, source
    for head, relation, node, source in inc.tolist():
        if not alone[node] or node not in held or (node in names) != (node in named):
            continue
        if node not in named and not _NUMBER.fullmatch(literal_parts(text[held[node]])[0]):
            continue
        called = min(names[node])[1] if node in named else ""
        led.setdefault(relation, []).append((head, called, node, source))
    made: list[tuple[int, tuple[int, int, int, int]]] = []
    several: set[int] = set()
    for relation, rows in led.items():
        for called in sorted({row[1] for row in rows}):
            mine = [row for row in rows if row[1] == called]
            used = {units.get(node, "") for _, _, node, _ in mine}
            if len(used) > 1:  # 3 km and 400 m are not to be compared as 3 and 400
                several.update(node for _, _, node, _ in mine)
                continue
            number = _relation(read, relation, called, used.pop())
            made += [(node, (head, number, held[node], source)) for head, _, node, source in mine]
    kept = [(node, row) for node, row in made if node not in several]
    gone[[node for node, _ in kept]] = True
    return np.array([row for _, row in kept], np.int32).reshape(-1, 4)


def _relation(read: Everything, relation: int, called: str, unit: str) -> int:
    """The number of the relation that leads to values now, with the unit in its name."""
    id = read.relations[relation]
    numbers = read.assembly.relations
    if called:
        id = f"{id}/{quote(called, safe='')}"
        relation = int(numbers.number(column([id]))[0][0])
    label = called or _label(read, id)
    if unit and unit not in re.split(r"[\W_]+", label):
        label = f"{label} ({unit})"
    if label:
        read.assembly.add(Notes("label", column([id]), column([label]), np.array([CHOSEN], np.int16)))
    return relation


def _label(read: Everything, id: str) -> str:
    """The label that a relation has so far, or the words of its id."""
    known = read.names_of(id)
    return min(known)[1] if known else label_to_text(id)


def _units(read: Everything, rows: Rows, unit: NDArray[np.int64]) -> dict[int, str]:
    """The unit of each node that states one: as text before a code of it."""
    found: dict[int, tuple[int, str]] = {}
    tails = np.unique(rows[:, 2])
    said = {n: _spelled(id) for n, id in zip(tails.tolist(), read.texts.take(tails.astype(np.int64)), strict=True)}
    for node, relation, tail in rows[:, :3].tolist():
        mine = (int(unit[relation]), said[tail])
        found[node] = min(found.get(node, mine), mine)
    return {node: each for node, (_, each) in found.items()}


def _spelled(id: str) -> str:
    text = literal_parts(id)[0] if id.startswith('"') else _local(id)
    return _CODES.get(text, text)


def _nameless(read: Everything, nodes: Ints, names: dict[int, list[tuple[int, str]]]) -> NDArray[np.bool_]:
    """Which entities are value nodes without a name."""
    mine = read.mask(nodes)
    mine[[node for node in names if mine[node]]] = False
    return mine


def _handed_on(
    read: Everything,
    out: Rows,
    inc: Rows,
    nodes: Ints,
    names: dict[int, list[tuple[int, str]]],
    gone: NDArray[np.bool_],
) -> Rows:
    """Rows that say of things what the coordinates or the address that they have said."""
    mine = _nameless(read, nodes, names)
    scale = read.relations_of(lambda id: _local(id) in ("bestRating", "worstRating"))  # of a rating, no fact
    led = inc[mine[inc[:, 2]]]
    _, which, times = np.unique(led[:, [0, 1]], axis=0, return_inverse=True, return_counts=True)
    mine[led[times[which.ravel()] > 1, 2]] = False  # two addresses: whose street is whose would be lost
    led = led[mine[led[:, 2]]]
    stated = out[mine[out[:, 0]] & (out[:, 1] != read.type) & ~scale[out[:, 1]]]
    stated = stated[np.argsort(stated[:, 0], kind="stable")]
    low, high = (np.searchsorted(stated[:, 0], led[:, 2], side) for side in ("left", "right"))
    counts = high - low
    rows = np.repeat(led, counts, axis=0)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
    rows[:, 1:3] = stated[places, 1:3]
    gone[led[:, 2]] = True
    rows = rows[rows[:, 0] != rows[:, 2]]  # an AggregateRating says of what it is
    whose = read.mask(led[:, 0])
    own = read.picked(lambda row: whose[row[:, 0]])
    width = len(read.relations)
    said = np.unique(own[:, 0].astype(np.int64) * width + own[:, 1])
    # What a thing states itself is its own: the address of a page, not that of the sound file.
    kept: Rows = rows[~np.isin(rows[:, 0].astype(np.int64) * width + rows[:, 1], said)]
    return kept


def _pictured(
    read: Everything,
    out: Rows,
    inc: Rows,
    nodes: Ints,
    names: dict[int, list[tuple[int, str]]],
    gone: NDArray[np.bool_],
) -> Rows:
    """Rows that lead from things to the addresses of their pictures; height and width of one are not the thing's."""
    rank = np.array([_PICTURES.index(name) if (name := _local(id)) in _PICTURES else -1 for id in read.relations])
    mine = _nameless(read, nodes, names)
    things = (rank[out[:, 1]] < 0) & (out[:, 1] != read.type) & (read.kinds[out[:, 2]] != LITERAL)
    mine[out[things, 0]] = False
    stated = out[(rank[out[:, 1]] >= 0) & mine[out[:, 0]]]
    stated = stated[np.argsort(-rank[stated[:, 1]], kind="stable")]
    address = np.full(len(mine), -1, np.int32)
    address[stated[:, 0]] = stated[:, 2]  # of several the last written: the best
    rows = inc[mine[inc[:, 2]] & (address[inc[:, 2]] >= 0)].copy()
    gone[rows[:, 2]] = True
    rows[:, 2] = address[rows[:, 2]]
    return rows


def _local(id: str) -> str:
    return re.split(r"[/#]", id)[-1]


def _place(name: str) -> int:
    return _UNIT.index(name) if name in _UNIT else -1
