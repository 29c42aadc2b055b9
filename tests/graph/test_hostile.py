"""Input that ended the process or grew without bound: it is a problem with file and line, and the rest is built."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import ClewError, InputError
from clew.graph import Graph, apart, build, inputs, rdf, tabular
from clew.testing.graph_store import ids

HEAD = "@prefix e: <http://e/> .\n"
XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">{}</rdf:RDF>'
SAID = '<rdf:Description rdf:about="http://e/a"><e:p>{}</e:p></rdf:Description>'


def entities(levels: int, width: int = 10) -> str:
    declared = ['<!ENTITY a0 "aaaaaaaaaa">']
    declared += [f'<!ENTITY a{i} "{f"&a{i - 1};" * width}">' for i in range(1, levels)]
    return f"<!DOCTYPE r [{''.join(declared)}]>" + XML.format(SAID.format(f"&a{levels - 1};"))


PAIR = "<http://e/a> <http://e/p> "
STATEMENTS = PAIR + f"<<( {PAIR}" * 100_000 + '"1"' + " )>>" * 100_000 + " .\n"
HOSTILE = {
    "nested.jsonld": ("[" * 60_000 + "]" * 60_000, "syntax", "nested more than 500 deep"),
    "objects.jsonld": ('{"http://e/p":' * 8_000 + "1" + "}" * 8_000, "syntax", "nested more than 500 deep"),
    "entities.rdf": (entities(9), "syntax", "the entity 'a3' stands for more than 10,000 letters"),
    "statements.nt": (STATEMENTS, "syntax", "more than 100 statements within statements"),
    "statements.ttl": (STATEMENTS, "parser", "the parser of ttl gave up: it crashed"),
    "list.jsonl": ("[" * 100_000 + "\n", "syntax", "is nested too deeply"),
    "cr.csv": ("a,r,b\rc,s,d\r", "columns", "CR alone"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_input_that_ended_the_process(tmp_path, name):
    content, kind, words = HOSTILE[name]
    (tmp_path / name).write_text(content)
    (tmp_path / "good.ttl").write_text(HEAD + "e:a e:r e:b .")
    report = build([tmp_path / name, tmp_path / "good.ttl"], tmp_path / "x.kg")
    assert report.triples == 1
    assert words in str(report)
    assert report.problem_counts[kind] == 1
    with pytest.raises(InputError, match=name):
        build([tmp_path / name, tmp_path / "good.ttl"], tmp_path / "x.kg", strict=True)


def test_lawful_entities_are_kept(tmp_path):
    text = '<!DOCTYPE r [<!ENTITY e "http://e/"><!ENTITY q "&e;q">]>' + XML.format(
        '<rdf:Description rdf:about="&e;a"><e:p rdf:resource="&q;"/></rdf:Description>'
    )
    (tmp_path / "x.rdf").write_text(text)
    build(tmp_path / "x.rdf", tmp_path / "x.kg", strict=True)
    assert ids(Graph.open(tmp_path / "x.kg").triples()) == [("http://e/a", "http://e/p", "http://e/q")]


def test_brackets_in_texts_are_no_nesting(tmp_path, monkeypatch):
    text = '{"@id": "http://e/a", "http://e/r": "%s", "http://e/s": {"@id": "http://e/b"}}'
    nasty = "[{" * 2_000 + '\\"[' + "{" * 2_000 + "\\\\"
    (tmp_path / "x.jsonld").write_text(text % nasty)
    build(tmp_path / "x.jsonld", tmp_path / "x.kg", strict=True)
    assert Graph.open(tmp_path / "x.kg").num_triples == 2

    class Blocks:
        def __init__(self, step: int) -> None:
            self.data, self.step = (text % nasty).encode(), step

        def read(self, size: int) -> bytes:
            piece, self.data = self.data[: self.step], self.data[self.step :]
            return piece

    for step in (1, 2, 3, 7, 64):
        shallow = rdf._Shallow(Blocks(step))
        while shallow.read(1):
            pass
        assert shallow._depth == 0


@pytest.mark.parametrize("megabytes", [2, 17, 24])
@pytest.mark.parametrize("name", ["x.nt", "x.ttl"])
def test_one_giant_literal(tmp_path, name, megabytes):
    first, last = ("<http://e/a> <http://e/p> <http://e/b> .\n", "<http://e/c> <http://e/p> <http://e/d> .\n")
    giant = f'<http://e/a> <http://e/q> "{"x" * (megabytes << 20)}" .\n'
    (tmp_path / name).write_text(first + giant + last)
    report = build(tmp_path / name, tmp_path / "x.kg")
    assert report.problem_counts == {"long": 1}
    found = ids(Graph.open(tmp_path / "x.kg").triples())
    assert ("http://e/a", "http://e/p", "http://e/b") in found
    if name == "x.nt" or megabytes == 2:
        assert len(found) == 2


def test_a_parser_that_works_for_ever_is_ended(tmp_path, monkeypatch):
    """What nothing else refuses is ended by the limit on work; the file before it and the one after it are built."""
    monkeypatch.setattr(apart, "_kept", [])
    (tmp_path / "slow.rdf").write_text(XML.format("<rdf:Description><e:p>" * 60_000))
    (tmp_path / "good.nt").write_text("<http://e/a> <http://e/p> <http://e/b> .\n")
    worker = apart._worker()
    monkeypatch.setattr(apart, "_worker", lambda: worker)
    source = apart.Apart(tmp_path / "slow.rdf", problems := apart.Problems())
    timer = threading.Timer(2, worker._process.send_signal, [signal.SIGXCPU])  # as the system does
    timer.start()
    assert list(source.batches("rdf", languages=["en"], number=0)) == []
    timer.join()
    source.close()
    assert "without reading anything more" in str(problems.first[0])


def test_the_limit_on_work_is_set_and_moves(tmp_path):
    import resource
    import subprocess

    code = (
        "import resource, time; from clew.graph import apart; apart.WORK_S = 1; apart._limit_work()\n"
        "end = time.process_time() + 1.6\n"
        "while time.process_time() < end: apart._limit_work()\n"
        "print('moved', flush=True)\n"
        "while True: pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (-signal.SIGXCPU, "moved\n")
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY


def test_one_process_serves_many_files_and_goes_with_a_failed_build(tmp_path):
    for i in range(3):
        (tmp_path / f"{i}.ttl").write_text(HEAD + f"e:a e:r e:b{i} .")
    (tmp_path / "bad.ttl").write_text(HEAD + "e:a e:r .")
    build([tmp_path / f"{i}.ttl" for i in range(3)], tmp_path / "x.kg")
    first = [worker._process.pid for worker in apart._kept]
    build(tmp_path / "0.ttl", tmp_path / "x.kg")
    assert [worker._process.pid for worker in apart._kept] == first
    with pytest.raises(InputError):
        build(tmp_path / "bad.ttl", tmp_path / "x.kg", strict=True)
    assert apart._kept == []
    os.kill((worker := apart._worker())._process.pid, signal.SIGKILL)
    worker._process.wait()
    apart._keep(worker)
    assert build(tmp_path / "1.ttl", tmp_path / "x.kg").triples == 1  # one that died meanwhile is replaced


def test_builds_in_threads_have_a_process_each(tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.ttl").write_text(HEAD + "".join(f"e:a{i} e:r e:b{j} .\n" for j in range(200 + i)))

    def built(i: int) -> list[tuple[str, str, str]]:
        build(tmp_path / f"{i}.ttl", tmp_path / f"{i}.kg", strict=True)
        return ids(Graph.open(tmp_path / f"{i}.kg").triples())

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(built, range(6)))
    for i, triples in enumerate(found):
        assert len(triples) == 200 + i and {head for head, _, _ in triples} == {f"http://e/a{i}"}
    assert len({worker._process.pid for worker in apart._kept}) == len(apart._kept) > 0
    apart._end_all()  # a test that counts them may follow


def test_rdf_from_standard_input(tmp_path, monkeypatch):
    import io

    lines = "".join(f"<http://e/{i}> <http://e/p> <http://e/{i + 1}> .\n" for i in range(20_000))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode()), "utf-8"))
    assert build("-", tmp_path / "x.kg", format="nt").triples == 20_000


def test_parquet_bytes_that_are_no_text(tmp_path):
    for kind in (pa.binary(), pa.large_binary()):
        table = pa.table({"head": pa.array([b"a", b"\xff\xfe", b"c"], kind), "relation": pa.array([b"r"] * 3, kind),
                          "tail": pa.array([b"b", b"x", b"d"], kind)})  # fmt: skip
        pq.write_table(table, tmp_path / "x.parquet")
        report = build(tmp_path / "x.parquet", tmp_path / "x.kg")
        assert (report.triples, report.problem_counts) == (2, {"utf8": 1})
        assert report.problems[0].line == 2
    buffer = pa.py_buffer(b"a\xff\xfec")
    offsets = pa.py_buffer(b"".join(i.to_bytes(4, "little") for i in (0, 1, 3, 4)))
    lying = pa.StringArray.from_buffers(3, offsets, buffer)  # says it is text
    pq.write_table(pa.table({"head": lying, "relation": ["r"] * 3, "tail": ["b", "x", "d"]}), tmp_path / "x.parquet")
    assert build(tmp_path / "x.parquet", tmp_path / "x.kg").problem_counts == {"utf8": 1}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mediator": "("}, r"the pattern of mediators '\(' is none"),
        ({"mediator": "a{99999999999}"}, "is none"),
        ({"delimiter": "||"}, r"delimiter '\|\|': expected one character"),
        ({"delimiter": ""}, "expected one character"),
        ({"delimiter": "é"}, "expected one character"),
        ({"delimiter": "\n"}, "expected one character"),
    ],
)
def test_options_that_cannot_be(tmp_path, options, words):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    with pytest.raises(InputError, match=words):
        build(tmp_path / "x.tsv", tmp_path / "x.kg", **options)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["x.tsv"]


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\0", "\x1b[31m", "a" * 100_000, "\u2028", "[" * 5000])
def test_any_text_can_be_asked_for(tmp_path, text):
    graph = Graph.from_triples([(f"e{i}", "r", f"e{i + 1}") for i in range(50)])
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    build(tmp_path / "x.tsv", tmp_path / "x.kg")
    for store in (graph, Graph.open(tmp_path / "x.kg")):
        assert store.number_of(text) is None
        store.find(text)
        store.resolve(text)
        store.spans(text)
        store.neighbors([text])
        with pytest.raises(ClewError):
            store.entity(text)


@pytest.mark.parametrize("bad", [("\ud800", "r", "b"), ("a", "r\udfff", "b")])
def test_half_a_character_is_no_text(tmp_path, bad):
    from clew.graph import add

    with pytest.raises(InputError, match="half of a surrogate pair"):
        Graph.from_triples([bad])
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    build(tmp_path / "x.tsv", tmp_path / "x.kg")
    with pytest.raises(InputError, match="half of a surrogate pair"):
        add(tmp_path / "x.kg", [bad])
    with pytest.raises(InputError, match="half of a surrogate pair"):
        add(tmp_path / "x.kg", [("a", "r", "c")], labels={"a": "\ud800"})


def test_names_of_files_need_not_be_utf8(tmp_path):
    file = tmp_path / os.fsdecode(b"caf\xe9.tsv")
    file.write_text("a\tr\tb\n")
    report = build(file, tmp_path / os.fsdecode(b"caf\xe9.kg"), language="\ud800")
    assert Graph.open(report.path).meta["inputs"] == [file.name]


class _Repeated:
    """A stream of `head` and then `unit` over and over, made as it is read."""

    line = 0

    def __init__(self, head: bytes, unit: bytes, size: int):
        self._head, self._unit, self._left, self._rest = head, unit, size, b""

    def read(self, size: int = inputs.BLOCK) -> bytes:
        while len(self._head) + len(self._rest) < size and self._left > 0:
            times = max(1, min(size, self._left) // len(self._unit))
            self._rest += self._unit * times
            self._left -= times * len(self._unit)
        out, self._head = self._head + self._rest, b""
        out, self._rest = out[:size], out[size:]
        return out

    def whole_lines(self, rest: bytes) -> bytes:
        return rest


ROW = b"a,r,b\n"
SHAPES = {
    "one quoted field": (ROW + b'a,r,"', b"x" * 100),
    "one quoted field of many lines": (ROW + b'a,r,"', b"x" * 100 + b"\n"),
    "quotes": (ROW, b'"'),
    "a quote opened in every line": (ROW, b'"a,r,b\n'),
    "doubled quotes": (ROW, b'a,r,"""' + b'""' * 20 + b"\n"),
    "NUL": (ROW, b"\0"),
    "lines of NUL": (ROW, b"\0\n"),
    "empty lines": (ROW, b"\n"),
    "short lines": (ROW, b"x\n"),
    "a million columns": (b"c," * 1_000_000 + b"\n", b"c," * 1_000_000 + b"\n"),
    "rows of a million columns": (ROW, b"c," * 1_000_000 + b"\n"),
    "rows": (ROW, ROW),
}


def _read_table(head: bytes, unit: bytes, size: int) -> tuple[int, float, int]:
    """Bytes of memory at most, seconds of work, problems."""
    problems = inputs.Problems()
    stream: Any = _Repeated(head, unit, size)
    tracemalloc.start()
    begun = time.process_time()
    try:
        for _ in tabular.delimited(Path("x.csv"), "csv", problems, stream, None, None):
            pass
        return tracemalloc.get_traced_memory()[1], time.process_time() - begun, problems.total
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_table_of_any_size_is_read_in_the_memory_of_some_blocks(monkeypatch, shape):
    """With blocks and limits a hundredth of the real ones, so that two megabytes are what 200 are otherwise."""
    for name, value in (("BLOCK", 1 << 16), ("LINE_LIMIT", 1 << 17), ("TERM_LIMIT", 1 << 17)):
        monkeypatch.setattr(tabular, name, value)
    head, unit = SHAPES[shape]
    unit = unit if len(unit) < 10_000 else unit[:20_000] + b"\n"
    head = head if len(head) < 10_000 else head[:200_000] + b"\n"
    _read_table(head, unit, 1 << 16)
    small, large = (_read_table(head, unit, size)[0] for size in (1 << 20, 1 << 22))
    assert large < 16 << 20
    assert large < 1.2 * small + (1 << 16), "memory grows with the file"


@pytest.mark.slow  # a gigabyte each
@pytest.mark.parametrize("shape", SHAPES)
def test_a_table_of_a_gigabyte(shape):
    _read_table(*SHAPES[shape], 1 << 20)
    _, quarter, _ = _read_table(*SHAPES[shape], 1 << 28)
    peak, whole, problems = _read_table(*SHAPES[shape], 1 << 30)
    assert peak < 1 << 30
    assert whole < 8 * quarter + 1, "work is not linear"
    assert problems or shape in ("empty lines", "rows", "doubled quotes")


def test_what_follows_a_quote_without_end_is_read_as_it_stands(tmp_path):
    (tmp_path / "x.csv").write_bytes(b'a,r,b\n"c""""""""""""d,r,e\nf,r,g\nh,r,i\n')
    report = build(tmp_path / "x.csv", tmp_path / "x.kg")
    assert report.problem_counts == {"quote": 1}
    assert sorted(ids(Graph.open(tmp_path / "x.kg").triples())) == [("a", "r", "b"), ("f", "r", "g"), ("h", "r", "i")]


def test_a_message_names_some_of_many_columns(tmp_path):
    (tmp_path / "x.csv").write_text("head," + ",".join(f"c{i}" * 20 for i in range(500)) + "\n")
    (tmp_path / "x.jsonl").write_text('{"head": 1, ' + ", ".join(f'"c{i}": {i}' for i in range(100_000)) + "}\n")
    with pytest.raises(InputError) as caught:
        build([tmp_path / "x.csv", tmp_path / "x.jsonl"], tmp_path / "x.kg", header=True)
    assert "and 489 more" in str(caught.value) and "and 99,989 more" in str(caught.value)
    assert len(str(caught.value)) < 3000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.graphml", '<graphml><graph><edge source="a" target="b"/></graph></graphml>'),
        ("x.cypher", "CREATE (:A {name: 'x'})-[:R]->(:B {name: 'y'});"),
        ("edges.csv", ":START_ID,:END_ID,:TYPE\na,b,r\n"),
    ],
)
def test_property_graphs_are_parsed_in_the_other_process(tmp_path, monkeypatch, name, content):
    monkeypatch.setattr(apart, "_kept", [])
    (tmp_path / name).write_text(content)
    try:
        assert build(tmp_path / name, tmp_path / "x.kg").triples
        assert len(apart._kept) == 1
    finally:
        apart._end_all()


def test_numbers_without_end_and_zero_bytes_in_a_dump_are_counted(tmp_path):
    (tmp_path / "x.cypher").write_text(
        f"CREATE (:A {{name: 'big', n: {'9' * 5000}}});\nCREATE (:A {{name: 'zero\\u0000', n: 1}});\n"
        "CREATE (:A {name: 'x', n: 2});\n"
    )
    report = build(tmp_path / "x.cypher", tmp_path / "x.kg")
    assert report.problem_counts["syntax"] == 1 and report.problem_counts["nul"] >= 1
    assert "a number of 5,000 digits" in str(report.problems[0])
