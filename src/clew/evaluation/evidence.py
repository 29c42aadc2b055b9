"""How good the evidence is, whatever was made of it: does it hold the answers, the gold paths, and how large is it?

Kept apart from the answer metrics because a method can find the right thread and misread it, or guess rightly without
one. Evidence is compared by id or label, since gold in the wild names either.
"""

from __future__ import annotations

from dataclasses import dataclass

from clew.evaluation.matching import accepted, key
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.types import Answer, Entity, Gold, Path, Triple

CHARACTERS_PER_TOKEN = 4
"""The usual estimate for English subword tokens; exact counts would need one model's tokenizer."""

Keys = frozenset[tuple[str, str, str]]


class Likeness:
    """Matching (Decompositional, 6.1): whether evidence holds an entity whose vector is like that of an answer.

    Args:
        threshold: least cosine; the paper's 0.9.
    """

    def __init__(self, encoder: TextEncoder, threshold: float = 0.9) -> None:
        self._encoder, self._threshold = encoder, threshold

    def __call__(self, answer: Answer | None, gold: Gold) -> float | None:
        if not gold.answers:
            return None
        evidence = answer.evidence if answer else None
        if evidence is None:
            return 0.0
        names = sorted({entity.label for entity in entities_of(evidence.all_triples(), evidence.paths)} - {""})
        if not names or {key(name) for name in names} & {key(text) for text in gold.answers}:
            return float(bool(names))
        wanted, held = ([label_to_text(text) for text in texts] for texts in (gold.answers, names))
        alike = self._encoder.encode(wanted) @ self._encoder.encode(held).T
        return float(alike.max() >= self._threshold)


@dataclass(frozen=True, slots=True)
class EvidenceScore:
    """The evidence of one question. None: the metric does not apply (no gold of that kind, or no candidates)."""

    hit: float | None  # some gold answer is among the entities
    recall: float | None  # share of the gold answers that are
    exact_matching: float | None  # some entity has the very label of a gold answer (Decompositional, 6.1)
    coverage: float | None  # share of the gold paths' triples in the evidence (STEM, equation 17)
    path_precision: float | None  # share of the paths that are gold paths, triple by triple
    path_recall: float | None  # share of the gold paths among the paths
    unsupported: float | None  # share of the candidates without a path
    ungrounded: float | None  # share of the candidates that are not even an entity of the evidence
    density: float | None  # 2 T / (N (N - 1)) of the graph that the triples make (Decompositional, Figure 11)
    connected: float | None  # whether that graph is in one piece; None without evidence
    entities: int
    triples: int
    tokens: int  # estimated, as lines "head relation tail"


def score_evidence(answer: Answer | None, gold: Gold) -> EvidenceScore:
    """All evidence metrics of one question; a failed question has empty evidence."""
    evidence = answer.evidence if answer else None
    triples = evidence.all_triples() if evidence else ()
    paths = evidence.paths if evidence else ()
    entities = entities_of(triples, paths)
    names = frozenset(name for entity in entities for name in (entity.id, entity.label))
    keys = frozenset(key(name) for name in names)
    golds = accepted(gold)
    # Entities stand beside answers one by one only where there are as many of both.
    aligned = gold.entities if len(gold.entities) == len(gold.answers) == len(golds) else ()
    found = sum(bool(each & keys) or (bool(aligned) and aligned[i] in names) for i, each in enumerate(golds))
    candidates = answer.candidates if answer else ()
    outside = sum(
        not (key(c.text) in keys or (c.entity is not None and c.entity.id in names)) for c in candidates if not c.paths
    )
    return EvidenceScore(
        hit=float(found > 0) if golds else None,
        recall=found / len(golds) if golds else None,
        exact_matching=float(any(text in names for text in gold.answers)) if golds else None,
        coverage=_coverage(triples, gold),
        path_precision=_path_precision(paths, gold),
        path_recall=_path_recall(paths, gold),
        unsupported=sum(not c.supported for c in candidates) / len(candidates) if candidates else None,
        ungrounded=outside / len(candidates) if candidates else None,
        density=2 * len(triples) / (n * (n - 1)) if (n := len(entities)) > 1 else None,
        connected=float(_in_one_piece(triples, entities)) if entities else None,
        entities=len(entities),
        triples=len(triples),
        tokens=estimated_tokens(triples),
    )


def entities_of(triples: tuple[Triple, ...], paths: tuple[Path, ...] = ()) -> tuple[Entity, ...]:
    """The distinct entities of evidence, those that empty paths stand on included."""
    found = {entity.id: entity for triple in triples for entity in (triple.head, triple.tail)}
    found.update({path.start.id: path.start for path in paths})
    return tuple(found.values())


def _in_one_piece(triples: tuple[Triple, ...], entities: tuple[Entity, ...]) -> bool:
    root = {entity.id: entity.id for entity in entities}

    def find(id: str) -> str:
        while root[id] != id:
            root[id] = id = root[root[id]]
        return id

    for triple in triples:
        root[find(triple.head.id)] = find(triple.tail.id)
    return len({find(id) for id in root}) == 1


def estimated_tokens(triples: tuple[Triple, ...]) -> int:
    """Tokens that the triples would take in a prompt, one a line."""
    characters = sum(len(t.head.label) + len(t.relation.label) + len(t.tail.label) + 3 for t in triples)
    return -(-characters // CHARACTERS_PER_TOKEN)


def _keys(triple: Triple) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    head, relation, tail = triple.head, triple.relation, triple.tail
    return (head.id, relation.id, tail.id), (head.label, relation.label, tail.label)


def _coverage(triples: tuple[Triple, ...], gold: Gold) -> float | None:
    wanted = {triple for path in gold.paths for triple in path}
    if not wanted:
        return None
    mine = {each for triple in triples for each in _keys(triple)}
    return len(wanted & mine) / len(wanted)


def _steps(path: Path) -> tuple[Keys, Keys]:
    pairs = [_keys(hop.triple) for hop in path.hops]
    return frozenset(ids for ids, _ in pairs), frozenset(labels for _, labels in pairs)


def _path_precision(paths: tuple[Path, ...], gold: Gold) -> float | None:
    wanted = {frozenset(path) for path in gold.paths}
    if not wanted:
        return None
    return sum(any(side in wanted for side in _steps(path)) for path in paths) / len(paths) if paths else 0.0


def _path_recall(paths: tuple[Path, ...], gold: Gold) -> float | None:
    wanted = {frozenset(path) for path in gold.paths}
    if not wanted:
        return None
    return len(wanted & {side for path in paths for side in _steps(path)}) / len(wanted)
