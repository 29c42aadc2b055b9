"""Denotation accuracy by kind of question, of what a bare `clew ask` answers.

python benchmarks/denotation.py SET… [--limit N] [--method NAME] [--show wrong|all]

SET: demo-dev, demo-test (tests/questions, written before their answers were seen), demo-blind (written from the graph
alone by somebody who knew no code of clew, and read by nobody who worked on it), geo-train, geo-dev (query split),
wtq (300 questions of the dev part, by its official normalisation), spider (200 dev questions with one answer column);
these four read CLEW_DATA; worlds (50 questions over each of the 142 invented worlds that are kept from training, all
asking for paths, by authors who knew no code of clew; `auto` and `believing` are fitted on them). Small graphs as
users have them, with questions of every kind (tests/questions/graphs): those in READ, on which errors were read while
the methods were made; astronomy, food, history, software, tv (asked at the end of three rounds of work, never read);
airline, games, olympics, philosophy (errors read late, nothing fitted on them); bank, hospital (asked, never read);
basketball, grants, landmarks, prizes, railway (asked once, grants and landmarks again after a fault of the import was
mended, never read); lighthouses, proteins, fisheries, dinosaurs (Turtle, N-Triples, a dump of MySQL, GEXF; asked before
and after a day's work, never read); cars, volcanoes (JSON-LD, N-Triples with opaque ids; asked several times in a day's
work, never read); choreography, datacenters, landuse (most questions with an operator, worded far from the names of the
graph; asked several times, never read); stockmoves, supportdesk, leagueseason, expedition (single tables, logs, nested
JSON and roles, as the nine of READ from kings to salesstar; asked several times in a day's work, never read);
transitlines, tvseries, spacecraft (node and edge tables, Cypher, N-Triples; asked several times in two days' work,
never read); coffeechain, geology, folktales, cloudinfra, astronauts, cityevents (tables, Turtle, triples, Cypher,
N-Triples, nested JSON; asked several times in a day's work, never read); catering, charityevents, seedfarm (tables and
Turtle of small businesses, 12 things asked in five wordings each; asked several times in two days' work, never read);
highschool, carehome, freight, labbooking, housework, amdram, allotment (tables, a dump of PostgreSQL, Turtle and JSON,
ten things asked in four wordings each, as nine of READ; asked several times in two days' work, never read);
translators, chessleague, publisher, courier (JSON, a dump of PostgreSQL, Turtle, tables; as the last four of READ but
22; asked several times in two days' work, never read); optician, esports, carshare, digfinds, hostel, pestcontrol,
breeding, printshop (tables, JSON and a dump of MySQL, sixteen things asked in three wordings each, three of which have
no answer, as 22 of READ from aquarium to fishquota; asked several times in two days' work, never read); gliderclub,
marina, selfstorage, buildfarm, streetmarket, skiphire, visaoffice, minibus (tables, JSON, a dump of PostgreSQL, Neo4j's
CSV, as the last 37 of READ, of which 21 were fitted on and not read; asked at the end of a day's work, never read). The
last 123 of READ were read after
the networks, `auto` and `believing` were fitted; `unnamed` is fitted on 23 of these. All but the first six of READ are
of 40 to 60 questions each, written by somebody who knew no code of clew.

Of these sets the networks that read relation paths were trained on the questions of `clew.reading.corpus.PEOPLE` alone,
all of them in READ, and the one that ranks plans over events on READ and on nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clew.api import open_method
from clew.datasets.demo import graph_file
from clew.errors import ClewError
from clew.evaluation.denotation import denotation, wtq
from clew.graph import Graph, build
from clew.reading.corpus import invented_worlds
from clew.reading.invented import DrawnQuestion, DrawnWorld
from clew.types import Answer, Gold, Question

DATA = Path(os.environ.get("CLEW_DATA", "../shared/data"))
HERE = Path(__file__).parents[1]
OUT = HERE / "results" / "benchmarks"
Row = dict[str, Any]
FOLDER = HERE / "tests" / "questions" / "graphs"
# Errors on these were read while the methods were made; what is fitted on small graphs is fitted on them.
READ = (
    "company", "football", "university", "zoo", "music", "library", "genealogy", "movies", "pharmacy", "politics",
    "transit", "courts", "festival", "geography", "huts", "incidents", "realestate", "smarthome", "trials",
    "videogames", "wildlife", "auctions", "clinics", "drones", "lakesides", "logistics", "microservices", "theatre",
    "choirs", "climbing", "manuscripts", "vineyards", "satellites", "rallies", "council", "farms", "menagerie",
    "stages", "labs", "comics", "startups", "windfarms", "bridges", "harbour", "cheeses", "threats", "newspapers",
    "castles", "repairs", "gyms", "museumloans", "ships", "tickets", "rivers", "recipes", "mountains", "observatories",
    "claims", "operas", "airports", "orchards", "courses", "parliament", "suppliers", "payroll", "gradebook",
    "filmfacts", "kings", "bookshelf", "cinema", "weatherlog", "runlog", "salesstar", "timesheets", "expenses",
    "conference", "elections", "hotelbookings", "tennisclub", "shipwrecks", "investors", "biomed", "ferries", "fuellog",
    "birdcounts", "donations", "callcentre", "bikehire", "wikimuseum", "bikeparts", "dbbands", "eateries", "plantcare",
    "issuetracker", "bakeryshop", "dynasty", "estates", "orchestra", "vetclinic", "mythology", "labgroups", "foodbank",
    "fashionhouse", "parishrecords", "gamestudio", "radiostation", "sailingclub", "blooddonors", "beekeeping",
    "newsroom", "planningapps", "hrfirm", "lendinglib", "propertylet", "wholesaler", "bikerepair", "itassets", "fleet",
    "gamecollection", "musicschool", "dentist", "toolhire", "bakery", "gymclub", "carlot", "weddings", "bookdealer",
    "runningclub", "museumstore", "filmcrew", "servicecat", "kennel", "ossproject", "skischool", "brewery", "wardrota",
    "trainingco", "aquarium", "planthire", "podnet", "liftservice", "examoffice", "busdepot", "lifeboat",
    "coffeeroaster", "langschool", "seedbank", "builder", "learnhub", "solarfit", "triathlon", "tattoo", "deli",
    "rugbyseason", "lawfirm", "researchoffice", "scouts", "tutors", "fishquota",
    "cookeryschool", "dairyfarm", "danceschool", "daycare", "drivingschool", "escaperoom", "florist", "funeralhome",
    "housingassoc", "mountainrescue", "recordlabel", "recyclingcentre", "sawmill", "stables", "summercamp",
    "tourguides", "ambulance", "archiveoffice", "bookfestival", "butcher", "canteen", "cidermill", "cricketclub",
    "debateclub", "dronesurvey", "hospice", "narrowboats", "parkrangers", "pianotuner", "refugeecharity", "roofing",
    "swimschool", "taxifirm", "telescopetime", "watchrepair", "windowcleaners", "wineimporter",
)  # fmt: skip
GRAPHS = {path.stem for path in FOLDER.glob("*.jsonl")}
SAMPLES = {"wtq": 300, "spider": 200}
OF_A_WORLD = 50


def rows_of(path: Path) -> list[Row]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as stream:
        return [json.loads(line) for line in stream]


def built(source: Path, folder: Path, **options: Any) -> Graph:
    target = folder / f"{source.stem}.kg"
    build(source, target, **options)
    return Graph.open(target)


def questions_of(name: str, folder: Path, limit: int | None) -> Iterator[tuple[Row, Graph]]:
    """Rows with `question`, `answer` and `kinds`, each with its graph."""
    chosen = random.Random(0)
    limit = limit or SAMPLES.get(name)
    if name == "demo-written":
        graph = built(graph_file(), folder)
        yield from ((row, graph) for row in rows_of(HERE / "src" / "clew" / "datasets" / "demo" / "questions.jsonl"))
    elif name in GRAPHS:
        stems = (name, f"{name}-nodes", f"{name}-edges")
        files = [
            file for file in sorted(FOLDER.iterdir()) if file.stem in stems and file.suffix and file.suffix != ".jsonl"
        ]
        files = files or sorted((FOLDER / name).iterdir())  # an export of several files
        build(files, folder / f"{name}.kg")
        graph = Graph.open(folder / f"{name}.kg")
        yield from ((row, graph) for row in rows_of(FOLDER / f"{name}.jsonl")[:limit])
    elif name == "worlds":
        yield from of_worlds(limit or OF_A_WORLD)
    elif name.startswith("demo-"):
        graph = built(graph_file(), folder)
        yield from ((row, graph) for row in rows_of(HERE / "tests" / "questions" / f"{name}.jsonl")[:limit])
    elif name.startswith("geo-"):
        graph = built(DATA / "geoquery" / "geo.ttl", folder)
        rows = rows_of(DATA / "geoquery" / f"{name.removeprefix('geo-')}.jsonl")
        if name == "geo-train":  # one question of each template
            rows = list({row["template"]: row for row in reversed(rows)}.values())
        yield from ((row, graph) for row in (rows if limit is None else chosen.sample(rows, min(limit, len(rows)))))
    elif name == "spider":
        rows = [row for row in rows_of(DATA / "spider4sparql" / "dev.jsonl") if _one_column(row)]
        rows = chosen.sample(rows, min(limit or len(rows), len(rows)))
        graphs = {g: built(DATA / "spider4sparql" / "graphs" / f"{g}.ttl", folder) for g in {r["graph"] for r in rows}}
        for row in rows:
            yield {**row, "answer": [str(r[0]) for r in row["rows"]]}, graphs[row["graph"]]
    else:
        from clew.graph.tables import table_graph

        tables = {row["id"]: row for row in rows_of(DATA / "wikitablequestions" / "tables.jsonl.gz")}
        part = "train" if name == "wtq-train" else "dev"
        rows = rows_of(DATA / "wikitablequestions" / f"{part}.jsonl.gz")
        for row in chosen.sample(rows, min(limit or 300, len(rows))):
            table = tables[row["table"]]
            yield {**row, "kinds": [kind_of(row["question"])]}, table_graph(table["header"], table["rows"])


def kept_worlds() -> Iterator[tuple[DrawnWorld, list[DrawnQuestion]]]:
    """The invented worlds that no network reads, each with its questions in one order."""
    for world in invented_worlds(0):
        drawn = DrawnWorld(world, random.Random(7))
        asked = list(drawn.questions(1))
        random.Random(5).shuffle(asked)
        yield drawn, asked


def of_worlds(count: int) -> Iterator[tuple[Row, Graph]]:
    """So many questions over each world; `group` names the world."""
    for drawn, asked in kept_worlds():
        graph, group = drawn.graph(), drawn.world.file
        for i, each in enumerate(asked[:count]):
            answers = list(drawn.example(each, str(i), linked=True).gold.answers)
            row = {"id": f"{group} {i}", "question": each.text, "answer": answers, "kinds": [_shape(each)]}
            yield {**row, "group": group}, graph


def _shape(asked: DrawnQuestion) -> str:
    """What the stated answer takes: the steps of its longest path, or that paths of several things meet."""
    if not asked.trails:
        return "unanswerable"
    if len(asked.trails) > 1:
        return "joined"
    return f"{len(asked.trails[0][1]) + len(asked.after)} hop"


def _one_column(row: Row) -> bool:
    return bool(row["rows"]) and all(len(each) == 1 for each in row["rows"])


def kind_of(text: str) -> str:
    from clew.query.question import read_question

    return read_question(text).kind


def right(name: str, answer: Answer | None, row: Row) -> float:
    if name.startswith("wtq"):
        return wtq([] if answer is None else answer.texts, row["answer"])["denotation"]
    return denotation(answer, Gold(tuple(row["answer"])))


def run(name: str, method: str, limit: int | None, show: str) -> Row:
    asked = open_method(Graph.from_triples([("a", "b", "c")]), method)  # a method may be asked over any graph
    every, by_kind = list[float](), defaultdict[str, list[float]](list)
    planned, seconds = 0, time.process_time()
    refusable: dict[bool, list[bool]] = {True: [], False: []}  # by whether there is an answer: abstained
    with TemporaryDirectory() as folder:
        for row, graph in questions_of(name, Path(folder), limit):
            answer, failure = None, ""
            try:
                answer = asked.answer(Question(row["id"], row["question"]), graph)
            except ClewError as error:
                failure = str(error)
            score = right(name, answer, row)
            for kind in row.get("kinds", []):
                by_kind[kind].append(score)
            every.append(score)
            refusable[bool(row["answer"])].append(answer is not None and not answer.candidates)
            planned += answer is not None and answer.plan is not None
            if show == "all" or (show == "wrong" and not score):
                texts = [] if answer is None else answer.texts
                plan = answer.plan.text if answer is not None and answer.plan is not None else ""
                why = failure or ("" if answer is None else answer.note)
                print(f"{'+' if score else '-'} {row['id']} {row['question']}\n    gold {_few(row['answer'])}"
                      f"  said {_few(texts)}\n    {plan}  {why[:150]}", flush=True)  # fmt: skip
    scored = {**by_kind, "all": every}  # also where a question's own kind is called so
    kinds = {k: {"n": len(v), "denotation": round(sum(v) / len(v), 3)} for k, v in sorted(scored.items())}
    refused = {
        f"refused, {'with' if has else 'without'} an answer": f"{sum(v)}/{len(v)}" for has, v in refusable.items()
    }
    return {
        "method": method,
        **kinds,
        "by a plan": planned,
        **refused,
        "cpu_s": round(time.process_time() - seconds, 1),
    }


def _few(texts: Any) -> str:
    shown = [str(t) for t in texts]
    return f"{shown[:4]}{f' … {len(shown)}' if len(shown) > 4 else ''}"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("sets", nargs="+")
    asked.add_argument("--limit", type=int)
    asked.add_argument("--method", default="auto")
    asked.add_argument("--show", default="", choices=["", "wrong", "all"])
    given = asked.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    for name in given.sets:
        made = run(name, given.method, given.limit, given.show)
        print(json.dumps({name: made}, indent=1, ensure_ascii=False))
        if given.limit is None:
            (OUT / f"denotation_{name}.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
