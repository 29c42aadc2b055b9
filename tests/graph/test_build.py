"""From files to a graph: every format, every kind of bad input, and what a build that dies leaves behind."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import ClewError, InputError, NotFoundError
from clew.graph import Graph, ImportProgress, build, tabular
from clew.testing.graph_store import ids

GOOD = b"a\tr\tb\n"
NT = "<http://e/{}> <http://e/p> <http://e/{}> ."


def built(folder: Path, name: str, content: bytes, **options):
    """The report and the triples of a one-file build."""
    (folder / name).write_bytes(content)
    report = build(folder / name, folder / "out.kg", **options)
    return report, ids(Graph.open(folder / "out.kg", verify=True).triples())


def left_in(folder: Path) -> list[str]:
    return sorted(f.name for f in folder.iterdir() if f.name.startswith(".") or f.suffix == ".kg")


# -- formats ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.tsv", b"a\tr\tb\nc\ts\td\n"),
        ("x.tsv", b"a\tr\tb\r\nc\ts\td"),
        ("x.tsv", b"\xef\xbb\xbfa\tr\tb\n\n  \nc\ts\td\n"),
        ("x.txt", b"a|r|b\nc|s|d\n"),
        ("x.csv", b"tail,note,HEAD,relation\nb,1,a,r\nd,2,c,s\n"),
        ("x.csv", b'"a","r","b"\n"c", s ,d\n'),
        ("x.csv", b"subject;predicate;object\na;r;b\nc;s;d\n"),
        ("x.jsonl", b'{"head": "a", "relation": "r", "tail": "b"}\n\n["c", "s", "d"]\n'),
        ("x.tsv.gz", gzip.compress(b"a\tr\tb\nc\ts\td\n", mtime=0)),
        ("x.tsv.bz2", bz2.compress(b"a\tr\tb\nc\ts\td\n")),
        ("x.tsv.zst", pa.compress(b"a\tr\tb\nc\ts\td\n", codec="zstd", asbytes=True)),
    ],
)
def test_tables(tmp_path, name, content):
    assert built(tmp_path, name, content, strict=True)[1] == [("a", "r", "b"), ("c", "s", "d")]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_parquet(tmp_path, kind):
    columns = {"note": ["1", "2"], "tail": ["b", "d"], "head": ["a", "c"], "relation": ["r", "s"]}
    pq.write_table(
        pa.table({name: pa.array(values).cast(kind) for name, values in columns.items()}), tmp_path / "x.parquet"
    )
    build(tmp_path / "x.parquet", tmp_path / "x.kg", strict=True)
    assert ids(Graph.open(tmp_path / "x.kg").triples()) == [("a", "r", "b"), ("c", "s", "d")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.nt", "<http://e/a> <http://e/r> <http://e/b> .\n"),
        ("x.nq", "<http://e/a> <http://e/r> <http://e/b> .\n"),
        ("x.ttl", "@prefix e: <http://e/> . e:a e:r e:b .\n"),
        ("x.trig", "@prefix e: <http://e/> . { e:a e:r e:b . }\n"),
        ("x.jsonld", '{"@id": "http://e/a", "http://e/r": {"@id": "http://e/b"}}'),
        (
            "x.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
            '<rdf:Description rdf:about="http://e/a"><e:r rdf:resource="http://e/b"/></rdf:Description></rdf:RDF>',
        ),
    ],
)
def test_rdf_syntaxes(tmp_path, name, content):
    found = built(tmp_path, name, content.encode(), strict=True)[1]
    assert found == [("http://e/a", "http://e/r", "http://e/b")]
    assert built(tmp_path, name + ".gz", gzip.compress(content.encode()), strict=True)[1] == found


def test_named_graphs_are_sources(tmp_path):
    text = "<http://e/a> <http://e/r> <http://e/b> <http://e/g> .\n<http://e/a> <http://e/r> <http://e/c> .\n"
    (tmp_path / "x.nq").write_text(text)
    build(tmp_path / "x.nq", tmp_path / "x.kg")
    graph = Graph.open(tmp_path / "x.kg")
    assert {t.tail.id: t.source for t in graph.triples()} == {"http://e/b": "http://e/g", "http://e/c": None}
    assert [t.source for t in graph.view([0]).triples()] == ["http://e/g"]
    assert [t.source for t in graph.edited(add=[("x", "y", "z")]).triples()] == ["http://e/g", None, None]


def test_several_files_labels_and_blank_nodes(tmp_path):
    for i in (1, 2):
        (tmp_path / f"{i}.nt").write_text(f"_:b <http://e/p{i}> <http://e/x> .\n")
    (tmp_path / "names.txt").write_text("http://e/x\tThe X\tEx\nunknown\tNobody\nbroken line\n")
    report = build([tmp_path / "1.nt", tmp_path / "2.nt"], tmp_path / "x.kg", labels=tmp_path / "names.txt")
    graph = Graph.open(tmp_path / "x.kg")
    assert (report.entities, report.mediators, report.labels, report.labels_unused) == (3, 2, 1, 1)
    assert [str(problem) for problem in report.problems] == [f"{tmp_path}/names.txt:3: is not an id, a tab and a label"]
    assert graph.entity("http://e/x").label == "The X"
    assert graph.aliases_of("http://e/x") == ["Ex"]


def test_mediators_can_be_told_otherwise(tmp_path):
    (tmp_path / "x.tsv").write_text("m.01\tr\tcvt7\nm.02\tr\tb\n")
    (tmp_path / "names.txt").write_text("m.02\tNamed\n")
    for choice, expected in ((None, ["m.01"]), (r"cvt\d", ["cvt7"]), (lambda id: id == "b", ["b"])):
        build(tmp_path / "x.tsv", tmp_path / "x.kg", labels=tmp_path / "names.txt", mediator=choice)
        graph = Graph.open(tmp_path / "x.kg")
        assert [e for e in graph.ids_at(range(graph.num_entities)) if graph.entity(e).kind == "mediator"] == expected


def test_the_same_input_gives_the_same_name(tmp_path):
    text = b"@prefix e: <http://e/> . e:a e:r [ e:s 1 ], [ e:s 2 ] .\n"
    assert built(tmp_path, "x.ttl", text)[0].name == built(tmp_path, "x.ttl", text)[0].name


def test_progress(tmp_path):
    (tmp_path / "x.tsv").write_bytes(GOOD * 5)
    seen: list[ImportProgress] = []
    build(tmp_path / "x.tsv", tmp_path / "x.kg", on_progress=seen.append)
    assert [p.stage for p in seen] == ["read", "sort", "names", "write"]
    assert (seen[-1].bytes_read, seen[-1].bytes_total, seen[-1].triples) == (30, 30, 5)


# -- the same as a plain way of doing it -------------------------------------------------------------------------------

names = st.text(
    st.characters(exclude_characters='\t\n\r\0"', exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=4
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcdef") | names, st.sampled_from("rst"), st.sampled_from("abcdef") | names),
        min_size=1,
        max_size=60,
    ),
    part=st.integers(1, 70),
)
def test_any_rows_in_parts_of_any_size(tmp_path_factory, rows, part):
    folder = tmp_path_factory.mktemp("any")
    (folder / "x.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    report = build(folder / "x.tsv", folder / "x.kg", header=False, part=part)
    graph = Graph.open(folder / "x.kg")
    unique = list(dict.fromkeys(rows))
    assert report.duplicates == len(rows) - len(unique)
    assert ids(graph.triples()) == sorted(unique)
    assert graph.ids_at(range(graph.num_entities)) == list(_numbered(rows))
    fresh = Graph.from_triples(unique).whole
    whole = graph.whole
    assert fresh.num_entities == whole.num_entities
    order = np.lexsort((whole.tails, whole.rels, whole.heads))
    assert np.array_equal(order, np.arange(len(unique)))
    for side, heads, tails in ((whole.out, whole.heads, whole.tails), (whole.inc, whole.tails, whole.heads)):
        assert np.array_equal(np.repeat(np.arange(whole.num_entities), np.diff(side.offsets)), heads[side.triples])
        assert np.array_equal(side.neighbors, tails[side.triples])
        assert np.array_equal(side.relations, whole.rels[side.triples])
        keys = np.stack([heads[side.triples], side.relations, side.neighbors])
        assert np.array_equal(np.lexsort(keys[::-1]), np.arange(len(unique)))


def _numbered(rows):
    """Entities in the order in which a batch numbers them: its heads, then its tails."""
    return dict.fromkeys([*(h for h, _, _ in rows), *(t for _, _, t in rows)])


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    rows=st.lists(
        st.lists(
            st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=5),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=20,
    ),
    block=st.integers(1, 60),
)
def test_quoted_fields_as_python_reads_them(tmp_path_factory, rows, block):
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    folder = tmp_path_factory.mktemp("csv")
    (folder / "x.csv").write_text("head,relation,tail\n" + out.getvalue() + '"z","z","z"\n', "utf-8")
    with pytest.MonkeyPatch.context() as patch:  # for this example and no test after it
        patch.setattr(tabular, "BLOCK", 64 + block)
        build(folder / "x.csv", folder / "x.kg")
    expected = {tuple(row) for row in rows if all(row)} | {("z", "z", "z")}
    assert set(ids(Graph.open(folder / "x.kg").triples())) == expected


# -- bad input ------------------------------------------------------

# ruff: noqa: E501
BAD = [
    ("x.tsv", GOOD + b"only two\tfields\nc\tr\td\n", "fields", 2),
    ("x.tsv", GOOD + b"c\t\td\n" + b"c\tr\td\n", "empty", 2),
    ("x.tsv", GOOD + b"c\tr\xff\xfe\td\n" + b"c\tr\td\n", "utf8", 2),
    ("x.tsv", GOOD + b"c\tr\xc3\td\n" + b"c\tr\td\n", "utf8", 2),
    ("x.tsv", GOOD + b"c\tr\0\td\n" + b"c\tr\td\n", "nul", 2),
    ("x.tsv", GOOD + b"c\tr\t" + b"x" * (2 << 20) + b"\n" + b"c\tr\td\n", "long", 2),
    ("x.csv", b'a,r,b\n"c,r,d\nc,r,d\n', "quote", 2),
    ("x.csv", b'a,r,b\n"c" x,r,d\nc,r,d\n', "quote", 2),
    ("x.jsonl", b'["a","r","b"]\n{"head": 1}\n["c","r","d"]\n', "columns", 2),
    ("x.jsonl", b'["a","r","b"]\n{nonsense\n["c","r","d"]\n', "syntax", 2),
    ("x.jsonl", b'["a","r","b"]\n["\xff","r","d"]\n["c","r","d"]\n', "utf8", 2),
    ("x.jsonl", b'["a","r","b"]\n["\\u0000","r","d"]\n["c","r","d"]\n', "nul", 2),
    ("x.nt", NT.format("a", "b").encode() + b"\nno triple\n" + NT.format("c", "d").encode() + b"\n", "syntax", 2),
    ("x.nt", NT.format("a", "b").encode() + b'\n<http://e/a> <http://e/p> "open .\n' + NT.format("c", "d").encode(), "syntax", 2),
    ("x.nt", NT.format("a", "b").encode() + b'\n<http://e/a> <http://e/p> "\xff" .\n' + NT.format("c", "d").encode(), "utf8", 2),
    ("x.nt", NT.format("a", "b").encode() + b'\n<http://e/a> <http://e/p> "\0" .\n' + NT.format("c", "d").encode(), "nul", 2),
    ("x.ttl", NT.format("a", "b").encode() + b"\nno triple .\n" + NT.format("c", "d").encode() + b"\n", "syntax", 2),
    ("x.ttl", NT.format("a", "b").encode() + b"\n# \xff\n" + NT.format("c", "d").encode() + b"\n", "utf8", 2),
    ("x.ttl", NT.format("a", "b").encode() + b"\n# \0\n" + NT.format("c", "d").encode() + b"\n", "nul", 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "kind", "line"), BAD)
def test_a_bad_line_is_counted_and_passed_over(tmp_path, name, content, kind, line):
    report, found = built(tmp_path, name, content)
    assert report.problem_counts == {kind: 1}
    assert (report.problems[0].line, report.problems[0].kind) == (line, kind)
    assert f"{name}:{line}: " in str(report)
    assert len(found) == 2
    assert {head[-1] for head, _, _ in found} == {"a", "c"}


@pytest.mark.parametrize(("name", "content", "kind", "line"), BAD)
def test_strict_stops_and_leaves_the_old_graph(tmp_path, name, content, kind, line):
    before = built(tmp_path, "good.tsv", GOOD)[0].name
    with pytest.raises(InputError, match=rf"{name}:{line}: "):
        built(tmp_path, name, content, strict=True)
    assert left_in(tmp_path) == ["out.kg"]
    assert f"out@{Graph.open(tmp_path / 'out.kg').fingerprint[:12]}" == before


@pytest.mark.parametrize("name", ["x.tsv", "x.csv", "x.nt", "x.ttl", "x.jsonl", "x.parquet", "x.tsv.gz"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"garbage that is no graph"])
def test_files_without_a_triple(tmp_path, name, content):
    with pytest.raises(InputError, match="no triple in"):
        built(tmp_path, name, content)
    assert left_in(tmp_path) == []
    (tmp_path / "good.tsv").write_bytes(GOOD)
    report = build([tmp_path / name, tmp_path / "good.tsv"], tmp_path / "out.kg")
    assert report.triples == 1
    assert report.num_problems >= 1
    assert name in str(report)


def test_missing_columns(tmp_path):
    with pytest.raises(InputError, match=r"x\.csv:1: no column 'tail'; the columns are 'head', 'relation', 'value'"):
        built(tmp_path, "x.csv", b"head,relation,value\na,r,b\n")
    with pytest.raises(InputError, match="2 columns"):
        built(tmp_path, "x.tsv", b"a\tb\n")
    pq.write_table(pa.table({"head": ["a"], "relation": ["r"], "value": ["b"]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="no column 'tail'"):
        build(tmp_path / "x.parquet", tmp_path / "x.kg")


def test_parquet_with_holes(tmp_path):
    table = pa.table({"head": ["a", None, "c", "d"], "relation": ["r"] * 4, "tail": ["b", "x", "", "e\0"]})
    pq.write_table(table, tmp_path / "x.parquet")
    report = build(tmp_path / "x.parquet", tmp_path / "x.kg")
    assert report.problem_counts == {"empty": 2, "nul": 1}
    assert [problem.line for problem in report.problems] == [2, 3, 4]
    assert report.triples == 1


@pytest.mark.parametrize("suffix", ["gz", "bz2", "zst"])
@pytest.mark.parametrize(("name", "row"), [("x.tsv", "{}\tr\tb{}\n"), ("x.nt", NT + "\n"), ("x.ttl", NT + "\n")])
def test_truncated_streams(tmp_path, suffix, name, row):
    rng = random.Random(0)
    data = "".join(row.format(rng.random(), i) for i in range(12_000)).encode()
    small_blocks = partial(bz2.compress, compresslevel=1)  # a block that is cut off gives nothing
    packed = {"gz": gzip.compress, "bz2": small_blocks}.get(
        suffix, lambda x: pa.compress(x, codec="zstd", asbytes=True)
    )(data)
    report, found = built(tmp_path, f"{name}.{suffix}", packed[: len(packed) * 3 // 4])
    assert report.problem_counts["truncated"] == 1
    assert 0 < len(found) < 12_000
    if name == "x.tsv" or suffix == "gz":  # a strict build ends the other process, and starting one takes a second
        with pytest.raises(InputError, match="cut off"):
            built(tmp_path, f"{name}.{suffix}", packed[: len(packed) * 3 // 4], strict=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("x.tsv", b"c\tr\t", b"\nc\tr\td\n"),
        ("x.nt", b'<http://e/a> <http://e/p> "', b'" .\n' + NT.format("c", "d").encode() + b"\n"),
        ("x.jsonl", b'["c", "r", "', b'"]\n["c", "r", "d"]\n'),
    ],
)
def test_a_label_of_a_hundred_megabytes(tmp_path, name, before, after):
    first = {"x.tsv": GOOD, "x.nt": NT.format("a", "b").encode() + b"\n", "x.jsonl": b'["a", "r", "b"]\n'}[name]
    report, found = built(tmp_path, name, first + before + b"x" * 100_000_000 + after)
    assert report.problem_counts == {"long": 1}
    assert report.problems[0].line == 2
    assert len(found) == 2


@pytest.mark.slow
def test_a_long_label_in_turtle(tmp_path):
    text = (
        b'<http://e/a> <http://e/p> <http://e/b> ; <http://e/q> "'
        + b"x" * 30_000_000
        + b'" .\n<http://e/c> <http://e/p> <http://e/d> .\n'
    )
    report, found = built(tmp_path, "x.ttl", text)
    assert report.problem_counts == {"long": 1}
    assert ("http://e/a", "http://e/p", "http://e/b") in found


def test_folders_and_unknown_names(tmp_path):
    (tmp_path / "d.tsv").mkdir()
    with pytest.raises(InputError, match="is a folder without a file of a known format"):
        build(tmp_path / "d.tsv", tmp_path / "x.kg")
    with pytest.raises(NotFoundError, match=r"no file .*none\.tsv"):
        build(tmp_path / "none.tsv", tmp_path / "x.kg")
    (tmp_path / "x.doc").write_bytes(GOOD)
    with pytest.raises(InputError, match="unknown format 'doc'; known are nt"):
        build(tmp_path / "x.doc", tmp_path / "x.kg")
    assert build(tmp_path / "x.doc", tmp_path / "x.kg", format="tsv").triples == 1
    with pytest.raises(InputError, match="will not overwrite"):
        build(tmp_path / "x.doc", tmp_path / "x.doc", format="tsv")
    with pytest.raises(InputError, match="does not exist; create it first"):
        build(tmp_path / "x.doc", tmp_path / "no" / "x.kg", format="tsv")
    with pytest.raises(InputError, match="name at least one file"):
        build([], tmp_path / "x.kg")


def test_a_file_that_vanishes(tmp_path):
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_bytes(GOOD)

    def delete(progress: ImportProgress) -> None:
        (tmp_path / "b.tsv").unlink(missing_ok=True)

    report = build([tmp_path / "a.tsv", tmp_path / "b.tsv"], tmp_path / "x.kg", on_progress=delete)
    assert report.triples == 1
    assert report.problem_counts == {"unreadable": 1}
    assert "b.tsv: cannot be read: No such file" in str(report)


def test_a_full_disk(tmp_path):
    old = built(tmp_path, "old.tsv", GOOD)[0].name
    (tmp_path / "x.tsv").write_text("".join(f"entity{i}\tr\tentity{i + 1}\n" for i in range(30_000)))
    code = (
        "import resource, signal, sys; from clew.graph import build; from clew.errors import ClewError\n"
        "build(sys.argv[3], sys.argv[3] + '.kg')  # kernels are compiled while there is room\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try: build(sys.argv[1], sys.argv[2])\n"
        "except ClewError as error: print(error); sys.exit(error.exit_code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "x.tsv", tmp_path / "out.kg", tmp_path / "old.tsv"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == ClewError.exit_code, done.stderr
    assert done.stdout.startswith("no room to write")
    assert left_in(tmp_path) == ["old.tsv.kg", "out.kg"]
    assert f"out@{Graph.open(tmp_path / 'out.kg', verify=True).fingerprint[:12]}" == old


def test_many_problems_are_counted_and_few_are_kept(tmp_path):
    report, _ = built(tmp_path, "x.tsv", GOOD + b"bad\n" * 1000)
    assert report.problem_counts == {"fields": 1000}
    assert len(report.problems) == 20


# -- killed --------------------------------------------------------


def kill_and_look(folder: Path, moments: int) -> None:
    """Kill a build that replaces a graph at random moments: the old graph or the new one is there, whole."""
    (folder / "old.tsv").write_text("old\tr\tgraph\n")
    (folder / "new.tsv").write_text("".join(f"e{i % 977}\tr{i % 7}\te{i}\n" for i in range(60_000)))
    command = [sys.executable, "-c", "import sys; from clew.graph import build; build(sys.argv[1], sys.argv[2])"]
    out = folder / "out.kg"
    old = build(folder / "old.tsv", out).name
    start = time.perf_counter()
    subprocess.run([*command, folder / "new.tsv", folder / "reference.kg"], check=True)
    whole = time.perf_counter() - start
    new = Graph.open(folder / "reference.kg").fingerprint[:12]
    rng = random.Random(moments)
    killed = 0
    for _ in range(moments):
        process = subprocess.Popen([*command, folder / "new.tsv", out])
        time.sleep(rng.uniform(0.3, 1.1) * whole)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        name = Graph.open(out, verify=True).name
        assert name in (old, f"out@{new}")
        if name != old:
            build(folder / "old.tsv", out)
    assert killed
    build(folder / "new.tsv", out)
    assert left_in(folder) == ["out.kg", "reference.kg"]
    assert Graph.open(out, verify=True).fingerprint[:12] == new


@pytest.mark.slow
def test_killed_now_and_then(tmp_path):
    kill_and_look(tmp_path, 3)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_at_fifty_moments(tmp_path):
    kill_and_look(tmp_path, 50)


def test_leftovers_of_the_living_are_spared(tmp_path):
    import fcntl

    (tmp_path / "x.tsv").write_bytes(GOOD)
    alive, dead = tmp_path / ".x.kg.building-alive", tmp_path / ".x.kg.building-dead"
    for folder in (alive, dead):
        folder.mkdir()
    held = os.open(alive, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        build(tmp_path / "x.tsv", tmp_path / "x.kg")
        assert alive.exists()
        assert not dead.exists()
    finally:
        os.close(held)


def test_a_living_build_is_never_seen_without_its_lock(tmp_path):
    """Nobody may find the folder of a build before it is held: then it would pass for that of a killed one."""
    import threading

    from clew.graph import writing

    (tmp_path / "x.tsv").write_bytes(GOOD)
    done, swept = threading.Event(), []

    def sweep() -> None:
        while not done.is_set():
            swept.extend(writing.remove_leftovers(tmp_path / "x.kg"))

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        for _ in range(200):
            folder, descriptor = writing._own_folder(tmp_path / "x.kg")
            assert folder.exists()
            folder.rmdir()
            os.close(descriptor)
    finally:
        done.set()
        sweeper.join()
    assert swept == []


def test_importing_the_graph_loads_nothing_heavy():
    code = "import clew.graph, sys; print([m for m in ('numba', 'pyarrow', 'pyoxigraph', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.replace("'", '"')) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:7878/query", "bolt://127.0.0.1/films", "https://example.org/a.ttl"])
def test_a_server_is_no_file(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match=r"an address, expected files; .*clew pull URL"):
        build(Path(url), tmp_path / "x.kg")
