"""The questions that the reader is trained on: many sets over many graphs, as records.

Every source has a group; a group is left out as a whole (its real and its synthetic questions, all its hop counts), so
that a figure says what the reader does on a graph it never saw. Nothing but training parts is read.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from rapidfuzz import fuzz, process

from clew.datasets import demo, load, question_set, read_plain
from clew.graph import Graph, build
from clew.graph.subgraph import Subgraph
from clew.query.question import read_question
from clew.reading import spider
from clew.reading.growth import PlanCandidate
from clew.reading.invented import DrawnQuestion, DrawnWorld, InventedWorld, Step, worlds
from clew.reading.records import (
    TRAINING,
    Made,
    TrainingRecord,
    from_graph,
    from_schema,
    likeness,
    renaming,
    reworded,
    walked,
)
from clew.reading.trails import Hops
from clew.reading.wording import Floats, QuestionWording, WordedStep, Wording, plain_words
from clew.retrieval.linking import link
from clew.retrieval.scoring import value_cue
from clew.synthesis.questions import synthesize
from clew.synthesis.structures import SamplingConfig
from clew.types import Gold, Question

RENAMED, UNTYPED = 0.6, 0.3  # share of questions with other words for relations; without kinds
TOPICS = 5  # most topics of a training question
NAMINGS = 6  # ways of naming a schema that is not at hand as a graph
SAMPLING = SamplingConfig(hops=(0.35, 0.4, 0.25), fork=0.15)


@dataclass(frozen=True, eq=False)
class CorpusQuestion:
    """A question over a graph with what is right; without an answer no plan is."""

    question: Question
    gold: Gold
    path: str = ""  # "stated": `gold.paths` from the topic on; "metaqa": by the question's kind


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """Where some records come from."""

    group: str
    weight: float  # in the mixture
    read: Callable[[Builder, int], Iterator[TrainingRecord]]
    most: int  # records
    licence: str


class Builder:
    """Makes records; keeps the vectors of texts.

    Args:
        encoder: a sentence encoder that gives token states. folder: of the data sets (CLEW_DATA).
    """

    def __init__(self, encoder: Any, folder: Path, seed: int = 0) -> None:
        self.encoder, self.folder = encoder, folder
        self.chance = random.Random(seed)
        self._vectors: dict[str, Floats] = {}

    def encode(self, texts: Sequence[str]) -> Floats:
        """(L, D), each text once."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self.encoder.encode(missing), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def over(self, group: str, graph: Graph, askings: Iterable[CorpusQuestion]) -> Iterator[TrainingRecord]:
        """Records of questions over a graph."""
        whole = graph.whole
        plain = Wording(whole)
        bare = Wording(whole, untyped=True)
        _ = plain.types, bare.types  # before they are copied, so that it is worked out once
        waiting: list[tuple[CorpusQuestion, list[int], list[int], QuestionWording]] = []
        for asking in askings:
            starts, names = _topics(asking.question, graph, whole)
            if starts:
                order = list(dict.fromkeys(names))
                asked = QuestionWording.of(asking.question.text, order)
                waiting.append((asking, starts, [order.index(name) for name in names], asked))
            if len(waiting) == 64:
                yield from self._some(group, graph, plain, bare, waiting)
                waiting = []
        if waiting:
            yield from self._some(group, graph, plain, bare, waiting)

    def _some(
        self,
        group: str,
        graph: Graph,
        plain: Wording,
        bare: Wording,
        some: Sequence[tuple[CorpusQuestion, list[int], list[int], QuestionWording]],
    ) -> Iterator[TrainingRecord]:
        whole = graph.whole
        states, at = self.encoder.encode_tokens([asked.text for *_, asked in some])
        for i, (asking, starts, mentions, asked) in enumerate(some):
            wording = bare if self.chance.random() < UNTYPED else plain
            wording = wording.renamed(renaming(whole, plain, self.chance, RENAMED))
            right = asking.gold.entities or asking.gold.answers
            gold = [n for name in right for e in graph.resolve(name)[:5] if (n := whole.local(e.id)) is not None]
            rate = likeness(asked, states[at[i] : at[i + 1]], wording, self.encode)
            stated = _stated(asking, whole, graph, starts[0])
            record = from_graph(
                group, whole, wording, asked, starts, mentions, gold, rate, self.chance, stated, nothing=not right
            )
            if record is not None:
                yield record

    def drawn(self, group: str, drawn: DrawnWorld) -> Iterator[TrainingRecord]:
        """Records of an invented world's questions."""
        graph = drawn.graph()
        whole = graph.whole
        plain, bare = Wording(whole), Wording(whole, untyped=True)
        _ = plain.types, bare.types
        rows = list(drawn.questions(1))
        askings = [QuestionWording.of(row.text, row.names) for row in rows]
        states, at = self.encoder.encode_tokens([asked.text for asked in askings])
        for i, (row, asked) in enumerate(zip(rows, askings, strict=True)):
            wording = bare if self.chance.random() < UNTYPED else plain
            wording = wording.renamed(renaming(whole, plain, self.chance, RENAMED / 2))
            starts = [whole.local(topic) for topic in row.topics]
            if any(start is None for start in starts):  # a value that no thing has
                continue
            known = [start for start in starts if start is not None]
            meant = _meant(row, drawn, graph, known)
            if row.answers and (meant is None or max(len(trail.steps) for trail in meant.trails) > TRAINING.hops):
                continue
            rate = likeness(asked, states[at[i] : at[i + 1]], wording, self.encode)
            gold = () if meant is None else meant.ends.tolist()
            record = from_graph(
                group, whole, wording, asked, known, range(len(known)), gold, rate, self.chance,
                meant=meant, nothing=meant is None,
            )  # fmt: skip
            if record is not None:
                yield record

    def siblings(self, pool: Sequence[WordedStep]) -> Callable[[WordedStep], Sequence[WordedStep]]:
        """Steps of the pool whose words are most like a step's, ten of the nearest in a new order each time."""
        table = self.encode([f"{step.first} {step.second}".strip() for step in pool])
        known: dict[WordedStep, list[WordedStep]] = {}

        def near(step: WordedStep) -> Sequence[WordedStep]:
            if step not in known:
                like = table @ self.encode([f"{step.first} {step.second}".strip()])[0]
                order = np.argsort(-like)[:16]
                known[step] = [pool[i] for i in order if pool[i] != step][:14]
            return self.chance.sample(known[step], min(10, len(known[step])))

        return near


def _topics(question: Question, graph: Graph, whole: Subgraph) -> tuple[list[int], list[str]]:
    """Local numbers of the topics, and how the question calls each."""
    starts, names = [], []
    for topic in question.topics:
        for entity in graph.resolve(topic)[:2]:
            if (start := whole.local(entity.id)) is not None:
                starts.append(start)
                names.append(name_in(question.text, topic, entity.label))
    return starts[:TOPICS], names[:TOPICS]


def name_in(question: str, *names: str) -> str:
    """How the question calls something: one of its names, else the words most like the last of them."""
    for name in names:
        for form in dict.fromkeys((name, name.replace("_", " "))):
            if form and re.search(rf"(?<!\w){re.escape(form)}(?!\w)", question, re.IGNORECASE):
                return form
    words = question.rstrip("?!. ").split()
    parts = [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 8) + 1)]
    best = process.extractOne(names[-1], parts, scorer=fuzz.ratio, processor=str.casefold)
    return best[0] if best is not None and best[1] >= 70 else names[-1]


_METAQA = {
    "actor": "starred_actors", "director": "directed_by", "writer": "written_by", "genre": "has_genre",
    "year": "release_year", "language": "in_language", "tags": "has_tags", "tag": "has_tags",
    "imdbrating": "has_imdb_rating", "imdbvotes": "has_imdb_votes",
}  # fmt: skip


def _stated(asking: CorpusQuestion, whole: Subgraph, graph: Graph, start: int) -> tuple[tuple[Hops, ...], ...]:
    if asking.path == "metaqa" and asking.gold.kind:
        parts = asking.gold.kind.split("_to_")
        named: list[Hops] = []
        for a, b in pairwise(parts):
            number = graph.relation_number(_METAQA[b if a == "movie" else a])
            assert number is not None
            named.append(((number, a == "movie"),))
        return (tuple(named),)
    if asking.path != "stated" or not asking.gold.paths:
        return ()
    at = start
    steps: list[Hops] = []
    step: Hops = ()
    for head, relation, tail in asking.gold.paths[0]:
        first, second = whole.local(head), whole.local(tail)
        number = graph.relation_number(relation)
        if first is None or second is None or number is None:
            return ()
        forward = first == at
        at = second if forward else first
        step = (*step, (number, forward))
        if not whole.mediators[at] or len(step) == 2:
            steps.append(step)
            step = ()
    return (tuple(steps),)


def _meant(row: DrawnQuestion, drawn: DrawnWorld, graph: Graph, starts: Sequence[int]) -> PlanCandidate | None:
    """The plan that a drawn question means; None where none does, or where it ends at a statement."""
    if not row.answers:
        return None
    whole = graph.whole

    def hops(begin: Iterable[str], steps: Sequence[Step]) -> tuple[Hops, ...]:
        """Two hops around a statement are one step."""
        found: list[Hops] = []
        open_step: Hops = ()
        for number, (name, forward) in enumerate(steps):
            relation = graph.relation_number(name)
            assert relation is not None
            open_step = (*open_step, (relation, forward))
            at = whole.local(next(iter(drawn.reach(begin, steps[: number + 1]))))
            if at is not None and not whole.mediators[at]:
                found.append(open_step)
                open_step = ()
        return () if open_step else tuple(found)

    trails = [(topic, hops([row.topics[topic]], steps)) for topic, steps in row.trails]
    if not all(steps for _, steps in trails):
        return None
    meeting = drawn.reach([row.topics[row.trails[0][0]]], row.trails[0][1])
    for topic, steps in row.trails[1:]:
        reached = drawn.reach([row.topics[topic]], steps)
        meeting = {each: None for each in meeting if each in reached}
    after = hops(list(meeting), row.after)
    if row.after and not after:
        return None
    return walked(whole, starts, trails, after)


# -- sources -------------------------------------------------------------------------------------------------------


MOST_INVENTED = 120_000  # questions of a part
PARTS = 4  # of the invented worlds; the first is read by no network


def invented_worlds(part: int) -> list[InventedWorld]:
    """A part of the worlds, by the names of their files. Part 0 is for fitting and measuring what comes after."""
    return [world for world in worlds() if crc32(world.file.encode()) % PARTS == part]


def _invented(part: int, times: int) -> Callable[[Builder, int], Iterator[TrainingRecord]]:
    def read(builder: Builder, most: int) -> Iterator[TrainingRecord]:
        made = (
            record
            for world in invented_worlds(part)
            for time in range(times)  # another graph each time
            for record in builder.drawn(
                "invented" if part else "invented-0", DrawnWorld(world, builder.chance, events=time % 2 == 1)
            )
        )
        return islice(made, most)

    return read


def _named(name: str, split: str, group: str, path: str = "") -> Callable[[Builder, int], Iterator[TrainingRecord]]:
    def read(builder: Builder, most: int) -> Iterator[TrainingRecord]:
        triples = question_set(name).triples
        assert triples is not None
        graph = Graph.from_triples(triples(builder.folder), name=name)
        rows = list(load(name, split, folder=builder.folder))
        rows = builder.chance.sample(rows, min(most, len(rows)))
        return builder.over(group, graph, (CorpusQuestion(row.question, row.gold, path) for row in rows))

    return read


def _made_up(group: str, graph_of: Callable[[Path], Graph]) -> Callable[[Builder, int], Iterator[TrainingRecord]]:
    def read(builder: Builder, most: int) -> Iterator[TrainingRecord]:
        graph = graph_of(builder.folder)
        made = synthesize(graph.whole, most, seed=builder.chance.randrange(1 << 30), sampling=SAMPLING)
        return builder.over(group, graph, (CorpusQuestion(each.question, each.gold, "stated") for each in made))

    return read


def _set_graph(name: str) -> Callable[[Path], Graph]:
    def graph(folder: Path) -> Graph:
        triples = question_set(name).triples
        assert triples is not None
        return Graph.from_triples(triples(folder), name=name)

    return graph


def _built(files: Path | Sequence[Path]) -> Graph:
    """The graph of some files, mapped while the folder is there; what is mapped outlives it."""
    with tempfile.TemporaryDirectory() as folder:
        build(files, Path(folder) / "built.kg")
        graph = Graph.open(Path(folder) / "built.kg")
        _ = graph.whole, graph.indexes
    return graph


def demo_graph(_: Path | None = None) -> Graph:
    """The demo's graph."""
    return _built(demo.graph_file())


def geo_graph(folder: Path) -> Graph:
    """The graph of GeoQuery, in the folder of the question sets."""
    return _built(folder / "geoquery" / "geo.ttl")


def _tiny_graph(folder: Path) -> Graph:
    return _built(folder / "freebase-tiny" / "freebase_tiny_kg.csv")


def _fb15k_graph(folder: Path) -> Graph:
    """Its relations `/a/b/c./d/e/f` go through a mediator that was left out: named a.c.f."""
    folder = folder / "fb15k-237"

    def named(relation: str) -> str:
        if "./" not in relation:
            return relation.strip("/").replace("/", ".")
        first, second = relation.split("./")
        return ".".join((first.split("/")[1], first.split("/")[-1], second.split("/")[-1]))

    with (folder / "entity2text.txt").open(encoding="utf-8", newline="") as file:
        labels = {row[0]: row[1] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if len(row) > 1}
    with (folder / "train.txt").open(encoding="utf-8", newline="") as file:
        rows = [(h, named(r), t) for h, r, t in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return Graph.from_triples(rows, name="fb15k-237", labels=labels)


def _facts(folder: Path) -> list[tuple[str, str, str]]:
    with gzip.open(folder / "simplequestions" / "facts.tsv.gz", "rt", encoding="utf-8") as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        return [(row[0], row[1], row[2]) for row in rows if len(row) == 3]


def facts_graph(folder: Path) -> Graph:
    """The facts of SimpleQuestions."""
    return Graph.from_triples(_facts(folder), name="simplequestions")


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file, gzipped or not."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()]


def _demo(builder: Builder, most: int) -> Iterator[TrainingRecord]:
    rows = list(read_plain(demo.questions_file("train")))
    rows = builder.chance.sample(rows, min(most, len(rows)))
    return builder.over("demo", demo_graph(), (CorpusQuestion(row.question, row.gold) for row in rows))


def _geo(builder: Builder, most: int) -> Iterator[TrainingRecord]:
    """Questions that a path answers, linked as in answering."""
    graph = geo_graph(builder.folder)
    askings = []
    for row in json_lines(builder.folder / "geoquery" / "train.jsonl"):
        if row["kinds"] == ["plain"]:
            topics = link(Question(row["id"], row["question"]), graph, encoder=builder.encoder)
            named = tuple(dict.fromkeys(topic.entity.id for topic in topics))
            askings.append(CorpusQuestion(Question(row["id"], row["question"], named), Gold(tuple(row["answer"]))))
    return builder.over("geo", graph, (askings * 2)[:most])


PEOPLE = (
    "company", "football", "university", "zoo", "music", "library", "genealogy", "movies", "pharmacy", "politics",
    "transit", "courts", "festival", "geography", "huts", "incidents", "realestate", "smarthome", "trials",
    "videogames", "wildlife",
)  # fmt: skip
"""Small graphs whose questions, worded as people word them, are trained on; of a checkout of the project."""
_GRAPHS = Path(__file__).parents[3] / "tests" / "questions" / "graphs"


def _people(builder: Builder, most: int) -> Iterator[TrainingRecord]:
    """Questions without an operator, linked as in answering, each with two namings of the relations; those that the
    graph cannot answer, of which there are few, with six."""
    for name in PEOPLE:
        stems = (name, f"{name}-nodes", f"{name}-edges")
        graph = _built([f for f in sorted(_GRAPHS.iterdir()) if f.stem in stems and f.suffix not in ("", ".jsonl")])
        askings = []
        for row in json_lines(_GRAPHS / f"{name}.jsonl"):
            asked = Question(row["id"], row["question"])
            if read_question(asked.text).kind == "plain":
                topics = link(asked, graph, encoder=builder.encoder)
                named = tuple(dict.fromkeys(topic.entity.id for topic in topics))
                one = CorpusQuestion(replace(asked, topics=named), Gold(tuple(row["answer"])))
                askings += [one] * (2 if row["answer"] else 6)
        made = list(builder.over("people", graph, askings))[:most]
        most -= len(made)
        yield from made


def _simple(builder: Builder, most: int) -> Iterator[TrainingRecord]:
    """One-hop questions whose relation the facts tell, over the schema of Wikidata as far as the facts show it."""
    facts: dict[str, list[tuple[str, bool, str]]] = defaultdict(list)
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for head, relation, tail in _facts(builder.folder):
        facts[head].append((relation, False, tail))
        facts[tail].append((relation, True, head))
        values[relation][value_cue(tail, None)] += 1
    relations = sorted(values)
    namings = [_naming(relations, builder.chance, number == 0) for number in range(NAMINGS)]
    pools = [[_single(naming, r, back) for r in relations for back in (False, True)] for naming in namings]
    near = [builder.siblings(pool) for pool in pools]
    value_of = [
        {_single(naming, r, False): max(values[r], key=values[r].__getitem__) for r in relations} for naming in namings
    ]
    for row in builder.chance.sample(
        rows := json_lines(builder.folder / "simplequestions" / "train.jsonl.gz"), len(rows)
    ):
        asked_for = {
            (relation, back)
            for topic in row["q_entity"]
            for relation, back, other in facts[topic]
            if other in row["a_entity"]
        }
        if len(asked_for) != 1:
            continue
        (relation, back), which = asked_for.pop(), builder.chance.randrange(NAMINGS)

        def leads_to(step: WordedStep, known: dict[WordedStep, str] = value_of[which]) -> tuple[str, str]:
            value = known.get(step, "")
            return "", value if value in ("time", "number") else ""

        right = Made(((0, (_single(namings[which], relation, back),)),))
        name = name_in(row["question"], row["q_entity"][0])
        yield from_schema(
            "simplequestions", row["question"], [name], right, pools[which], near[which], builder.chance, leads_to
        )
        most -= 1
        if most == 0:
            return


Naming = dict[str, tuple[str, bool]]


def _naming(relations: Sequence[str], chance: random.Random, plain: bool) -> Naming:
    """Words for every relation of a schema, and whether they say it in the other direction."""
    words = {r: plain_words(r) for r in relations}
    return {r: (words[r], False) if plain else reworded(words[r], r, chance) for r in relations}


def _single(naming: Naming, relation: str, back: bool) -> WordedStep:
    words, turned = naming[relation]
    return WordedStep(words, "", int(back != turned))


def _path(naming: Naming, path: Sequence[tuple[str, bool]]) -> WordedStep:
    """One hop, or two around a mediator."""
    if len(path) == 1:
        return _single(naming, *path[0])
    (a, back), (b, back_again) = path
    return WordedStep(naming[a][0], naming[b][0], 2 + 2 * (back != naming[a][1]) + (back_again != naming[b][1]))


_PATTERN = re.compile(r"(\?\w+|ns:[mg]\.\w+)\s+ns:([\w.]+)\s+(\?\w+|ns:[mg]\.\w+)\s*\.")


def _webqsp(builder: Builder, most: int) -> Iterator[TrainingRecord]:
    """WebQSP's training questions with the way from the topic to the answer in their SPARQL; two hops are one step."""
    parsed = []
    for row in json_lines(builder.folder / "webqsp-sparql" / "train.jsonl.gz"):
        path = _way(_PATTERN.findall(row["sparql"]), f"ns:{row.get('topic_mid_embedkgqa')}")
        if path and len(path) <= 2:
            mention = next((m for m in row["elq_mentions"]), None)
            parsed.append((row["question"], name_in(row["question"], *mention) if mention else "", path))
    relations = sorted({relation for *_, path in parsed for relation, _ in path})
    with (builder.folder / "freebase-pooled" / "kg.tsv").open(encoding="utf-8") as file:
        often = Counter(line.split("\t")[1] for line in file)
    relations = sorted({*relations, *(r for r, n in often.items() if n >= 3 and r.count(".") >= 2)})
    double = sorted({tuple(path) for *_, path in parsed if len(path) == 2})
    namings = [_naming(relations, builder.chance, number < 2) for number in range(NAMINGS)]
    pools = [
        list(dict.fromkeys([
            *(_single(naming, r, back) for r in relations for back in (False, True)),
            *(_path(naming, path) for path in double),
        ]))
        for naming in namings
    ]  # fmt: skip
    near = [builder.siblings(pool) for pool in pools]
    for question, name, path in (parsed * 2)[:most]:
        which = builder.chance.randrange(NAMINGS)
        right = Made(((0, (_path(namings[which], path),)),))
        names = [name] if name else ["\x00"]
        yield from_schema("freebase", question, names, right, pools[which], near[which], builder.chance)


def _spider(builder: Builder, most: int) -> Iterator[TrainingRecord]:
    path = builder.folder / "spider4sparql" / "train.jsonl.gz"
    return spider.read(path, builder.chance, builder.siblings, most)


def _way(triples: Sequence[tuple[str, str, str]], topic: str) -> list[tuple[str, bool]]:
    """The relations from the topic to ?x, each with whether it is walked backward; the shortest way."""
    beside: dict[str, list[tuple[str, bool, str]]] = defaultdict(list)
    for head, relation, tail in triples:
        beside[head].append((relation, False, tail))
        beside[tail].append((relation, True, head))
    queue: list[tuple[str, list[tuple[str, bool]]]] = [(topic, [])]
    seen = {topic}
    while queue:
        at, path = queue.pop(0)
        if at == "?x":
            return path
        for relation, back, other in beside[at]:
            if other not in seen:
                seen.add(other)
                queue.append((other, [*path, (relation, back)]))
    return []


SOURCES: dict[str, CorpusSource] = {
    "invented-0": CorpusSource("invented-0", 0.0, _invented(0, 1), MOST_INVENTED, "as clew; a language model wrote it"),
    **{
        f"invented-{part}": CorpusSource("invented", 1.2, _invented(part, 2), MOST_INVENTED, "as invented-0")
        for part in range(1, PARTS)
    },  # two of three questions; at four of five Freebase and Spider are forgotten
    "simplequestions": CorpusSource("simplequestions", 1.6, _simple, 9000, "CC BY 3.0; facts Wikidata CC0"),
    "simplequestions-synthetic": CorpusSource(
        "simplequestions", 0.5, _made_up("simplequestions", facts_graph), 1200, "CC0"
    ),
    "webqsp-sparql": CorpusSource("freebase", 1.2, _webqsp, 6000, "CC BY 4.0"),
    "webqsp-pooled": CorpusSource("freebase", 0.9, _named("webqsp-pooled", "train", "freebase"), 685, "CC BY 4.0"),
    "cwq-pooled": CorpusSource("freebase", 0.9, _named("cwq-pooled", "train", "freebase"), 1492, "CC BY 4.0"),
    "freebase-synthetic": CorpusSource(
        "freebase", 0.8, _made_up("freebase", _set_graph("webqsp-pooled")), 1200, "CC BY"
    ),
    **{
        f"metaqa-r-{hops}hop": CorpusSource(
            "metaqa", 0.4, _named(f"metaqa-r-{hops}hop", "dev", "metaqa", "metaqa"), 700, "CC BY 3.0"
        )
        for hops in (1, 2, 3)
    },
    "metaqa-synthetic": CorpusSource("metaqa", 0.3, _made_up("metaqa", _set_graph("metaqa-r-1hop")), 1000, "CC BY 3.0"),
    **{
        f"pq-{hops}h": CorpusSource("pq", 0.4, _named(f"pq-{hops}h", "train", "pq", "stated"), 1000, "none stated")
        for hops in (2, 3)
    },
    "pq-2h-synthetic": CorpusSource("pq", 0.2, _made_up("pq", _set_graph("pq-2h")), 700, "none stated"),
    "pq-3h-synthetic": CorpusSource("pq", 0.2, _made_up("pq", _set_graph("pq-3h")), 700, "none stated"),
    "geo": CorpusSource("geo", 0.4, _geo, 428, "not stated; the data behind it is public"),
    "geo-synthetic": CorpusSource("geo", 0.3, _made_up("geo", geo_graph), 800, "as geo"),
    "demo": CorpusSource("demo", 0.4, _demo, 1000, "CC BY 4.0"),
    "demo-synthetic": CorpusSource("demo", 0.3, _made_up("demo", demo_graph), 800, "CC BY 4.0"),
    "people": CorpusSource("people", 2.5, _people, 2000, "as clew; a language model wrote it"),
    "spider": CorpusSource("spider", 1.2, _spider, 2000, "Apache-2.0"),
    "fb15k-237-synthetic": CorpusSource("fb15k-237", 1.2, _made_up("fb15k-237", _fb15k_graph), 900, "CC BY 2.5"),
    "freebase-tiny-synthetic": CorpusSource(
        "freebase-tiny", 0.5, _made_up("freebase-tiny", _tiny_graph), 400, "Apache-2.0"
    ),
}
"""Every source by name."""
