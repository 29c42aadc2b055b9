# ruff: noqa: E501
"""The compiled reader of lines against the parser that it stands in for."""

from __future__ import annotations

import random

import numpy as np
import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew.graph import Graph, build, ntriples
from clew.graph.inputs import Notes, Problems, Rows
from clew.graph.statements import Statements

NT, NQ = ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS


def texts(column) -> list[bytes]:
    raw = column.data.tobytes()
    return [raw[a : a + n] for a, n in zip(column.starts.tolist(), column.lengths.tolist(), strict=True)]


def said(batches) -> dict[str, list[tuple]]:
    """Rows and notes as Python objects."""
    found: dict[str, list[tuple]] = {"rows": [], "label": [], "description": []}
    for batch in batches:
        if isinstance(batch, Notes):
            found[batch.kind] += zip(texts(batch.owners), texts(batch.texts), batch.ranks.tolist(), strict=True)
            continue
        assert isinstance(batch, Rows)
        sources = [b""] * len(batch.heads.starts) if batch.sources is None else texts(batch.sources)
        literal = batch.literal_tails.tolist()
        columns = (texts(batch.heads), texts(batch.relations), texts(batch.tails), literal, sources)
        found["rows"] += zip(*columns, strict=True)
    return found


def both_ways(chunk: bytes, syntax=NT, number=0, only=()) -> None:
    """The same rows, notes and problems from the parser alone and with compiled code before it."""
    prefix = f"f{number}." if number else ""
    outcomes = []
    for compiled in (False, True):
        problems = Problems()
        statements = Statements(["en", "de"], prefix, problems, "x", renumber=False, only=only)
        if compiled:
            batches = list(ntriples.Lines("x", syntax, problems, statements).batches(chunk, 7))
        else:
            # A line by itself, as the compiled way sees it: an error never costs another line.
            for at, line in enumerate(chunk.split(b"\n")):
                ntriples._parse_lines(line, "x", 7 + at, syntax, problems, statements)
            batches = list(statements.batches())
        outcomes.append((said(batches), problems.counts, [(p.line, p.kind) for p in problems.first]))
    assert outcomes[0] == outcomes[1]


IRIS = [
    "<http://e/a>", "<http://e/b#c>", "<http://e:80/x?q=1#f>", "<urn:isbn:1>", "<mailto:a@b>", "<http://e/é>", "<http://e/%20>",
    "<http://e/%zz>", "<http://e/a b>", "<rel>", "<http://e/a|b>", "<http://[::1]/>", "<a:>", "<http:a>", "<file:///x>",
    "<http://u@h/>", "<http://e/\\u0041>", "<http://e/#a#b>", "<http://e/€>", "<http://e/😀>", "<http://é/>", "<>", "<http://e/\u00a0x>",
    "<http://e/\u0085>", "<http://e:/>", "<http://e:99999/>", "<http://e/[>",
]  # fmt: skip
NAMES = [
    "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://www.w3.org/2004/02/skos/core#altLabel>", "<http://schema.org/name>",
    "<http://schema.org/description>", "<http://rdf.freebase.com/ns/type.object.name>", "<http://e/p>", "<http://e/p>",
]  # fmt: skip
TAGS = ["", "@en", "@EN-us", "@de", "@fr", "@zh-Hant-TW", "@sr-latn", "@x-a", "@e", "@en-", "@en--ltr", "@de-1996", "@en-123",
        "^^<http://www.w3.org/2001/XMLSchema#string>", "^^<http://www.w3.org/2001/XMLSchema#date>", "^^<x>", "^^", " @en",
        "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>", "^<a:b>", "@abcdefghi"]  # fmt: skip
VALUES = ["", "x", "a name", " blank ", "\\n x \\t", "q\\\"q", "\\u00e9\\U0001F600", "\\uD83D", "\\x", "é€😀", "\u00a0x\u3000", "end\\u00a0",
          "\u2003", "\\\\", "a\rb", "\x01", "x" * 300, "\\u0000", "\\U00110000", "tail\\\\", "^^<", "\\'"]  # fmt: skip
NODES = ["_:a", "_:b1", "_:a.b", "_:a.", "_:", "_:-x", "_:é", "_:x:y", "_:x-y"]
ENDS = [
    " .",
    ".",
    " . ",
    "\t.\t",
    " . # said",
    " . # é",
    "",
    " . .",
    " ; ",
    " .\r",
    " .\r<http://e/a> <http://e/p> <http://e/b> .",
]
BLANKS = [" ", "\t", "", "  ", "\u00a0"]


@st.composite
def statements(draw) -> bytes:
    pick = lambda *lists: draw(st.sampled_from([x for some in lists for x in some]))  # noqa: E731
    literal = lambda: f'"{draw(st.sampled_from(VALUES) | st.text(max_size=6))}"{pick(TAGS)}'  # noqa: E731
    kind = draw(st.integers(0, 11))
    if kind == 0:
        return draw(st.sampled_from([b"", b"# said", b"  ", b"no statement", b"\xff", b"<< <a:b> <a:c> <a:d> >> <a:e> <a:f> .",
                                     b'<http://e/a> <http://e/p> "\xff" .', b'<http://e/a> <http://e/p> "\xc3" .', b"\0"]))  # fmt: skip
    head = pick(IRIS[:6]) if kind < 8 else pick(IRIS, NODES)
    tail = literal() if kind % 2 else (pick(IRIS[:6]) if kind < 8 else pick(IRIS, NODES))
    graph = pick(IRIS[:3], NODES[:2]) if kind == 11 else ""
    parts = [head, pick(NAMES), tail, graph]
    line = "".join(part + (" " if kind < 9 else pick(BLANKS)) for part in parts if part)
    return (line.rstrip(" ") + pick(ENDS if kind > 5 else ENDS[:4])).replace("\n", " ").encode("utf-8", "replace")


@settings(max_examples=150, deadline=None)
@example([b'<http://e/a> <http://schema.org/name> "  x "@en .', b"_:a <http://e/p> _:b ."], NT, 0, ())
@given(
    st.lists(statements(), max_size=8),
    st.sampled_from([NT, NQ]),
    st.sampled_from([0, 2]),
    st.sampled_from([(), ("en",)]),
)
def test_lines_are_read_as_the_parser_reads_them(lines, syntax, number, only):
    both_ways(b"\n".join(lines), syntax, number, only)


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
@given(
    st.lists(statements(), max_size=8),
    st.sampled_from([NT, NQ]),
    st.sampled_from([0, 2]),
    st.sampled_from([(), ("en",)]),
)
def test_many_lines_are_read_as_the_parser_reads_them(lines, syntax, number, only):
    both_ways(b"\n".join(lines), syntax, number, only)


# After the positive and negative statements of the W3C's N-Triples test suite (https://w3c.github.io/rdf-tests/).
W3C_GOOD = r'''
<http://example/s> <http://example/p> <http://example/o> .
<http://example/s> <http://example/p> "chat" .
<http://example/s> <http://example/p> "chat"@en .
<http://example/s> <http://example/p> "chat"@en-uk .
<http://example/s> <http://example/p> "123"^^<http://www.w3.org/2001/XMLSchema#byte> .
<http://example/s> <http://example/p> "a\n" .
<http://example/s> <http://example/p> "a\u0020b" .
<http://example/s> <http://example/p> "a\U00000020b" .
<http://example/s> <http://example/\u0053> <http://example/o> .
<http://example/s> <http://example/p> <scheme:!$%25&'()*+,-./0123456789:/@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~?#> .
<http://a.example/s> <http://a.example/p> "x''y" .
<http://a.example/s> <http://a.example/p> "x\"y" .
<http://a.example/s> <http://a.example/p> "\\" .
<http://a.example/s> <http://a.example/p> "\t\b\n\r\f" .
<http://a.example/s> <http://a.example/p> "" .
<http://example/s><http://example/p><http://example/o>.
<http://example/s><http://example/p>"Alice".
_:a  <http://example/p> <http://example/o> .
_:1a  <http://example/p> _:1a .
<http://example.org/ex#a> <http://example.org/ex#b> "Cheers"@en-UK .
'''  # fmt: skip
W3C_BAD = r'''
<http://example/ space> <http://example/p> <http://example/o> .
<http://example/\u00ZZ11> <http://example/p> <http://example/o> .
<http://example/\U00ZZ1111> <http://example/p> <http://example/o> .
<http://example/\n> <http://example/p> <http://example/o> .
<http://example/\/> <http://example/p> <http://example/o> .
<s> <http://example/p> <http://example/o> .
<http://example/s> <p> <http://example/o> .
<http://example/s> <http://example/p> "foo"^^<dt> .
<http://example/s> <http://example/p> "string"@1 .
@prefix : <http://example/> .
<http://example/s> <http://example/p> <http://example/o>, <http://example/o2> .
<http://example/s> <http://example/p> "a\zb" .
<http://example/s> <http://example/p> "\u00ZZ" .
<http://example/s> <http://example/p> "abc' .
<http://example/s> <http://example/p> 1 .
<http://example/s> <http://example/p> """abc""" .
'''


@pytest.mark.parametrize(("suite", "bad"), [(W3C_GOOD, 0), (W3C_BAD, 16)])
def test_the_statements_of_the_w3c(suite, bad):
    both_ways(suite.encode())
    problems = Problems()
    made = ntriples.Lines("x", NT, problems, Statements(["en"], "", problems, "x", renumber=False))
    rows = said(made.batches(suite.encode(), 0))["rows"]
    assert (len(rows), problems.total) == (suite.count("\n") - 1 - bad, bad)


def test_a_dump_larger_than_a_block_is_the_same_graph(tmp_path, monkeypatch):
    rng = random.Random(1)
    dump = tmp_path / "x.nt"
    with dump.open("w") as out:
        for i in range(1200):
            tail = rng.choice([f"<http://e/t{rng.randrange(99)}>", f'"{i}\\u00e9"@EN', f'"a {i}"', "_:b", "bad"])
            out.write(f"<http://e/e{rng.randrange(300)}> <http://e/r{rng.randrange(5)}> {tail} .\n")
    counts, files = [], []
    for compiled in (True, False):
        problems = Problems()
        made = Statements(["en"], "", problems, "x", renumber=False)
        chunk = dump.read_bytes()
        if compiled:
            found = said(ntriples.Lines("x", NT, problems, made).batches(chunk, 0))
        else:
            ntriples._parse_lines(chunk, "x", 0, NT, problems, made)
            found = said(made.batches())
        files.append(found)
        counts.append(problems.counts)
    assert files[0] == files[1]
    assert counts[0] == counts[1]
    assert counts[0]["syntax"] > 100
    report = build(dump, tmp_path / "x.kg")
    assert report.num_problems == counts[0]["syntax"]
    assert np.array_equal(Graph.open(tmp_path / "x.kg").num_triples, len({row[:3] for row in files[0]["rows"]}))
