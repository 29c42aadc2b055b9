"""The method `auto`: question → topics → what `walk` and `plan` propose → one rating of all → the best one's ends.

Asked where nobody names a method. Both readers are cheap and need no training; `merging` weighs them, `weights` holds
the fitted numbers (scripts/fit_auto.py). This file is what the user meets: configuration, the stages in running order,
evidence, and the sentence that says who was believed and why.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from pydantic import Field

from clew.config import Settings
from clew.encoding import remembering
from clew.errors import ConfigError
from clew.graph import Graph, Subgraph, has_arrays
from clew.graph.kinds import kinds_of_any
from clew.graph.paths import follow
from clew.graph.remote import in_a_server
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.methods.auto.merging import FILE, Merged, RatedPlan, RatingNumbers, as_plans, merge, options
from clew.methods.plan.method import Config as PlanConfig
from clew.methods.plan.method import PlanMethod, plan_text, unused_topics
from clew.methods.walk.method import Config as WalkConfig
from clew.methods.walk.method import Walk
from clew.protocols import GraphStore, Method, OnEvent, Tools, ignore
from clew.query import plan as p
from clew.query.columns import column
from clew.query.relatives import spelled_out
from clew.reading.growth import PlanCandidate
from clew.reading.threads import all_ends, answers, best_guess, way_of
from clew.reading.topics import ALTERNATIVES, MAX_TRIPLES, MOST_TOPICS, Start, start_of, starts_of
from clew.reading.trails import Hops
from clew.retrieval.asking import asked_kind, kinds_said, nobody, nowhere, of_some_kind, rows_of
from clew.retrieval.examples import Way
from clew.retrieval.lexicon import WORD
from clew.retrieval.reader import read
from clew.retrieval.scoring import take_apart
from clew.retrieval.voice import leads, times_said
from clew.types import Answer, Event, Evidence, Question, Topic

_WHEN = re.compile(r"(?:when|(?:in |on )?(?:what|which) (?:year|date|day))\b", re.IGNORECASE)
_WHERE = re.compile(r"(?:and |so |but )?where\b", re.IGNORECASE)
_WHO = re.compile(r"(?:and |so |but )?whom?\b", re.IGNORECASE)
_PARTICULAR = re.compile(r"(?:who|whom|whose|where|when)\b", re.IGNORECASE)  # never asks for a class
_KIND = re.compile(  # asks for a kind, or for what something is
    r"\b(?:type|kind|sort|class|category|species|genre|form)s?\b"
    r"|^\W*(?:and )?what(?:'s| is| are| was| were)? (?!is|are)",
    re.IGNORECASE,
)
_CHOICE = re.compile(  # what is named may be the answer
    r"\b(?:or|either|(?:which|who) of)\b|^\W*(?:is|are|was|were|do|does|did|has|have|had|can)\b", re.IGNORECASE
)


POSSIBLE = 0.5  # share of the threshold from which on a guess is told
TWICE = 2
GUESSED = 100  # answers named by id where an abstention says what would have been answered
LOOKED_AT = 200  # ends of an option whose kind is looked at
MIXED = 2  # most steps of a path to things of several kinds; longer ones meet some of any kind
MOSTLY = 0.5  # share of them that are of the kind asked for


class Config(Settings):
    """Settings of `auto`; those of its readers are their defaults."""

    hops: int = Field(3, ge=1, le=4)  # most steps of a path; passing through a mediator is one step
    # Below this probability, counted among many questions that the graph does not answer: "no answer found".
    threshold: float = Field(0.25, ge=0, le=1)
    sure: float = Field(0.6, ge=0, le=1)  # below this probability a language model, where configured, reads the paths
    paths: int = Field(2, ge=1)  # threads shown per answer

    removed: ClassVar[Mapping[str, Any]] = {
        "topics": MOST_TOPICS,
        "max_triples": MAX_TRIPLES,
        "alternatives": ALTERNATIVES,
    }


@dataclass(frozen=True, slots=True)
class OfferedReading:
    """One way to read a question, for people to choose from."""

    plan: str
    topics: tuple[str, ...]  # ids
    answers: tuple[str, ...]  # labels
    entities: tuple[str, ...]  # ids
    share: float


class Auto(Method):
    """Two readers of different make, and a rating that knows how far to believe each.

    Idea: `walk` compares the words of question and path, `plan` learned over many graphs what questions ask for. Where
    they agree the answer is nearly always right; where they do not, what kind of plan each proposes tells whom to
    believe. Every plan of either is judged by both, and the best one's probability was calibrated on graphs left out.

    Needs the sentence encoder whose token states `plan` reads (the default one); with another, and for a large graph in
    a server, `walk` answers alone and the answer says so. A language model, where configured, is asked only where the
    probability is low. Cost: that of both readers, which share the topics and the encoder's memory.
    """

    name: ClassVar[str] = "auto"

    def __init__(self, config: Config, tools: Tools) -> None:
        if tools.encoder is None:
            raise ConfigError("auto needs a sentence encoder, got none: set [encoder] name, or pass Tools(encoder=…)")
        self._config = config
        self._numbers = RatingNumbers.shipped() if tools.model is None else RatingNumbers.read(tools.model / FILE)
        self._tools = replace(tools, encoder=remembering(tools.encoder))
        own = {"hops": config.hops, "paths": config.paths}
        alone = replace(self._tools, model=None)
        self._walk = Walk(WalkConfig(**own, threshold=0.0), replace(alone, language_model=None))
        self._plan = PlanMethod(PlanConfig(**own, threshold=0.0), alone)
        self._walk_alone = Walk(WalkConfig(**own), alone)

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        """One answer per question."""
        why = self.walk_only(graph)
        if not why:
            return [self._answer(question, graph, on_event) for question in questions]
        found = self._walk_alone.predict(questions, graph, on_event=on_event)
        told = {"router": f"walk alone: {why}"}
        return [replace(answer, method=self.name, details={**answer.details, **told}) for answer in found]

    def propose(
        self, text: str, topics: Sequence[Topic], graph: GraphStore
    ) -> tuple[Subgraph, Merged | None, tuple[str, ...]]:
        """What both readers propose for a question, rated; the graph in which it stands; what a limit cut off."""
        ground, wording = self._plan.ground(topics, graph)
        mentions = list(dict.fromkeys(topic.mention for topic in topics))
        text = spelled_out(text, mentions, map(wording.relation, range(ground.num_relations)))
        asked = take_apart(text, mentions)
        found, cut = self._walk.hunt(asked, topics, ground, graph.name)
        plans = as_plans(found, ground, starts_of(ground, topics))
        reading = self._plan.read(text, topics, ground, wording, [plan for plan, _ in plans])
        told = [f"the last {asked.left_out} words of the question were not read"] if asked.left_out else []
        proposed = options(plans, reading)
        if _KIND.search(text) is None:
            kinds = set(kinds_of_any(ground.names).stated)
            others = [each for each in proposed if not _ends_in_a_kind(each.plan, kinds)]
            proposed = others if others or _PARTICULAR.match(text.strip()) else proposed
        if has_arrays(graph) and (asked_for := asked_kind(text, graph, named=True)) is not None:
            proposed = _of_kind(proposed, ground, asked_for, of_some_kind(graph))
        elif has_arrays(graph) and _WHO.match(text.strip()):
            proposed = _but_for(proposed, ground, nobody(graph))
        elif has_arrays(graph) and _WHERE.match(text.strip()):
            proposed = _but_for(proposed, ground, nowhere(graph))
        if has_arrays(graph) and len(rows := rows_of(graph)) and not kinds_said(text, (), graph):
            proposed = _but_for(proposed, ground, rows)
        if has_arrays(graph):
            proposed = _by_way_of(proposed, text, topics, ground, graph)
        proposed = _as_often(_as_voiced(proposed, text, topics, ground), text, topics, ground)
        if _CHOICE.search(text) is None:
            proposed = _but_for_the_named(proposed, topics, ground)
        if has_arrays(graph) and _WHEN.match(text.strip()):
            proposed = _dated(proposed, ground, graph)
        merged = merge(proposed, reading.none, self._numbers) if proposed else None
        return ground, merged, tuple(dict.fromkeys([*told, *ground.truncated, *cut, *reading.cut]))

    def readings(self, question: Question, graph: GraphStore, most: int = 2) -> list[OfferedReading]:
        """The likeliest readings whose answers differ, best first."""
        start = start_of(question, graph, linker=self._tools.link, encoder=self._tools.encoder)
        if not start.topics:
            return []
        ground, merged, _ = self.propose(question.text, start.topics, graph)
        here = [topic.entity.id for topic in start.topics if ground.local(topic.entity.id) is not None]
        starts = starts_of(ground, start.topics)
        found: dict[tuple[str, ...], OfferedReading] = {}
        for option, share in zip(merged.options, merged.shares.tolist(), strict=True) if merged else ():
            if len(found) == most:
                break
            chains, after = way_of(option.plan.trails, option.plan.after, starts)
            ends = [ground.entity(end) for end in sorted(all_ends(ground, chains, after))]
            used = tuple(dict.fromkeys(here[trail.topic] for trail in option.plan.trails))
            ids = tuple(entity.id for entity in ends)
            said = plan_text(option.rated, ground)
            if ids:
                found.setdefault(ids, OfferedReading(said, used, tuple(entity.label for entity in ends), ids, share))
        return list(found.values())

    def ways(self, question: Question, graph: GraphStore, most: int = 40) -> list[Way]:
        """The relation paths that may lead from the question's one topic to what is asked of it, likeliest first."""
        start = start_of(question, graph, linker=self._tools.link, encoder=self._tools.encoder)
        if not start.topics or self.walk_only(graph):
            return []
        ground, merged, _ = self.propose(question.text, start.topics[:1], graph)
        if merged is None:
            return []
        found: dict[p.Path, float] = {}
        for option, share in zip(merged.options, merged.shares.tolist(), strict=True):
            hops = [hop for trail in option.plan.trails for hop in trail.hops]
            hops += [hop for after in option.plan.after for hop in after]
            path = tuple(p.Step(ground.relation(number).id, forward) for number, forward in hops)
            if len(option.plan.trails) == 1 and path:
                found[path] = found.get(path, 0.0) + share
        return [Way(path, share, merged.probability) for path, share in list(found.items())[:most]]

    def walk_only(self, graph: GraphStore) -> str:
        """Why `plan` cannot be asked; "" where it can."""
        if in_a_server(graph):
            return "plan looks at more of the graph than a server should be asked for"
        return self._plan.unable

    def _answer(self, question: Question, graph: GraphStore, on_event: OnEvent) -> Answer:
        began = time.perf_counter()
        start = start_of(question, graph, linker=self._tools.link, encoder=self._tools.encoder)
        if not start.topics:
            why = "; ".join(start.told) or "no part of the question names an entity of the graph"
            return Answer(question, self.name, note=f"no topic found: {why}")
        on_event(Event("link", ", ".join(topic.entity.label for topic in start.topics)))
        linked = time.perf_counter()
        ground, merged, cut = self.propose(question.text, start.topics, graph)
        searched = time.perf_counter()
        limits = [*start.told, *cut]
        if merged is None:
            note = "no answer found: no path leads from the topics"
            return Answer(question, self.name, topics=start.topics, note=note, details={"limits": limits})
        on_event(Event("search", f"{len(merged.options)} plans", {"router": merged.why}))
        answer = self._conclude(question, start, ground, merged, limits)
        seconds = {"link": linked - began, "search": searched - linked, "evidence": time.perf_counter() - searched}
        return replace(answer, seconds={**seconds, **answer.seconds})

    def _conclude(
        self, question: Question, start: Start, ground: Subgraph, merged: Merged, limits: list[str]
    ) -> Answer:
        """The best plan's ends with their threads, or an abstention that names them."""
        best, score = merged.options[0], merged.probability
        said = plan_text(best.rated, ground)
        details: dict[str, Any] = {
            "limits": limits,
            "plan": said,
            "router": merged.why,
            "signs": {name: round(value, 4) for name, value in merged.signs.items()},
            "alternatives": [
                {"plan": plan_text(o.rated, ground), "ends": len(o.plan.ends), "share": round(share, 4)}
                for o, share in zip(merged.options[1:], merged.shares[1:].tolist(), strict=True)
            ][:ALTERNATIVES],
        }
        topics = [topic for topic in start.topics if ground.local(topic.entity.id) is not None]
        starts = starts_of(ground, topics)
        chosen = [best, *merged.namesakes(topics)]
        model = self._tools.language_model
        if model is not None and score < self._config.sure:
            began = time.perf_counter()
            others = [o for o in merged.options[1:] if o not in chosen][:ALTERNATIVES]
            ways = [way_of(o.plan.trails, o.plan.after, starts) for o in (*chosen, *others)]
            evidence = Evidence(answers(ground, ways, score, self._config.paths)[1])
            reading = read(model, question.text, evidence)
            details["router"] = f"language model: {merged.why}, below {self._config.sure:.2f} (sure)"
            return Answer(
                question, self.name, reading.candidates, evidence, start.topics, reading.note, reading.reply,
                reading.usage, {"read": time.perf_counter() - began}, details,
            )  # fmt: skip
        ways = [way_of(o.plan.trails, o.plan.after, starts) for o in chosen]
        candidates, paths = answers(ground, ways, score, self._config.paths)
        if merged.answerable < self._config.threshold:
            note = best_guess(candidates, said, merged.answerable, self._config.threshold)
            if merged.answerable >= POSSIBLE * self._config.threshold:
                details["guess"] = [c.entity.id for c in candidates[:GUESSED] if c.entity is not None]
            return Answer(question, self.name, topics=start.topics, note=note, details=details)
        unused = unused_topics(topics, best.rated)
        note = f"not used: {', '.join(unused)} (no plan with it was more likely)" if unused else ""
        return Answer(question, self.name, candidates, Evidence(paths), start.topics, note=note, details=details)


def _of_kind(proposed: list[RatedPlan], ground: Subgraph, members: Ints, kinded: Ints) -> list[RatedPlan]:
    """The options that lead to the kind of thing that is asked for, where there are any.

    Also where they lead mostly to things that are stated to be of other kinds, which are left out of the answer: a
    campaign uses tools, techniques and malware by one relation.
    """

    fitting = []
    for option in proposed:
        ends = option.plan.ends[:LOOKED_AT]
        mine = held(ground.entities[ends], members)
        if mine.mean() >= MOSTLY:
            fitting.append(option)
        elif len(option.plan.steps) <= MIXED and mine.any() and held(ground.entities[ends[~mine]], kinded).all():
            plan = replace(option.plan, ends=ends[mine])
            fitting.append(replace(option, rated=replace(option.rated, plan=plan)))
    return fitting or proposed


def _by_way_of(
    proposed: list[RatedPlan], text: str, topics: Sequence[Topic], ground: Subgraph, graph: Graph
) -> list[RatedPlan]:
    """The options that lead to or through things of every kind that the question names, where there are any.

    "In which country is the club that X plays for" is not answered by where X was born.
    """
    kinds = kinds_said(text, [topic.mention for topic in topics], graph)
    if not kinds or len(proposed) < 2:
        return proposed

    starts = starts_of(ground, topics)

    def are(ends: Ints) -> list[bool]:
        entities = ground.entities[ends[:LOOKED_AT]]
        return [bool(held(entities, members).any()) for members in kinds]

    @cache
    def are_after(topic: int, hops: Hops) -> list[bool]:
        return are(follow(ground, [starts[topic]], hops).entities)

    def passes(option: RatedPlan) -> bool:
        met = [are(option.plan.ends)]
        met += [are_after(t.topic, t.hops[:length]) for t in option.plan.trails for length in range(1, len(t.hops))]
        return all(map(any, zip(*met, strict=True)))

    return [option for option in proposed if passes(option)] or proposed


def _but_for(proposed: list[RatedPlan], ground: Subgraph, members: Ints) -> list[RatedPlan]:
    """The options that do not lead to some things, where there are any."""
    others = [o for o in proposed if held(ground.entities[o.plan.ends[:LOOKED_AT]], members).mean() < MOSTLY]
    return others or proposed


def _as_voiced(proposed: list[RatedPlan], text: str, topics: Sequence[Topic], ground: Subgraph) -> list[RatedPlan]:
    """Of the options that differ in a first relation's direction those that the order of the words means."""
    places, spoken = dict[str, tuple[int, int]](), [match.group(0).lower() for match in WORD.finditer(text)]
    words = [word.removesuffix("'s").removesuffix("’s") for word in spoken]
    for mention in {topic.mention for topic in topics}:
        said = [match.group(0).lower() for match in WORD.finditer(mention)]
        at = next((i for i in range(len(words)) if said and words[i : i + len(said)] == said), None)
        if at is not None:
            places[mention] = (at, at + len(said))
    here = [topic for topic in topics if ground.local(topic.entity.id) is not None]
    meant: dict[tuple[int, int], bool | None] = {}

    def against(option: RatedPlan) -> bool:
        for trail in option.plan.trails:
            place = places.get(here[trail.topic].mention)
            if place is None or not trail.hops:
                continue
            relation, forward = trail.hops[0]
            key = trail.topic, relation
            if key not in meant:
                label = label_to_text(ground.relation(relation).label.rsplit(".", 1)[-1])
                meant[key] = leads(words, *place, label)
            if meant[key] is not None and meant[key] != forward:
                return True
        return False

    kept = [option for option in proposed if not against(option)]
    there = {(trail.topic, trail.hops[0][0]) for option in kept for trail in option.plan.trails if trail.hops}
    return [
        option
        for option in proposed
        if option in kept
        or not {(trail.topic, trail.hops[0][0]) for trail in option.plan.trails if trail.hops} <= there
    ]


def _as_often(proposed: list[RatedPlan], text: str, topics: Sequence[Topic], ground: Subgraph) -> list[RatedPlan]:
    """Of the options that walk a relation on and on those that walk it as often as the question names it: three times
    for the manager of the manager of Ana's manager."""
    named = {word for topic in topics for word in WORD.findall(topic.mention.lower())}
    words = [match.group(0).lower().removesuffix("'s").removesuffix("’s") for match in WORD.finditer(text)]
    words = [word for word in words if word not in named]
    kept = proposed
    for relation in {relation for option in proposed for trail in option.plan.trails for relation, _ in trail.hops}:
        label = label_to_text(ground.relation(relation).label.rsplit(".", 1)[-1])
        times = times_said(words, label)
        if times < TWICE:
            continue
        kept = [o for o in kept if any(_walks_on(trail.hops, relation, times) for trail in o.plan.trails)] or kept
    return kept


def _walks_on(hops: Hops, relation: int, times: int) -> bool:
    """Whether hops walk a relation so often in one direction, and no more."""
    return any(hops.count((relation, forward)) == times for forward in (True, False))


def _but_for_the_named(proposed: list[RatedPlan], topics: Sequence[Topic], ground: Subgraph) -> list[RatedPlan]:
    """The options that answer with more than what the question names, where there are any.

    "Who plays violin and was born in Norway" does not ask for the violin. Only what is called by its very name counts:
    a loose mention may be linked wrongly.
    """
    exact = [topic for topic in topics if topic.mention.casefold().startswith(topic.entity.label.casefold())]
    named = set(starts_of(ground, exact))
    new = [o for o in proposed if len(o.plan.ends) > len(named) or not named.issuperset(o.plan.ends.tolist())]
    return new or proposed


def _dated(proposed: list[RatedPlan], ground: Subgraph, graph: Graph) -> list[RatedPlan]:
    """Of the options those that lead to a date or to something with a year in its name, where there are any."""

    def when(option: RatedPlan) -> bool:
        number, forward = option.plan.after[-1][-1] if option.plan.after else option.plan.trails[0].hops[-1]
        stored = graph.relation_number(ground.relation(number).id)
        if stored is None or column(graph, stored, forward).kind == "date":
            return True
        return any(letter.isdigit() for end in option.plan.ends[:5] for letter in ground.entity(int(end)).label)

    return [option for option in proposed if when(option)] or proposed


def _ends_in_a_kind(plan: PlanCandidate, kinds: set[int]) -> bool:
    """Whether a plan's answers are classes: its last hop goes from a thing to what kind of thing it is."""
    lasts = [plan.after[-1][-1]] if plan.after else [trail.hops[-1] for trail in plan.trails if trail.hops]
    return bool(lasts) and all(forward and relation in kinds for relation, forward in lasts)
