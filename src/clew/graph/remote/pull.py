"""Copy a part of a server's graph into a `.kg` folder, and bring the copy up to date later.

Apart from the store because only this writes facts to disk. The copy remembers what it was cut out of and around which
entities, so that `sync` can cut the same part again; it never says where to ask: the address comes from whoever asks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clew.errors import FormatError, InputError, NotFoundError
from clew.graph.remote.records import Fact
from clew.graph.remote.store import ServerGraph
from clew.graph.remote.terms import is_literal
from clew.graph.store import Graph
from clew.graph.strings import Strings, Texts
from clew.graph.terms import Terms

AT_ONCE = 5_000  # entities of one step
PER_ENTITY = 10_000  # triples of one entity that are copied
MOST = 5_000_000  # triples of a copy


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a graph a copy holds."""

    address: str  # as shown; compared, never asked
    topics: tuple[str, ...]  # ids
    hops: int
    per_entity: int = PER_ENTITY


@dataclass(frozen=True, slots=True)
class Pulled:
    """How far a copy is, or what it came to."""

    hop: int
    entities: int
    triples: int
    cut: int = 0  # triples left out by limits


@dataclass(slots=True)
class Synced:
    """What bringing a copy up to date changed."""

    added: int
    removed: int
    relabelled: int
    cut: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return bool(self.added or self.removed or self.relabelled)


def topics_of(store: ServerGraph, texts: Iterable[str]) -> list[str]:
    """The ids meant by ids or names, one a line. Raises NotFoundError for one that the graph does not hold."""
    wanted = [text.strip() for text in texts if text.strip()]
    if not wanted:
        raise InputError("no topics: name at least one entity, by id or label")
    known = store.entities(wanted)
    left = [text for text in wanted if text not in known]
    found = dict(zip(left, store.look_up(left, 20), strict=True))
    named = {text: [n.entity.id for n in each if n.likeness >= 0.955] for text, each in found.items()}
    missing = [text for text in left if not named[text]]
    if missing:
        near = dict.fromkeys(repr(n.entity.label) for text in missing[:5] for n in found[text][:2])
        raise NotFoundError(
            f"graph {store.address.shown}: no entity {', '.join(map(repr, missing[:5]))}"
            + (f"; nearest: {', '.join(near)}" if near else "; give ids or labels that it has")
        )
    ids = [id for text in wanted for id in ([text] if text in known else named[text])]
    return list(dict.fromkeys(ids))


def collect(
    store: ServerGraph,
    topics: Sequence[str],
    hops: int,
    *,
    relations: Collection[str] | None = None,
    per_entity: int = PER_ENTITY,
    most: int = MOST,
    on_progress: Callable[[Pulled], None] = lambda _: None,
) -> tuple[Graph, int]:
    """The part within `hops` of the topics as a graph in memory, and how many triples limits left out."""
    if hops < 1:
        raise InputError(f"pull: hops is {hops}, expected at least 1")
    rows: dict[tuple[str, str, str], str | None] = {}
    cut = 0
    seen = set(topics)
    frontier = list(topics)
    for hop in range(1, hops + 1):
        reached: dict[str, None] = {}
        for start in range(0, len(frontier), AT_ONCE):
            part = frontier[start : start + AT_ONCE]
            found = store.facts(part, relations=relations, limit=per_entity, total=max(most - len(rows), 1))
            cut += sum(found.cut.values())
            for head, relation, tail, source in found.rows:
                rows[head, relation, tail] = source
                reached[head] = reached[tail] = None
            on_progress(Pulled(hop, len(seen) + len(reached), len(rows), cut))
            if len(rows) >= most:
                break
        frontier = [id for id in reached if id not in seen and not (is_literal(id) and hop < hops)]
        seen.update(reached)
        if not frontier or len(rows) >= most:
            break
    return assembled(store, [(*row, source) for row, source in sorted(rows.items())], topics), cut


def assembled(
    store: ServerGraph, rows: Sequence[Fact], topics: Sequence[str], texts: Mapping[str, Sequence[str]] | None = None
) -> Graph:
    """A graph in memory of facts, its entities numbered from the topics on.

    Args:
        texts: the names of each entity that has some, its label first; None: those that the store has met.
    """
    number: dict[str, int] = {}
    for id in (*topics, *(id for head, _, tail, _ in rows for id in (head, tail))):
        number.setdefault(id, len(number))
    relation_ids = sorted({row[1] for row in rows})
    relation = {id: i for i, id in enumerate(relation_ids)}
    labels, aliases, kinds = [], [], []
    for id, i in number.items():
        held = _names_of(store, id) if texts is None else texts.get(id, ())
        kinds.append(store.kind_of(id, bool(held)))
        labels += [(i, text) for text in held[:1]]
        aliases += [(i, text) for text in held[1:]]
    sources = sorted({row[3] for row in rows if row[3] is not None})
    source = {name: i for i, name in enumerate(sources)}
    terms = Terms(
        Strings(more=list(number)),
        relation_ids,
        np.array(kinds, np.uint8),
        labels=Texts.of(labels),
        aliases=Texts.of(aliases),
        relation_labels=Texts.of([(i, store.relation_record(id).label) for id, i in relation.items()]),
        sources=Strings(more=sources) if sources else None,
    )
    table = np.array([(number[h], relation[r], number[t]) for h, r, t, _ in rows], np.int32).reshape(-1, 3)
    graph = Graph.of_arrays(table, terms, title=store.title)
    if sources:
        graph._source_of = lambda: np.array([-1 if row[3] is None else source[row[3]] for row in rows], np.int32)
    return graph


def _names_of(store: ServerGraph, id: str) -> list[str]:
    entity = store.record(id)
    if entity.kind != "named":
        return []
    known = store.names is not None and store.names.entity(id) is not None
    return [entity.label, *(store.aliases_of(id) if known else ())]


def pull(
    store: ServerGraph,
    out: Path,
    topics: Sequence[str],
    hops: int,
    *,
    relations: Collection[str] | None = None,
    per_entity: int = PER_ENTITY,
    most: int = MOST,
    on_progress: Callable[[Pulled], None] = lambda _: None,
) -> tuple[Graph, int]:
    """Copy the part within `hops` of the topics (ids) into the folder `out`; a failure leaves what was there before."""
    graph, cut = collect(
        store, topics, hops, relations=relations, per_entity=per_entity, most=most, on_progress=on_progress
    )
    part = {"address": store.address.shown, "topics": list(topics), "hops": hops, "per_entity": per_entity}
    graph.meta |= {
        "inputs": [json.dumps({"pulled": part}, ensure_ascii=False)],
        "languages": list(store.profile.languages),
    }
    return graph.save(out), cut


def part_of(graph: Graph) -> Part:
    """Which part of which graph a copy holds. Raises FormatError for a graph that `pull` did not write."""
    for text in graph.meta.get("inputs", ()):
        try:
            record: Any = json.loads(text)["pulled"]
            return Part(str(record["address"]), tuple(record["topics"]), int(record["hops"]), int(record["per_entity"]))
        except (ValueError, KeyError, TypeError):
            continue
    raise FormatError(
        f"graph {graph.title!r}: is no copy of a server's graph; make one:  clew pull URL -o {graph.title}.kg"
    )


def sync(
    store: ServerGraph,
    folder: Path,
    *,
    on_progress: Callable[[Pulled], None] = lambda _: None,
) -> Synced:
    """Cut the same part again and put it in the place of the copy where it differs; models beside it stay.

    Raises:
        FormatError: the folder is no copy. InputError: it is a copy of another server's graph.
    """
    before = Graph.open(folder)
    part = part_of(before)
    if part.address != store.address.shown:
        raise InputError(
            f"{folder}: is a copy of a part of {part.address}, not of {store.address.shown}; give that address"
        )
    there = store.entities(part.topics)
    topics = [id for id in part.topics if id in there]
    if not topics:
        raise NotFoundError(
            f"graph {store.address.shown}: none of the {len(part.topics)} topics of {folder} is left in it"
        )
    store.forget()
    after, cut = collect(store, topics, part.hops, per_entity=part.per_entity, on_progress=on_progress)
    old, new = (_rows(graph) for graph in (before, after))
    names = {id: label for id, label in _labels(after).items() if _labels_before(before, id) not in (None, label)}
    result = Synced(len(new - old), len(old - new), len(names), cut)
    gone = len(part.topics) - len(topics)
    if gone:
        result.notes.append(f"{gone} topics are no longer in the graph")
    if result.changed:
        after.meta |= {"inputs": list(before.meta["inputs"]), "languages": list(store.profile.languages)}
        after.save(folder)
    return result


def _rows(graph: Graph) -> set[tuple[str, str, str]]:
    whole, ids, relations = graph.whole, list(graph.terms.ids), graph.terms.relation_ids
    columns = (whole.heads.tolist(), whole.rels.tolist(), whole.tails.tolist())
    return {(ids[h], relations[r], ids[t]) for h, r, t in zip(*columns, strict=True)}


def _labels(graph: Graph) -> dict[str, str]:
    numbers = range(graph.num_entities)
    return dict(zip(graph.ids_at(numbers), graph.labels_at(numbers), strict=True))


def _labels_before(graph: Graph, id: str) -> str | None:
    number = graph.number_of(id)
    return None if number is None else graph.labels_at([number])[0]
