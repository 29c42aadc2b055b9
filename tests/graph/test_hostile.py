"""Input that ended the process or grew without bound: it is a problem with file and line, and the rest is built."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import ClewError, InputError
from clew.graph import Graph, apart, build, rdf
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
        "end = time.process_time() + 2.5\n"
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
