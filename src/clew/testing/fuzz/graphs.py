"""The door `graph`: the files of a graph folder, changed, and what is then answered, refused, said and repaired.

A failure besides: another answer than that of the sound graph, of which `doctor` says nothing. Where the checksums were
forged to fit, the content is another graph, and that alone is none.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.errors import ClewError
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

PEOPLE = """@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
e:ada rdfs:label "Ada Lovelace"@en ; skos:altLabel "Countess"@en ; rdfs:comment "a poet"@en ; e:knows e:ben .
e:ada e:born "1815" .
e:ben rdfs:label "Ben"@en ; e:knows e:cem, [ e:since 3 ] ; e:in e:Rome . e:knows rdfs:label "knows"@en .
e:cem e:knows e:ada ; e:in e:Rome, e:Paris . e:Rome rdfs:label "Rome"@en ; e:in e:Italy .
"""


def sound_graph(folder: Path, names: int = 0) -> Path:
    """A graph with everything a graph can have: labels, aliases, literals, sources, edits; `names` entities more."""
    from clew.graph import add, build, remove

    (folder / "people.ttl").write_text(PEOPLE)
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


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:
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
    for number, rng in draws("graph", seed, count):
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


def attempt(given: Input, scratch: Path) -> str:
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
    if given["forged"] and file.name not in ("meta.json", "checked.json", "delta.log"):
        return "another graph, checksums forged"
    return "found by doctor" if said else "FAILED other answers, silently"
