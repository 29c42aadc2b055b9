"""What the names of tables and columns say: `home_warehouse_id` names a warehouse, `mgr_id` somebody, `parent_id` a
thing of the same kind.

Kept apart because these are words of schemas as people write them; what the values say is looked at elsewhere
(`relational`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.labels import ABBREVIATIONS, label_to_text, singular_of

KEY_ENDS = frozenset(["id", "ids", "key", "fk", "pk", "ref", "uuid", "guid", "oid", "sk"])
CODE_ENDS = frozenset(["code", "no", "nr", "num", "number"])
CODES = frozenset(["code", "kod", "kode", "código", "codigo", "codice", "kürzel", "cod"])
NAMED_FIRST = frozenset(["nom", "nombre", "nome", "nazwa", "navn", "namn", "naam", "bezeichnung"])  # "nombre cliente"
AKIN = 5  # letters that two forms of a word have in common
_ANYBODYS = KEY_ENDS | CODE_ENDS | {"name", "title", "label"}  # what keys of any table may be called
_TABLE_PREFIXES = frozenset(["tbl", "table", "dim", "fact", "stg", "raw", "public", "t", "v"])
EXPANDED = ABBREVIATIONS | {
    "cat": "category", "dir": "director", "prof": "professor", "pub": "publisher", "rep": "representative",
    "resp": "responsible", "sec": "secretary", "sup": "supervisor",
}  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


JOINING = _words("detail line link map mapping rel relation relationship xref assoc association join bridge junction")
_MANAGING = _words("""
manager boss supervisor superior lead leader head chief reports director mentor foreman principal chair chairman
""")
_PERSONS = _words("""
representative assignee contact coach captain teacher instructor friend follower followee sender recipient buyer
seller advisor adviser student employee member guardian host guest secretary president witness signatory spouse
responsible parent child mother father sibling partner staff agent person user clerk nurse physician surgeon
judge attorney guide chef cook pilot spokesperson tutor by
""")
_KIN = _words("husband wife groom bride father mother spouse sire dam")  # no number is called so
_SELF = _words("""
parent previous next predecessor successor root original replaced replaces supersedes superseded replacement
spouse partner mother father sire dam mate reply prerequisite requires merged duplicate ancestor super sub child
sibling
""")
_PEOPLE = _words("""
staff employee personnel person people user member worker student teacher customer client driver player patient
doctor author artist actor instructor professor contact crew athlete nurse volunteer human individual
agent technician engineer colleague teammate contributor
""")
_STAFF = _words("""
staff employee personnel person people user member worker crew agent technician colleague teammate
""")
_OF_PEOPLE = re.compile(
    r"^(?:first|last|full|given|family|middle) ?names?$|^(?:surname|forename)s?$|^dob$|birth|^gender$|^sex$"
    r"|^hired|^hire |^born|^job "
)
_YES = re.compile(r"\w{3,}(?:ed|able|ible|ive)|open|paid|public|private|online|indoors|outdoors|vegan|vegetarian|flag")
_AGENT = re.compile(r"\w{2,}(?:er|or|ist|ian|ee|ent|ant|man|woman)$")


@dataclass(frozen=True, slots=True)
class SaidColumn:
    """A column's name taken apart."""

    words: tuple[str, ...]
    stem: tuple[str, ...]  # the words without the one that says that it is a key
    end: str  # that word, "" where there is none

    @property
    def last(self) -> str:
        """The word that the stem ends in, spelled out."""
        return EXPANDED.get(self.stem[-1], self.stem[-1]) if self.stem else ""


def _parts(name: str) -> tuple[str, ...]:
    """The words of a name, by underscores and by capitals: `tbl_OrderItems`."""
    parts = (label_to_text(part.rstrip(".")) for part in re.split(r"[_\s-]+", name.strip()) if part)
    return tuple(" ".join(parts).casefold().split()) or (name,)


def said_by(column: str) -> SaidColumn:
    words = _parts(column)
    if len(words) > 1 and words[-1] in KEY_ENDS | CODE_ENDS:
        return SaidColumn(words, words[:-1], words[-1])
    if len(words) > 1 and words[0] in ("id", "fk"):  # id_cliente
        return SaidColumn(words, words[1:], words[0])
    return SaidColumn(words, words, "")


_CODED = frozenset(["catalogue", "catalog", "isbn", "sku", "barcode", "serial", "vin"])
"""What only says how something is told from others of its kind."""
_IN_FULL = {"pull": "pull request", "mr": "merge request", "po": "purchase order"}
_MADE_BY = frozenset(["export", "exported", "dump", "extract", "download", "backup", "csv", "final", "latest"])


def noun_of(table: str) -> tuple[str, ...]:
    """What one row of a table is: `tbl_OrderItems` is an "order item"."""
    words = _parts(table)
    while len(words) > 1 and words[0] in _TABLE_PREFIXES:
        words = words[1:]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _MADE_BY):
        words = words[:-1]  # "rentals 2024-05", "accessions export"
    noun = singular_of(" ".join(words))
    return tuple(_IN_FULL.get(noun, noun).split()) or (table,)


def without_shared(names: list[str]) -> list[str]:
    """Names of tables without words that all of them begin or end with: `shop_orders`, `shop_items`, `shop_people`."""
    parts = [re.split(r"[_\s.-]+", name) for name in names]
    if len(parts) < 3:
        return names
    while all(len(each) > 1 for each in parts) and len({each[0].casefold() for each in parts}) == 1:
        parts = [each[1:] for each in parts]
    while all(len(each) > 1 for each in parts) and len({each[-1].casefold() for each in parts}) == 1:
        parts = [each[:-1] for each in parts]
    short = ["_".join(each) for each in parts]
    return short if len(set(short)) == len(short) else names


def abbreviates(short: str, long: str) -> bool:
    """Whether a word may stand for a longer one: "cust" for "customer", "mgr" for "manager"."""
    if EXPANDED.get(short) == long:
        return True
    if not 2 <= len(short) <= 0.75 * len(long) or short[0] != long[0]:
        return False
    if long.startswith(short):
        return len(short) > 2
    at = 0
    for letter in short:
        at = long.find(letter, at) + 1
        if not at:
            return False
    return not set(short[1:]) & set("aeiou")  # what leaves out letters leaves out vowels first


def beyond(noun: tuple[str, ...], side: tuple[str, ...]) -> list[str] | None:
    """What a table's name says beyond the things that it begins with: `dept_emp` of departments, "employee"."""
    if noun[: len(side)] == side:
        rest = noun[len(side) :]
    elif len(side) == 1 and abbreviates(noun[0], side[0]):
        rest = noun[1:]
    else:
        return None
    return [EXPANDED.get(word, word) for word in rest]


def fit(said: SaidColumn, noun: tuple[str, ...], *, key: str = "") -> float:
    """How surely a column's name speaks of a kind of things: 3 by name, 2.8 by its end, 2 abbreviated, 0 not at all.

    Args:
        key: the name of that kind's key.
    """
    if not said.stem:
        return 0.0
    own = said_by(key)
    if said.words == own.words and own.words[0] not in _ANYBODYS:
        return 3.0
    stem = tuple(singular_of(" ".join(said.stem)).split())
    run = "".join(said.words)
    if stem == noun or (len(said.words) == 1 and run in ("".join(noun) + end for end in KEY_ENDS)):
        return 3.0
    if stem[-len(noun) :] == noun:
        return 2.8
    if len(noun) > 1 and stem[-1] == noun[-1] and said.end:
        return 2.2
    if said.end and (abbreviates(stem[-1], noun[-1]) if len(noun) == 1 else stem[-1] == "".join(w[0] for w in noun)):
        return 2.0
    return 0.0


def akin(said: SaidColumn, noun: tuple[str, ...]) -> bool:
    """Whether a column's name and a kind are one word but for their ends, as in languages that decline: "Budynek" of
    "Budynki", "Abteilung" of "Abteilungen"."""
    if len(said.stem) != 1 or len(noun) != 1:
        return False
    short, long = sorted((said.stem[0], noun[0]), key=len)
    shared = max(AKIN, len(long) - 2)
    return short[:shared] == long[:shared] and len(short) >= shared


def role(said: SaidColumn, *, itself: bool, people: bool, noun: tuple[str, ...]) -> float:
    """How surely a column's name speaks of a table by the part that its rows play: a boss is somebody."""
    words = {EXPANDED.get(word, word) for word in said.stem}
    if itself and words & _SELF:
        return 1.8
    if not people:
        return 0.0
    if words & _KIN:
        return 1.8
    managing = bool(words & _MANAGING)
    if not (managing or words & _PERSONS or (said.end and _AGENT.fullmatch(said.last))):
        return 0.0
    return 1.5 + 0.2 * (noun[-1] in _STAFF) + 0.1 * (itself and managing)


def people(noun: tuple[str, ...], columns: list[str]) -> bool:
    """Whether the rows of a table are people, by its name or by what it says of them."""
    return noun[-1] in _PEOPLE or any(_OF_PEOPLE.search(" ".join(said_by(column).words)) for column in columns)


def asks(said: SaidColumn) -> bool:
    """Whether a column is called as a yes or a no: `is_port`, `discontinued`, `active`, `refundable`."""
    return said.words[0] in ("is", "has", "was", "can", "are", "does", "allows", "allow") or (
        _YES.fullmatch(said.words[-1]) is not None
    )


def relation_words(said: SaidColumn, noun: tuple[str, ...], *, key: str = "") -> str:
    """What a foreign key is called in words: its stem spelled out; `emp_no` an "employee", and the kind that it points
    to where only a code is named: `cat_no` of releases that have one.

    Args:
        key: the name of that kind's key.
    """
    if said.words == said_by(key).words and (said.stem[-1] in _CODED or EXPANDED.get(said.stem[-1]) == "category"):
        return " ".join(noun)
    stem = [EXPANDED.get(word, word) for word in said.stem]
    if len(noun) == 1 and stem and stem[-1] != noun[-1] and abbreviates(said.stem[-1], noun[-1]):
        stem[-1] = noun[-1]
    return " ".join(stem)
