"""Training records of Spider4SPARQL: what people ask of a hundred relational schemas, each turned into a graph.

Of its queries those are read that ask for one column under equalities: from a value that the question names, over the
rows and their references, to the column asked for. A table with a column of names has rows called by them; the rows of
any other are mediators. No graph is at hand, so wrong plans are made from the schema.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from clew.labels import label_to_text
from clew.reading.records import Made, TrainingRecord, from_schema
from clew.reading.wording import WordedStep

KEPT_OUT = frozenset(("geo",))  # a graph whose questions stand elsewhere
NAMED_ROWS = 0.8  # share of the questions in which a table's names are the labels of its rows
TABLE_TOLD = 0.25  # share of the questions whose relations say their table as well
LONGEST = 3  # steps

_HEAD = re.compile(r"^\s*SELECT\s+(?:DISTINCT\s+)?(\?\w+)\s+WHERE\s*\{", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:count|max|min|avg|sum|group|order|limit|having|union|not|minus|optional)\b", re.IGNORECASE)
_TRIPLE = re.compile(r"(\?\w+)\s+:([\w-]+)\\*#([\w-]+)\s+(\?\w+)\s*\.")
_FILTER = re.compile(r"FILTER\s*\((.*?)\)\s*\.")
_EQUAL = re.compile(r"\s*(\?\w+)\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([\d.]+))\s*")
_NAME = re.compile(r"(?:^|_)(?:name|title)$", re.IGNORECASE)

Column = tuple[str, str]  # table, column
Hop = tuple[Column, bool]  # walked backward?


def read(
    path: Path,
    chance: random.Random,
    siblings: Callable[[Sequence[WordedStep]], Callable[[WordedStep], Sequence[WordedStep]]],
    most: int,
) -> Iterator[TrainingRecord]:
    """Records of the questions of `path` (train.jsonl.gz).

    Args:
        siblings: a pool of steps -> what is most like one of them.
    """
    by_graph: dict[str, list[dict[str, str]]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            by_graph[row["graph"]].append(row)
    for name, rows in by_graph.items():
        if name in KEPT_OUT:
            continue
        columns = sorted({(t, c) for row in rows for _, t, c, _ in _TRIPLE.findall(row["sparql"])})
        if len(columns) < 3:
            continue
        named = {table for table, column in columns if _NAME.search(column)}
        told = chance.random() < TABLE_TOLD
        words = {column: _words(column, told) for column in columns}
        called = named if chance.random() < NAMED_ROWS else set[str]()
        pool = _pool(columns, called, words)
        near = siblings(pool)
        for row in rows:
            found = _asked(row["question"], row["sparql"])
            if found is None:
                continue
            answer, values, triples = found
            chains = [_steps(_way(triples, variable, answer), called, words) for variable, _ in values]
            if not all(0 < len(chain) <= LONGEST for chain in chains) or (len(chains) > 1 and chains[0] == chains[1]):
                continue
            after: list[WordedStep] = []
            while len(chains) > 1 and min(map(len, chains)) > 1 and chains[0][-1] == chains[1][-1]:
                after.insert(0, chains[0].pop())
                chains[1].pop()
            right = Made(tuple((number, tuple(chain)) for number, chain in enumerate(chains)), tuple(after))
            yield from_schema("spider", row["question"], [said for _, said in values], right, pool, near, chance)
            most -= 1
            if most == 0:
                return


def _asked(question: str, sparql: str) -> tuple[str, list[tuple[str, str]], list[tuple[str, Column, str]]] | None:
    """The variable asked for, (variable, value) of each equality, the triples; None where more is asked."""
    head = _HEAD.match(sparql)
    if head is None or _OTHER.search(sparql) or sparql.upper().count("SELECT") > 1:
        return None
    values = []
    for condition in _FILTER.findall(sparql):
        for part in condition.split("&&"):
            equal = _EQUAL.fullmatch(part)
            if equal is None:
                return None
            said = next(text for text in equal.groups()[1:] if text is not None).strip()
            if not said or not re.search(rf"(?<!\w){re.escape(said)}(?!\w)", question, re.IGNORECASE):
                return None
            values.append((equal.group(1), said))
    triples = [(a, (table, column), b) for a, table, column, b in _TRIPLE.findall(sparql)]
    if not 1 <= len(values) <= 2 or len({variable for variable, _ in values}) < len(values):
        return None
    return head.group(1), values, triples


def _way(triples: Sequence[tuple[str, Column, str]], start: str, end: str) -> list[Hop]:
    """The shortest way between two variables; empty where there is none."""
    beside: dict[str, list[tuple[Hop, str]]] = defaultdict(list)
    for a, column, b in triples:
        beside[a].append(((column, False), b))
        beside[b].append(((column, True), a))
    queue: list[tuple[str, list[Hop]]] = [(start, [])]
    seen = {start}
    while queue:
        at, way = queue.pop(0)
        if at == end:
            return way
        for hop, other in beside[at]:
            if other not in seen:
                seen.add(other)
                queue.append((other, [*way, hop]))
    return []


def _steps(way: Sequence[Hop], named: set[str], words: Mapping[Column, str]) -> list[WordedStep]:
    """Hops as steps: names are labels, and the rows of a table without names are passed through."""
    hops = list(way)
    if len(hops) > 1 and hops[0][1] and hops[0][0][0] in named and _NAME.search(hops[0][0][1]):
        hops = hops[1:]
    if len(hops) > 1 and not hops[-1][1] and hops[-1][0][0] in named and _NAME.search(hops[-1][0][1]):
        hops = hops[:-1]
    steps: list[WordedStep] = []
    at = 0
    while at < len(hops):
        (table, column), back = hops[at]
        # Backward along a column (not a reference that is walked forward) one comes to a row of its table.
        if at + 1 < len(hops) and back and table not in named and hops[at + 1][0][0] == table:
            steps.append(_double(hops[at], hops[at + 1], words))
            at += 2
        else:
            steps.append(WordedStep(words[table, column], "", int(back)))
            at += 1
    return steps


def _double(first: Hop, second: Hop, words: Mapping[Column, str]) -> WordedStep:
    return WordedStep(words[first[0]], words[second[0]], 2 + 2 * first[1] + second[1])


def _pool(columns: Sequence[Column], named: set[str], words: Mapping[Column, str]) -> list[WordedStep]:
    """Every step that the schema offers."""
    found: dict[WordedStep, None] = {}
    for table, column in columns:
        if table in named:
            for back in (0, 1):
                found[WordedStep(words[table, column], "", back)] = None
        else:
            for other in columns:
                if other[0] == table and other[1] != column:
                    found[_double(((table, column), True), (other, False), words)] = None
    return list(found)


def _words(column: Column, told: bool) -> str:
    name = re.sub(r"^ref-", "", column[1])
    name = re.sub(r"(?:_id|_code)$", "", name, flags=re.IGNORECASE) or name
    return label_to_text(f"{column[0]}_{name}" if told else name).casefold()
