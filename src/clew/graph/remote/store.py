"""A graph that lives in a server, as a graph store: what a method sees is the same as of a file.

Apart from the dialects because everything here is the same for all of them: records made once an entity, facts kept in
memory so that nothing is asked twice, names found through whatever the server or this machine has for it.

Costs: `neighbors` is one query whatever the number of entities, and none for entities asked before.
"""

from __future__ import annotations

import json
import re
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from clew.errors import InputError, NotFoundError, UnavailableError, UnsupportedError, nearest
from clew.graph.layout import LITERAL, MEDIATOR, NAMED, write_whole
from clew.graph.names import words_of
from clew.graph.naming import mediator_test
from clew.graph.remote.address import Address, digest
from clew.graph.remote.dialects import STATEMENT_NODES
from clew.graph.remote.names import Fetched, Named, NamedSpan, RemoteNames, fetch_names, remove_leftovers
from clew.graph.remote.records import Fact, Facts, FactsWanted, GraphServer, Profile
from clew.graph.remote.replies import Replies
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.terms import is_literal
from clew.graph.spelling import normalise
from clew.graph.strings import literal_parts
from clew.graph.writing import UNSEEN_S
from clew.labels import readable
from clew.protocols import Direction, StoreAbility
from clew.types import Entity, Relation, Triple

KEPT_FACTS = 1_000_000  # in memory
SCAN_LIMIT = 5_000_000  # triples; a larger graph is not read whole through a server
COUNTED = 50_000_000  # triples; above, no degree is asked for
WINDOW_WORDS = 8  # of a name that is looked for in a question
SEARCHED = 4  # parts of a question that the server's text index is asked about
PROFILE_AGE_S = 3600.0
ALIKE = 0.6


class ServerGraph:
    """A `GraphStore` over a `GraphServer`. Safe to share between threads.

    Args:
        on_progress: told while names are fetched, which happens once for a graph.
    """

    def __init__(
        self,
        server: GraphServer,
        address: Address,
        settings: ServerSettings,
        *,
        on_progress: Callable[[Fetched], None] = lambda _: None,
    ) -> None:
        self.server, self.address, self.settings = server, address, settings
        self.title = address.title
        self.path: Path = settings.home or address.home
        self._key = digest(settings.model_dump_json(include=set(_IDENTIFYING)) + address.url)[:12]
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._entities: dict[str, Entity] = {}
        self._kept: dict[tuple[str, Direction], tuple[Fact, ...]] = {}  # facts of entities asked for without a filter
        self._kept_size = 0
        self._groups: dict[str, dict[str, int]] = {}
        self.forgotten = 0  # how often what was kept was dropped
        self._mediator = mediator_test(settings.mediator)
        self._closing = weakref.finalize(self, server.close)  # connections end with whoever had them

    def close(self) -> None:
        self._closing()

    def __repr__(self) -> str:
        return f"<ServerGraph {self.server.kind} {self.address.shown}>"

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def abilities(self) -> frozenset[StoreAbility]:
        whole = self.num_triples is not None and self.num_triples <= SCAN_LIMIT
        return frozenset({"text_search", "scan"}) if whole else frozenset({"text_search"})

    @cached_property
    def profile(self) -> Profile:
        """What was found out about the graph; looked up anew when the kept one is old or the graph has changed."""
        kept = self._kept_profile()
        if kept is None:
            kept = self.server.profile()
            self._keep_profile(kept)
        self.server.use(kept)
        if self._cache_age:
            identity = digest(f"{self._state(kept)}\0{self.address.user}\0{self.address.token}")
            self.server.keep(Replies(self.path / f"replies-{self._key}.sqlite", identity, self._cache_age))
        return kept

    @property
    def _cache_age(self) -> float:
        if self.settings.cache_age_s is not None:
            return self.settings.cache_age_s
        return 0.0 if self.address.local else PROFILE_AGE_S

    def _kept_profile(self) -> Profile | None:
        try:
            profile = Profile.from_json(json.loads((self.path / f"profile-{self._key}.json").read_text("utf-8")))
            self.server.use(profile)
            if time.time() - profile.at <= self._cache_age:
                return profile
            # A count is cheap beside a new look, and a graph of as many triples is nearly always the same.
            same = profile.triples is not None and self.server.count() == profile.triples
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return profile if same else None

    def _keep_profile(self, profile: Profile) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            place = self.path / f"profile-{self._key}.json"
            for half in self.path.glob(f".{place.name}.*"):  # by a process that was killed
                if time.time() - half.stat().st_mtime > UNSEEN_S:
                    half.unlink()
            write_whole(place, json.dumps(profile.to_json(), ensure_ascii=False).encode())
        except OSError as error:
            warnings.warn(
                f"{self.path}: nothing can be kept there ({error.strerror}); set graph.server.home", stacklevel=2
            )

    @cached_property
    def identity(self) -> str:
        """A checksum of what a look from outside can tell: address, settings, how many triples of which relations."""
        return self._state(self.profile)

    def _state(self, profile: Profile) -> str:
        said = [self.address.url, self._key, str(profile.triples), *(f"{id} {n}" for id, _, n in profile.relations)]
        return digest("\0".join(said))

    @property
    def name(self) -> str:
        """Host, path and a checksum of what can be seen from outside."""
        return f"{self.title}@{self.identity[:12]}"

    @property
    def num_triples(self) -> int | None:
        return self.profile.triples

    @property
    def small(self) -> bool:
        """Whether the whole graph is read into memory for what is asked of it; see `mirror`."""
        return self.num_triples is not None and self.num_triples <= self.settings.triples_at_once

    def changed(self) -> str:
        """What changed in the server since this store was opened, in words; "" where nothing is seen to have."""
        try:
            now, before = self.server.count(), self.profile.triples
        except UnavailableError as error:
            return f"whether the graph changed meanwhile is not known: {error}"
        if now is None or before is None or now == before:
            return ""
        return f"graph {self.address.shown} changed meanwhile: {before:,} triples then, {now:,} now"

    # -- records -------------------------------------------------------------------------------------------------------

    def kind_of(self, id: str, labelled: bool) -> int:
        """The kind of an entity as a graph folder writes it."""
        if is_literal(id):
            return LITERAL
        nameless = not labelled and (self._mediator(id) or id.startswith(STATEMENT_NODES))
        return MEDIATOR if nameless else NAMED

    def _entity(self, id: str, label: str | None) -> Entity:
        """The record of an entity; one with a label is kept for good, one without until a label is met."""
        known = self._entities.get(id)
        if known is not None:
            return known
        if label is None and (names := self._names_at_hand) is not None and (named := names.entity(id)) is not None:
            self._entities[id] = named
            return named
        kind = self.kind_of(id, label is not None)
        if kind == LITERAL:
            text, datatype, _ = literal_parts(id)
            made = Entity(id, text, "literal", datatype)
        elif kind == MEDIATOR:
            made = Entity(id, id, "mediator")
        else:
            made = Entity(id, label or readable(id))
        self._entities[id] = made
        return made

    def record(self, id: str) -> Entity:
        """The record of an entity that was met before; nothing is asked."""
        return self._entity(id, None)

    def may_be_nameless(self, id: str) -> bool:
        """Whether `id` could be a nameless n-ary node's, by how it is written; its record tells for sure."""
        return (self._mediator(id) or id.startswith(STATEMENT_NODES)) and not is_literal(id)

    @property
    def _names_at_hand(self) -> RemoteNames | None:
        """The name index, where one of this state of the graph is open: it knows every entity; nothing is fetched."""
        names: RemoteNames | None = self.__dict__.get("names")
        return names if names is not None and names.identity == self.identity else None

    @cached_property
    def _relations(self) -> dict[str, Relation]:
        return {id: Relation(id, label) for id, label, _ in self.profile.relations}

    def relation_record(self, id: str) -> Relation:
        """The record of a relation, also of one that the profile's sample did not hold."""
        return self._relations.get(id) or Relation(id, readable(id))

    def relations(self) -> list[Relation]:
        return list(self._relations.values())

    def entity(self, id: str) -> Entity:
        """Raises NotFoundError with the nearest names."""
        found = self.entities([id])
        if id not in found:
            close = [repr(entity.id) for entity, _ in self.find(id, limit=3)]
            raise NotFoundError(
                f"graph {self.title!r}: no entity {id!r}" + (f"; nearest: {', '.join(close)}" if close else "")
            )
        return found[id]

    def entities(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Those of these ids that the graph holds, in one query."""
        _ = self.profile
        missing = [id for id in dict.fromkeys(ids) if id not in self._entities and _sound(id) == id]
        names = self._names_at_hand
        if names is not None:
            self._entities.update((id, entity) for id in missing if (entity := names.entity(id)) is not None)
            self.server.locate(names.places(missing))
        elif missing:
            for id, label in self.server.labels(missing).items():
                self._entity(id, label)
        return {id: self._entities[id] for id in ids if id in self._entities}

    def aliases_of(self, id: str) -> list[str]:
        names: RemoteNames | None = self.__dict__.get("names")
        if names is not None and names.entity(id) is not None:
            return names.graph.aliases_of(id)
        _ = self.profile
        return self.server.aliases(id)

    def description_of(self, id: str) -> str | None:
        _ = self.profile
        return self.server.description(id)

    # -- facts ---------------------------------------------------------------------------------------------------------

    def facts(
        self,
        ids: Sequence[str],
        *,
        relations: Collection[str] | None = None,
        excluded: Collection[str] = (),
        direction: Direction = "both",
        limit: int | None = None,
        total: int | None = None,
        outward: Sequence[str] = (),
    ) -> Facts:
        """The facts around entities, as ids; one query for those that were not asked for before.

        Args:
            outward: further entities, of which only the facts are wanted that they are heads of.
            limit: most facts of one entity. total: of all. Both are shared out fairly among relations; see `Facts.cut`.
        """
        _ = self.profile
        sides: dict[str, Direction] = {id: direction for id in ids if _sound(id) == id}
        for id in outward:
            if _sound(id) == id:
                sides.setdefault(id, "out")
        result = Facts()
        plain = relations is None and not excluded
        with self._lock:
            known = {id: self._kept[id, side] for id, side in sides.items() if plain and (id, side) in self._kept}
        if any(limit is not None and len(rows) > limit for rows in known.values()):
            known = {}
        missing = [id for id in sides if id not in known]
        if missing:
            labels = self._names_at_hand is None
            apart = frozenset(id for id in missing if sides[id] != direction)
            found = self.server.facts(FactsWanted(missing, relations, excluded, direction, limit, total, labels, apart))
            for id, label in found.labels.items():
                if self._entities.get(id, _NOBODY).label != label:
                    self._entities.pop(id, None)
                    self._entity(id, label)
            if plain:
                self._keep({id: sides[id] for id in missing}, found)
            result.rows, result.cut = found.rows, found.cut
        if known:
            result.rows = sorted(
                dict.fromkeys([*result.rows, *(row for rows in known.values() for row in rows)]),
                key=lambda row: row[:3],
            )
        return result

    def _keep(self, sides: Mapping[str, Direction], found: Facts) -> None:
        mine: dict[str, list[Fact]] = {id: [] for id in sides if id not in found.cut}
        for row in found.rows:
            head, tail = row[0], row[2]
            if head in mine and sides[head] != "in":
                mine[head].append(row)
            if tail in mine and sides[tail] != "out" and (head != tail or sides[tail] == "in"):
                mine[tail].append(row)
        with self._lock:
            if self._kept_size + len(found.rows) > KEPT_FACTS:
                self._kept.clear()
                self._kept_size = 0
            self._kept.update({(id, sides[id]): tuple(rows) for id, rows in mine.items()})
            self._kept_size += len(found.rows)

    def forget(self) -> None:
        """Drop what is kept, so that the next question is asked of the server as it is now."""
        self.server.forget()
        with self._lock:
            self.forgotten += 1
            self._kept.clear()
            self._kept_size = 0
            self._entities.clear()
            self._groups.clear()

    def neighbors(
        self,
        entities: Sequence[str],
        *,
        relations: Collection[str] | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[Triple]:
        """Every triple that touches one of `entities`, at most `limit` for each, in the order of ids."""
        found = self.facts(entities, relations=relations, direction=direction, limit=limit)
        return [self.triple(row) for row in found.rows]

    def triple(self, fact: Fact) -> Triple:
        """A fact as a record."""
        head, relation, tail, source = fact
        return Triple(self._entity(head, None), self.relation_record(relation), self._entity(tail, None), source)

    def triples(self) -> Iterator[Triple]:
        """Raises UnsupportedError for a graph too large to be read whole through its server."""
        if "scan" not in self.abilities:
            raise UnsupportedError(
                f"graph {self.address.shown}: too large to be read whole through its server; copy the part you need:  "
                f"clew pull {self.address.shown} -o part.kg --around topics.txt"
            )
        for _, rows in self.server.scan(0):
            self.entities([id for head, _, tail, _ in rows for id in (head, tail) if not is_literal(id)])
            yield from map(self.triple, rows)

    def info(self) -> dict[str, Any]:
        """What `clew info` shows, as JSON values; nothing is counted that the profile does not hold."""
        profile = self.profile
        ranked = sorted(profile.relations, key=lambda row: (-(row[2] or 0), row[0]))
        return {
            "name": self.name,
            "server": f"{self.server.kind} {self.address.shown}" + (f" ({profile.engine})" if profile.engine else ""),
            self.server.counts.replace(" ", "_"): profile.triples if profile.triples is not None else "not counted",
            "relation_count": len(profile.relations),
            "label_properties": ", ".join(profile.label_properties) or "none",
            "alias_properties": ", ".join(profile.alias_properties) or "none",
            "label_languages": ", ".join(profile.languages),
            "names_found_by": self.name_search,
            "asked": "as a whole, read into memory with the first question" if self.small else "hop by hop",
            "row_limit": profile.row_limit or "none seen",
            **{key: str(value) for key, value in profile.details.items() if value},
            "notes": "; ".join(profile.notes) or "none",
            "kept_in": str(self.path),
            "relations": [{"id": id, "label": label, "triples": "" if n is None else n} for id, label, n in ranked],
        }

    @property
    def name_search(self) -> str:
        """By what names are found, in words."""
        if self.names is not None:
            return f"a name index on this machine ({len(self.names):,} entities)"
        if self.profile.text_search and self.settings.names != "exact":
            return f"the server's text index ({self.profile.text_search})"
        return "exact names and their upper and lower case"

    def sample(self) -> tuple[list[str], float]:
        """Up to 20 entities of the graph, and how many seconds the hop around them takes."""
        ids: list[str] = []
        for _, rows in self.server.scan(0):
            ids = list(dict.fromkeys(row[0] for row in rows))[:20]
            break
        began = time.perf_counter()
        self.server.facts(FactsWanted(ids, limit=1000, total=10_000))
        return ids, time.perf_counter() - began

    # -- names ---------------------------------------------------------------------------------------------------------

    @property
    def names_folder(self) -> Path:
        """Where the name index of this graph lies, or would."""
        return self.path / f"names-{self._key}.kg"

    @cached_property
    def names(self) -> RemoteNames | None:
        """The name index on this machine, fetched now where the graph is small; None where the server is to find names.

        Raises InputError where `names = "index"` and there is none.
        """
        how = self.settings.names
        if how in ("server", "exact"):
            return None
        names = RemoteNames.open(self.names_folder)
        if names is not None and names.identity != self.identity and self.num_triples is not None:
            names = None if self._few_names else self._stale(names)
        if names is None and self._few_names and how == "auto":
            return self.fetch_names()
        if names is None and how == "index":
            raise InputError(
                f"graph {self.address.shown}: no name index here; build it once:  clew link-index {self.address.shown}"
            )
        if names is not None:
            remove_leftovers(self.names_folder)
        return names

    @property
    def _few_names(self) -> bool:
        return self.num_triples is not None and self.num_triples <= self.settings.names_at_once

    def _stale(self, names: RemoteNames) -> RemoteNames:
        warnings.warn(
            f"graph {self.address.shown} changed since its names were indexed; what is new may not be found:  "
            f"clew link-index {self.address.shown}",
            stacklevel=2,
        )
        return names

    def fetch_names(self, on_progress: Callable[[Fetched], None] | None = None) -> RemoteNames:
        """Fetch and index all names; goes on where an interrupted fetch stopped."""
        names = fetch_names(
            self.server,
            self.names_folder,
            identity=self.identity,
            kind_of=self.kind_of,
            expected=self.num_triples,
            on_progress=on_progress or self._on_progress,
        )
        self.__dict__["names"] = names
        return names

    def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
        """Entities by id, label or alias, misspelt ones too where an index can; best first; 1.0 is exact."""
        if not label.strip() or limit < 1:
            return []
        label = _sound(label)
        known = self.entities([label])
        ranked = {entity.id: (entity, 1.0) for entity in known.values()}
        for named in self.look_up([label], limit)[0]:
            ranked.setdefault(named.entity.id, (named.entity, named.likeness))
        return list(ranked.values())[:limit]

    def spans(self, text: str) -> list[NamedSpan]:
        """Every part of `text` that is a name, the longest first; at most two queries."""
        text = _sound(text)
        if self.names is not None:
            return self.names.spans(text)
        words = words_of(text)
        windows = {
            (words[first].start, words[last].end): None
            for first in range(len(words))
            for last in range(first, min(len(words), first + WINDOW_WORDS))
        }
        parts = {span: re.sub(r"['’]s?$", "", text[slice(*span)]) for span in windows}
        found = self._exact(list(parts.values()), 50)
        spans = [
            NamedSpan(start, start + len(part), part, tuple(found[part]))
            for (start, _), part in parts.items()
            if found[part]
        ]
        return sorted(spans, key=lambda span: (span.start - span.end, span.start))

    def search(self, text: str, limit: int = 10) -> list[Named]:
        """Entities called so or nearly so, best first."""
        return self.look_up([text], limit)[0]

    def look_up(self, texts: Sequence[str], limit: int) -> list[list[Named]]:
        """For each text the entities called so or nearly so, best first; at most three queries for all of them."""
        texts = [_sound(text) for text in texts]
        if self.names is not None:
            return [self.names.search(text, limit) for text in texts]
        found = self._exact(texts, limit)
        if self.profile.text_search and self.settings.names != "exact":
            for text in texts[:SEARCHED]:
                if not found[text]:
                    found[text] = self._like(text, limit)
        return [found[text] for text in texts]

    def _exact(self, texts: Sequence[str], limit: int) -> dict[str, list[Named]]:
        """By name up to case and plural, as well as a server can that compares letter by letter."""
        variants = {text: _variants(text) for text in dict.fromkeys(texts) if text.strip()}
        _ = self.profile
        asked = list(dict.fromkeys(variant for each in variants.values() for variant in each))
        came = self.server.named(asked, limit) if asked else {}
        ids = list(dict.fromkeys(id for rows in came.values() for id, _ in rows))
        records, degrees = self.entities(ids), self._degrees(ids)
        found: dict[str, list[Named]] = {text: [] for text in texts}
        for text, mine in variants.items():
            best: dict[str, Named] = {}
            for variant, likeness in mine.items():
                for id, name in came.get(variant, ()):
                    if id in records and (id not in best or best[id].likeness < likeness):
                        alias = normalise(name) != normalise(records[id].label)
                        reason = ("alias" if alias else "label") + ("" if likeness == 1.0 else " up to case and signs")
                        score = likeness - (0.02 if alias else 0.0)
                        best[id] = Named(
                            records[id], score, f"exact {reason}" if likeness == 1.0 else reason, degrees.get(id, 0)
                        )
            found[text] = sorted(best.values(), key=lambda n: (-n.likeness, -n.degree, n.entity.id))[:limit]
        return found

    def _like(self, text: str, limit: int) -> list[Named]:
        """What the server's own text index finds, judged by how like the names are."""
        wanted = normalise(text)
        came = self.server.search(text, max(limit, 20))
        records, degrees = self.entities([id for id, _ in came]), self._degrees([id for id, _ in came])
        ranked = [
            Named(
                records[id], 0.95 * fuzz.ratio(wanted, normalise(name)) / 100, "found by the server", degrees.get(id, 0)
            )
            for id, name in came
            if id in records
        ]
        kept = [named for named in ranked if named.likeness >= ALIKE * 0.95]
        return sorted(kept, key=lambda n: (-n.likeness, -n.degree, n.entity.id))[:limit]

    def _degrees(self, ids: Sequence[str]) -> dict[str, int]:
        if not ids or self.num_triples is None or self.num_triples > COUNTED:
            return {}
        return {id: sum(counts.values()) for id, counts in self._grouped(ids).items()}

    def _grouped(self, ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """How many facts each entity has, by relation; one query for those not asked for before."""
        missing = [id for id in dict.fromkeys(ids) if id not in self._groups]
        if missing:
            found: dict[str, dict[str, int]] = {id: {} for id in missing}
            for group, count in self.server.groups(missing).items():
                mine = found[group.entity]
                mine[group.relation] = mine.get(group.relation, 0) + count
            self._groups |= found
        return {id: self._groups[id] for id in ids}

    def relations_around(self, ids: Sequence[str]) -> dict[str, set[str]]:
        """The relations of each entity's facts, in one query."""
        _ = self.profile
        return {id: set(counts) for id, counts in self._grouped(ids).items()}

    def nearest(self, text: str) -> list[str]:
        """Relation ids like `text`, for messages."""
        return nearest(text, self._relations)


def _sound(text: str) -> str:
    """The text without what no server can be sent: NUL, and halves of a character, as odd bytes in a command give."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


_NOBODY = Entity("", "")
_IDENTIFYING = (
    "language",
    "label_properties",
    "mediator",
    "base",
    "graphs",
    "database",
    "id_property",
    "node_labels",
    "relationship_properties",
)
"""Settings that change what the graph looks like; the others only change how it is asked."""


def _variants(text: str) -> dict[str, float]:
    """Ways in which a label of that name may be written, and how surely: as it is, in other case, in the singular."""
    text = " ".join(text.split())
    forms = {text: 1.0}
    bases = [(text, 0.98)]
    if len(text) > 3 and text.endswith("s") and not text.endswith("ss"):
        bases += [(text[:-1], 0.88)]
        bases += (
            [(text[:-3] + "y", 0.88)] if text.endswith("ies") else [(text[:-2], 0.88)] if text.endswith("es") else []
        )
    for base, likeness in bases:
        small = base.lower()
        title = " ".join(word[:1].upper() + word[1:] for word in small.split(" "))
        for form in (base, small, title, small[:1].upper() + small[1:], base[:1].upper() + base[1:], base.upper()):
            forms.setdefault(form, likeness)
    return forms
