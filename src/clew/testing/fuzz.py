"""Damaged, hostile and senseless input at every door that graphs come through, by the thousand.

    python -m clew.testing.fuzz graph --inputs 5000
    python -m clew.testing.fuzz build --inputs 10000 --seed 7
    python -m clew.testing.fuzz commands --inputs 10000

`graph` changes the files of a graph folder, `build` the files that a graph is built from, `commands` the words on the
command line. Every input is drawn from (seed, number) alone, so a failure can be drawn again. Each is tried in another
process, which survives what it must and is replaced when it does not. What counts as a failure:

- a signal, a traceback, or more than `PATIENCE_S` seconds of work;
- `graph`: another answer than that of the sound graph, of which `doctor` says nothing. Where the checksums were forged
  to fit, the content is another graph, and only the first kind counts.

What was found once stands in the corpus (`corpus.jsonl` beside this file) and is tried first: a line says the door and
the input, a file by `parts` (texts and how often each stands there) or, for a graph, by a `cut` and `patches` of bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew.errors import ClewError

PATIENCE_S = 20  # of work
WAIT_S = 600  # on a machine that others use as well
CORPUS = Path(__file__).with_name("corpus.jsonl")
Input = dict[str, Any]  # JSON: what the other process needs to try it


def corpus(door: str) -> list[Input]:
    """What was found at a door."""
    lines = CORPUS.read_text("utf-8").splitlines() if CORPUS.exists() else []
    return [given for line in lines if (given := json.loads(line)).pop("door") == door]


# -- files that are changed ----------------------------------------------------------------------------------------

_TOKENS = [
    b"\0", b"\xff", b"\xed\xa0\x80", b"\n", b"\r", b"\t", b'"', b"\\", b"\\u0000", b"\\uD800", b"{", b"[" * 50,
    b"]", b"<", b"<<( ", b"&a;", b"@prefix : <x> .", b"<!DOCTYPE r [<!ENTITY a 'b'>]>", b"\xef\xbb\xbf", b"9" * 400,
    b"-1", b"NaN", b"_:", b'"""', b"^^", b"\xe2\x80\xa8", b"|", b",", b"../../", b"%s%n", b"\x1b[2J", b"null",
    b"true", b"\x1f\x8b",
]  # fmt: skip


def changed(data: bytes, rng: random.Random, *, numbers: bool = False) -> bytes:
    """Some bytes of `data` flipped, cut, doubled, moved or written over; with `numbers`, often whole 4-byte ones."""
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(10)
        if numbers and rng.random() < 0.5 and len(content) >= 8:
            at = rng.randrange(len(content) // 4) * 4
            value = rng.choice([0, 1, -1, rng.randrange(-100, 100), 1 << 30, -(1 << 31), rng.randrange(1 << 31)])
            content[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
        elif kind < 4 and content:
            at = min(at, len(content) - 1)
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 4:
            del content[at:]
        elif kind == 5:
            content[at:at] = rng.choice(_TOKENS)
        elif kind == 6:
            content[at : at + rng.randrange(1, 64)] = bytes(rng.randrange(1, 64))
        elif kind == 7:
            end = min(len(content), at + rng.randrange(1, 200))
            content[at:at] = content[at:end] * rng.choice((1, 2, 30))
        elif kind == 8:
            content[at : at + 16] = rng.randbytes(16)
        else:
            del content[at : at + rng.randrange(1, 32)]
    return bytes(content)


# -- graph: the files of a graph folder ----------------------------------------------------------------------------

_PEOPLE = """@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
e:ada rdfs:label "Ada Lovelace"@en ; skos:altLabel "Countess"@en ; rdfs:comment "a poet"@en ; e:knows e:ben .
e:ada e:born "1815" .
e:ben rdfs:label "Ben"@en ; e:knows e:cem, [ e:since 3 ] ; e:in e:Rome . e:knows rdfs:label "knows"@en .
e:cem e:knows e:ada ; e:in e:Rome, e:Paris . e:Rome rdfs:label "Rome"@en ; e:in e:Italy .
"""


def sound_graph(folder: Path, names: int = 0) -> Path:
    """A graph with everything a graph can have: labels, aliases, literals, sources, edits; `names` entities more."""
    from clew.graph import add, build, remove

    (folder / "people.ttl").write_text(_PEOPLE)
    (folder / "more.nq").write_text("<http://e/ben> <http://e/likes> <http://e/ada> <http://e/graph> .\n")
    (folder / "x.tsv").write_text(
        "".join(f"person {i * 7919 % 100_003}\tr{i % 5}\tcity {i % 997}\n" for i in range(names))
    )
    path = folder / "people.kg"
    build([folder / "people.ttl", folder / "more.nq", *([folder / "x.tsv"] if names else [])], path)
    add(path, [("http://e/dan", "http://e/knows", "http://e/ada")])
    add(path, [("http://e/eve", "http://e/knows", "http://e/dan")], labels={"http://e/eve": "Eve"})
    remove(path, [("http://e/ada", "http://e/knows", "http://e/ben")])
    return path


def reading(path: Path) -> str:
    """A digest of what a graph answers, through every kernel that walks its arrays."""
    from clew.graph import Graph
    from clew.graph.kernels import components, distances, induced, pagerank
    from clew.graph.neighborhood import neighborhood
    from clew.graph.paths import mine_paths

    graph = Graph.open(path)
    some = [graph.entity_at(n).id for n in range(min(graph.num_entities, 6))]
    whole = graph.as_subgraph
    seeds = list(range(min(4, graph.num_entities)))
    said: list[Any] = [graph.fingerprint, graph.num_entities, graph.num_relations, graph.num_triples]
    said += [[(t.head.id, t.relation.label, t.tail.label, t.source) for t in list(graph.triples())[:300]]]
    said += [graph.labels_at(range(min(300, graph.num_entities))), graph.info()["degrees"], list(graph.touched)]
    for text in ("Ada Lovelace", "countess", "adda lovelace", "rome", "persn 42", "eve", "city 7 of rome"):
        said += [[(f.number, round(f.score, 6)) for f in graph.search(text, 5)], [s.text for s in graph.spans(text)]]
    for id in some:
        said += [graph.aliases_of(id), graph.description_of(id), [r.id for r, _ in graph.literals(id)]]
        said += [[t.tail.id for t in graph.neighbors([id], limit=20)]]
    for options in ({}, {"keep": "induced"}, {"max_triples": 5}, {"fanout": 1, "direction": "in"}):
        part = neighborhood(graph, some, 2, **options)
        said += [part.heads.tolist()[:200], part.tails.tolist()[:200], part.entities.tolist()[:200]]
    said += [distances(whole, seeds).tolist()[:300], components(whole).tolist()[:300]]
    said += [pagerank(whole, seeds).round(9).tolist()[:300]] if seeds else []
    said += [induced(whole, range(min(50, graph.num_entities))).num_triples]
    for mined in (mine_paths(whole, seeds[:2], seeds[2:], max_len=3, slack=1),):
        said += [[path.triples for path in mined]]
    edited = graph.edited(add=[("new", "http://e/knows", some[0])], remove=[(some[0], "x", "y")]) if some else graph
    said += [edited.num_triples, [t.head.id for t in edited.neighbors(["new"])]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _graph_inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:
    paths = [sound_graph(_made(folder / "small"))]
    if count >= 1000:  # the large one takes a second
        paths.append(sound_graph(_made(folder / "large"), names=21_000))
    files = {path: sorted(f.relative_to(path).as_posix() for f in path.rglob("*") if f.is_file()) for path in paths}
    expected = {path: reading(path) for path in paths}
    for given in corpus("graph"):
        path = paths[0]
        inside = next(path.glob(f"g-*/{given['file']}"), path / given["file"])
        content = bytearray(inside.read_bytes())
        del content[given.pop("cut", len(content)) :]
        for at, patch in given.pop("patches", ()):
            content[at : at + len(patch) // 2] = bytes.fromhex(patch)
        given |= {"graph": str(path), "file": inside.relative_to(path).as_posix(), "expected": expected[path]}
        yield given | {"content": base64.b64encode(content).decode()}
    for number in range(count):
        rng = random.Random(f"graph {seed} {number}")
        path = paths[-1] if rng.random() < 0.05 else paths[0]
        name = rng.choice(files[path])
        forged = rng.random() < 0.4
        how = rng.randrange(20)
        damaged: bytes | None = (path / name).read_bytes()
        if how == 0:
            damaged = None
        elif how == 1:
            damaged = (path / rng.choice(files[path])).read_bytes()
        else:
            damaged = changed(damaged or b"", rng, numbers=name.endswith((".i32", ".i64", ".u32", ".npy")))
        yield {
            "graph": str(path), "file": name, "forged": forged, "expected": expected[path],
            "repair": rng.random() < 0.1,
            "content": None if damaged is None else base64.b64encode(damaged).decode(), "number": number,
        }  # fmt: skip


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _try_graph(given: Input, scratch: Path) -> str:
    from clew.graph import damage, repair
    from clew.graph.layout import checksum

    source, path = Path(given["graph"]), scratch / "graph.kg"
    shutil.copytree(source, path, copy_function=os.link)
    file = path / given["file"]
    file.unlink()
    if given["content"] is not None:
        file.write_bytes(base64.b64decode(given["content"]))
    if given["forged"] and given["content"] is not None and file.name not in ("meta.json", "delta.log", "checked.json"):
        meta = json.loads((path / "meta.json").read_bytes())
        entry = meta["files"][file.relative_to(path / meta["generation"]).as_posix()]
        entry |= {"bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        (path / "meta.json").unlink()
        (path / "meta.json").write_text(json.dumps({**meta, "checksum": checksum(meta)}))
    refused = ""
    try:
        found = reading(path)
    except ClewError as error:
        found, refused = "", str(error)
    try:
        said = damage(path)
    except ClewError as error:
        said = [str(error)]
    if given["repair"]:
        try:
            repair(path)
        except ClewError:
            pass
        else:
            if damage(path):
                return f"FAILED repair left {damage(path)[0]}"
            if not given["forged"] and not file.name.endswith("delta.log") and reading(path) != given["expected"]:
                return "FAILED repair made another graph"
    if refused:
        return "refused" if said or given["forged"] else f"FAILED doctor finds nothing: {refused[:300]}"
    if found == given["expected"]:
        return "the same answers"
    if given["forged"] and not file.name.endswith((".json", ".log")):
        return "another graph, checksums forged"
    return "found by doctor" if said else "FAILED other answers, silently"


# -- build: files to build from --------------------------------------------------------------------------------------

_BASES = {
    "x.tsv": b"head\trelation\ttail\na\tr\tb\nc\ts\td e\n",
    "x.csv": b'head,relation,tail\n"a, b",r,"c ""d"""\ne,s,f\n',
    "x.txt": b"a|r|b\nc|s|d\n",
    "x.jsonl": b'{"head": "a", "relation": "r", "tail": "b"}\n["c", "s", 4]\n',
    "x.nt": b'<http://e/a> <http://e/p> <http://e/b> .\n_:x <http://e/q> "lit"@en .\n',
    "x.nq": b'<http://e/a> <http://e/p> "1"^^<http://e/t> <http://e/g> .\n',
    "x.ttl": _PEOPLE.encode(),
    "x.trig": b"@prefix e: <http://e/> . e:g { e:a e:p e:b ; e:q [ e:r ( 1 2 ) ] }\n",
    "x.jsonld": b'{"@context": {"p": "http://e/p"}, "@id": "http://e/a", "p": [{"@id": "http://e/b"}, "text", 3]}',
    "x.rdf": b'<!DOCTYPE r [<!ENTITY e "http://e/">]><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    b'xmlns:e="http://e/"><rdf:Description rdf:about="&e;a"><e:p rdf:resource="&e;b"/><e:q>text</e:q>'
    b"</rdf:Description></rdf:RDF>",
    "x.n3": b"@prefix e: <http://e/> . e:a e:p e:b . { e:a e:p e:b } e:q e:c .\n",
    "labels": b"a\tThe A\tAlias\nb\tB\n",
}  # fmt: skip


def _parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"head": ["a", "c"], "relation": ["r", "s"], "tail": ["b", None]}), out)
    return out.getvalue()


def _build_inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    import bz2
    import gzip

    bases = {**_BASES, "x.parquet": _parquet()}
    bases |= {"x.tsv.gz": gzip.compress(_BASES["x.tsv"], mtime=0), "x.nt.bz2": bz2.compress(_BASES["x.nt"])}
    for given in corpus("build"):
        whole = "".join(text * times for text, times in given.pop("parts"))
        yield {"options": {}, **given, "content": base64.b64encode(whole.encode("latin-1")).decode()}
    for number in range(count):
        rng = random.Random(f"build {seed} {number}")
        name = rng.choice(sorted(bases))
        options: dict[str, Any] = {}
        if rng.random() < 0.2:
            options = {"strict": rng.random() < 0.5, "header": rng.choice((None, True, False)),
                       "delimiter": rng.choice((None, "\t", ",", "||", "", "\n", "é", "\0", '"')),
                       "mediator": rng.choice((None, "(", "a{9999999999}", "[mg].*", "(" * 200 + ")" * 200)),
                       "language": rng.choice(("en", "", "\ud800", "*"))}  # fmt: skip
        content = changed(bases[name], rng)
        yield {"name": name, "content": base64.b64encode(content).decode(), "options": options, "number": number}


def _try_build(given: Input, scratch: Path) -> str:
    from clew.graph import Graph, build

    file = scratch / given["name"]
    file.write_bytes(base64.b64decode(given["content"]))
    try:
        if given["name"] == "labels":
            (scratch / "x.tsv").write_bytes(_BASES["x.tsv"])
            build(scratch / "x.tsv", scratch / "x.kg", labels=file, **given["options"])
        else:
            build(file, scratch / "x.kg", **given["options"])
    except ClewError:
        left = [f.name for f in scratch.iterdir() if f.name.endswith(".kg") or f.name.startswith(".")]
        return f"FAILED left behind {left}" if left else "refused"
    graph = Graph.open(scratch / "x.kg", verify=True)
    for number in range(min(graph.num_entities, 50)):
        entity = graph.entity_at(number)
        if graph.number_of(entity.id) != number:
            return f"FAILED {entity.id!r} is not found by its id"
    return "built"


# -- commands: words on the command line ---------------------------------------------------------------------------

_WORDS = [
    "", " ", "-", "--", "a", "x.kg", "y.kg", "x.tsv", "n" * 300, "é" * 130, "\udcff", "\ud800", "a\0b", "\x1b[31m",
    "\u2028", "/", "/dev/null", "/proc/self/mem", ".", "..", "no/such/x.kg", "x.tsv/below", "9" * 5000, "-1",
    "[" * 2000, "(", "%s", "\n", "http://e/a", "--json", "--file", "-f", "-o", "--out", "--strict", "--delimiter",
    "||", "--mediator", "--set", "a.b=1", "method.beam=9", "graph.path=x", "--labels", "--format", "tsv", "nt",
    "--help", "--header", "r", "b", "--limit", "0", "1e9", "-m", "walk", "-t", "encoder.name=hash-16", "--config",
    "bad.toml", "--language", "en", "--verbose",
]  # fmt: skip
_COMMANDS = ("build", "info", "add", "remove", "compact", "repair", "link", "ask", "methods", "doctor", "nonsense")
_LIKELY = {"build": ["x.tsv", "-o", "y.kg"], "add": ["x.kg", "a", "r", "b"], "remove": ["x.kg", "a", "r", "b"],
           "ask": ["x.kg", "who is a?", "-m", "walk", "--set", "encoder.name=hash-16"],
           "link": ["x.kg", "who is a?"], "doctor": ["x.kg", "--set", "encoder.name=hash-16"]}  # fmt: skip


def _command_inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    for given in corpus("commands"):
        yield {"stdin": "", **given}
    for number in range(count):
        rng = random.Random(f"commands {seed} {number}")
        command = rng.choice(_COMMANDS)
        words = list(_LIKELY.get(command, ["x.kg"])) if rng.random() < 0.8 else []
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(words) + 1)
            words[at : at + rng.randrange(2)] = [rng.choice(_WORDS)]
        stdin = changed(_BASES["x.tsv"], rng)
        yield {"arguments": [command, *words], "stdin": base64.b64encode(stdin).decode(), "number": number}


def _try_command(given: Input, scratch: Path) -> str:
    from clew.cli import main
    from clew.graph import build

    (scratch / "x.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    (scratch / "bad.toml").write_text("a = [" * 10)
    build(scratch / "x.tsv", scratch / "x.kg")
    before = Path.cwd()
    os.chdir(scratch)
    sys.argv = ["clew", *given["arguments"]]
    sys.stdin = io.TextIOWrapper(io.BytesIO(base64.b64decode(given["stdin"])), "utf-8", errors="surrogateescape")
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="surrogateescape") for _ in range(2))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
            code: object = 0
    except SystemExit as end:
        code = end.code
    finally:
        os.chdir(before)
    if any(ord(c) < 32 and c not in "\n\t" for c in _text(out)):
        return "FAILED control characters on the screen"
    return f"code {code}"


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    content: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return content.decode("utf-8", "replace")


DOORS: dict[str, tuple[Callable[[int, Path, int], Iterator[Input]], Callable[[Input, Path], str]]] = {
    "graph": (_graph_inputs, _try_graph),
    "build": (_build_inputs, _try_build),
    "commands": (_command_inputs, _try_command),
}


# -- two processes -----------------------------------------------------------------------------------------------------


@dataclass
class Findings:
    """What became of all inputs: how many ended how, and those that failed."""

    counts: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[Input, str]] = field(default_factory=list)


class _Trier:
    """The process in which inputs are tried, replaced when one ends it."""

    def __init__(self, door: str, scratch: Path) -> None:
        self._command = [sys.executable, "-P", "-m", "clew.testing.fuzz", door, "--serve", str(scratch)]
        self._process: subprocess.Popen[bytes] | None = None
        self._door = door

    def tried(self, given: Input) -> str:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(given).encode() + b"\n")
        self._process.stdin.flush()
        patience = time.monotonic() + WAIT_S
        while time.monotonic() < patience:
            if select.select([self._process.stdout], [], [], 1)[0]:
                line = self._process.stdout.readline()
                if line:
                    return str(json.loads(line))
                code = self._process.wait()
                return f"FAILED ended by {signal.Signals(-code).name if code < 0 else f'code {code}'}"
        self.close()
        return f"FAILED no answer in {WAIT_S} s"

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
            self._process = None


def _serve(door: str, scratch: Path) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    stdin = os.fdopen(os.dup(0), "rb")
    attempt = DOORS[door][1]
    for line in stdin:
        folder = scratch / "try"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        start = time.process_time()
        try:
            ended = attempt(json.loads(line), folder)
        except BaseException as error:  # noqa: BLE001 - whatever comes out is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            ended = f"FAILED {type(error).__name__}: {str(error)[:200]} ({Path(place.filename).name}:{place.lineno})"
        took = time.process_time() - start
        if took > PATIENCE_S and not ended.startswith("FAILED"):
            ended = f"FAILED after {took:.0f} s: {ended}"
        answers.write(json.dumps(ended) + "\n")
        answers.flush()


def fuzz(door: str, count: int, seed: int = 0, *, seconds: float = 1e9) -> Findings:
    """Try the corpus and then `count` inputs, or as many as `seconds` allow."""
    findings, end = Findings(), time.monotonic() + seconds
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        folder = Path(name)
        trier = _Trier(door, folder / "scratch")
        try:
            for given in DOORS[door][0](seed, folder, count):
                if time.monotonic() > end:
                    break
                ended = trier.tried(given)
                findings.counts[ended.split(":")[0]] += 1
                if ended.startswith("FAILED"):
                    findings.failed.append((given, ended))
        finally:
            trier.close()
    return findings


def _main() -> int:
    parser = argparse.ArgumentParser(description="Try damaged and senseless input at one of clew's doors.")
    parser.add_argument("door", choices=sorted(DOORS))
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--failures", type=Path, help="append what failed here, as lines of a corpus")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        _serve(asked.door, asked.serve)
        return 0
    start = time.monotonic()
    found = fuzz(asked.door, asked.inputs, asked.seed, seconds=asked.seconds)
    sys.stdout.write(f"{asked.door}, seed {asked.seed}: {sum(found.counts.values())} inputs, ")
    sys.stdout.write(f"{len(found.failed)} failed, {time.monotonic() - start:.0f} s\n")
    for ended, times in found.counts.most_common():
        sys.stdout.write(f"{times:8,}  {ended}\n")
    for given, ended in found.failed[:20]:
        sys.stdout.write(f"{ended}\n  {json.dumps({k: v for k, v in given.items() if k != 'content'})[:400]}\n")
    if asked.failures:
        with asked.failures.open("a", encoding="utf-8") as file:
            for given, ended in found.failed:
                file.write(json.dumps({"door": asked.door, "ended": ended, **given}) + "\n")
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(_main())
