"""Builds in bounded memory: the same graph whatever fits, stages that are gone on with, dumps as they come."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.errors import ClewError, InputError
from clew.graph import Graph, build, postings, spelling
from clew.graph import build as build_graph
from clew.graph.assembly import Numbering
from clew.graph.inputs import column
from clew.graph.memory import LEAST, Memory, size_of_text
from clew.graph.name_files import write_index
from clew.graph.names import NameIndex
from clew.graph.naming import _readable
from clew.graph.writing import replacing, seal
from clew.labels import readable

FREEBASE = "http://rdf.freebase.com/ns/"


def contents(path) -> dict[str, str]:
    """The checksum of every file of a graph."""
    return {name: entry["sha256"] for name, entry in Graph.open(path).meta["files"].items()}


def quads(folder, rows: int):
    """A file with everything that takes a way of its own: literals, labels, aliases, sources, duplicates, IRIs."""
    rng = random.Random(3)
    file = folder / "x.nq"
    with file.open("w") as out:
        for _ in range(rows):
            head, tail = (f"<http://e/{rng.choice(['Thing', 'some_place'])}_{rng.randrange(rows // 4)}>" for _ in "ht")
            kind = rng.randrange(6)
            if kind == 0:
                out.write(f'{head} <http://www.w3.org/2000/01/rdf-schema#label> "Name {rng.randrange(99)}"@en .\n')
            elif kind == 1:
                out.write(f'{head} <http://www.w3.org/2004/02/skos/core#altLabel> "Alias {rng.randrange(9)}" .\n')
            elif kind == 2:
                out.write(f'{head} <http://e/year> "{rng.randrange(1900, 2000)}" <http://e/g{rng.randrange(3)}> .\n')
            else:
                out.write(f"{head} <http://e/r{rng.randrange(5)}> {tail} .\n")
    return file


def test_the_graph_does_not_depend_on_how_much_fits(tmp_path):
    file = quads(tmp_path, 3000)
    build(file, tmp_path / "whole.kg")
    build(file, tmp_path / "parts.kg", part=101)
    assert contents(tmp_path / "whole.kg") == contents(tmp_path / "parts.kg")


def test_a_table_of_terms_that_goes_on_in_a_file(tmp_path):
    terms = [f"term {random.Random(i // 3).random()}" for i in range(20_000)]
    numbers = []
    for limit in (0, 1 << 40):
        folder = tmp_path / str(limit)
        folder.mkdir()
        table = Numbering(folder, "ids", folder, limit)
        got = np.concatenate([table.number(column(terms[at : at + 700]))[0] for at in range(0, len(terms), 700)])
        numbers.append(got)
        table.close()
        assert sorted(f.name for f in folder.iterdir()) == ["ids.i64", "ids.u8"]
    assert np.array_equal(*numbers)
    known = {term: number for number, term in enumerate(dict.fromkeys(terms))}
    assert numbers[0].tolist() == [known[term] for term in terms]


@pytest.mark.parametrize(
    ("text", "size"),
    [("8GB", 8 * 10**9), ("600 MB", 6 * 10**8), ("2GiB", 2 << 30), ("1000", 1000), ("1.5g", 15 * 10**8)],
)
def test_amounts_of_memory(text, size):
    assert size_of_text(text) == size


def test_memory_limits_are_said_before_a_build_starts(tmp_path):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    for bad in ("lots", "-1", "8 parsecs"):
        with pytest.raises(InputError, match="is no amount of memory"):
            build(tmp_path / "x.tsv", tmp_path / "x.kg", memory=bad)
    with pytest.raises(InputError, match="a build of any size needs 537 MB"):
        build(tmp_path / "x.tsv", tmp_path / "x.kg", memory=LEAST - 1)
    assert build(tmp_path / "x.tsv", tmp_path / "x.kg", memory=LEAST).triples == 1
    assert Memory(8 * 10**9).rows(64) == 1 << 24
    assert Memory(LEAST).rows(64) < 1 << 20


def test_too_little_room_is_said_before_a_build_starts(tmp_path):
    huge = tmp_path / "x.nt.gz"
    with huge.open("wb") as handle:
        handle.truncate(1 << 43)  # a hole: it takes no room itself
    with pytest.raises(ClewError, match=r"too little room for .*takes about"):
        build(huge, tmp_path / "x.kg")
    assert list(tmp_path.iterdir()) == [huge]


KILLED = """
import os, signal, sys
from clew.graph import build

def die(progress):
    if progress.stage == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

build(sys.argv[1], sys.argv[2], on_progress=die)
"""


@pytest.mark.parametrize(
    ("stage", "finished"),
    [("names", ("read", "sort by head", "sort by tail")), pytest.param("sort", ("read",), marks=pytest.mark.slow)],
)
def test_a_killed_build_is_gone_on_with(tmp_path, stage, finished):
    file = quads(tmp_path, 500)
    whole = build(file, tmp_path / "whole.kg")
    done = subprocess.run([sys.executable, "-c", KILLED, str(file), str(tmp_path / "x.kg"), stage], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "x.kg").exists()
    report = build(file, tmp_path / "x.kg")
    assert report.resumed == finished
    assert (report.triples, report.labels, report.duplicates) == (whole.triples, whole.labels, whole.duplicates)
    assert contents(tmp_path / "x.kg") == contents(tmp_path / "whole.kg")
    assert [f.name for f in tmp_path.iterdir() if f.name.startswith(".")] == []
    assert not list((tmp_path / "x.kg").glob("stages*"))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_million_triples_of_the_shape_of_freebase_killed_at_random_moments(tmp_path):
    """The benchmark of 126 million triples, and of thirty kills, at a size that fits a test."""
    script = Path(__file__).parents[2] / "benchmarks" / "freebase.py"
    command = [sys.executable, str(script), "--triples", "2_000_000", "--memory", "600MB", "--folder", str(tmp_path)]
    done = subprocess.run([*command, "--kills", "5"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "5 kills at random moments" in done.stdout
    asked = subprocess.run([*command, "--ask-only", "--questions", "100"], capture_output=True, text=True, check=True)
    hits = [float(line.split()[-1]) for line in asked.stdout.splitlines() if line.startswith("name, ")][:2]
    assert hits[0] == 1.0 and hits[1] >= 0.95, asked.stdout


@pytest.mark.slow
def test_what_a_killed_build_left_does_not_serve_another_command(tmp_path):
    file = quads(tmp_path, 500)
    subprocess.run([sys.executable, "-c", KILLED, str(file), str(tmp_path / "x.kg"), "names"], check=False)
    assert build(file, tmp_path / "x.kg", language="de").resumed == ()
    subprocess.run([sys.executable, "-c", KILLED, str(file), str(tmp_path / "y.kg"), "names"], check=False)
    os.utime(file, (1, 1))  # another file, as far as anybody can tell
    assert build(file, tmp_path / "y.kg").resumed == ()


def test_bad_lines_are_counted_sampled_and_stop_a_build_at_a_share(tmp_path):
    file = tmp_path / "x.tsv"
    file.write_text("a\tr\tb\n" * 4_000 + "nothing\n" * 12_000 + "c\tr\td\n")
    with pytest.raises(InputError, match=r"12,000 of the first 16,00\d statements are none"):
        build(file, tmp_path / "x.kg")
    sample = (tmp_path / "x.problems.tsv").read_text().splitlines()
    assert 50 <= len(sample) <= 1000
    assert sample[0].split("\t")[1:] == ["4001", "fields", "not 3 fields separated by '\\t'"]
    assert build(file, tmp_path / "x.kg", most_bad=0.9).problem_counts == {"fields": 12_000}
    with pytest.raises(InputError, match="expected a share"):
        build(file, tmp_path / "x.kg", most_bad=0)


def test_a_dump_of_freebase(tmp_path):
    lines = [
        ("m.01", "type.object.name", '"Springfield"@en'),
        ("m.01", "type.object.name", '"Шпрингфилд"@ru'),
        ("m.01", "common.topic.alias", '"Springfield, Illinois"@en-GB'),
        ("m.01", "location.location.contains", f"<{FREEBASE}m.02>"),
        ("m.02", "location.year", '"1837"'),
        ("m.02", "location.motto", '"gut"@de'),
    ]
    text = "".join(f"<{FREEBASE}{head}>\t<{FREEBASE}{relation}>\t{tail}\t.\n" for head, relation, tail in lines)
    (tmp_path / "dump").write_text(text)
    build(tmp_path / "dump", tmp_path / "x.kg", format="nt", languages=["en"], drop_prefix=FREEBASE)
    graph = Graph.open(tmp_path / "x.kg")
    assert sorted(tuple(e.id for e in (t.head, t.relation, t.tail)) for t in graph.triples()) == [
        ("m.01", "location.location.contains", "m.02"),
        ("m.02", "location.year", '"1837"'),
    ]
    assert graph.entity("m.01").label == "Springfield"
    assert graph.aliases_of("m.01") == ["Springfield, Illinois"]
    assert graph.entity("m.02").kind == "mediator"
    build(tmp_path / "dump", tmp_path / "y.kg", format="nt")
    assert len(list(Graph.open(tmp_path / "y.kg").triples())) == 3


def test_labels_from_parquet(tmp_path):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    pq.write_table(
        pa.table({"id": ["a", "a", "c", None], "label": ["Ann", "Annie", "Nobody", "x"]}), tmp_path / "n.parquet"
    )
    report = build_graph(tmp_path / "x.tsv", tmp_path / "x.kg", labels=tmp_path / "n.parquet")
    graph = Graph.open(tmp_path / "x.kg")
    assert (graph.entity("a").label, graph.aliases_of("a"), report.labels_unused) == ("Ann", ["Annie"], 1)
    assert report.problem_counts == {"empty": 1}


names = st.lists(st.text(max_size=12) | st.sampled_from(["New York", "new  york", "Ελλάδα"]), max_size=40)


@settings(max_examples=25, deadline=None)
@given(names, st.integers(1, 9))
def test_posting_lists_in_runs_are_those_made_at_once(texts, step):
    data, offsets = spelling.normalise_all(*spelling.string_buffers(texts))
    whole = postings.postings(data, offsets)
    seen, written = (np.full(len(whole.places) - 1, -1, np.int64) for _ in range(2))
    runs = []
    for start in range(0, len(texts), step):
        bounds = offsets[start : start + step + 1]
        run = postings.run_of_postings(data[bounds[0] : bounds[-1]], bounds - bounds[0], start, seen, written)
        runs.append(run)
    merged = np.empty(len(whole.coded), np.uint8)
    filled = whole.places[:-1].copy()
    for places, coded, _ in runs:
        postings.append_lists(coded, places, merged, filled)
    assert np.array_equal(merged, whole.coded)
    assert np.array_equal(filled, whole.places[1:])
    assert np.array_equal(np.concatenate([np.empty(0, np.uint8), *(run[2] for run in runs)]), whole.grams)


def test_an_index_written_in_parts_is_the_one_made_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("clew.graph.name_files.BRUTE_FORCE", 100)
    monkeypatch.setattr("clew.graph.names.BRUTE_FORCE", 100)
    rng = random.Random(0)
    texts = [f"{rng.choice('ABC')}lpha {rng.choice(['Beta', 'Gamma'])} {rng.randrange(900)}" for _ in range(3000)]
    data, offsets = spelling.string_buffers(texts)
    owners = np.arange(3000, dtype=np.int32)
    blocks = [(data[offsets[a] : offsets[a + 700]] if a + 700 < 3000 else data[offsets[a] :],
               offsets[a : a + 701] - offsets[a], owners[a : a + 700]) for a in range(0, 3000, 700)]  # fmt: skip
    write_index(tmp_path / "parts", blocks, 10, Memory(LEAST, 271))
    at_once = NameIndex.build(texts, numbers=owners, aliases_from=2990)
    parts = NameIndex.open(tmp_path / "parts")
    for name in ("_names", "_offsets", "_hashes", "_order", "_raw", "_numbers"):
        assert np.array_equal(getattr(parts, name), getattr(at_once, name)), name
    for name in ("places", "coded", "grams"):
        assert np.array_equal(getattr(parts._lists, name), getattr(at_once._lists, name)), name
    assert (parts._aliases_from, parts._max_words) == (at_once._aliases_from, at_once._max_words)


iris = st.from_regex(r"[a-z]{1,4}[:]//[a-zA-Z0-9_/#:=%.> -]{0,14}", fullmatch=True) | st.text(max_size=12)


@settings(max_examples=100, deadline=None)
@example(["http://e/Some_place", "http://e/DIRECTED_BY", "http://e/locatedIn", "http://e/_a__b_", "http://e/", "a://_"])
@example(["http://e/P106", "http://e/a b", "urn:x:New_York", "http://e/x%41", "http://e/12_13", "http", "://a"])
@given(st.lists(iris, max_size=8))
def test_local_names_are_read_as_the_function_reads_them(texts):
    data, offsets = spelling.string_buffers(texts)
    packed, ends = _readable(data, offsets, np.arange(len(texts)))
    raw = packed.tobytes()
    assert [raw[a:b].decode() for a, b in itertools.pairwise(ends)] == [readable(text) for text in texts]


def test_what_a_killed_build_had_half_written_is_no_part_of_the_graph(tmp_path):
    """The manifest named it, and the graph could not be opened: found by `build` ended at each of its steps."""
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    out = tmp_path / "x.kg"
    build(tmp_path / "x.tsv", out)
    meta = json.loads((out / "meta.json").read_text())
    with replacing(tmp_path / "y.kg") as generation:
        shutil.copytree(out / meta["generation"], generation, dirs_exist_ok=True)
        for half in (generation / ".delta.log.0af8abbd7b66", generation.parent / ".meta.json.0af8abbd7b66"):
            half.write_bytes(b"half")
        seal(generation, {key: meta[key] for key in meta if key not in ("files", "generation", "checksum")})
    assert Graph.open(tmp_path / "y.kg", verify=True).num_triples == 1
    assert not list((tmp_path / "y.kg").rglob(".*"))
