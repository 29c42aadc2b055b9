"""Which properties of a graph hold names, when nobody says so: `:name`, `dc:title`, given and family name.

Kept apart from `naming`, which decides between the names that an entity has; this decides what is a name. It looks at
the literals that a build has read, after the last file: a property is one of names when it is called so, or when it is
a short text that nearly every thing of its kind has and hardly two share: a serial number names batteries in a graph
where everything else has a name. The triples themselves stay.

Shapes: n rows of one property, N entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, nearest
from clew.graph.assembly import Assembly
from clew.graph.external import OnDisk
from clew.graph.inputs import ALIAS_IN_NO_LANGUAGE, CHOSEN, Notes, column
from clew.graph.kinds import by_names
from clew.graph.layout import LITERAL, open_strings
from clew.graph.nouns import CODE_ENDS, KEY_ENDS
from clew.graph.strings import Strings, literal_parts
from clew.labels import in_full, label_to_text, readable

RANK = 60  # of a name found here: behind labels that RDF knows as such, before alternative ones
OTHERS = 40  # properties not called names that are looked at, those with most values first
SAMPLE = 500  # values of a property that are looked at
LETTERS = 80  # most letters of a name, in the mean
UNIQUE_CALLED, UNIQUE = 0.2, 0.9  # least share of distinct values: of a property called a name, of any other
UNIQUE_TITLE = 0.7  # the same of a property called a title
COVERS = 0.8  # least share of the things of its kind that a property not called a name has
LACKING = 200  # kinds of which most things lack names that are looked at, the largest first
FEWEST = 5  # things of a kind from which on a property that is not called a name may name them
ENOUGH = 0.05  # share of things without a name from which on names are sought
BLOCK = 1 << 20
NAMED_AT_ONCE = 1 << 16

OTHER_NAMES = frozenset([
    "aka", "a k a", "alias", "aliases", "also known as", "also called", "alt label", "alt name", "alt names",
    "alternate name", "alternate names", "alternative name", "alternative names", "alternative label", "other name",
    "other names", "nickname", "nicknames", "synonym", "synonyms", "known as", "called also", "short name",
    "alt", "alternate", "former name", "former names", "formerly", "formerly known as", "previous name", "old name",
    "abbreviation", "acronym", "stage name", "pen name", "nick", "local name", "native name", "english name",
    "official name", "common name", "popular name", "prev name", "sci name", "scientific name",
    "latin name", "trading as", "trades as", "trading name",
    "trade name", "doing business as", "dba", "login", "username", "user name", "handle", "screen name",
])  # fmt: skip
_CODES = KEY_ENDS | CODE_ENDS | {"sku", "barcode", "serial", "ean", "isbn", "tag"}
_MAKES, _MODELS = frozenset(["make", "brand", "manufacturer", "maker"]), frozenset(["model", "model name"])
GIVEN, FAMILY = ("given name", "first name"), ("family name", "last name", "surname")
Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Heads and tails of one property's triples, (n,) each."""

_STRINGS = (None, "http://www.w3.org/2001/XMLSchema#string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString")
_AMOUNT = re.compile(r"[^\W\d_]{0,3}\s?-?\d[\d., ]*[.,]\d+\s?[^\W\d_]{0,4}")  # "243.80 EUR"
_NEVER = re.compile(
    r"\b(?:description|comment|abstract|notes?|text|ur[li]|link|homepage|e?mail|image|picture|password|hash|address"
    r"|phone|version|status|gender|sex|category|language|locale|middle)\b"
)
ADDRESSED = frozenset(["property", "house", "home", "building", "flat", "apartment", "dwelling", "premises", "listing"])
"""Kinds of things that go by their address where they have no name."""


@dataclass(frozen=True, slots=True)
class NameSource:
    """A property whose values became labels, and how many things got theirs from it."""

    property: str
    named: int


def find_names(assembly: Assembly, properties: Sequence[str] = ()) -> list[NameSource]:
    """Give names to what has none and add them to the texts of the build; to be called when all files are read.

    Args:
        properties: ids or local names of properties to take and no others, in order of liking.

    Raises InputError for a property that no triple has, with the nearest.
    """
    if not assembly.rows:
        return []
    assembly.flush()
    relations = list(open_strings(assembly.scratch, "relations"))
    kinds = assembly.kinds()
    rows = OnDisk(assembly.scratch / "triples.i32", 4)
    wanted = [_wanted(name, relations) for name in properties]
    texts = open_strings(assembly.folder, "ids")
    if not wanted and not (kinds == LITERAL).any():
        wanted = _of_plain_triples(assembly, rows, kinds, relations, texts)
    unnamed = (kinds != LITERAL) & ~_labelled(assembly, len(kinds))
    things = _Kinds(rows, relations, unnamed)
    if not wanted and not things.lacking and np.count_nonzero(unnamed) < ENOUGH * np.count_nonzero(kinds != LITERAL):
        return []
    order = wanted or _by_promise(relations, _literal_counts(rows, kinds, len(relations)))
    found: list[NameSource] = []
    parts: dict[str, Pairs] = {}
    every = _values(assembly, rows, kinds, order, literal=not wanted)
    for number, (heads, tails) in every if wanted else _shared_titles_last(every, relations):
        if not wanted and name_rank(relations[number]):  # a nameless node has a name only where it is called so
            nameable = ~texts.starting(heads, b"_:")
            heads, tails = heads[nameable], tails[nameable]
        address = not wanted and is_address(relations[number])
        if address or (not wanted and not _may_name(relations[number], heads, tails, texts, unnamed)):
            if name_rank(relations[number]) != 9:
                continue
            mine = things.named_by(heads, tails, unnamed, lambda values: _short(values, texts))
            mine &= things.are(heads, ADDRESSED, texts) if address else True
            heads, tails = heads[mine], tails[mine]
            if not len(heads):
                continue
        words = label_to_text(relations[number]).casefold()
        if not wanted and words in (*GIVEN, *FAMILY):
            parts.setdefault("given" if words in GIVEN else "family", (heads, tails))
            continue
        named = _give(assembly, heads, _text_at(tails, texts), unnamed, texts, bool(wanted))
        if named:
            found.append(NameSource(relations[number], named))
    if "given" in parts and "family" in parts and unnamed.any():
        heads, names = _joined(parts["given"], parts["family"], texts)
        named = _give(assembly, heads, names.__getitem__, unnamed, texts, False)
        if named:
            found.append(NameSource("given name and family name", named))
    return found


def _shared_titles_last(every: Iterator[tuple[int, Pairs]], relations: Sequence[str]) -> Iterator[tuple[int, Pairs]]:
    """Properties with titles that many things share behind all others that are called names: the "title" of people is
    Dr, unless nothing else names them."""
    shared: list[tuple[int, Pairs]] = []
    for number, (heads, tails) in every:
        rank = name_rank(relations[number])
        if rank == 1 and len(np.unique(tails)) < UNIQUE_TITLE * len(tails):
            shared.append((number, (heads, tails)))
            continue
        if rank == 9:
            yield from shared
            shared = []
        yield number, (heads, tails)
    yield from shared


def find_aliases(assembly: Assembly) -> None:
    """Note as other names what a property called so states: "aka", "also known as", "nickname"; and make and model
    together, where two properties state these. Its triples stay.

    Several in one value are parted by ";" or "|". To be called when all files are read and the names are found. A thing
    that goes by its id alone keeps it as its name.
    """
    if not assembly.rows:
        return
    assembly.flush()
    relations = list(open_strings(assembly.scratch, "relations"))
    mine = [i for i, relation in enumerate(relations) if label_to_text(relation).casefold() in OTHER_NAMES]
    made = [next((i for i, relation in enumerate(relations) if label_to_text(relation).casefold() in those), None)
            for those in (_MAKES, _MODELS)]  # fmt: skip
    if not mine and None in made:
        return
    kinds, texts = assembly.kinds(), open_strings(assembly.folder, "ids")
    labelled = _labelled(assembly, len(kinds))
    rows = OnDisk(assembly.scratch / "triples.i32", 4)
    for _, (heads, tails) in _values(assembly, rows, kinds, mine, literal=False):
        _keep_ids(assembly, heads, labelled, texts)
        for start in range(0, len(heads), NAMED_AT_ONCE):
            here = slice(start, start + NAMED_AT_ONCE)
            pairs = zip(heads[here].tolist(), tails[here].tolist(), strict=True)
            stated = ((head, each.strip()) for head, tail in pairs for each in re.split("[;|]", _text(texts[tail])))
            named = [(head, name) for head, name in stated if 0 < len(name) <= LETTERS]
            owners = texts.take(np.array([head for head, _ in named], np.int64))
            _note_aliases(assembly, owners, [name for _, name in named])
    both = [each for each in made if each is not None]
    parts = dict(_values(assembly, rows, kinds, both, literal=True)) if len(both) == 2 else {}
    if len(parts) == 2 and all(len(heads) for heads, _ in parts.values()):
        heads, names = _joined(parts[both[0]], parts[both[1]], texts)
        _keep_ids(assembly, heads, labelled, texts)
        _note_aliases(assembly, texts.take(heads), names)  # "the Renault Master" of a van that goes by its plate


def _keep_ids(assembly: Assembly, heads: NDArray[np.int32], labelled: NDArray[np.bool_], texts: Strings) -> None:
    """Name things that have no name by their ids, so that no other name takes its place."""
    own = np.unique(heads[~labelled[heads]])
    labelled[own] = True
    for start in range(0, len(own), NAMED_AT_ONCE):
        ids = texts.take(own[start : start + NAMED_AT_ONCE])
        names = [readable(texts[int(n)]) for n in own[start : start + NAMED_AT_ONCE]]
        assembly.add(Notes("label", column(ids), column(names), np.full(len(names), RANK, np.int16)))


def _note_aliases(assembly: Assembly, owners: list[str], names: list[str]) -> None:
    ranks = np.full(len(names), ALIAS_IN_NO_LANGUAGE, np.int16)
    assembly.add(Notes("label", column(owners), column(names), ranks))


class _Kinds:
    """The kinds of things that a build has read, and those of which nearly all lack names."""

    def __init__(self, rows: OnDisk, relations: Sequence[str], unnamed: NDArray[np.bool_]) -> None:
        stating = by_names((number, id, id) for number, id in enumerate(relations))
        self._of = np.full(len(unnamed), -1, np.int32)  # (N,) the kind that each thing states first
        if stating:
            for block in rows.blocks(BLOCK):
                mine = block[np.isin(block[:, 1], stating)][::-1]
                mine = mine[self._of[mine[:, 0]] < 0]
                self._of[mine[:, 0]] = mine[:, 2]
        has = self._of >= 0
        self._things = np.bincount(self._of[has], minlength=len(unnamed))
        without = np.bincount(self._of[has & unnamed], minlength=len(unnamed))
        lacking = np.flatnonzero((without >= COVERS * self._things) & (self._things >= FEWEST))
        self.lacking = lacking[np.argsort(-self._things[lacking], kind="stable")][:LACKING].tolist()

    def are(self, heads: NDArray[np.int32], nouns: frozenset[str], texts: Strings) -> NDArray[np.bool_]:
        """(n,) Whether things are of a kind whose name ends in one of some nouns."""
        kinds = self._of[heads]
        known = [int(kind) for kind in np.unique(kinds[kinds >= 0])]
        called = [kind for kind in known if label_to_text(_text(texts[kind])).casefold().split()[-1] in nouns]
        return np.isin(kinds, called)

    def named_by(
        self,
        heads: NDArray[np.int32],
        tails: NDArray[np.int32],
        unnamed: NDArray[np.bool_],
        short: Callable[[NDArray[np.int32]], bool],
    ) -> NDArray[np.bool_]:
        """(n,) Which of a property's rows name things of a kind: nearly all have it, each its own.

        Args:
            short: whether some values are short texts.
        """
        result = np.zeros(len(heads), bool)
        kinds = np.where(unnamed[heads], self._of[heads], -1)
        for kind in self.lacking:
            mine = kinds == kind
            count, things, distinct = np.count_nonzero(mine), len(np.unique(heads[mine])), len(np.unique(tails[mine]))
            enough = things >= max(FEWEST, COVERS * self._things[kind])
            if enough and count <= 1.1 * things and distinct >= UNIQUE * count and short(tails[mine]):
                result |= mine
        if result.any():  # an opinion piece among many articles has its name where they have theirs
            result |= (kinds >= 0) & (self._things[np.maximum(kinds, 0)] < FEWEST)
        return result


def _wanted(name: str, relations: Sequence[str]) -> int:
    """The relation that a name given with `--label` means."""
    if name in relations:
        return relations.index(name)
    said = label_to_text(name).casefold()
    same = [i for i, relation in enumerate(relations) if label_to_text(relation).casefold() == said]
    if not same:
        close = ", ".join(map(repr, nearest(name, [label_to_text(relation) for relation in relations]))) or "none"
        raise InputError(f"no property {name!r} to take labels from; nearest: {close}")
    return same[0]


def _labelled(assembly: Assembly, count: int) -> NDArray[np.bool_]:
    """Which entities the input names in a way that RDF knows; (N,)."""
    result = np.zeros(count, bool)
    first, second = (OnDisk(file) for file in assembly.spools["label"].names[:2])
    for start in range(0, len(first), BLOCK):
        owners = assembly.entities.find(first[start : start + BLOCK], second[start : start + BLOCK])
        result[owners[owners >= 0]] = True
    return result


def _of_plain_triples(
    assembly: Assembly, rows: OnDisk, kinds: NDArray[np.uint8], relations: Sequence[str], texts: Strings
) -> list[int]:
    """Properties called names in triples that know no literals: their heads have ids that say nothing ("CL01"), and
    from their tails no triple goes on."""
    called = sorted((rank, i) for i, relation in enumerate(relations) if (rank := name_rank(relation)) < 2)
    if not called:
        return []
    heads = np.zeros(len(kinds), bool)
    for block in rows.blocks(BLOCK):
        heads[block[:, 0]] = True
    found = []
    for number, (owners, tails) in _values(assembly, rows, kinds, [i for _, i in called], literal=False):
        sample = [texts[n] for n in owners[:: max(1, len(owners) // SAMPLE)].tolist()]
        dull = sum(map(opaque, sample)) >= COVERS * len(sample)
        unique = len(np.unique(tails)) >= UNIQUE_CALLED * len(tails)
        if len(owners) and dull and unique and not heads[tails].any() and _short(tails, texts):
            found.append(number)
    return found


def _literal_counts(rows: OnDisk, kinds: NDArray[np.uint8], relations: int) -> NDArray[np.int64]:
    counts = np.zeros(relations, np.int64)
    for block in rows.blocks(BLOCK):
        counts += np.bincount(block[kinds[block[:, 2]] == LITERAL, 1], minlength=relations)
    return counts


def _by_promise(relations: Sequence[str], counts: NDArray[np.int64]) -> list[int]:
    """Properties called names first, then a few of which there are most, codes behind the others."""
    ranked = [(name_rank(relation), -int(counts[i]), i) for i, relation in enumerate(relations) if counts[i]]
    called = sorted(each for each in ranked if each[0] < 9)
    others = sorted(each for each in ranked if each[0] == 9)[:OTHERS]
    others.sort(key=lambda each: _is_code(relations[each[2]]))
    return [i for _, _, i in [*called[:40], *others]]


def _is_code(relation: str) -> bool:
    """Whether a property is called a code of a thing: its sku."""
    return not _CODES.isdisjoint(label_to_text(relation).casefold().split()[-1:])


def may_name(property: str, values: Sequence[str], things: int) -> bool:
    """Whether the texts that nameless things of one kind have by a property can be their names.

    As in `find_names`, but of any number of things, since they are of one kind.
    """
    short = 0 < sum(map(len, values)) <= LETTERS * len(values)
    wordy = sum(map(_wordy, values))
    rank, unique = name_rank(property), len(set(values)) / max(len(values), 1)
    fits = len(values) >= COVERS * things and unique >= UNIQUE if rank == 9 else unique >= UNIQUE_CALLED
    return rank not in (3, 10) and short and wordy >= 0.8 * len(values) and fits


def name_rank(relation: str) -> int:
    """How much a property's own name says that it holds names: 0 most, 9 nothing, 10 that it holds none."""
    words = in_full(label_to_text(relation).casefold()).split()
    if not words or (_NEVER.search(" ".join(words)) and not is_address(relation)):
        return 10
    if words in (["name"], ["full", "name"], ["label"], ["pref", "label"], ["preferred", "name"]):
        return 0
    if words in (["title"], ["headline"], ["display", "name"], ["official", "name"], ["common", "name"], ["caption"]):
        return 1
    if " ".join(words) in (*GIVEN, *FAMILY):
        return 3
    if words[-1] in ("name", "title", "label"):
        return 2
    return 9


def is_address(relation: str) -> bool:
    """Whether a property is called an address, of whatever it is said."""
    return in_full(label_to_text(relation).casefold()) in (
        "address",
        "street address",
        "full address",
        "property address",
    )


def _values(
    assembly: Assembly, rows: OnDisk, kinds: NDArray[np.uint8], relations: Sequence[int], literal: bool
) -> Iterator[tuple[int, Pairs]]:
    """Heads and tails of the triples of some properties, in their order; as many in one pass as fit into memory."""
    counts = np.zeros(len(open_strings(assembly.scratch, "relations")), np.int64)
    for block in rows.blocks(BLOCK):
        counts += np.bincount(block[:, 1], minlength=len(counts))
    room = assembly.memory.rows(32)
    left = list(relations)
    while left:
        fits = np.cumsum(counts[left]) <= room
        here, left = left[: max(int(fits.sum()), 1)], left[max(int(fits.sum()), 1) :]
        wanted = np.zeros(len(counts), bool)
        wanted[here] = True
        pieces = [np.empty((0, 3), np.int32)]
        for block in rows.blocks(BLOCK):
            mine = wanted[block[:, 1]]
            if literal:
                mine &= kinds[block[:, 2]] == LITERAL
            pieces.append(block[mine, :3])
        picked = np.concatenate(pieces)
        del pieces
        for number in here:
            at = picked[:, 1] == number
            yield number, (picked[at, 0], picked[at, 2])


def _may_name(
    relation: str,
    heads: NDArray[np.int32],
    tails: NDArray[np.int32],
    texts: Strings,
    unnamed: NDArray[np.bool_],
) -> bool:
    """Whether a property's values can be names: short texts with letters, one for each thing, hardly two the same."""
    if not len(heads) or not unnamed[heads].any() or not _short(tails, texts):
        return False
    things = len(np.unique(heads))
    unique = len(np.unique(tails)) / len(tails)
    rank = name_rank(relation)
    if rank < 9:
        return unique >= UNIQUE_CALLED or rank == 3 or things < 10
    # Any other property: what shares a property with its things should nearly all have it.
    most = things >= COVERS * int(np.count_nonzero(unnamed))
    return rank == 9 and most and things >= 10 and len(heads) <= 1.1 * things and unique >= UNIQUE


def _short(tails: NDArray[np.int32], texts: Strings) -> bool:
    """Whether a property's values are short texts with letters."""
    sample = [literal_parts(texts[t]) for t in tails[:: max(1, len(tails) // SAMPLE)].tolist()]
    plain = [text for text, kind, _ in sample if kind in _STRINGS]
    if len(plain) < 0.9 * len(sample) or sum(map(len, plain)) > LETTERS * len(plain):
        return False
    wordy = sum(map(_wordy, plain))
    return wordy >= 0.8 * len(plain)


def _wordy(text: str) -> bool:
    """Whether a text may be a name: it has letters, and is no address and no amount."""
    return any(c.isalpha() for c in text) and "://" not in text and "@" not in text and not _AMOUNT.fullmatch(text)


def _text_at(tails: NDArray[np.int32], texts: Strings) -> Callable[[int], str]:
    return lambda at: _text(texts[int(tails[at])])


def _text(id: str) -> str:
    return literal_parts(id)[0] if id.startswith('"') and id.rfind('"') > 0 else id


def _give(
    assembly: Assembly,
    heads: NDArray[np.int32],
    name_of: Callable[[int], str],
    unnamed: NDArray[np.bool_],
    texts: Strings,
    chosen: bool,
) -> int:
    """Note the names of those without one (of all, where the user chose the property); returns how many.

    Args:
        name_of: the name at a place of `heads`.
    """
    rank = CHOSEN if chosen else RANK
    at = np.arange(len(heads)) if chosen else np.flatnonzero(unnamed[heads])
    mine: list[NDArray[np.int32]] = []
    for start in range(0, len(at), NAMED_AT_ONCE):
        named = [(i, name) for i in at[start : start + NAMED_AT_ONCE].tolist() if (name := name_of(i).strip())]
        if named:
            owners = texts.take(heads[[i for i, _ in named]])
            ranks = np.full(len(named), rank, np.int16)
            assembly.add(Notes("label", column(owners), column([name for _, name in named]), ranks))
            mine.append(np.unique(heads[[i for i, _ in named]]))
    who = np.unique(np.concatenate([np.empty(0, np.int32), *mine]))
    unnamed[who] = False
    return len(who)


def _joined(
    given: Pairs,
    family: Pairs,
    texts: Strings,
) -> tuple[NDArray[np.int32], list[str]]:
    last = dict(_first(family))
    pairs = [(head, f"{_text(texts[t])} {_text(texts[last[head]])}") for head, t in _first(given) if head in last]
    return np.array([head for head, _ in pairs], np.int32), [name for _, name in pairs]


def _first(values: Pairs) -> Iterator[tuple[int, int]]:
    """The first value of each thing."""
    heads, at = np.unique(values[0], return_index=True)
    return zip(heads.tolist(), values[1][at].tolist(), strict=True)


def opaque(id: str) -> bool:
    """Whether what an id shows says nothing to people: `Q42`, `id=7`, `0b3f-11`."""
    shown = readable(id)
    return re.search(r"[^\W\d_]{3}", shown) is None or re.fullmatch(r"[^\W\d_]{0,3}[-_ =:]?\d+", shown) is not None
