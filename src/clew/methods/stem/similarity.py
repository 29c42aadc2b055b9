"""T-scores: how well an edge of the graph matches a triple of the schema (paper Eq. 10 and algorithms 1 and 2).

Kept apart from tracing because there are two ways to know it. "text" encodes `head relation tail` of both sides, as
the paper has it. "composed" takes the cosine of the two relations' names and lets the ends be compared as what they
are, entities of the graph: an edge met in the other direction loses REVERSED, one whose far end should be a topic and
is not loses ELSEWHERE. It needs no text per edge; README.md beside this file says how well the two agree.

Shapes: R relations, E width of the encoder, C candidate edges.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.encoding import remembering
from clew.encoding.index import VectorIndex
from clew.graph import Subgraph
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.methods.stem.schema import SchemaGraph, SchemaTriple
from clew.protocols import TextEncoder
from clew.synthesis.phrases import words_of

Floats = NDArray[np.float32]
THETA = 0.6  # the paper's, for the text of whole edges
PHRASINGS = (
    ("country", "located in country"), ("director", "directed by"), ("place of birth", "born in"), ("wife", "spouse"),
    ("written by", "author"), ("language spoken", "official language"), ("member of band", "musical group membership"),
    ("plays for", "member of sports team"), ("capital city", "capital"), ("release year", "publication date"),
    ("child of", "parents"), ("starring", "cast member"), ("genre", "kind of music"), ("founded by", "founder"),
    ("headquarters", "headquarters location"), ("currency used", "currency"), ("religion practised", "religion"),
    ("studied at", "educated at"), ("job", "occupation"), ("population", "number of inhabitants"),
    ("died in", "place of death"), ("borders", "shares border with"), ("made by", "manufacturer"),
    ("owner", "owned by"),
)  # fmt: skip
"""Two ways to name a relation, and everything else in the list names others: what `suited_theta` is chosen by."""
REVERSED = 0.1
ELSEWHERE = 0.3
NEAREST = 5  # relations that one may be mistaken for


def suited_theta(encoder: TextEncoder) -> float:
    """The cosine that best tells two names of one relation from names of two, by the hits less the false alarms."""
    one, other = zip(*PHRASINGS, strict=True)
    cosines = encoder.encode(list(one)) @ encoder.encode(list(other)).T
    same = np.eye(len(cosines), dtype=bool)
    steps = np.arange(0.1, 0.95, 0.01)
    worth = [(cosines[same] >= t).mean() - (cosines[~same] >= t).mean() for t in steps]
    return round(float(steps[int(np.argmax(worth))]), 2)


class Similarity:
    """Vectors of one graph's relations, and of schema texts and edges as they are met. Safe between threads."""

    def __init__(self, graph: Subgraph, encoder: TextEncoder) -> None:
        self.graph, self._encoder = graph, remembering(encoder)
        names = [graph.relation(r) for r in range(graph.num_relations)]
        self.vectors: Floats = encoder.encode([label_to_text(name.label) for name in names])
        self.number = {name.label: r for r, name in enumerate(names)} | {name.id: r for r, name in enumerate(names)}
        self._lock = threading.Lock()
        self._index: tuple[Ints, VectorIndex] | None = None  # of entity labels

    def text(self, texts: Sequence[str]) -> Floats:
        """(len, E) vectors, remembered."""
        return self._encoder.encode(texts)

    def exact(self, relation: str) -> int:
        """The graph's relation of that id or label, or -1."""
        return self.number.get(relation, -1)

    def relations(self, relation: str) -> Floats:
        """(R,) cosine of each of the graph's relations with a schema relation; 1 for the relation itself."""
        found: Floats = self.vectors @ self.text([label_to_text(relation)])[0]
        if (number := self.exact(relation)) >= 0:
            found[number] = 1.0
        return found

    def pairs(self, relation: str, first: Ints, second: Ints) -> Floats:
        """(C,) cosine of a schema relation with the text "first / second" of two edges met at a mediator.

        The vector of the pair is taken to be the mean of its two parts'.
        """
        wanted = self.relations(relation)
        together = (self.vectors[first] * self.vectors[second]).sum(1)
        scores: Floats = (wanted[first] + wanted[second]) / np.sqrt(np.maximum(2 + 2 * together, 1e-6))
        return scores

    def edges(self, triple: SchemaTriple, near: str, label: str, candidates: Ints) -> Floats:
        """(C,) cosine of the texts of a schema triple and of graph edges; node `near` is known to be `label`."""
        h, r, t = (label if end == near else end for end in triple)
        wanted = self.text([f"{h} {label_to_text(r)} {t}"])[0]
        at, inverse = np.unique(candidates, return_inverse=True)
        heads, tails = self.graph.labels(self.graph.heads[at]), self.graph.labels(self.graph.tails[at])
        relations = [label_to_text(self.graph.relation(int(r)).label) for r in self.graph.rels[at]]
        met = self.text([f"{h} {r} {t}" for h, r, t in zip(heads, relations, tails, strict=True)])
        found: Floats = (met @ wanted)[inverse]
        return found

    def nearest(self, name: str, most: int) -> tuple[Ints, Floats]:
        """The entities whose labels are nearest to `name`, best first, and their cosines (Eq. 8, 9).

        Every label of the graph is encoded at the first call; mediators have none and are no candidates.
        """
        with self._lock:
            if self._index is None:
                named = np.flatnonzero(~self.graph.mediators).astype(np.int32)
                labels = [label.replace("_", " ") for label in self.graph.labels(named)]
                self._index = named, VectorIndex.build(self._encoder.encode(labels), self._encoder.name)
        named, index = self._index
        scores, rows = index.search(self.text([name.replace("_", " ")]), most)
        return named[rows[0]], scores[0]

    def query(self, plan: SchemaGraph, names: Sequence[str]) -> Floats:
        """(3E,) mean over the plan's triples of head, relation and tail vectors side by side (Eq. 3)."""
        said = {node: names[topic] for node, topic in plan.topics.items()}
        parts = [self.text([said.get(h, h), label_to_text(r), said.get(t, t)]).ravel() for h, r, t in plan.triples]
        mean: Floats = np.mean(parts, axis=0, dtype=np.float32)
        return mean


def reworded(
    similarity: Similarity, triples: Sequence[SchemaTriple], share: float, draw: np.random.Generator
) -> tuple[SchemaTriple, ...]:
    """The triples as a planner that does not know the graph may write them: a `share` of their relations is changed.

    Half of these are written by the last words of their ids, half mistaken for one of the NEAREST in name.
    """
    graph, changed = similarity.graph, []
    for h, relation, t in triples:
        if draw.random() < share:
            if draw.random() < 0.5:
                relation = words_of(relation)
            else:
                near = np.argsort(-similarity.relations(relation), kind="stable")
                others = near[near != similarity.exact(relation)][:NEAREST]
                relation = graph.relation(int(draw.choice(others))).id if len(others) else relation
        changed.append((h, relation, t))
    return tuple(changed)
