"""Question → topics on five graphs: how often the best topic is right, how many topics are found, and how fast.

Graphs and questions: MetaQA-R dev (brackets removed, and again with one typo in the topic), PathQuestion 2 hops dev and
train, the pooled Freebase graph with WebQSP and CWQ train and dev, GeoQuery train with the constants of its SQL as
topics, SimpleQuestions valid over its own facts. A question is of kind "named" when a topic's label stands in it up to
case, accents and signs, else "other". Nothing here is tuned on a test part.

    python benchmarks/linking.py [--questions 400] [--wrong 20] [--json out.json]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.datasets.freebase_pooled import freebase_pooled_triples, load_freebase_pooled
from clew.datasets.metaqa import load_metaqa, metaqa_triples
from clew.datasets.pathquestion import load_pathquestion, pathquestion_triples
from clew.graph import Graph, build
from clew.graph.names import words_of
from clew.retrieval.linking import candidates, link
from clew.types import Question

SQL = re.compile(r"\b([A-Z_]+) (?:=|<>|LIKE) \"([^\"]+)\"")
CLASSES = {"STATE_NAME": "State", "TRAVERSE": "State", "BORDER": "State", "CITY_NAME": "City", "CAPITAL": "City"}
CLASSES |= {"RIVER_NAME": "River", "MOUNTAIN_NAME": "Mountain", "HIGHEST_POINT": "", "LOWEST_POINT": ""}
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@dataclass(frozen=True)
class Asked:
    text: str
    gold: tuple[frozenset[str], ...]  # ids of each topic; several where the source cannot tell namesakes apart
    named: bool


def by_label(graph: Graph) -> Callable[[str], frozenset[str]]:
    ids: dict[str, set[str]] = {}
    for number in range(graph.num_entities):
        entity = graph.entity_at(number)
        ids.setdefault(entity.label, set()).add(entity.id)
    return lambda label: frozenset(ids.get(label, ()))


def asked(text: str, labels: tuple[str, ...], find: Callable[[str], frozenset[str]]) -> Asked | None:
    gold = tuple(found for label in labels if (found := find(label)))
    return Asked(text, gold, stands_in(text, labels)) if gold else None


def stands_in(text: str, labels: tuple[str, ...]) -> bool:
    words = f" {' '.join(word.folded for word in words_of(text))} "
    return any(f" {' '.join(word.folded for word in words_of(label))} " in words for label in labels)


def typo(text: str, name: str, rng: random.Random) -> str:
    """One letter of the topic dropped, doubled, changed or swapped; short names stay."""
    start = text.find(name)
    places = [i for i in range(start + 1, start + len(name) - 1) if text[i : i + 2].isalpha()]
    if start < 0 or len(name) < 6 or not places:
        return text
    at = rng.choice(places)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return rng.choice([text[:at] + text[at + 1 :], text[:at] + letter + text[at + 1 :], swapped])


def unzipped(file: Path) -> list[str]:
    return gzip.decompress(file.read_bytes()).decode().split("\n")[:-1]


def sets(data: Path, scratch: Path) -> Iterator[tuple[str, Graph, list[Asked]]]:
    graph = Graph.from_triples(metaqa_triples(data), name="metaqa")
    find = by_label(graph)
    examples = [e for hops in (1, 2, 3) for e in load_metaqa(hops, "dev", data)]
    plain = [asked(e.question.text, e.question.topics, find) for e in examples]
    yield "metaqa-r dev", graph, [a for a in plain if a]
    rng = random.Random(0)
    wrong = [asked(typo(e.question.text, e.question.topics[0], rng), e.question.topics, find) for e in examples]
    yield "metaqa-r dev, typo", graph, [a for a in wrong if a and not a.named]
    graph = Graph.from_triples(pathquestion_triples(2, data), name="pq-2h")
    find = by_label(graph)
    paths = [e for part in ("train", "dev") for e in load_pathquestion(2, part, data)]
    spaced = [asked(e.question.text.replace("_", " "), e.question.topics, find) for e in paths]
    yield "pq-2h, in words", graph, [a for a in spaced if a]
    graph = Graph.from_triples(freebase_pooled_triples(data), name="freebase")
    find = by_label(graph)
    for name in ("webqsp", "cwq"):
        pooled = [e for part in ("train", "dev") for e in load_freebase_pooled(name, part, data)]
        yield f"{name}-pooled", graph, [a for e in pooled if (a := asked(e.question.text, e.question.topics, find))]
    yield "geoquery train", *geography(data, scratch)
    facts = unzipped(data / "simplequestions" / "facts.tsv.gz")
    graph = Graph.from_triples([tuple(line.split("\t")) for line in facts], name="facts")  # type: ignore[misc]
    find = by_label(graph)
    rows = map(json.loads, unzipped(data / "simplequestions" / "valid.jsonl.gz"))
    yield (
        "simplequestions valid",
        graph,
        [a for row in rows if (a := asked(row["question"], tuple(row["q_entity"]), find))],
    )


def geography(data: Path, scratch: Path) -> tuple[Graph, list[Asked]]:
    build(data / "geoquery" / "geo.ttl", scratch / "geo.kg")
    graph = Graph.open(scratch / "geo.kg")
    kinds: dict[str, set[str]] = {}
    for triple in graph.triples():
        if triple.relation.id == TYPE:
            kinds.setdefault(triple.head.id, set()).add(triple.tail.id.rsplit("/", 1)[-1])
    ids: dict[tuple[str, str], set[str]] = {}
    for number in range(graph.num_entities):
        entity = graph.entity_at(number)
        for name in (entity.label, *graph.aliases_of(entity.id)):
            for kind in (*kinds.get(entity.id, ()), ""):
                ids.setdefault((kind, name.casefold()), set()).add(entity.id)
    found = []
    for line in (data / "geoquery" / "train.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted = dict.fromkeys((CLASSES[column], name) for column, name in SQL.findall(row["sql"]) if column in CLASSES)
        # A city with its state is one topic: which of the namesakes it is stands in the id.
        states = [name.replace(" ", "-") for kind, name in wanted if kind == "State"]
        gold, placed = [], False
        for kind, name in sorted(wanted, key=lambda pair: pair[0] == "State"):
            mine = ids.get((kind, name), set())
            inside = {id for id in mine if any(id.endswith(f"_{s}") for s in states)}
            placed = placed or (kind == "City" and bool(inside))
            if kind != "State" or not placed:
                gold.append(frozenset(inside or mine))
        if gold and all(gold):
            found.append(Asked(row["question"], tuple(gold), stands_in(row["question"], tuple(n for _, n in wanted))))
    return graph, found


def measure(graph: Graph, questions: list[Asked], wrong: int) -> dict[str, Any]:
    first = found = listed = total = chosen = 0
    times = []
    for question in questions:
        began = time.process_time()
        topics = link(Question("q", question.text), graph)
        times.append(time.process_time() - began)
        ids = [topic.entity.id for topic in topics]
        among = {topic.entity.id for topic in candidates(Question("q", question.text), graph)}
        right = bool(ids) and any(ids[0] in gold for gold in question.gold)
        first += right
        found += sum(not gold.isdisjoint(ids) for gold in question.gold)
        listed += sum(not gold.isdisjoint(among) for gold in question.gold)
        chosen += len(dict.fromkeys(topic.mention for topic in topics))
        total += len(question.gold)
        if not right and wrong:
            wrong -= 1
            said = [f"{t.entity.label} {t.score:.2f} {t.mention!r} {t.reason}" for t in topics[:3]]
            wanted = [[graph.entity(id).label for id in sorted(gold)][:2] for gold in question.gold]
            sys.stdout.write(f"  {question.text}\n      wanted {wanted}  got {said}\n")
    n = len(questions)
    return {
        "n": n,
        "top-1": first / n,
        "recall": found / total,
        "recall@10": listed / total,
        "mentions": chosen / n,
        "ms": 1000 * statistics.median(times),
        "p99 ms": 1000 * sorted(times)[int(0.99 * (n - 1))],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--questions", type=int, default=400, help="of each set and kind at most")
    parser.add_argument("--wrong", type=int, default=0, help="wrong links to print of each set and kind")
    parser.add_argument("--only", default="", help="sets whose name holds this")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = []
    columns = ("n", "top-1", "recall", "recall@10", "mentions", "ms", "p99 ms")
    sys.stdout.write(f"{'questions':34}{''.join(f'{name:>11}' for name in columns)}\n")
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as scratch:
        for name, graph, questions in sets(arguments.data, Path(scratch)):
            if arguments.only not in name:
                continue
            for kind in (True, False):
                mine = [question for question in questions if question.named == kind]
                if len(mine) < 10:
                    continue
                sample = random.Random(0).sample(mine, min(arguments.questions, len(mine)))
                row = measure(graph, sample, arguments.wrong)
                title = f"{name}: {'named' if kind else 'other'}"
                shown = "".join(f"{v:>11}" if isinstance(v, int) else f"{v:>11.3f}" for v in row.values())
                sys.stdout.write(f"{title:34}{shown}\n")
                sys.stdout.flush()
                results.append({"questions": title, **row})
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
