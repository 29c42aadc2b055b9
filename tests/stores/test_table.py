"""Results as CSV: what is an address, what a text, of which kind; and a table that is not whole."""

from __future__ import annotations

import pytest

from clew.errors import InputError
from clew.graph.remote.table import MixedError, bindings, solutions, told
from clew.graph.remote.terms import RemoteTerms

HEADER = '"d","n","n_is","n_type","n_lang"\n'
STRING = "http://www.w3.org/2001/XMLSchema#string"


@pytest.mark.parametrize(
    ("row", "id"),
    [
        ('"o","http://e/straße",0,,', "http://e/straße"),
        ('"o","nodeID://b10",0,,', "_:nodeID://b10"),
        (f'"o","http://e/looks like one",1,"{STRING}",""', '"http://e/looks like one"'),
        (f'"o","",1,"{STRING}",""', '""'),
        ('"o","a ""b"", c\n\td",1,,"en-gb"', '"a "b", c\n\td"@en-gb'),
        ('"o",5500.0,1,"http://www.w3.org/2001/XMLSchema#double",""', '"5500.0"^^<http://www.w3.org/2001/XMLSchema#double>'),
    ],
)  # fmt: skip
def test_a_term_says_what_it_is(row: str, id: str) -> None:
    (bound,), _ = bindings(f"{HEADER}{row}\n".encode())
    assert RemoteTerms().read(bound["n"]) == id
    assert bound["d"]["value"] == "o"
    assert set(bound) == {"d", "n"}


def test_what_is_not_bound_is_left_out() -> None:
    assert bindings(f'{HEADER}"o",,,,\n'.encode()) == ([{"d": {"type": "uri", "value": "o"}}], 1)


def test_long_texts_are_read() -> None:
    text = "x" * 300_000
    (bound,), _ = bindings(f'{HEADER}"o","{text}",1,"{STRING}",""\n'.encode())
    assert bound["n"]["value"] == text


PACKED = '"d","n_is","n_type","n_lang","rows_in","packed_e_n"\n'


def test_packed_rows_are_those_that_were_packed() -> None:
    table = f'{PACKED}"o",1,,"en",2,"http://e/a\x1fone\x1ehttp://e/b\x1f"\n"i",0,,,1,"http://e/a\x1fhttp://e/b"\n'
    rows, came = bindings(table.encode())
    read = [(row["d"]["value"], *(RemoteTerms().read(row[key]) for key in "en")) for row in rows]
    assert read == [("o", "http://e/a", '"one"@en'), ("o", "http://e/b", '""@en'), ("i", "http://e/a", "http://e/b")]
    assert came == 2


@pytest.mark.parametrize("text", ["a\x1e", "\x1f", "a\x1ehttp://e/c\x1fforged"])
def test_a_text_with_the_signs_that_part_rows_is_not_taken_apart(text: str) -> None:
    with pytest.raises(MixedError):
        bindings(f'{PACKED}"o",1,,"en",1,"http://e/a\x1f{text}"\n'.encode())


@pytest.mark.parametrize(
    "cut", ['"o","http://e/a",0,,', '"o\n', '"o","http://e/a",0\n', '"o","http://e/a\n', "\xff\n"]
)  # fmt: skip
def test_a_table_that_is_not_whole_is_refused(cut: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        bindings((HEADER + cut).encode("latin-1"))


def test_the_query_asks_for_the_kind() -> None:
    assert told("?n") == "(isLiteral(?n) AS ?n_is) (DATATYPE(?n) AS ?n_type) (LANG(?n) AS ?n_lang)"


@pytest.mark.parametrize(
    "found",
    [None, {}, [1], [[]], [{"s": 1}], [{"s": {"value": "x"}}], [{"s": {"type": "uri", "value": 1}}],
     [{"s": {"type": "literal", "value": "x", "xml:lang": None}}]],
)  # fmt: skip
def test_what_are_no_rows_is_refused(found: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        solutions(found)


def test_what_a_row_lacks_is_said() -> None:
    (row,) = solutions([{"n": {"type": "literal", "value": "12"}, "t": {"type": "literal", "value": "1e3"}}])
    assert row.count("n") == 12 and "s" not in row
    with pytest.raises(InputError, match=r"binds no \?s"):
        row["s"]
    with pytest.raises(InputError, match="counts '1e3'"):
        row.count("t")


def test_a_quoted_triple_is_a_term_without_a_text() -> None:
    parts = {"subject": {"type": "uri", "value": "http://e/a"}}
    (row,) = solutions([{"s": {"type": "triple", "value": parts}, "o": {"type": "uri", "value": "http://e/b"}}])
    assert RemoteTerms().read(row["s"]) is None and RemoteTerms().read(row["o"]) == "http://e/b"
