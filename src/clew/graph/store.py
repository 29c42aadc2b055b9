"""The graph: one class over arrays, whether they are mapped from a `.kg` folder, in memory, or part of another graph.

Kept apart from building and editing, which only hand it arrays. It answers by name (ids and labels) for people and by
number for kernels; `as_subgraph` is the door to the numbers.

Shapes: N entities, T triples, R relations.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, InputError, NotFoundError, nearest
from clew.graph import delta as edits
from clew.graph.arrow import write_frame
from clew.graph.build import build
from clew.graph.generation import Generation
from clew.graph.layout import LITERAL, MEDIATOR
from clew.graph.naming import Predicate, mediator_test
from clew.graph.property_values import literals
from clew.graph.save import save
from clew.graph.strings import Strings, Texts, checked
from clew.graph.subgraph import Csr, Ints, Subgraph
from clew.graph.summary import info
from clew.graph.tabular import named_columns
from clew.graph.terms import Terms
from clew.protocols import Direction, GraphStore, StoreAbility, abilities_of
from clew.types import Entity, Relation, Triple

if TYPE_CHECKING:
    from clew.graph.names import NameIndex, NameMatch, Span

T = TypeVar("T")

ABILITIES: frozenset[StoreAbility] = frozenset({"arrays", "scan", "text_search"})


class Graph:
    """A directed multigraph: parallel relations and directions are kept, exact duplicates are not.

    Entities, relations and triples have numbers 0..N-1, 0..R-1 and 0..T-1; in `as_subgraph` the local number of an
    entity is its number. A `view` has its own entity and triple numbers (`base_entities` leads back) and its graph's
    relations.
    """

    def __init__(
        self,
        whole: Callable[[Graph], Subgraph],
        terms: Terms,
        *,
        title: str,
        counts: tuple[int, int],
        fingerprint: Callable[[Graph], str],
        source_of: Callable[[], Ints | None] | None = None,
        base: Ints | None = None,
        path: Path | None = None,
        touched: Sequence[str] = (),
        meta: Mapping[str, Any] | None = None,
        schema: Callable[[], bytes | None] = lambda: None,
    ) -> None:
        self._whole, self.terms, self.title = whole, terms, title
        self._counts, self._fingerprint = counts, fingerprint
        self._source_of = source_of
        self.base_entities = base  # (N,) ascending numbers in the graph this is a view of; None: not a view
        self.path = path
        self.touched = tuple(touched)  # ids of entities whose triples changed since the graph was built or compacted
        self.meta = dict(meta or {})
        self.schema = schema  # what the input states that is no fact, as an edit in JSON; None: nothing
        self._derived: dict[Hashable, Any] = {}

    # -- making one ------------------------------------------------------------------------------------------------

    @classmethod
    def from_triples(
        cls,
        triples: Iterable[tuple[str, str, str]],
        *,
        name: str = "memory",
        labels: Mapping[str, str] | None = None,
        aliases: Mapping[str, Sequence[str]] | None = None,
        descriptions: Mapping[str, str] | None = None,
        mediator: Predicate = None,
    ) -> Graph:
        """A graph in memory from (head, relation, tail) ids.

        Raises:
            InputError: an item is not three texts.
        """
        unique: dict[tuple[str, str, str], None] = {}
        for item in triples:
            row = tuple(item)
            if len(row) != 3 or not all(isinstance(part, str) for part in row):
                raise InputError(f"not a triple: {item!r}; three texts are needed: head, relation, tail")
            unique[row] = None
        for part in ("".join(parts) for parts in unique):
            checked(part)
        number: dict[str, int] = {}
        for head, _, tail in unique:
            number.setdefault(head, len(number))
            number.setdefault(tail, len(number))
        relation = {id: i for i, id in enumerate(sorted({r for _, r, _ in unique}))}
        rows = np.array([(number[h], relation[r], number[t]) for h, r, t in unique], np.int32).reshape(-1, 3)
        named = [(number[id], label) for id, label in (labels or {}).items() if id in number]
        test, labelled = mediator_test(mediator), {owner for owner, _ in named}
        kinds = [MEDIATOR if i not in labelled and test(id) else 0 for id, i in number.items()]
        terms = Terms(
            Strings(more=list(number)),
            list(relation),
            np.array(kinds, np.uint8),
            labels=Texts.of(named),
            aliases=Texts.of(
                [(number[id], text) for id, all in (aliases or {}).items() if id in number for text in all]
            ),
            descriptions=Texts.of([(number[id], text) for id, text in (descriptions or {}).items() if id in number]),
        )
        return cls.of_arrays(rows, terms, title=name)

    @classmethod
    def of_arrays(cls, rows: Ints, terms: Terms, *, title: str) -> Graph:
        """A graph in memory from a (T, 3) table of numbers without duplicates, and names for them."""
        h, r, t = (np.ascontiguousarray(rows[:, i], np.int32) for i in range(3))

        def whole(graph: Graph) -> Subgraph:
            return _whole(h, r, t, len(terms.ids), graph)

        def fingerprint(_: Graph) -> str:
            digest = hashlib.sha256()
            for text in (*terms.ids, "", *terms.relation_ids, "", *terms.labels_of(np.arange(len(terms.ids)))):
                digest.update(text.encode() + b"\0")
            for array in (h, r, t, terms.kinds):
                digest.update(array.tobytes())
            return digest.hexdigest()

        return cls(whole, terms, title=title, counts=(len(terms.ids), len(h)), fingerprint=fingerprint)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = False) -> Graph:
        """Map a `.kg` folder; edits that are not compacted yet are part of it.

        The graph is one state of the folder, whole: what others write, compact or rebuild later does not reach it.

        Args:
            verify: read every file and check it against its checksum.

        Raises:
            NotFoundError: there is no such folder.
            FormatError: it is not a graph, damaged, or of a newer version; the message says what to do.
        """
        path = Path(path)
        files = Generation.open(path, verify=verify)
        terms, meta = Terms.of(files), files.meta
        arrays = {
            name: files.array(f"{name}.i32")
            for name in ("heads", "rels", "tails", "out.triples", "in.heads", "in.rels", "in.triples")
        }
        out_tails, out_rels = files.looked_up("tails.i32"), files.looked_up("rels.i32")
        out_offsets, in_offsets = files.array("out.offsets.i64"), files.array("in.offsets.i64")
        source_of = files.array("sources.of.i32") if "sources.of.i32" in files else None

        def whole(graph: Graph) -> Subgraph:
            sub = _whole(arrays["heads"], arrays["rels"], arrays["tails"], len(terms.ids), graph)
            # What is sorted on disk need not be sorted again: fill the cached properties.
            sub.__dict__["out"] = Csr(out_offsets, out_tails, out_rels, arrays["out.triples"])
            sub.__dict__["inc"] = Csr(in_offsets, arrays["in.heads"], arrays["in.rels"], arrays["in.triples"])
            return sub

        graph = cls(
            whole,
            terms,
            title=path.stem,
            counts=(len(terms.ids), len(arrays["heads"])),
            fingerprint=lambda _: str(meta["fingerprint"]),
            source_of=None if source_of is None else lambda: source_of,
            path=path,
            meta=meta,
            schema=files.schema,
        )
        try:
            return edits.applied(graph, files.log.changes) if files.log.changes else graph
        except InputError as error:
            raise FormatError(f"{path}: the log of edits does not belong to this graph ({error})") from None

    @classmethod
    def from_networkx(
        cls, graph: Any, *, relation: str = "relation", name: str = "networkx", attributes: bool = True
    ) -> Graph:
        """From a networkx graph whose edges name their relation in an attribute (or the key of a multigraph).

        An undirected edge becomes two triples. Nodes become ids as text; a node attribute `label` is its label.

        Args:
            attributes: other attributes become triples that end in literals, as of a property graph: a node's its own,
                an edge's those of a nameless node between its ends, beside the plain triple.
        """
        rows: list[tuple[str, str, str]] = []
        values: set[str] = set()

        def put(owner: str, held: Mapping[Any, Any], known: str) -> None:
            for key, value in held.items():
                found = literals(value) if key != known else []
                rows.extend((owner, str(key), literal) for literal in found)
                values.update(found)

        if attributes:
            for node, data in graph.nodes(data=True):
                put(str(node), data, "label")
        edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else graph.edges(data=True)
        for head, tail, *key, data in edges:
            stated = data.get(relation, key[0] if key and isinstance(key[0], str) else None)
            if stated is None:
                raise InputError(
                    f"edge {head!r} → {tail!r} has no attribute {relation!r}; it has "
                    f"{sorted(map(str, data)) or 'none'}: name the right one with relation=…"
                )
            rows.append((str(head), str(stated), str(tail)))
            if not graph.is_directed():
                rows.append((str(tail), str(stated), str(head)))
            if attributes and any(literals(value) for key, value in data.items() if key != relation):
                between = f"_:edge{len(rows)}"
                rows += [(str(head), str(stated), between), (between, str(stated), str(tail))]
                put(between, data, relation)
        labels = {str(node): str(data["label"]) for node, data in graph.nodes(data=True) if data.get("label")}
        made = cls.from_triples(rows, name=name, labels=labels)
        made.terms.kinds[[i for i, id in enumerate(made.terms.ids) if id in values]] = LITERAL
        return made

    @classmethod
    def from_frame(cls, frame: Any, *, name: str = "frame") -> Graph:
        """From a pandas or polars frame or an Arrow table: columns head, relation, tail, or synonyms, or its first."""
        arrow = hasattr(frame, "column_names")
        names = [str(column) for column in (frame.column_names if arrow else frame.columns)]
        if len(names) < 3:
            raise InputError(f"a frame of {len(names)} columns; three are needed: head, relation, tail")
        places = named_columns(names) or [0, 1, 2]
        columns = [frame.column(i).to_pylist() if arrow else list(frame[frame.columns[i]]) for i in places]
        for role, values in zip(("head", "relation", "tail"), columns, strict=True):
            bad = next((i for i, value in enumerate(values) if value is None or value != value or value == ""), None)
            if bad is not None:
                raise InputError(f"row {bad} of the frame has no {role}: drop such rows first")
        rows = zip(*(map(str, values) for values in columns), strict=True)
        return cls.from_triples(rows, name=name)

    @classmethod
    def from_frames(
        cls, frames: Mapping[str, Any], *, name: str = "frames", foreign_keys: Mapping[str, str] | None = None
    ) -> Graph:
        """From the tables of a relational database: pandas or polars frames, or Arrow tables, by the table's name.

        What they mean is found as `build` finds it.

        Args:
            foreign_keys: of `table.column` the table it points to, or "" for none, where that is not found.

        Raises InputError: fewer than two tables, one that Arrow cannot hold, or no such foreign key.
        """
        if len(frames) < 2:
            raise InputError(f"{len(frames)} frames: a database has two tables at least; triples are for `from_frame`")
        with TemporaryDirectory() as folder:
            files = [write_frame(frame, table, Path(folder)) for table, frame in frames.items()]
            build(files, Path(folder) / f"{name}.kg", strict=True, foreign_keys=foreign_keys or {})
            made = cls.open(Path(folder) / f"{name}.kg")  # what is open outlives its folder
        made.path = None
        return made

    from_pandas = from_frame
    from_polars = from_frame

    @classmethod
    def from_rdflib(cls, graph: Any, *, name: str = "rdflib", language: str | Sequence[str] = "en") -> Graph:
        """From an rdflib graph, with labels, descriptions and literals as `build` reads them."""
        with TemporaryDirectory() as folder:
            file, built = Path(folder) / "graph.nt", Path(folder) / f"{name}.kg"
            file.write_bytes(graph.serialize(format="nt", encoding="utf-8"))
            build(file, built, language=language, strict=True)
            made = cls.open(built)  # what is open outlives its folder
        made.path = None
        return made

    # -- what it is ------------------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A checksum of the content; compaction keeps it."""
        return self._fingerprint(self)

    @property
    def name(self) -> str:
        """Title and content together: two graphs of one name hold the same."""
        return f"{self.title}@{self.fingerprint[:12]}"

    def __repr__(self) -> str:
        return f"<Graph {self.title!r}: {self.num_triples:,} triples, {self.num_entities:,} entities>"

    @cached_property
    def with_schema(self) -> Graph:
        """This graph with what its input states beside the facts: classes, properties, restrictions, bookkeeping.

        Questions never see it, queries do. Made when first asked for: a second for ten million triples.

        Raises FormatError where the file of it holds something else.
        """
        stated = self.schema()
        if stated is None:
            return self
        try:
            whole = edits.applied(self, [edits.Change.from_json(stated)])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError) as error:
            raise FormatError(f"graph {self.title!r}: what is kept of its schema is damaged ({error})") from None
        whole.schema = lambda: None
        return whole

    @cached_property
    def as_subgraph(self) -> Subgraph:
        """All triples as dense integers; made when first asked for."""
        return self._whole(self)

    @property
    def whole(self) -> Subgraph:
        """The former name of `as_subgraph`."""
        return self.as_subgraph

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        return ABILITIES

    @property
    def num_entities(self) -> int:
        return self._counts[0]

    @property
    def num_relations(self) -> int:
        return len(self.terms.relation_ids)

    @property
    def num_triples(self) -> int:
        return self._counts[1]

    # -- names by number -------------------------------------------------------------------------------------------

    def _base(self, number: int) -> int:
        return number if self.base_entities is None else int(self.base_entities[number])

    def _bases(self, numbers: Sequence[int] | Ints) -> NDArray[np.int64]:
        asked = np.asarray(numbers, np.int64)
        return asked if self.base_entities is None else self.base_entities[asked].astype(np.int64)

    def entity_at(self, number: int) -> Entity:
        return self.terms.entity(self._base(number))

    def at_hand(self, numbers: Sequence[int] | Ints) -> None:
        """Have what `entity_at` tells of some entities read from disk together, if it is not in memory."""
        self.terms.at_hand(self._bases(numbers))

    def relation_at(self, number: int) -> Relation:
        return self.terms.relation(number)

    def labels_at(self, numbers: Sequence[int] | Ints) -> list[str]:
        return self.terms.labels_of(self._bases(numbers))

    def ids_at(self, numbers: Sequence[int] | Ints) -> list[str]:
        return self.terms.ids.take(self._bases(numbers))

    def mediators_at(self, numbers: Sequence[int] | Ints) -> NDArray[np.bool_]:
        return np.asarray(self.terms.kinds[self._bases(numbers)] == MEDIATOR)

    def literals_at(self, numbers: Sequence[int] | Ints) -> NDArray[np.bool_]:
        return np.asarray(self.terms.kinds[self._bases(numbers)] == LITERAL)

    def number_of(self, id: str) -> int | None:
        """The number of an entity id, None where there is no such entity."""
        number = self.terms.number_of(id)
        return None if number is None else self._here(number)

    def _here(self, number: int) -> int | None:
        """A number of the shared names as a number of this graph."""
        if self.base_entities is None:
            return number
        at = int(np.searchsorted(self.base_entities, np.int32(number)))
        return at if at < len(self.base_entities) and self.base_entities[at] == number else None

    def relation_number(self, id: str) -> int | None:
        return self.terms.relation_numbers.get(id)

    def source_at(self, triple: int) -> str | None:
        """The named graph a triple came from, by the number of the triple."""
        if self.source_of is None or (source := int(self.source_of[triple])) < 0:
            return None
        return self.terms.sources[source]

    @cached_property
    def source_of(self) -> Ints | None:
        """(T,) number of the named graph of each triple, -1 for none; None where no triple has one."""
        return None if self._source_of is None else self._source_of()

    @property
    def mediator_pattern(self) -> str | None:
        """What mediators look like here, for entities that an edit brings."""
        pattern = self.meta.get("mediator")
        return pattern if isinstance(pattern, str) else None

    # -- the graph store -------------------------------------------------------------------------------------------

    def entity(self, id: str) -> Entity:
        """Raises NotFoundError with the nearest labels."""
        return self.entity_at(self._number(id))

    def _number(self, id: str) -> int:
        number = self.number_of(id)
        if number is None:
            close = [repr(entity.id) for entity, _ in self.find(id, limit=3)] or [
                repr(known) for known in nearest(id, self.ids_at(range(min(self.num_entities, 2000))))
            ]
            hint = f"; nearest: {', '.join(close)}" if close else ""
            raise NotFoundError(f"graph {self.title!r}: no entity {id!r}{hint}")
        return number

    def resolve(self, text: str) -> list[Entity]:
        """The entities meant by an id, or else every one with that label or alias; none where nothing matches."""
        number = self.number_of(text)
        numbers = [number] if number is not None else self._named(text)
        return [self.entity_at(n) for n in numbers]

    @cached_property
    def indexes(self) -> tuple[NameIndex, ...]:
        """Name indexes over this graph's entity numbers: one, or after an edit two."""
        if self.base_entities is None:
            return self.terms.indexes
        return (self.terms.index_of(self.base_entities.astype(np.int64), np.arange(self.num_entities)),)

    def _found(self, search: Callable[[NameIndex], list[NameMatch]]) -> list[NameMatch]:
        """What all indexes find, best first, each entity once."""
        best: dict[int, NameMatch] = {}
        for i, index in enumerate(self.indexes):
            for found in search(index):
                stale = self.base_entities is None and self.terms.stale(i, found.number)
                if not stale and (found.number not in best or best[found.number].score < found.score):
                    best[found.number] = found
        return sorted(best.values(), key=lambda found: (-found.score, found.number))

    def search(self, text: str, limit: int = 10) -> list[NameMatch]:
        """Entity numbers by name, with scores and reasons in words; see NameIndex.search."""
        return self._found(lambda index: index.search(text, limit))[:limit]

    def spans(self, text: str) -> list[Span]:
        """Every part of `text` that names an entity, the longest first; see NameIndex.spans."""
        parts: dict[tuple[int, int], Span] = {}
        for i, index in enumerate(self.indexes):
            for span in index.spans(text):
                stale = (
                    () if self.base_entities is not None else (f for f in span.found if self.terms.stale(i, f.number))
                )
                old = {f.number for f in stale}
                earlier = parts[span.start, span.end].found if (span.start, span.end) in parts else ()
                known = old | {f.number for f in earlier}
                found = (*earlier, *(f for f in span.found if f.number not in known))
                if found:
                    ordered = tuple(sorted(found, key=lambda f: (-f.score, f.number)))
                    parts[span.start, span.end] = replace(span, found=ordered)
        return sorted(parts.values(), key=lambda span: (-span.words, span.start - span.end, span.start))

    def _named(self, text: str) -> list[int]:
        return [found.number for found in self._found(lambda index: index.exact(text))]

    def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
        """Entities by id, label or alias, misspelt ones too, best first; 1.0 is exactly this id or label."""
        number = self.number_of(label)
        ranked = {} if number is None else {number: 1.0}
        for found in self._found(lambda index: index.search(label, limit)):
            ranked.setdefault(found.number, found.score)
        return [(self.entity_at(n), score) for n, score in list(ranked.items())[:limit]]

    def aliases_of(self, id: str) -> list[str]:
        return self.terms.aliases.all(self._base(self._number(id)))

    def description_of(self, id: str) -> str | None:
        return self.terms.descriptions.first(self._base(self._number(id)))

    def literals(self, id: str) -> list[tuple[Relation, Entity]]:
        """What the graph states about an entity as text, numbers and dates."""
        number, out = self._number(id), self.as_subgraph.out
        here = slice(int(out.offsets[number]), int(out.offsets[number + 1]))
        literal = np.flatnonzero(self.literals_at(out.neighbors[here]))
        pairs = zip(out.relations[here][literal].tolist(), out.neighbors[here][literal].tolist(), strict=True)
        return [(self.relation_at(r), self.entity_at(t)) for r, t in pairs]

    def relations(self) -> list[Relation]:
        return list(self._every_relation)

    @cached_property
    def _every_relation(self) -> list[Relation]:
        return [self.relation_at(i) for i in range(self.num_relations)]

    def triples(self) -> Iterator[Triple]:
        return (self.as_subgraph.triple(t) for t in range(self.num_triples))

    def neighbors(
        self,
        entities: Sequence[str],
        *,
        relations: Collection[str] | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[Triple]:
        """Every triple that touches one of `entities` (ids; unknown ones touch none), at most `limit` for each."""
        wanted = None
        if relations is not None:
            known = (self.relation_number(id) for id in relations)
            wanted = np.array([number for number in known if number is not None], np.int32)
        found: dict[int, None] = {}
        for id in entities:
            number = self.number_of(id)
            if number is None:
                continue
            mine: dict[int, None] = {}
            for side, towards in ((self.as_subgraph.out, "out"), (self.as_subgraph.inc, "in")):
                if direction not in (towards, "both"):
                    continue
                here = slice(int(side.offsets[number]), int(side.offsets[number + 1]))
                triples = side.triples[here]
                if wanted is not None:
                    triples = triples[np.isin(side.relations[here], wanted)]
                mine.update(dict.fromkeys((triples if limit is None else triples[:limit]).tolist()))
            found.update(dict.fromkeys(list(mine)[:limit]))
        return [self.as_subgraph.triple(t) for t in found]

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned the first time that this graph was asked for `key`, kept as long as the graph lives.

        Two threads that ask at once may both make it; both get the same one.
        """
        if key not in self._derived:
            self._derived.setdefault(key, make())
        found: T = self._derived[key]
        return found

    # -- parts and summaries ---------------------------------------------------------------------------------------

    def view(self, triples: Sequence[int] | Ints, *, title: str | None = None) -> Graph:
        """This graph restricted to some of its triples (numbers); costs as much as the view is large."""
        picked = np.unique(np.asarray(triples, np.int32))
        if len(picked) and (picked[0] < 0 or picked[-1] >= self.num_triples):
            raise InputError(f"graph {self.title!r}: triple numbers go from 0 to {self.num_triples - 1}")
        whole = self.as_subgraph
        heads, tails = whole.heads[picked], whole.tails[picked]
        own = np.unique(np.concatenate([heads, tails]))
        h, t = (np.searchsorted(own, side).astype(np.int32) for side in (heads, tails))
        rels = np.ascontiguousarray(whole.rels[picked])
        base = own if self.base_entities is None else self.base_entities[own]

        sources = self.source_of

        def fingerprint(_: Graph) -> str:
            return hashlib.sha256(self.fingerprint.encode() + picked.tobytes()).hexdigest()

        return Graph(
            lambda graph: _whole(h, rels, t, len(own), graph),
            self.terms,
            title=title or f"{self.title}:view",
            counts=(len(own), len(picked)),
            fingerprint=fingerprint,
            source_of=None if sources is None else lambda: sources[picked],
            base=np.ascontiguousarray(base, np.int32),
        )

    def edited(
        self,
        *,
        add: Iterable[Sequence[str]] = (),
        remove: Iterable[Sequence[str]] = (),
        labels: Mapping[str, str] | None = None,
    ) -> Graph:
        """This graph with some triples (ids) more, some less, or other labels; what is on disk stays as it is."""
        return edits.applied(self, [edits.change(add, remove, labels)])

    def save(self, out: str | Path) -> Graph:
        """Write this graph as a `.kg` folder and open that."""
        save(self, Path(out))
        return Graph.open(out)

    def info(self) -> dict[str, Any]:
        """Counts, degrees, relations, label coverage and memory, as JSON values."""
        return info(self)

    def _repr_html_(self) -> str:
        facts = info(self)
        rows = "".join(
            f"<tr><td>{html.escape(row['label'])}</td><td>{row['triples']:,}</td></tr>"
            for row in facts["relations"][:10]
        )
        return (
            f"<b>{html.escape(self.title)}</b>: {self.num_triples:,} triples, {self.num_entities:,} entities, "
            f"{self.num_relations:,} relations<table><thead><tr><th>relation</th><th>triples</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


WHOLE_UP_TO = 300_000
"""Entities of a graph up to which a method may compute something for every one of them: minutes, once."""


def taken_whole(store: GraphStore) -> TypeGuard[Graph]:
    """Whether a method may look at all of a store before the first question, or at what lies around topics alone."""
    return isinstance(store, Graph) and store.num_entities <= WHOLE_UP_TO


def has_arrays(store: GraphStore) -> TypeGuard[Graph]:
    """Whether the triples of a store are arrays in this process, which it hands out as `Graph.as_subgraph` does."""
    return "arrays" in abilities_of(store)


def _whole(heads: Ints, rels: Ints, tails: Ints, num: int, names: Graph) -> Subgraph:
    return _Everything(heads, rels, tails, np.arange(num, dtype=np.int32), names, numbered_as_store=True)


class _Everything(Subgraph):
    """All triples of a graph."""

    names: Graph

    @cached_property
    def mediators(self) -> NDArray[np.bool_]:
        kinds, base = self.names.terms.kinds, self.names.base_entities
        return np.asarray((kinds if base is None else kinds[base]) == MEDIATOR)
