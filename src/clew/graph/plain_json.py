"""Plain JSON, as programs and services hand it out: objects within objects and lists, which no one calls a graph.

Kept apart from `node_link` (a document that says what its nodes and links are) and `records` (exports of databases). An
object with an id or a name is a thing, of the kind that it states or that its key says in the plural; objects in it are
what it is related to. Answers of services (OpenAlex, Crossref, a REST dump), CSL, GeoJSON, STIX and FHIR bundles are
such documents, but for the few words of their own that are read here.

What is said of one thing in several places differs there where it belongs to the relation: the role of a person in each
of two projects is no property of the person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.graph.json_references import ReferenceColumns
from clew.graph.nouns import abbreviates, noun_of
from clew.graph.property_files import LINKED, NAMES, PropertyTriples
from clew.graph.property_values import dated
from clew.labels import label_to_text

_KEYS = ("id", "_id", "@id", "uri", "iri", "uuid", "guid", "DOI", "doi", "key", "sys_id")
_NAMES = (
    *NAMES,
    "display_name",
    "full_name",
    "displayname",
    "preferred_name",
    "legal_name",
    "headline",
    "login",
    "username",
)
_CALLED = frozenset(name.casefold() for name in _NAMES)
_PARTS = (("given", "family"), ("first_name", "last_name"), ("firstName", "lastName"), ("firstname", "lastname"))
_KINDS = ("resourceType", "__typename", "_type", "@type", "type", "kind")
_WRAPS = ("data", "message", "response", "result", "payload", "body")  # what services put their answer in
_ENDS = (("source_ref", "target_ref"), ("source", "target"), ("from", "to"), ("subject", "object"))
_REFERENCE = re.compile(r"(?:(?<!^)(?:Uid|UID|_uid|-uid)s?|(?i:[_ -]?(?:(?<!^u)(?<!^gu)(?<!^uu)id|ref|uuid)s?))$")
_GLOBAL = (
    re.compile(  # an id of one thing in the world: a number of MongoDB, a UUID, records of Airtable, users of Slack
        r"[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|rec[A-Za-z0-9]{14}|[UCWB](?=[A-Z]*\d)[A-Z0-9]{8,10}"
    )
)
_SECRET = re.compile(r"(?i)token|hash|etag|session|trace|sum$|secret|nonce|correlation|^(?:uid|guid|uuid|key)$")
_NAMED_KEY = re.compile(
    r"(?P<of>[A-Za-z]\w*?)[_ -]?(?:I[dD]|id|ID|No|no|NO|Nr|nr|Number|number|Code|code|Key|key|Ref|ref)"
)
_CODE = re.compile(r"[\w.-]{1,12}")  # an id that may be another thing's in another list: P1
_CODED = re.compile(r"[A-Za-z]{1,6}[-_/.]?\d[\w./-]{0,15}")
_SHORT = re.compile(r"[A-Za-z0-9][\w./-]{0,15}")
_BARE = frozenset("code no nr number abbr abbreviation initials symbol sku ref reference tag".split())  # noqa: SIM905
_RELATIONS = frozenset(["relations", "relationships", "links", "connections"])  # lists of what say their kind
MOST = 2_000_000  # objects
MANY = 5  # objects of which half share a name that is none
SHARED = 0.6  # share of different names among them
HALF = 0.5  # share of things called by a login that must be somebody's
_LOGINS = frozenset(["login", "username", "user_name", "userName", "handle", "slug"])
SOME = 2  # things under a key that must be known under another one to be taken for the same
MOSTLY = 0.9  # share of them
DEEP = 60

Object = Mapping[str, Any]


def objects_of(held: Any) -> list[tuple[str, Object]] | None:
    """The objects that a document is about, each with the key that leads to it; None where it has none."""
    for _ in _WRAPS:
        inner = [value for key, value in held.items() if key in _WRAPS] if isinstance(held, Mapping) else []
        if len(inner) != 1 or not isinstance(inner[0], (Mapping, list)):
            break
        held = inner[0]
    if isinstance(held, list):
        return [("", each) for each in held] if held and all(isinstance(each, Mapping) for each in held) else None
    if not isinstance(held, Mapping):
        return None
    if len(held) == 1:  # {"conference": {"title": …, "days": […]}}
        [(key, inner)] = held.items()
        if isinstance(inner, Mapping):
            return [(key, inner)] if _called(inner) or _key(inner) is not None else objects_of(inner)
    lists = {key: value for key, value in held.items() if _objects(value)}
    known = _key(held) is not None and _called(held)  # one thing, and what it is related to
    if known and lists and "features" not in lists and (kind_of(held) or all(map(_nameless, lists.values()))):
        return [("", held)]
    if lists and _called(held) and (match := _NAMED_KEY.fullmatch(next(iter(held)))) and match["of"] not in lists:
        return [(match["of"], held)]  # {"venueId": 1, "name": …, "rooms": […]}
    if lists:
        generic = ("results", "items", "objects", "features", "entry", "records", "rows", "value", "hits", "docs")
        return [("" if key in generic else key, each) for key, value in lists.items() for each in value]
    if len(held) > 1 and all(isinstance(value, Mapping) and value for value in held.values()):
        return [("", {"key": key, **value} if _key(value) is None else value) for key, value in held.items()]
    return [("", held)] if any(isinstance(value, Mapping) for value in held.values()) and _called(held) else None


def kind_of(held: Object) -> str | None:
    """The kind that an object states."""
    return next((held[name] for name in _KINDS if isinstance(held.get(name), str) and held[name]), None)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _nameless(value: Any) -> bool:
    """Whether a value is a list of objects without a name or a key."""
    return _objects(value) and not any(_key(each) or _called(each) for each in value)


def _say_several(value: Any, several: set[str], depth: int = 0) -> None:
    """Add the keys under which several nameless objects stand, as deep as a document is read."""
    for key, each in value.items() if isinstance(value, Mapping) and depth <= DEEP else ():
        if _nameless(each) and len(each) > 1:
            several.add(key)
        for part in each if isinstance(each, list) else [each]:
            _say_several(part, several, depth + 1)


def _by_noun(taken: Sequence[tuple[str, Object]]) -> dict[str, list[Object]]:
    """All objects of a document, by the nouns for them in the keys that lead there."""
    held: dict[str, list[Object]] = {}

    def note(noun: str, each: Object, depth: int) -> None:
        if noun:
            held.setdefault(noun, []).append(each)
        for key, value in each.items() if depth < DEEP else ():
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, Mapping):
                    note(" ".join(noun_of(key)), inner, depth + 1)

    for noun, each in taken:
        note(noun, each, 0)
    return held


def _shared_names(some: Sequence[Object], own: str | None) -> tuple[str, ...]:
    """The keys that are called names but that many things share: the "title" of people.

    Args:
        own: the key of these things, where it is named after them.
    """
    found = []
    for name in _NAMES:
        said = ((each.get(_key(each) or own or ""), _text(each.get(name))) for each in some)
        stated = {str(key): text for key, text in said if key is not None and text}
        if len(stated) >= MANY and len(set(stated.values())) <= SHARED * len(stated):
            found.append(name)
    return tuple(found)


def _own_keys(held: Mapping[str, Sequence[Object]]) -> dict[str, str]:
    """The keys that hold ids and are named after what they stand in: "hostId" of hosts, "progId" of programmes. Of
    objects of several kinds that bear it, it is the others' that it refers to."""
    own: dict[str, str] = {}
    for noun, some in held.items():
        for key in some[0] if not any(map(_key, some)) else ():
            match = _NAMED_KEY.fullmatch(key)
            said = match["of"].replace("_", " ").strip().casefold() if match else ""
            another = said != noun and said in held
            if not said or another or not (said in (noun, noun.split()[-1]) or abbreviates(said, noun)):
                continue
            if _tells_apart(key, some):
                own[noun] = key
                break
        first = next(iter(some[0]), "")
        if first and noun not in own and len(some) > 1 and not any(map(_key, some)) and _codes(first, some):
            own[noun] = first  # "asset_tag": "NB-1038", before all else that is said of each
    return own


def _titled(some: Sequence[Object]) -> bool:
    """Whether something else that some objects say tells them apart in words, as the subject of a ticket does."""
    if all(map(_called, some)):
        return True
    for key in some[0]:
        texts = [text for each in some if " " in (text := _text(each.get(key)))]
        if len(texts) >= MOSTLY * len(some) and len(set(texts)) >= MOSTLY * len(texts):
            return True
    return False


def _codes(key: str, some: Sequence[Object]) -> bool:
    """Whether a key holds a code of each of some objects, no two the same."""
    values = [each.get(key) for each in some]
    pattern = _SHORT if key.casefold() in _BARE else _CODED
    return all(isinstance(value, str) and pattern.fullmatch(value) for value in values) and len(set(values)) == len(
        some
    )


def _tells_apart(key: str, some: Sequence[Object]) -> bool:
    """Whether all objects have a key of their own; those that share one say the same, as far as they go."""
    same: dict[Any, Object] = {}
    for each in some:
        value = each.get(key)
        if type(value) not in (str, int) or value == "":
            return False
        other = same.setdefault(value, each)
        if any(other[name] != said for name, said in each.items() if name in other):
            return False
        if len(each) > len(other):
            same[value] = each
    return True


class _Thing:
    __slots__ = ("aliases", "group", "id", "key", "kind", "login", "met", "name", "said")

    def __init__(self, id: str, kind: str, group: str = "") -> None:
        self.id, self.kind, self.name, self.key = id, kind, "", ""
        self.login = ""  # what it is called where nothing else says its name
        self.group = group  # what leads to it says that it is, whatever it states itself: "device" of a laptop
        self.said: dict[str, list[Any]] = {}
        self.met = 0  # how often it stands in another
        self.aliases: list[str] = []


class PlainJson:
    """Objects in, triples out when all are there: what refers to what is known at the end."""

    def __init__(self, file: Path, made: PropertyTriples) -> None:
        stem = file.name.split(".")[0]
        self._made, self._kind = made, " ".join(noun_of(stem)) if re.fullmatch(r"[\w -]+", stem) else ""
        # "issues.jsonl" says that bugs and stories are issues; "stix.json" says nothing.
        self._several_called = bool(self._kind) and self._kind != stem.replace("_", " ").replace("-", " ").casefold()
        self._things: dict[str, _Thing] = {}
        self._lists: dict[str, set[str]] = {}  # the kinds of what stands in each list: laptops and phones are devices
        self._by_id: dict[str, str] = {}  # what refers to a thing: its id as stated
        self._shared: set[str] = set()  # ids that several things have
        self._edges: list[tuple[str, str, str, dict[str, list[Any]]]] = []
        self._links: list[tuple[str, str, str, dict[str, Any]]] = []  # objects that are relations
        self._owned: dict[tuple[str, str, str], dict[str, Any]] = {}  # what a nameless object around a thing says
        self._counts: dict[str, int] = {}
        self._taken: list[tuple[str, Object]] = []
        self._several: set[str] = set()  # under what keys some thing has several nameless objects, such as reviews
        self._stem = re.sub(r"\W", "_", stem)
        self._own: dict[str, str] = {}  # the key that holds the ids of the things of a kind: "hostId" of hosts
        self._called_by_code: set[str] = set()  # nouns of what has no other name than its code
        self._coded: set[str] = set()  # keys that hold codes of what has one
        self._titles: dict[str, tuple[str, ...]] = {}  # by noun: what is called a name and names none of its things
        self.told: list[str] = []  # what was found out of references, when all is read

    def take(self, key: str, held: Object) -> str:
        """One object of the document; why not, where not."""
        if len(self._taken) >= MOST:
            return f"more than {MOST:,} objects; write it as tables"
        self._taken.append((key, held))
        return ""

    def _take(self, key: str, held: Object) -> None:
        resource = held.get("resource")
        if isinstance(resource, Mapping) and "resourceType" in resource:  # an entry of a FHIR bundle
            full = held.get("fullUrl")
            id = self._thing(" ".join(noun_of(key)), resource)
            if isinstance(full, str):
                self._by_id.setdefault(full, id)
            return
        if held.get("type") == "Feature" and "properties" in held:
            held = _feature(held)
        for head, tail in _ENDS:
            kind = held.get("relationship_type") or held.get("relation") or held.get("predicate")
            if isinstance(held.get(head), str) and isinstance(held.get(tail), str) and isinstance(kind, str):
                own = {
                    name: value for name, value in held.items() if name not in _OF_LINKS and name not in (head, tail)
                }
                self._links.append((held[head], kind, held[tail], own))
                return
        listed = " ".join(noun_of(key))
        if listed:
            self._lists.setdefault(listed, set())
        self._thing(listed or self._kind, held)

    def _thing(self, kind: str, held: Object, depth: int = 0) -> str:
        """The id of the thing that an object is."""
        stated = kind_of(held)
        same = stated is None or stated.casefold() == kind.casefold()  # "User" in a list of users
        group, kind = kind, kind if same else str(stated)
        name = _called(held, self._titles.get(group, ())) or _called_own(held, group)
        used = _key(held) or self._own.get(group)
        used = used if used in held else None
        id = self._id(kind, name, held.get(used) if used else None)
        thing = self._things.get(id)
        if thing is None:
            thing = self._things[id] = _Thing(id, kind, group)
        elif depth == 0:
            thing.group = group
            if not thing.name and not thing.said:  # until now it was only referred to
                thing.kind = kind
        if group in self._lists or (stated and group and (depth or self._several_called)):
            self._lists.setdefault(group, set()).add(kind)
        login = next((_text(held.get(key)) for key in _LOGINS if name and _text(held.get(key)) == name), "")
        if not thing.name or (thing.login == thing.name and name and not login):
            thing.name = name or (str(held[used]) if used and group in self._called_by_code else "")
        thing.login = thing.login or login
        if used:
            thing.key = str(held[used]).strip()
            if self._by_id.setdefault(str(held[used]), id) != id:
                self._shared.add(str(held[used]))
            if "resourceType" in held:
                self._by_id.setdefault(f"{kind}/{held[used]}", id)
        said = set() if used in self._coded else {used}  # a code by which nobody calls them is still asked for
        self._say(thing, held, {*said, *(n for n in _KINDS if held.get(n) == stated)}, depth)
        return id

    def _id(self, kind: str, name: str, key: Any) -> str:
        if isinstance(key, str) and re.search(r"\D", key):
            met = self._things.get(key)
            other = met is not None and name and met.name and met.name != name and met.kind != kind
            return f"{kind} {key}".strip() if other and _CODE.fullmatch(key) else key
        if key is not None:
            return f"{kind} {key}".strip()
        if name:
            return f"{kind}: {name}" if kind else name
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"{kind} {self._counts[kind]}".strip()

    def _say(self, thing: _Thing, held: Object, done: set[Any], depth: int, before: str = "") -> None:
        for key, value in held.items():
            if key in done or value in (None, "", [], {}) or key in _BOOKS:
                continue
            if not before and key in _NAMES and _called({key: value}) == thing.name:
                continue
            relation = key if not before or key not in thing.said else f"{before}_{key}"
            objects = [value] if isinstance(value, Mapping) and key in self._several else value
            wrapped = (
                _nameless(objects) and (len(objects) > 1 or key in self._several) and not self._known(key, objects)
            )
            for each in value if isinstance(value, list) else [value]:
                if wrapped:
                    self._wrapped(thing, relation, each, depth)
                else:
                    self._value(thing, relation, key, each, depth)

    def _known(self, key: str, some: Sequence[Object]) -> bool:
        """Whether objects have ids or names under keys that are named after them: "bookingRef" of bookings."""
        noun = " ".join(noun_of(key))
        own = _NAMED_KEY.fullmatch(self._own.get(noun, ""))
        return (own is not None and own["of"].casefold() in (noun, noun.split()[-1])) or all(
            _called_own(each, noun) for each in some
        )

    def _wrapped(self, thing: _Thing, relation: str, held: Object, depth: int) -> None:
        """One of several objects without a name: what it says belongs to the things in it, else to a nameless node."""
        own = {key: [each] for key, each in held.items() if isinstance(each, (str, int, float)) and each != ""}
        before = len(self._edges)
        said = own.pop("type", [""])[0] if relation in _RELATIONS and isinstance(held.get("type"), str) else ""
        for key, value in held.items():
            for each in value if isinstance(value, list) else [value]:
                if _is(each) and (_key(each) or _called(each)) and depth < DEEP:
                    self._edge(thing, str(said) or key, " ".join(noun_of(key)), each, depth, own)
        if len(self._edges) == before and len(held):
            self._counts[""] = self._counts.get("", 0) + 1
            noun = " ".join(noun_of(relation))
            node = _Thing(f"_:{self._stem}.o{self._counts['']}", noun, noun)
            self._things[node.id] = node
            self._edges.append((thing.id, relation, node.id, {}))
            self._say(node, held, set(), depth + 1)

    def _edge(self, thing: _Thing, relation: str, kind: str, held: Object, depth: int, own: dict[str, Any]) -> None:
        id = self._thing(kind, held, depth + 1)
        self._things[id].met += 1
        said = {name: [each] for name, each in held.items() if isinstance(each, (str, int, float))}
        backward = own.pop("direction", None) == ["backward"]  # as MusicBrainz says it
        head, tail = (id, thing.id) if backward else (thing.id, id)
        self._edges.append((head, relation, tail, {} if backward else said))
        if own:
            self._owned[head, relation, tail] = own

    def _value(self, thing: _Thing, relation: str, key: str, value: Any, depth: int) -> None:
        value = _said(value)
        if value in (None, "", [], {}) or depth > DEEP:
            return
        if isinstance(value, list):
            for each in value:
                self._value(thing, relation, key, each, depth + 1)
        elif not isinstance(value, Mapping):
            known = thing.said.setdefault(relation, [])
            if value not in known:
                known.append(value)
        elif isinstance(reference := value.get("reference"), str) and set(value) <= _REFERENCES:
            thing.said.setdefault(relation, []).append(reference)
        elif _key(value) is None and not _called(value) and not self._known(key, [value]):
            inner = [(name, each) for name, each in value.items() if isinstance(each, Mapping)]
            if len(inner) == len(value) == 1:
                self._value(thing, relation, inner[0][0], inner[0][1], depth + 1)
            else:
                self._say(thing, value, set(), depth + 1, before=key)
        else:
            self._edge(thing, relation, " ".join(noun_of(key)), value, depth, {})

    def end(self) -> Iterator[Any]:
        """Hand everything on."""
        for _, held in self._taken:
            _say_several(held, self._several)
        by_noun = _by_noun([(" ".join(noun_of(key)) or self._kind, held) for key, held in self._taken])
        self._own = _own_keys(by_noun)
        self._titles = {noun: _shared_names(some, self._own.get(noun)) for noun, some in by_noun.items()}
        first = {noun for noun, key in self._own.items() if not _NAMED_KEY.fullmatch(key)}
        self._called_by_code = {noun for noun in first if not _titled(by_noun[noun])}
        named_so = {noun for noun, key in self._own.items() if noun not in first and _codes(key, by_noun[noun])}
        self._called_by_code |= {noun for noun in named_so if not _titled(by_noun[noun])}  # "order_no": "BD-1041"
        self._coded = {self._own[noun] for noun in first - self._called_by_code}
        for key, held in self._taken:
            self._take(key, held)
        self._taken.clear()
        self._merge()
        several: dict[tuple[str, str], dict[str, set[str]]] = {}
        for _, relation, tail, own in self._edges:
            if self._things[tail].met > 1:
                for key, values in own.items():
                    several.setdefault((relation, tail), {}).setdefault(key, set()).add(repr(values))
        differ: dict[str, set[str]] = {}  # by relation: what differs for one of its things is said of none of them
        for (relation, _), said in several.items():
            found = {key for key, values in said.items() if len(values) > 1} - {*_KEYS, *_NAMES, *_KINDS}
            differ.setdefault(relation, set()).update(found)
        varied: dict[str, set[str]] = {}
        for _, relation, tail, own in self._edges:
            varied.setdefault(tail, set()).update(differ.get(relation, set()) & own.keys())
        names: dict[str, str] = {}
        for thing in self._things.values():
            if thing.name:
                names[thing.name] = "" if thing.name in names else thing.id
        kinds = {thing.kind.replace("_", " ").casefold() for thing in self._things.values()}
        columns = ReferenceColumns(self._things.values())
        self.told = columns.told
        for thing in self._things.values():
            left = varied.get(thing.id, set())
            properties: dict[str, Any] = {"name": thing.name} if thing.name else {}
            for relation, values in thing.said.items():
                if relation in left:
                    continue
                plain = []
                bare = _REFERENCE.sub("", relation)
                beside = {bare, f"{bare}s"} - {relation}  # "type-id" beside "type" is no other thing
                worded = bare != relation and not beside.isdisjoint((*thing.said, *_KINDS))
                for value in values:
                    decided = columns.meant(thing, relation, value)
                    tail, called = (
                        decided or ("", "") if worded else decided or self._meant(relation, value, kinds, names)
                    )
                    if tail and (decided or tail != thing.id):
                        self._made.edge(thing.id, tail, called, {})
                    else:
                        plain.append(dated(value))
                if plain:
                    properties["also " + relation if relation == "name" else relation] = plain
            kinds_of_it = (thing.kind, thing.group if len(self._lists.get(thing.group, ())) > 1 else "")
            self._made.node(thing.id, list(dict.fromkeys(filter(None, kinds_of_it))), properties)
            yield from self._made.batches()
        for head, relation, tail, own in {each[:3]: each for each in self._edges}.values():
            on_edge = {key: own[key] for key in sorted(varied.get(tail, set()) & own.keys())}
            on_edge |= self._owned.get((head, relation, tail), {})
            self._made.edge(head, tail, relation, on_edge)
            yield from self._made.batches()
        for head, relation, tail, own in self._links:
            ends = [self._by_id.get(each, each) for each in (head, tail)]
            plain_own = {key: dated(value) for key, value in own.items() if isinstance(value, (str, int, float))}
            self._made.edge(ends[0], ends[1], relation or LINKED, plain_own)
            yield from self._made.batches()

    def _merge(self) -> None:
        """Take what is only referred to, by id and name, for the thing that says more under another key: the
        "supervisor" and the "authors" of a document for the "members" in it."""
        kinds: dict[str, list[_Thing]] = {}
        for thing in self._things.values():
            if thing.key and thing.name:
                for pool in {thing.kind, thing.group if thing.group in self._lists else thing.kind}:
                    kinds.setdefault(pool, []).append(thing)
        called = {
            kind: {(each.key, name): each for each in some for name in _names_of(each)} for kind, some in kinds.items()
        }
        says = {kind: {key for each in some for key in each.said} for kind, some in kinds.items()}
        same: dict[str, str] = {}
        for kind, some in sorted(kinds.items()):
            others = [other for other in kinds if other != kind and says[kind] < says[other]]
            for other in sorted(others, key=lambda each: (-len(says[each]), each)):
                pairs = [(each, called[other].get((each.key, each.name))) for each in some]
                known = {each.id: full.id for each, full in pairs if full is not None and full is not each}
                if len(known) >= max(SOME, MOSTLY * len(some)):
                    same |= known
                    break
        same |= self._called_by_others(same)
        if not same:
            return

        def full(id: str) -> str:
            while id in same:
                id = same[id]
            return id

        for id in same:
            stub, meant = self._things.pop(id), self._things[full(id)]
            meant.met += stub.met
            if self._by_id.get(stub.key) == id:
                self._by_id[stub.key] = meant.id
        self._edges = [(full(head), relation, full(tail), own) for head, relation, tail, own in self._edges]
        self._owned = {(full(head), relation, full(tail)): own for (head, relation, tail), own in self._owned.items()}

    def _called_by_others(self, same: Mapping[str, str]) -> dict[str, str]:
        """What is only called by a word that is another kind's own: the author "gwen-ap" for the user who has that
        login."""
        bare: dict[str, list[_Thing]] = {}
        owners: dict[str, str] = {}  # who has a login, "" for several
        for thing in self._things.values():
            if thing.name and not thing.key and thing.id not in same:
                bare.setdefault(thing.kind, []).append(thing)
            for key in _LOGINS & thing.said.keys():
                value = str(thing.said[key][0])
                owners[value] = "" if value in owners else thing.id
        found: dict[str, str] = {}
        for some in bare.values():
            meant = {each.id: to for each in some if (to := owners.get(each.name)) and to != each.id}
            if len(meant) >= max(SOME, HALF * len(some)):
                found |= meant
        return found

    def _meant(self, relation: str, value: Any, kinds: set[str], names: Mapping[str, str]) -> tuple[str, str]:
        """The thing that a value refers to and the relation's name for it; "" where it is a value."""
        if isinstance(value, str) and relation.casefold() not in _CALLED and names.get(value):
            return names[value], relation
        called = _REFERENCE.sub("", relation) or relation
        named = isinstance(value, str) and re.search(r"\D", value) and value not in self._shared  # no running number
        if named and value in self._by_id and (called != relation or re.search(r"[/:-]|\w{16}", value)):
            return self._by_id[value], called
        if isinstance(value, str) and _GLOBAL.fullmatch(value) and not _SECRET.search(relation):
            return value, called  # of another file
        if called != relation and isinstance(value, (str, int)) and not isinstance(value, bool):
            words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", called).casefold()
            if words in kinds and (found := f"{words} {value}") in self._things:
                return found, called
        return "", relation


def _names_of(thing: _Thing) -> set[str]:
    """What a thing is called, and by what login."""
    return {thing.name, thing.login, *(_text(thing.said.get(key)) for key in _LOGINS)} - {""}


_REFERENCES = {"reference", "display", "type", "identifier"}
_OF_LINKS = {"type", "id", "relationship_type", "relation", "predicate", "spec_version", *("created", "modified"),
             "created_by_ref", "object_marking_refs", "external_references", "name"}  # fmt: skip
_BOOKS = frozenset([
    "@context", "_rev", "_links", "spec_version", "meta", "text_div", "abstract_inverted_index", "geometry", "bbox",
    "object_marking_refs", "etag", "_etag",
])  # fmt: skip


def _key(held: Object) -> str | None:
    """The key of an object whose value is its id."""
    for key in _KEYS:
        value = held.get(key)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return key
    return None


def _text(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value.strip() if isinstance(value, str) else ""


def _called(held: Object, but: Collection[str] = ()) -> str:
    """What an object is called; "" where it has no name.

    Args:
        but: keys that hold no names here: the "Dr" of a lecturer.
    """
    for name in _NAMES:
        if name in but:
            continue
        if text := _text(held.get(name)):
            return text
        value = held.get(name)
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, Mapping) and "first" in first and "last" in first:
            return " ".join(text for part in ("first", "last") if (text := _text(first.get(part))))
        if isinstance(first, Mapping) and "family" in first:  # of a FHIR patient
            return _called({key: " ".join(v) if isinstance(v, list) else v for key, v in first.items()})
    for parts in _PARTS:
        if texts := [text for part in parts if (text := _text(held.get(part)))]:
            return " ".join(texts)
    if held.get("resourceType") and isinstance(held.get("code"), Mapping):
        return str(_said(held["code"]))
    return ""


def _called_own(held: Object, noun: str) -> str:
    """What an object is called by a key named after what it is: the "teamName" of a team."""
    own = {f"{noun} name", f"{noun.split(' ')[-1]} name"}
    return next((text for key in held if label_to_text(key).casefold() in own and (text := _text(held[key]))), "")


def _said(value: Any) -> Any:
    """A value of FHIR or CSL without what wraps it."""
    if not isinstance(value, Mapping):
        return value
    if isinstance(parts := value.get("date-parts"), list) and parts and isinstance(parts[0], list):
        return "-".join(f"{int(part):02d}" for part in parts[0][:3] if str(part).isdigit())
    if set(value) == {"text"}:
        return value["text"]
    if isinstance(coding := value.get("coding"), list):
        shown = [value.get("text"), *(each.get("display") or each.get("code") for each in coding if _is(each))]
        return next((each for each in shown if each), None)
    if "unit" in value and set(value) <= {"value", "unit", "system", "code", "comparator"} and "value" in value:
        return f"{value['value']} {value['unit']}"
    return value


def _is(value: Any) -> bool:
    return isinstance(value, Mapping)


def _feature(held: Object) -> dict[str, Any]:
    """A feature of GeoJSON as an object: its properties, and where a point of it lies."""
    properties = held["properties"] if isinstance(held["properties"], Mapping) else {}
    found = {key: value for key, value in properties.items() if key != "bbox"}
    geometry = held.get("geometry")
    if isinstance(geometry, Mapping) and geometry.get("type") == "Point":
        place = geometry.get("coordinates")
        if isinstance(place, list) and len(place) >= 2:
            found = {"longitude": place[0], "latitude": place[1]} | found
    return ({"id": held["id"]} if "id" in held else {}) | found
