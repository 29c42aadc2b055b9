"""The door `build`: the files that a graph is built from, changed, with options that make no sense."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.errors import ClewError
from clew.testing.fuzz.graphs import PEOPLE
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

BASES = {
    "x.tsv": b"head\trelation\ttail\na\tr\tb\nc\ts\td e\n",
    "x.csv": b'head,relation,tail\n"a, b",r,"c ""d"""\ne,s,f\n',
    "x.txt": b"a|r|b\nc|s|d\n",
    "x.jsonl": b'{"head": "a", "relation": "r", "tail": "b"}\n["c", "s", 4]\n',
    "x.nt": b'<http://e/a> <http://e/p> <http://e/b> .\n_:x <http://e/q> "lit"@en .\n',
    "x.nq": b'<http://e/a> <http://e/p> "1"^^<http://e/t> <http://e/g> .\n',
    "x.ttl": PEOPLE.encode(),
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


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    import bz2
    import gzip

    bases = {**BASES, "x.parquet": _parquet()}
    bases |= {"x.tsv.gz": gzip.compress(BASES["x.tsv"], mtime=0), "x.nt.bz2": bz2.compress(BASES["x.nt"])}
    for given in corpus("build"):
        whole = "".join(text * times for text, times in given.pop("parts"))
        yield {"options": {}, **given, "content": base64.b64encode(whole.encode("latin-1")).decode()}
    for number, rng in draws("build", seed, count):
        name = rng.choice(sorted(bases))
        options: dict[str, Any] = {}
        if rng.random() < 0.2:
            options = {"strict": rng.random() < 0.5, "header": rng.choice((None, True, False)),
                       "delimiter": rng.choice((None, "\t", ",", "||", "", "\n", "é", "\0", '"')),
                       "mediator": rng.choice((None, "(", "a{9999999999}", "[mg].*", "(" * 200 + ")" * 200)),
                       "language": rng.choice(("en", "", "\ud800", "*"))}  # fmt: skip
        content = changed(bases[name], rng)
        yield {"name": name, "content": base64.b64encode(content).decode(), "options": options, "number": number}


def attempt(given: Input, scratch: Path) -> str:
    from clew.graph import Graph, build

    file = scratch / given["name"]
    file.write_bytes(base64.b64decode(given["content"]))
    try:
        if given["name"] == "labels":
            (scratch / "x.tsv").write_bytes(BASES["x.tsv"])
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
