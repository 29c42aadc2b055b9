# ruff: noqa: SIM905
"""Data of the shape of Freebase, of any size, written as it is made: what `benchmarks/freebase.py` builds.

Topics have names in several languages, aliases, types, dates and relations to others, directly or through mediators
(nameless n-ary nodes). Out-degrees and popularity follow power laws: the type `common.topic` alone holds three topics
in ten. Names have one to six words, a length of 19 letters in the mean, and one in seven is shared with others. The
proportions are those of the graph that the papers use: 60 entities and 88 names to 126 triples.

The same seed gives the same bytes, whatever the block. Everything about a topic follows from its number, so that a
benchmark can ask for the names of any topics without reading the files.

    python benchmarks/freebase_data.py OUT_FOLDER --triples 10_000_000 --formats nt.gz parquet [--seed 0]

Shapes: n topics of a block, m rows.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.parquet as pq
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Hashes = NDArray[np.uint64]

NS = "http://rdf.freebase.com/ns/"
XSD = "http://www.w3.org/2001/XMLSchema#"
TOPICS_PER_TRIPLE = 40 / 126
MEDIATORS_PER_TOPIC = 0.5
BLOCK = 100_000  # topics made at once
DIGITS = np.frombuffer(b"0123456789bcdfghjklmnpqrstvwxyz_", np.uint8)
LANGUAGES = ("de", "fr", "es", "it", "ru", "el")
RELATIONS, DOMAINS, TYPES = 4_000, 90, 2_000
SYLLABLES = (
    "an bel cor da el fin gar hol is ju ken lo mar nor os pel quin ro sal tor ul ven wil xan yor zel "
    "ber chi dra eth fra gre hu in jo kar lin mon nel or pat ra sha tan um vi win ya zo st th ing er"
).split()
CYRILLIC = "ан бел вор да ел фин гар хол ис жу кен ло мар нор ос пел ро сал тор ул вен ви зе ша".split()
GREEK = "αν βελ γορ δα ελ φιν γαρ χολ ισ κεν λο μαρ νορ οσ πελ ρο σαλ τορ υλ βεν ζε ξα".split()


def mixed(numbers: Longs | int, salt: int) -> Hashes:
    """A random number that belongs to each number (splitmix64)."""
    with np.errstate(over="ignore"):
        x = np.asarray(numbers).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x += np.uint64((salt * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & (2**64 - 1))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def share(numbers: Longs | int, salt: int) -> NDArray[np.float64]:
    """A random number in [0, 1) that belongs to each number."""
    return (mixed(numbers, salt) >> np.uint64(11)) / float(1 << 53)


def vocabulary(syllables: list[str], count: int, salt: int) -> pa.Array:
    """`count` words of one to four syllables, the short ones first."""
    numbers = np.arange(count)
    size = 1 + np.minimum((share(numbers, salt) * 2 + np.log2(numbers + 2) / 8).astype(int), 3)
    parts = []
    for k in range(4):
        picked = np.array(syllables, object)[mixed(numbers, salt + 1 + k) % np.uint64(len(syllables))]
        parts.append(pa.array(np.where(k < size, picked, ""), pa.string()))
    return pc.utf8_capitalize(pc.binary_join_element_wise(*parts, ""))


@dataclass(frozen=True)
class World:
    """Everything that follows from a size and a seed."""

    triples: int
    seed: int = 0

    @property
    def topics(self) -> int:
        return max(int(self.triples * TOPICS_PER_TRIPLE), 10)

    def _salt(self, number: int) -> int:
        return self.seed * 1000 + number

    @property
    def words(self) -> dict[str, pa.Array]:
        if "_words" not in self.__dict__:
            many = int(np.clip(self.topics // 20, 2_000, 400_000))
            self.__dict__["_words"] = {
                "latin": vocabulary(SYLLABLES, many, self._salt(100)),
                "ru": vocabulary(CYRILLIC, many // 4, self._salt(120)),
                "el": vocabulary(GREEK, many // 4, self._salt(140)),
            }
        return self.__dict__["_words"]

    def ids(self, topics: Longs) -> pa.Array:
        """`m.0…` of topics and, above their number, of mediators."""
        digits = np.empty((len(topics), 10), np.uint8)
        digits[:, 0], digits[:, 1], digits[:, 2] = ord("m"), ord("."), ord("0")
        rest = np.asarray(topics, np.int64).copy()
        for place in range(9, 2, -1):
            digits[:, place] = DIGITS[rest & 31]
            rest >>= 5
        offsets = np.arange(len(topics) + 1, dtype=np.int32) * 10
        return pa.StringArray.from_buffers(len(topics), pa.py_buffer(offsets), pa.py_buffer(digits.reshape(-1)))

    def names(self, topics: Longs, language: str = "en", alias: bool = False) -> pa.Array:
        """What topics are called; an alias drops or swaps words."""
        words = self.words.get(language, self.words["latin"])
        # One in seven is called as others are: the popular names are shared by thousands.
        shared = share(topics, self._salt(1)) < 1 / 7
        pool = max(self.topics // 12, 5)
        called = np.where(shared, self.topics + (pool * share(topics, self._salt(2)) ** 3).astype(np.int64), topics)
        salt = self._salt(10) + (0 if language in ("en", "de", "fr") else 31) + (77 if alias else 0)
        size = np.searchsorted([0.14, 0.62, 0.84, 0.94, 0.985], share(called, salt)) + 1
        parts = []
        for k in range(6):
            word = (len(words) * share(called, salt + 2 + k) ** 2.2).astype(np.int64)
            parts.append(pc.if_else(pa.array(k < size), words.take(pa.array(word)), None))
        text = pc.binary_join_element_wise(*parts, " ", null_handling="skip")
        if language in LANGUAGES[:4]:  # what other languages call it is a little different
            ends = pa.array([" (" + language + ")", "", "o", ""])
            text = pc.binary_join_element_wise(text, ends.take(pa.array(mixed(called, salt + 9) % np.uint64(4))), "")
        # A bracket, a year or a comma, as titles have.
        year = pc.cast(pa.array(1900 + (share(called, salt + 10) * 125).astype(np.int64)), pa.string())
        dated = pc.binary_join_element_wise(text, " (", year, ")", "")
        return pc.if_else(pa.array(share(called, salt + 11) < 0.06), dated, text)

    def relations(self, numbers: Longs) -> pa.Array:
        if "_relations" not in self.__dict__:
            words = pc.utf8_lower(self.words["latin"]).to_pylist()
            made = [
                f"{words[5 + i % DOMAINS]}.{words[100 + i % 700]}.{words[900 + i % 997]}_{words[40 + i % 89]}"
                for i in range(RELATIONS)
            ]
            self.__dict__["_relations"] = pa.array(made)
        return self.__dict__["_relations"].take(pa.array(numbers))

    def types(self, numbers: Longs) -> pa.Array:
        if "_types" not in self.__dict__:
            words = pc.utf8_lower(self.words["latin"]).to_pylist()
            made = ["common.topic"] + [f"{words[5 + i % DOMAINS]}.{words[100 + i % 700]}{i}" for i in range(1, TYPES)]
            self.__dict__["_types"] = pa.array(made)
        return self.__dict__["_types"].take(pa.array(numbers))

    def popular(self, numbers: Longs, salt: int) -> Longs:
        """A topic for each number, by popularity: the first ones are hubs, spread over all numbers."""
        rank = (self.topics * share(numbers, self._salt(salt)) ** 5).astype(np.int64)
        return (rank * 7_368_787 + 11) % self.topics

    def date(self, numbers: Longs) -> pa.Array:
        days = (share(numbers, self._salt(50)) ** 0.5 * 45_000).astype("int64") - 25_567
        return pc.cast(pa.array(days.astype("datetime64[D]")), pa.string())

    def blocks(self) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Triples (head, relation, tail, date) and names (id, language, text, alias), topic after topic."""
        done = 0
        for start in range(0, self.topics, BLOCK):
            topics = np.arange(start, min(start + BLOCK, self.topics))
            triples = self._triples(topics)
            last = start + BLOCK >= self.topics
            if done + len(triples) > self.triples or last:
                triples = self._filled(triples, self.triples - done, topics)
            done += len(triples)
            yield triples, self._names(topics)
            if done >= self.triples and not last:
                raise AssertionError("the means of `_triples` give more triples than were asked for")

    def _triples(self, topics: Longs) -> pa.Table:
        heads: list[Longs] = []
        rels: list[pa.Array] = []
        tails: list[pa.Array] = []
        dated: list[NDArray[np.bool_]] = []

        def put(head: Longs, relation: pa.Array | str, tail: pa.Array, date: bool = False) -> None:
            heads.append(head)
            rels.append(pa.array([relation] * len(head)) if isinstance(relation, str) else relation)
            tails.append(tail)
            dated.append(np.full(len(head), date))

        type_of = np.where(
            share(topics, self._salt(60)) < 0.3, 0, 1 + ((TYPES - 1) * share(topics, self._salt(61)) ** 4)
        ).astype(np.int64)
        put(topics, "type.object.type", self.types(type_of))
        # A Pareto tail: most topics say nothing more, some thousands.
        degree = np.minimum(0.36 * share(topics, self._salt(62)) ** -0.62, 2_000).astype(np.int64)
        head, which = _repeated(topics, degree)
        key = head * 4_096 + which
        put(head, self._relation(key, 63), self.ids(self.popular(key, 64)))
        born = topics[share(topics, self._salt(65)) < 0.2]
        put(born, "people.person.date_of_birth", self.date(born), date=True)
        count = (mixed(topics, self._salt(66)) % np.uint64(100) < np.uint64(30)).astype(np.int64)
        count += (share(topics, self._salt(67)) < 0.1) * 2
        head, which = _repeated(topics, count)
        node = self.topics + head * 4 + which
        put(head, self._relation(node, 68), self.ids(node))
        put(node, self._relation(node, 69), self.ids(self.popular(node, 70)))
        put(node, self._relation(node, 71, 200), self.date(node), date=True)
        subject = np.concatenate(heads)
        order = pa.array(np.argsort(subject, kind="stable"))
        table = pa.table(
            {
                "head": self.ids(subject),
                "relation": pa.concat_arrays(rels),
                "tail": pa.concat_arrays(tails),
                "date": pa.array(np.concatenate(dated)),
            }
        )
        return table.take(order)

    def _relation(self, keys: Longs, salt: int, count: int = RELATIONS) -> pa.Array:
        return self.relations((count * share(keys, self._salt(salt)) ** 3).astype(np.int64))

    def _filled(self, table: pa.Table, room: int, topics: Longs) -> pa.Table:
        """Cut at `room`, or filled up to it with relations of the last topics."""
        if len(table) >= room:
            return table.slice(0, room)
        more = room - len(table)
        key = np.arange(more) + self.topics * 8
        head = topics[(mixed(key, self._salt(80)) % np.uint64(len(topics))).astype(np.int64)]
        extra = pa.table(
            {
                "head": self.ids(head),
                "relation": self._relation(key, 81),
                "tail": self.ids(self.popular(key, 82)),
                "date": pa.array(np.zeros(more, bool)),
            }
        )
        return pa.concat_tables([table, extra]).combine_chunks()

    def _names(self, topics: Longs) -> pa.Table:
        owners, languages, texts, alias = [topics], ["en"], [self.names(topics)], [False]
        for number, language in enumerate(LANGUAGES):
            some = topics[share(topics, self._salt(90 + number)) < 1 / len(LANGUAGES)]
            owners.append(some)
            languages.append(language)
            texts.append(self.names(some, language))
            alias.append(False)
        some = topics[share(topics, self._salt(98)) < 0.2]
        owners.append(some)
        languages.append("en")
        texts.append(self.names(some, alias=True))
        alias.append(True)
        sizes = [len(each) for each in owners]
        order = pa.array(np.argsort(np.concatenate(owners), kind="stable"))
        return pa.table(
            {
                "id": self.ids(np.concatenate(owners)),
                "language": pa.array(np.repeat(languages, sizes)),
                "text": pa.concat_arrays(texts),
                "alias": pa.array(np.repeat(alias, sizes)),
            }
        ).take(order)


def _repeated(topics: Longs, counts: Longs) -> tuple[Longs, Longs]:
    """Each topic as often as its count says, and which time it is."""
    head = np.repeat(topics, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    return head, np.arange(len(head)) - first


class NTriples:
    """Lines as Freebase's own dump has them: tabs between the terms, names beside the triples of a topic's block."""

    def __init__(self, file: Path) -> None:
        self.files = [file]
        self._file: Any = file.open("wb")
        if file.suffix == ".gz":
            self._raw, self._file = self._file, gzip.GzipFile("", "wb", 1, self._file, 0)

    def write(self, triples: pa.Table, names: pa.Table) -> None:
        tail = triples["tail"]
        iri = pc.binary_join_element_wise(f"\t<{NS}", tail, ">\t.\n", "")
        date = pc.binary_join_element_wise('\t"', tail, f'"^^<{XSD}date>\t.\n', "")
        self._lines(triples["head"], triples["relation"], pc.if_else(triples["date"], date, iri))
        property = pc.if_else(names["alias"], "common.topic.alias", "type.object.name")
        text = pc.binary_join_element_wise('\t"', names["text"], '"@', names["language"], "\t.\n", "")
        self._lines(names["id"], property, text)

    def _lines(self, head: Any, relation: Any, rest: Any) -> None:
        lines = pc.binary_join_element_wise(f"<{NS}", head, f">\t<{NS}", relation, ">", rest, "")
        for chunk in lines.chunks:
            _, offsets, data = chunk.buffers()
            places = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            self._file.write(memoryview(data)[int(places[0]) : int(places[-1])])

    def close(self) -> None:
        self._file.close()
        if self.files[0].suffix == ".gz":
            self._raw.close()  # which a gzip file leaves open


def beside(file: Path) -> Path:
    """Where the names of a table of triples lie."""
    return file.with_suffix(f".names{'.txt' if file.suffix == '.tsv' else file.suffix}")


class Parquet:
    """Two tables: triples (head, relation, tail) and names (id, label)."""

    def __init__(self, file: Path) -> None:
        self.files = [file, beside(file)]
        texts = pa.string()
        self._triples = pq.ParquetWriter(file, pa.schema([("head", texts), ("relation", texts), ("tail", texts)]))
        self._names = pq.ParquetWriter(self.files[1], pa.schema([("id", texts), ("label", texts)]))

    def write(self, triples: pa.Table, names: pa.Table) -> None:
        self._triples.write_table(triples.select(["head", "relation", "tail"]))
        # Every text, also those of other languages: as many names as the N-Triples have.
        first = pa.table({"id": names["id"], "label": names["text"]})
        self._names.write_table(first)

    def close(self) -> None:
        self._triples.close()
        self._names.close()


class Tsv:
    """Tab-separated triples, and a label file beside them."""

    def __init__(self, file: Path) -> None:
        self.files = [file, beside(file)]
        self._handles = [each.open("wb") for each in self.files]
        self._options = pv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")

    def write(self, triples: pa.Table, names: pa.Table) -> None:
        pv.write_csv(triples.select(["head", "relation", "tail"]), self._handles[0], self._options)
        pv.write_csv(names.select(["id", "text"]), self._handles[1], self._options)

    def close(self) -> None:
        for handle in self._handles:
            handle.close()


WRITERS: dict[str, Any] = {"nt": NTriples, "nt.gz": NTriples, "parquet": Parquet, "tsv": Tsv}


def make(folder: Path, world: World, formats: list[str], *, say: bool = True) -> dict[str, list[Path]]:
    """Write the files of each format; the files of one that is finished are not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"freebase-{world.triples}-{world.seed}"
    finals = {form: folder / f"{stem}.{form}" for form in formats}
    todo = {form: file for form, file in finals.items() if not (folder / f"{file.name}.done").exists()}
    if todo:
        started, triples, named = time.perf_counter(), 0, 0
        writers = {form: WRITERS[form](file) for form, file in todo.items()}
        for rows, names in world.blocks():
            for writer in writers.values():
                writer.write(rows, names)
            triples, named = triples + len(rows), named + len(names)
            if say and triples // 10_000_000 != (triples - len(rows)) // 10_000_000:
                print(f"  {triples:,} triples, {named:,} names, {time.perf_counter() - started:.0f} s", flush=True)
        for form, writer in writers.items():
            writer.close()
            (folder / f"{todo[form].name}.done").write_text(f"{triples} {named}\n")
    result = {}
    for form, file in finals.items():
        result[form] = [file, *([] if form.startswith("nt") else [beside(file)])]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--formats", nargs="+", default=["nt.gz", "parquet"], choices=sorted(WRITERS))
    options = parser.parse_args()
    world = World(options.triples, options.seed)
    started = time.perf_counter()
    made = make(options.folder, world, options.formats)
    print(f"{world.triples:,} triples about {world.topics:,} topics in {time.perf_counter() - started:.0f} s")
    for files in made.values():
        for file in files:
            print(f"  {file}  {file.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
