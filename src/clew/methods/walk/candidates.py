"""One question's candidates: trails found by beam search, ranked, each with the features behind its rank.

Separate from the method so that fitting the weights sees exactly what answering sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from clew.graph import Graph, Subgraph
from clew.graph.subgraph import NOBODY, Ints
from clew.labels import label_to_text
from clew.methods.walk.ranking import FEATURES, Floats, RankedPath, Rating, features
from clew.reading.likely import MOST, WIDEST, LikelyHops
from clew.reading.synonyms import as_asked, nouns_of, plain_text
from clew.reading.trails import (
    Along,
    Hop,
    Hops,
    PathHypothesis,
    expand,
    frontier_of,
    joined,
    mediators_around,
    undoes,
)
from clew.reading.wording import plain_words
from clew.retrieval.scoring import CUE_TEXT, QuestionParts, relation_text, value_cue
from clew.types import Topic

Encode = Callable[[Sequence[str]], Floats]
WHOLE = FEATURES.index("whole")
SAMPLE = 4  # ends that tell what kind of thing a relation leads to
AHEAD = 200  # ends that are fetched before it is known which of them are walked from


class Wanted(NamedTuple):
    """Entities whose triples are about to be looked at, and those of which only the triples that lead from them."""

    entities: Ints
    outward: Ints = NOBODY


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """What bounds the search."""

    hops: int
    beam: int = 8  # relation paths of one length that are extended, per topic
    spare: int = 0  # ends that others which are extended too may have together
    frontier: int = 2000  # entities looked at to find the relations of a set of entities
    shortlist: int = 100  # longer paths per hop that are compared with the whole question
    finalists: int = 32  # paths that are ranked once more
    near: float = 2.0  # of these are encoded as one text each whose score is so close to the best, or closer
    wholes: int = 8  # at most, in a graph of more than 300,000 entities; the mean of their steps stands for the others
    relations: int = MOST  # of a hop that are encoded, in a graph of more than 300,000 entities


@dataclass(frozen=True, eq=False)
class WalkCandidate:
    """A ranked candidate: one trail, or several whose common ends answer."""

    trails: tuple[PathHypothesis, ...]
    ends: Ints
    features: Floats
    score: float
    text: str


@dataclass(eq=False)
class BeamSearch:
    """The search for one question. `cut` says in words what a limit left out."""

    graph: Subgraph
    asked: QuestionParts
    topics: Sequence[Topic]
    starts: Sequence[int]  # local numbers of the topics
    rating: Rating
    encode: Encode
    encode_names: Encode  # of relations and kinds
    limits: SearchLimits
    types: Sequence[int] = ()  # relations that state what kind of thing an entity is
    cut: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._plain = plain_text(self.asked.text)
        first = self.encode([self.asked.text, *self.asked.phrases])
        self._question, self._phrases = first[0], first[1:]
        self._vectors: dict[str, Floats] = {}
        self._step_number: dict[Hops, int] = {}
        self._texts: list[tuple[str, ...]] = []  # of each step, one of each hop
        self._sides: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])  # as walked forward, and backward
        self._likely_hops = LikelyHops.of(self.graph, lambda: self.asked, self.limits.relations)
        self._large = self._likely_hops is not None
        self._kind_number: dict[str, int] = {}
        self._ends: dict[Hop, tuple[int, str, bool]] = {}
        self._starts = set(self.starts)
        self._stating = np.array(self.types, np.int32)
        self._paths: dict[tuple[PathHypothesis, ...], RankedPath] = {}  # a path is scored in several rounds
        self._mentions = {topic.mention: i for i, topic in enumerate(self.topics)}

    def run(self) -> list[WalkCandidate]:
        """The candidates, best first."""
        if self.graph.grows and len(self.starts) > 1:
            self._scout()
        pool: list[tuple[PathHypothesis, ...]] = []
        for number, start in enumerate(self.starts):
            pool += [(trail,) for trail in self._walk(number, start)]
        pool += self._conjunctions(pool)
        if self._likely_hops is not None and (wide := self._likely_hops.too_wide):
            self.cut.append(f"{wide} paths lead to more than {WIDEST:,} things and were not followed")
        return self._finish(pool)

    def _scout(self) -> None:
        """Fetch what the walks from all topics will look at, hop by hop together: one query for all of them."""
        walks = []
        for number, start in enumerate(self.starts):
            # A walk is scored among the steps that those before it have seen: then it may extend others.
            scout = replace(self, cut=[], limits=replace(self.limits, spare=AHEAD if number else 0))
            walks.append(scout._steps(number, start))
        while walks:
            steps = [(walk, step) for walk in walks if isinstance(step := next(walk, None), Wanted)]
            if steps:
                around, outward = (np.concatenate(parts) for parts in zip(*(step for _, step in steps), strict=True))
                self.graph.fetch(around, outward=outward)
            walks = [walk for walk, _ in steps]

    def _walk(self, number: int, start: int) -> list[PathHypothesis]:
        kept: list[PathHypothesis] = []
        for step in self._steps(number, start):
            if isinstance(step, Wanted):
                self.graph.fetch(step.entities, outward=step.outward)
            else:
                kept = step
        return kept

    def _steps(self, number: int, start: int) -> Iterator[Wanted | list[PathHypothesis]]:
        """Beam search from one topic; what is kept of each length competes later with everything else.

        Says before each look at the graph which entities it will look at, and at the end what it has kept.
        """
        level = [PathHypothesis(number, (), np.array([start], np.int32))]
        kept: list[PathHypothesis] = []
        for _ in range(self.limits.hops):
            if self.graph.grows:
                frontier = frontier_of(self.graph, level, self.limits.frontier)
                yield Wanted(frontier)
                yield Wanted(mediators_around(self.graph, frontier))
            along = self._likely(level)
            longer = [t for trail in level for t in expand(self.graph, trail, self.limits.frontier, along)]
            longer = [t for t in longer if not (len(t.ends) == 1 and t.ends[0] == start)]
            longer = longer if self._likely_hops is None else self._likely_hops.narrow(longer)
            if not longer:
                break
            longer = self._promising(longer)
            if self.graph.grows:
                yield self._looked_at(longer)
            scores = self._score([(t,) for t in longer])
            best = np.argsort(-scores, kind="stable")[: self.limits.finalists]
            kept += [longer[i] for i in best]
            level = self._extended([longer[i] for i in best])
        if any(t.sampled for t in kept):
            self.cut.append(
                f"{self.topics[number].entity.label}: entity sets above {self.limits.frontier} were sampled to find "
                "their relations; answers are complete"
            )
        yield kept

    def _extended(self, ranked: Sequence[PathHypothesis]) -> list[PathHypothesis]:
        """The trails that are extended, of `ranked`, best first: the first few, and a scout's others with few ends."""
        level, room = list(ranked[: self.limits.beam]), self.limits.spare
        for trail in ranked[self.limits.beam :]:
            if len(trail.ends) <= room:
                level.append(trail)
                room -= len(trail.ends)
        return level

    def _looked_at(self, trails: Sequence[PathHypothesis]) -> Wanted:
        """What scoring looks at: all ends where they are few, which serves the next hop as well; else a sample."""
        ends = np.unique(np.concatenate([trail.ends for trail in trails]))
        if len(ends) <= AHEAD:
            return Wanted(ends)
        some = [self.graph.in_order(trail.ends)[:SAMPLE] for trail in trails]
        return Wanted(NOBODY, np.unique(np.concatenate(some)))

    def _promising(self, trails: list[PathHypothesis]) -> list[PathHypothesis]:
        """A cheap first pass where relations abound: the trails whose new step is most like some phrase."""
        if len(trails) <= self.limits.shortlist:
            return trails
        steps = list(dict.fromkeys(trail.steps[-1] for trail in trails))
        if self._large:  # the others are not worth a text for each direction
            texts = [self._said(step, None) for step in steps]
        else:
            texts = [self._texts[self._number(step)] for step in steps]
        vectors = self._of_steps(texts)
        likeness = np.maximum((self._phrases @ vectors.T).max(axis=0), vectors @ self._question)
        by_step = dict(zip(steps, likeness.tolist(), strict=True))
        scores = np.array([by_step[trail.steps[-1]] for trail in trails])
        return [trails[i] for i in np.sort(np.argsort(-scores, kind="stable")[: self.limits.shortlist])]

    def _likely(self, trails: Sequence[PathHypothesis]) -> Along | None:
        """The hops that are worth a look where thousands lie around a hub; None: all."""
        if self._likely_hops is None:
            return None
        along = self._likely_hops.along(trails, self.limits.frontier)
        if along is not None:
            self.cut.append(
                f"{self.topics[trails[0].topic].entity.label}, step {len(trails[0].steps) + 1}: of "
                f"{len(along) + self._likely_hops.left_out:,} relations the {len(along):,} spelled most like the "
                "question were compared with it"
            )
        return along

    def _of_steps(self, steps: Sequence[tuple[str, ...]]) -> Floats:
        """(U, D) vectors of steps by the texts of their hops.

        Around the mediators of a large graph few pairs of relations come twice, and each would be a text of its own:
        there the mean of the two stands for it.
        """
        if not self._large or not steps:
            return self.encode_names([" ".join(parts) for parts in steps])
        vectors = self.encode_names([text for parts in steps for text in parts])
        starts = np.cumsum([0, *map(len, steps)])[:-1]
        sums = np.add.reduceat(vectors, starts, axis=0)
        result: Floats = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        return result

    def _conjunctions(self, pool: Sequence[tuple[PathHypothesis, ...]]) -> list[tuple[PathHypothesis, ...]]:
        """Pairs of trails from different mentions that meet."""
        if len(self._mentions) < 2:
            return []
        short = [trails for trails in pool if len(trails[0].steps) <= 2 and not trails[0].sampled]
        scores = self._score(short)
        best: dict[int, list[PathHypothesis]] = {}
        for i in np.argsort(-scores, kind="stable"):
            mine = best.setdefault(short[i][0].topic, [])
            if len(mine) < self.limits.beam:
                mine.append(short[i][0])
        pairs: list[tuple[PathHypothesis, ...]] = []
        for a, b in combinations(sorted(best), 2):
            if self.topics[a].mention == self.topics[b].mention:
                continue
            pairs += [(x, y) for x in best[a] for y in best[b] if len(joined(x, y))]
        return pairs

    def _finish(self, pool: Sequence[tuple[PathHypothesis, ...]]) -> list[WalkCandidate]:
        """The best few again, those that may still be first now encoded as one text each."""
        pool = [trails for trails in pool if len(self._answers(trails))]
        if not pool:
            return []
        rows = self._features(pool)
        scores = self.rating(rows)
        best = np.argsort(-scores, kind="stable")[: self.limits.finalists]
        chosen, rows = [pool[i] for i in best], rows[best]
        texts = [self._whole(trails) for trails in chosen]
        near = int((scores[best] >= scores[best[0]] - self.limits.near).sum())
        read = texts[: min(near, self.limits.wholes) if self._large else near]
        rows[: len(read), WHOLE] = self.encode(read) @ self._question
        final = self.rating(rows)
        order = np.argsort(-final, kind="stable")
        return [WalkCandidate(chosen[i], self._answers(chosen[i]), rows[i], float(final[i]), texts[i]) for i in order]

    def _answers(self, trails: Sequence[PathHypothesis]) -> Ints:
        """The common ends without the topics they started from."""
        ends = trails[0].ends if len(trails) == 1 else joined(trails[0], trails[1])
        for trail in trails:
            if _holds(ends, self.starts[trail.topic]):
                ends = ends[ends != self.starts[trail.topic]]
        return ends

    def _score(self, pool: Sequence[tuple[PathHypothesis, ...]]) -> Floats:
        return self.rating(self._features(pool))

    def _features(self, pool: Sequence[tuple[PathHypothesis, ...]]) -> Floats:
        if not pool:
            return np.zeros((0, len(FEATURES)), np.float32)
        if self._large:
            self._at_hand(pool)
        paths = [self._paths.get(trails) or self._path(trails) for trails in pool]
        self._paths |= zip(pool, paths, strict=True)
        kind_texts: list[tuple[str, ...]] = [(kind,) for kind in self._kind_number]
        texts = (*self._sides, self._texts, kind_texts)
        names = ("forward", "backward", "along", "kinds")
        # All that is new in one batch: the encoder remembers it for each of the lists.
        self._of_steps([said for name, each in zip(names, texts, strict=True) for said in each[self._known(name) :]])
        forward, backward, along, kinds = map(self._encoded, names, texts)
        return features(self.asked, self._question, self._phrases, (forward, backward, along), kinds, paths)

    def _known(self, name: str) -> int:
        return len(self._vectors.get(name, ()))

    def _encoded(self, name: str, texts: Sequence[tuple[str, ...]]) -> Floats:
        """Vectors of a list of texts that only grows."""
        known = self._vectors.get(name)
        if known is None:
            known = self._of_steps(texts)
        elif len(known) < len(texts):
            known = np.concatenate([known, self._of_steps(texts[len(known) :])])
        self._vectors[name] = known
        return known

    def _path(self, trails: tuple[PathHypothesis, ...]) -> RankedPath:
        branches = tuple(tuple(self._number(step) for step in trail.steps) for trail in trails)
        for trail in trails:
            self._look(trail)
        seen = [[self._ends[step[-1]] for step in trail.steps] for trail in trails]
        hops = [hop for trail in trails for hop in trail.hops]
        ends = trails[0].ends if len(trails) == 1 else joined(trails[0], trails[1])
        used = {self.topics[trail.topic].mention for trail in trails}
        named = sum(_holds(ends, start) for start in self._starts) / max(len(ends), 1)
        return RankedPath(
            branches,
            any(undoes(b, a) for trail in trails for a, b in pairwise(trail.steps)),
            sum(not forward for _, forward in hops) / len(hops),
            not trails[0].hops[-1][1],
            len(ends),
            len(used) / len(self._mentions),
            min(self.topics[trail.topic].score for trail in trails),
            float(named),
            tuple(kind for branch in seen for kind, _, _ in branch),
            any(valued for branch in seen for _, _, valued in branch[:-1]),
            seen[0][-1][1],
        )

    def _number(self, step: Hops) -> int:
        number = self._step_number.get(step)
        if number is None:
            number = self._step_number[step] = len(self._texts)
            self._texts.append(self._said(step, None))
            for forward, texts in zip((True, False), self._sides, strict=True):
                texts.append(self._said(step, forward))
        return number

    def _said(self, step: Hops, way: bool | None) -> tuple[str, ...]:
        """A text for each hop of a step, as walked forward or backward; None: as it is walked."""
        texts = []
        for relation, forward in step:
            label = self.graph.relation(relation).label
            texts.append(self._as_asked(label, forward) or relation_text(label, forward if way is None else way))
        return tuple(texts)

    def _as_asked(self, label: str, forward: bool) -> str:
        """The question's own noun for a hop; "" where it has none, and the relation's text says it either way."""
        own = plain_words(label)
        words, along = as_asked(label, own, forward, self._plain)
        return words if along and (words != own or nouns_of(label, False)) else ""

    def _whole(self, trails: Sequence[PathHypothesis]) -> str:
        """ "population of capital of it": nearest to the answer first, as English says it."""
        parts = []
        for trail in trails:
            words = [" ".join(self._texts[self._number(step)]).removesuffix(" of") for step in reversed(trail.steps)]
            parts.append(" of ".join([*words, "it"]))
        return " and ".join(parts)

    def _at_hand(self, pool: Sequence[tuple[PathHypothesis, ...]]) -> None:
        """Have what `_look` reads of every path read from disk together."""
        new = {trail.steps[-1][-1]: trail for trails in pool for trail in trails}
        some = [trail.ends[:SAMPLE] for hop, trail in new.items() if hop not in self._ends]
        if some and isinstance(self.graph.names, Graph):
            ends = np.concatenate(some)
            self.graph.names.at_hand(ends)
            self.graph.out.at_hand(ends)

    def _look(self, trail: PathHypothesis) -> None:
        """Note what the last step leads to: number of the text that names its kind, form of value, whether a value."""
        last = trail.steps[-1][-1]
        if last in self._ends:
            return
        some = self.graph.in_order(trail.ends)[:SAMPLE]
        records = [self.graph.entity(int(i)) for i in some]
        value = Counter(value_cue(record.label, record.datatype) for record in records).most_common(1)[0][0]
        text = self._kind_text(some) or relation_text(self.graph.relation(last[0]).label, True)
        number = self._kind_number.setdefault(text, len(self._kind_number))
        self._ends[last] = number, value, value != "none" or records[0].kind == "literal"

    def _kind_text(self, entities: Ints) -> str | None:
        found: Counter[str] = Counter()
        out = self.graph.out
        for e in entities:
            span = slice(int(out.offsets[e]), int(out.offsets[e + 1]))
            relations = out.relations[span]
            if self.types:
                kinds = out.neighbors[span][(relations[:, None] == self._stating).any(axis=1)]
                found.update(self.graph.entity(int(kind)).label for kind in self.graph.in_order(kinds)[:3])
            else:
                ids = [self.graph.relation(int(r)).id for r in np.unique(relations)[:20]]
                dotted = [id.split(".")[-2].replace("_", " ") for id in ids if id.count(".") >= 2]
                found.update(
                    dotted or [f"something with {', '.join(label_to_text(id).casefold() for id in ids[:5])}"]
                    if ids
                    else ()
                )
        return found.most_common(1)[0][0] if found else None


def _holds(ends: Ints, entity: int) -> bool:
    """Whether the ascending `ends` hold `entity`."""
    place = int(ends.searchsorted(entity))
    return place < len(ends) and int(ends[place]) == entity


def texts_of(asked: QuestionParts) -> list[str]:
    """Every text of a question that will be encoded, so that many questions share one batch."""
    return [asked.text, *asked.phrases, *CUE_TEXT.values()]
