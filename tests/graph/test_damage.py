"""What lies on disk may be damaged, hostile or changing: a reader sees one whole graph, or is told what is wrong."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from clew.errors import ClewError, FormatError, NotFoundError
from clew.graph import Graph, add, build, compact, damage, remove, repair
from clew.graph.delta import change
from clew.graph.generation import Generation
from clew.graph.journal import EMPTY, HEAD_SIZE, line_of, parsed, written
from clew.graph.layout import checksum
from clew.testing.graph_store import ids
from effort import THOROUGH

PEOPLE = """
@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
e:ada rdfs:label "Ada" ; skos:altLabel "A. K." ; rdfs:comment "a poet" ; e:knows e:ben ; e:born "1900" .
e:ben rdfs:label "Ben" ; e:knows e:cem, [ e:since 3 ] . e:knows rdfs:label "knows" .
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    """A graph with labels, aliases, literals, named graphs and three edits."""
    folder = tmp_path_factory.mktemp("sound")
    (folder / "people.ttl").write_text(PEOPLE)
    (folder / "more.nq").write_text("<http://e/ben> <http://e/likes> <http://e/ada> <http://e/graph> .\n")
    build([folder / "people.ttl", folder / "more.nq"], folder / "people.kg")
    add(folder / "people.kg", [("http://e/dan", "http://e/knows", "http://e/ada")])
    add(folder / "people.kg", [("http://e/eve", "http://e/knows", "http://e/dan")], labels={"http://e/eve": "Eve"})
    remove(folder / "people.kg", [("http://e/ada", "http://e/knows", "http://e/ben")])
    return folder / "people.kg"


@pytest.fixture
def graph(sound, tmp_path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "people.kg"))


def place(path: Path) -> Path:
    return Generation.open(path, damaged=True).place


def everything(path: Path) -> tuple:
    graph = Graph.open(path)
    names = [(e.id, e.label, e.kind) for e in map(graph.entity_at, range(graph.num_entities))]
    found = [(f.number, round(f.score, 3)) for f in graph.search("eve", 5)]
    return graph.name, sorted(ids(graph.triples())), names, found, graph.relations(), graph.aliases_of("http://e/ada")


CONTENT = [
    "heads.i32", "rels.i32", "tails.i32", "out.offsets.i64", "out.triples.i32", "in.offsets.i64", "in.heads.i32",
    "in.rels.i32", "in.triples.i32", "kinds.u8", "ids.i64", "ids.u8", "ids.keys.u32", "ids.order.i32", "labels.i64",
    "labels.u8", "labels.owners.i32", "aliases.u8", "descriptions.i64", "relation_labels.owners.i32", "relations.i64",
    "relations.u8", "sources.of.i32", "sources.u8", "names/names.json", "names/offsets.npy", "names/order.npy",
    "names/hashes.npy", "names/numbers.npy", "names/names.npy", "names/raw.npy",
]  # fmt: skip
DERIVED = {n for n in CONTENT if n.startswith(("heads", "rels", "tails", "out", "in.", "names/", "ids.k", "ids.o"))}


@pytest.mark.parametrize("name", CONTENT)
def test_a_flipped_bit_is_noticed_and_repaired_where_it_can_be(graph, name):
    before = everything(graph)
    file = place(graph) / name
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 16
    file.write_bytes(bytes(data))
    with pytest.raises(FormatError, match=r"fails its checksum; clew repair .* rebuilds what can be derived"):
        Graph.open(graph)
    assert any(name in fault for fault in damage(graph))
    if name in DERIVED:
        done = repair(graph)
        assert name in done.rebuilt
        assert damage(graph) == []
        assert everything(graph) == before
    else:
        with pytest.raises(FormatError, match=r"nothing else tells what it held: build it again"):
            repair(graph)
        assert any(name in fault for fault in damage(graph))  # what could not be repaired is left as it was


@pytest.mark.parametrize("lost", [("heads.i32", "out.offsets.i64"), ("rels.i32", "out.triples.i32"), ("tails.i32",),
                                  ("in.heads.i32", "in.rels.i32", "in.triples.i32", "in.offsets.i64")])  # fmt: skip
def test_one_copy_of_the_triples_is_enough(graph, lost):
    before = everything(graph)
    for name in lost:
        (place(graph) / name).unlink()
    with pytest.raises(FormatError, match="is missing"):
        Graph.open(graph)
    assert repair(graph).rebuilt == tuple(sorted(lost))
    assert everything(graph) == before


def test_both_copies_lost(graph):
    for name in ("tails.i32", "in.triples.i32"):
        (place(graph) / name).unlink()
    with pytest.raises(FormatError, match=r"tails\.i32 is missing, and its copy is damaged as well"):
        repair(graph)


def test_a_manifest_has_a_checksum_and_a_copy(graph):
    before = everything(graph)
    text = (graph / "meta.json").read_text()
    (graph / "meta.json").write_text(text.replace('"http://e/"', '"http://f/"'))
    with pytest.raises(FormatError, match=r"meta\.json is damaged \(it fails its checksum\)"):
        Graph.open(graph)
    repair(graph)
    assert (graph / "meta.json").read_text() == text
    assert everything(graph) == before
    (graph / "meta.json").write_text("{")
    repair(graph)
    assert everything(graph) == before


def forged(graph: Path, name: str, change) -> None:
    """Damage of unchanged size whose checksums fit: what somebody who means harm would hand out."""
    file = place(graph) / name
    raw = bytearray(file.read_bytes())
    array = np.frombuffer(raw, np.int64 if ".i64" in name or "offsets" in name else np.int32)
    start = 32 if name.endswith(".npy") else 0  # behind the head of the file: 128 bytes
    change(array[start // (array.itemsize // 4) :])
    file.write_bytes(bytes(raw))
    from clew.graph.layout import digest

    meta = json.loads((graph / "meta.json").read_text())
    meta["files"][name]["sha256"] = digest(file)
    (graph / "meta.json").write_text(json.dumps({**meta, "checksum": checksum(meta)}))


def far(array: np.ndarray) -> None:
    array[len(array) // 2] = 1 << 30


def negative(array: np.ndarray) -> None:
    array[len(array) // 2] = -7


FORGED = [n for n in CONTENT if n.endswith((".i32", ".i64")) or n in ("names/offsets.npy", "names/order.npy")]


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("how", [far, negative])
def test_no_array_leads_outside_another_whatever_the_checksums_say(graph, name, how):
    forged(graph, name, how)
    words = "does not go from 0|holds a number outside|is not in order"
    with pytest.raises(FormatError, match=words):
        Graph.open(graph)
    assert damage(graph)
    with pytest.raises(FormatError, match="although every checksum is right"):
        repair(graph)


@pytest.mark.parametrize(
    ("key", "value"),
    [("generation", "../../etc"), ("files", {"../../../etc/passwd": {"bytes": 1, "sha256": "0" * 64}}), ("triples", -1),
     ("entities", "9" * 40), ("mediator", "("), ("files", {}), ("fingerprint", 7), ("prefixes", [])],
)  # fmt: skip
def test_a_manifest_from_somebody_else_is_data(graph, key, value):
    meta = json.loads((graph / "meta.json").read_text())
    if key == "files" and value:
        value = {**meta["files"], **value}
    meta[key] = value
    (graph / "meta.json").write_text(json.dumps({**meta, "checksum": checksum(meta)}))
    with pytest.raises(FormatError, match="damaged"):
        Graph.open(graph)


def test_links_and_pipes_are_not_followed(graph, tmp_path):
    ids_file = place(graph) / "ids.u8"
    ids_file.rename(tmp_path / "secret")
    ids_file.symlink_to(tmp_path / "secret")
    with pytest.raises(FormatError, match="it is a link"):
        Graph.open(graph)
    ids_file.unlink()
    os.mkfifo(ids_file)
    with pytest.raises(FormatError, match=r"cannot read ids\.u8: not a plain file"):
        Graph.open(graph)


def test_what_was_seen_in_order_is_not_read_again(graph):
    assert not Generation.open(graph).trusted  # a copy: nobody has seen these files
    assert damage(graph) == []
    assert Generation.open(graph).trusted
    file = place(graph) / "tails.i32"
    data = bytearray(file.read_bytes())
    data[0] ^= 1
    file.write_bytes(bytes(data))
    os.utime(file, ns=(0, 0))
    with pytest.raises(FormatError, match="checksum"):
        Graph.open(graph)


def test_a_fresh_graph_is_seen_in_order(tmp_path):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    build(tmp_path / "x.tsv", tmp_path / "x.kg")
    assert Generation.open(tmp_path / "x.kg").trusted
    add(tmp_path / "x.kg", [("a", "r", "c")])
    assert Generation.open(tmp_path / "x.kg").trusted
    compact(tmp_path / "x.kg")
    assert Generation.open(tmp_path / "x.kg").trusted


def test_a_graph_on_a_medium_that_cannot_be_written(graph):
    """Nothing is written where a graph is only read."""
    before = sorted((f, f.stat().st_mtime_ns) for f in graph.rglob("*"))
    Graph.open(graph).find("Ada")
    assert sorted((f, f.stat().st_mtime_ns) for f in graph.rglob("*")) == before


# -- the log -----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_every_bit_of_the_log_counts(graph):
    """One flipped bit anywhere: damage that is said, and the next edit does not write over it."""
    log = place(graph) / "delta.log"
    sound, before = log.read_bytes(), everything(graph)
    for at in range(0, len(sound), 1 if THOROUGH else 5):
        for bit in (0, 5):
            broken = bytearray(sound)
            broken[at] ^= 1 << bit
            log.write_bytes(bytes(broken))
            with pytest.raises(FormatError, match=r"delta\.log is damaged .*clew repair"):
                Generation.open(graph)
    with pytest.raises(FormatError, match="damaged"):
        add(graph, [("a", "b", "c")])
    assert log.read_bytes() == bytes(broken)
    log.write_bytes(sound)
    assert everything(graph) == before


def test_an_edit_that_was_acknowledged_is_never_taken_for_a_torn_one(graph):
    log = place(graph) / "delta.log"
    sound = log.read_bytes()
    for cut in range(1, len(sound)):
        log.write_bytes(sound[:-cut])
        with pytest.raises(FormatError, match=r"delta\.log is damaged"):
            Generation.open(graph)
    log.unlink()
    with pytest.raises(FormatError, match=r"delta\.log is missing"):
        Graph.open(graph)


def test_a_line_that_a_crash_cut_off(graph):
    log = place(graph) / "delta.log"
    sound, before = log.read_bytes(), everything(graph)
    line = line_of(change([("x", "y", "z")]), 4)
    for cut in range(1, len(line)):
        log.write_bytes(sound + line[:-cut])
        assert len(Generation.open(graph).log.changes) == 3
    assert everything(graph) == before
    log.write_bytes(sound + line)  # whole, though the crash came before the head was written
    assert Graph.open(graph).number_of("x") is not None
    add(graph, [("u", "y", "w")])
    assert len(Generation.open(graph).log.changes) == 5


def test_lines_lost_doubled_or_in_another_order():
    changes = tuple(change([("a", "r", str(i))]) for i in range(4))
    head, lines = written(changes)[:HEAD_SIZE], [line_of(c, i) for i, c in enumerate(changes, 1)]
    assert parsed(head + b"".join(lines)).damage == ()
    for order in ([0, 1, 3], [1, 0, 2, 3], [0, 0, 1, 2, 3], [0, 1, 2], [3]):
        assert parsed(head + b"".join(lines[i] for i in order)).damage, order
    assert parsed(EMPTY).damage == ()
    assert parsed(b"").damage and parsed(b"\n").damage and parsed(b"00000000 {}\n").damage


def test_repair_keeps_every_edit_that_can_be_read(graph):
    log = place(graph) / "delta.log"
    lines = log.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b"dan", b"dxn")
    log.write_bytes(b"\n".join(lines))
    assert damage(graph) == ["delta.log: line 2: an edit that is damaged"]
    done = repair(graph)
    assert (done.edits_kept, done.edits_lost) == (2, ("line 2: an edit that is damaged",))
    assert done.log is not None and done.log.read_bytes() == b"\n".join(lines)
    assert damage(graph) == []
    assert ("http://e/eve", "http://e/knows", "http://e/dan") in ids(Graph.open(graph).triples())


def first_version(graph: Path) -> None:
    """The same graph as version 1 wrote it: no folder of its own for the files, nothing in the log but edits."""
    import zlib

    files = Generation.open(graph)
    bodies = [c.to_json() for c in files.log.changes]
    (graph / "delta.log").write_bytes(b"".join(b"%08x %b\n" % (zlib.crc32(b), b) for b in bodies))
    for entry in files.place.iterdir():
        if entry.name not in ("delta.log", "checked.json", "meta.json"):
            entry.rename(graph / entry.name)
    shutil.rmtree(files.place)
    meta = {k: v for k, v in files.meta.items() if k not in ("generation", "checksum")} | {"version": 1}
    (graph / "meta.json").write_text(json.dumps(meta))


def test_graphs_of_the_first_version_are_read_edited_and_compacted(graph):
    before = everything(graph)
    first_version(graph)
    assert everything(graph) == before
    assert damage(graph) == []
    add(graph, [("http://e/fay", "http://e/knows", "http://e/eve")])
    remove(graph, [("http://e/fay", "http://e/knows", "http://e/eve")])
    assert everything(graph)[1] == before[1]
    assert compact(graph)
    assert everything(graph)[1] == before[1]
    left = {f.name for f in graph.iterdir()}
    assert left == {"meta.json", place(graph).name}


# -- others write meanwhile --------------------------------------------------------------------------------------------


def test_what_is_open_stays_what_it_was(graph, tmp_path):
    held = Graph.open(graph)
    (tmp_path / "y.tsv").write_text("http://e/zoe\tr\tEve\nq\tr\tAda\n")
    build(tmp_path / "y.tsv", graph)
    shutil.rmtree(graph)
    assert held.find("Ada")[0][0].label == "Ada"  # the name index was not loaded before
    assert held.find("Eve")[0][0].id == "http://e/eve"
    assert held.description_of("http://e/ada") == "a poet"
    assert held.num_triples == len(list(held.triples()))


WRITER = """
import sys
from pathlib import Path
from clew.graph import add, build, compact
folder, kind, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
i = 0
while not (folder / "stop").exists():
    i += 1
    if kind == "add":
        add(folder / "x.kg", [(f"w{number}", "step", f"w{number}.{i}")])
        (folder / f"added.{number}").write_text(str(i))  # acknowledged
    elif kind == "compact":
        compact(folder / "x.kg")
    else:
        build(folder / f"{'ab'[i % 2]}.tsv", folder / "y.kg")
"""


def write_meanwhile(folder: Path, opens: int, seconds: float, adders: int = 2) -> None:
    """Readers open two graphs while others add to and compact one, and rebuild the other as one of two."""
    (folder / "a.tsv").write_text("".join(f"a{i}\tis\ta city {i}\n" for i in range(3000)))
    (folder / "b.tsv").write_text("".join(f"b{i}\tis\tb city {i}\n" for i in range(4000)) + "b0\tis\ta city 7\n")
    (folder / "x.tsv").write_text("".join(f"e{i}\tr\te{i + 1}\n" for i in range(500)))
    names = {build(folder / f"{n}.tsv", folder / "y.kg").name.split("@")[1]: n for n in "ab"}
    build(folder / "x.tsv", folder / "x.kg")
    jobs = [*(("add", i) for i in range(adders)), ("compact", 0), ("build", 0)]
    command = [sys.executable, "-c", WRITER, folder]
    writers = [subprocess.Popen([*command, kind, str(number)]) for kind, number in jobs]
    opened, end = 0, time.time() + seconds
    try:
        while time.time() < end or opened < opens or not all(map(_number, (folder / f"added.{i}" for i in range(2)))):
            acknowledged = [_number(folder / f"added.{i}") for i in range(adders)]
            graph = Graph.open(folder / "x.kg")
            for i, count in enumerate(acknowledged):
                here = graph.neighbors([f"w{i}"], direction="out")
                assert len(here) >= count, f"{count} acknowledged, {len(here)} seen"
                assert {t.tail.id for t in here} == {f"w{i}.{j + 1}" for j in range(len(here))}
            other = Graph.open(folder / "y.kg", verify=opened % 50 == 0)
            which = names[other.fingerprint[:12]]
            found = other.find("a city 7", limit=1)[0][0]
            assert (found.id, other.num_triples) == ("a city 7", {"a": 3000, "b": 4001}[which])
            assert [t.head.id for t in other.neighbors([found.id])] == [{"a": "a7", "b": "b0"}[which]]
            opened += 2
            assert all(writer.poll() is None for writer in writers)
    finally:
        (folder / "stop").touch()
        codes = [writer.wait(60) for writer in writers]
    assert codes == [0] * len(writers)
    total = sum(_number(folder / f"added.{i}") for i in range(adders))
    assert Graph.open(folder / "x.kg").num_triples == 500 + total
    print(f"{opened} opens, {total} edits")
    for name in "xy":
        assert damage(folder / f"{name}.kg") == []
        assert len([f for f in (folder / f"{name}.kg").iterdir() if f.is_dir()]) == 1  # old files are gone
    assert not [f for f in folder.iterdir() if f.name.startswith(".")]


def _number(file: Path) -> int:
    try:
        return int(file.read_text() or 0)
    except FileNotFoundError:
        return 0


def test_readers_see_one_whole_graph(tmp_path):
    write_meanwhile(tmp_path, opens=20, seconds=2)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_opens_under_writers(tmp_path):
    write_meanwhile(tmp_path, opens=10_000, seconds=0)


def test_a_folder_that_vanishes(graph):
    shutil.rmtree(graph)
    for edit in (lambda: add(graph, [("a", "b", "c")]), lambda: compact(graph), lambda: repair(graph)):
        with pytest.raises(NotFoundError, match="no graph at"):
            edit()


def test_writing_through_a_link(tmp_path):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "x.kg").symlink_to(tmp_path / "elsewhere" / "real.kg")
    for _ in range(2):
        build(tmp_path / "x.tsv", tmp_path / "x.kg")
        assert (tmp_path / "x.kg").is_symlink()
        assert Graph.open(tmp_path / "elsewhere" / "real.kg").num_triples == 1


@pytest.mark.parametrize("name", ["n" * 250 + ".kg", "n" * 300, "ü" * 120 + ".kg"])
def test_long_names(tmp_path, name):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    if len(name.encode()) > 255:
        with pytest.raises(ClewError, match="choose a shorter name"):
            build(tmp_path / "x.tsv", tmp_path / name)
        with pytest.raises(NotFoundError, match="too long"):
            Graph.open(tmp_path / name)
    else:
        build(tmp_path / "x.tsv", tmp_path / name)
        build(tmp_path / "x.tsv", tmp_path / name)
        assert Graph.open(tmp_path / name).num_triples == 1
    assert not [f for f in tmp_path.iterdir() if f.name.startswith(".")]


# -- what the system refuses -------------------------------------------------------------------------------------------


@contextmanager
def room(limit: int):
    """No file may grow beyond `limit` bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_room_is_said_wherever_it_ends(graph, tmp_path):
    """Whatever file is the one that does not fit: the same message, and what stood there stands."""
    (tmp_path / "x.tsv").write_text("".join(f"person {i}\tr{i % 7}\tcity {i % 89}\n" for i in range(1500)))
    build(tmp_path / "x.tsv", tmp_path / "x.kg")
    whole, before = Graph.open(tmp_path / "x.kg").name, everything(graph)
    largest = max(f.stat().st_size for f in (tmp_path / "x.kg").rglob("*"))
    refused = 0
    for limit in [0, 40, 100, 300, 1000, 3000, 5000, 6000, 9000, 13_000, 20_000, largest - 1]:
        for write in (
            lambda: build(tmp_path / "x.tsv", tmp_path / "x.kg"),
            lambda: Graph.open(tmp_path / "x.kg").save(tmp_path / "y.kg"),
            lambda: compact(graph),
            lambda: add(graph, [("a", "r", "b" * 20_000)]),
        ):
            try:
                with room(limit):
                    write()
            except ClewError as error:
                assert "no room to write" in str(error)
                refused += 1
        assert Graph.open(tmp_path / "x.kg", verify=True).name == whole
    assert refused > 20
    assert not [f for f in tmp_path.iterdir() if f.name.startswith(".")]
    assert [r for r in everything(graph)[1] if r[0] != "a"] == before[1]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc, where nobody may create a file")
def test_what_may_not_be_written_is_said(tmp_path):
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    with pytest.raises(ClewError, match=r"cannot write /proc/x\.kg: "):
        build(tmp_path / "x.tsv", "/proc/x.kg")
