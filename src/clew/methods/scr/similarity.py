"""How much a relation path reads like the question: the frozen encoder's opinion of the walks that were found.

The network learns what relations mean from the training questions. Where these are few and the relations many, it has
hardly seen most of them; the encoder's own space, which nobody trained here, then tells "place of birth" from "place
of burial". How much its opinion counts is learned on the dev questions, and is nothing where the network needs no help.

Only a question with one topic is weighed: with several, each path answers a part of it and resembles it the less.

Shapes: W walks, S starts, E width of the encoder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clew.labels import label_to_text
from clew.methods.scr.model import GraphView
from clew.methods.scr.search import FinishedWalk
from clew.protocols import TextEncoder

WEIGHTS = (0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0)  # tried on the dev questions

Reals = NDArray[np.float64]


def similarity(
    seen: GraphView, encoder: TextEncoder, walks: Sequence[FinishedWalk], texts: Sequence[str], owners: Sequence[int]
) -> Reals:
    """(W,) cosine of each walk's relation path, in words, and its question.

    0 for a walk without a step, and where the question has other starts.

    Args:
        texts: (S,) the question as each start's topic sees it.
        owners: (S,) the question each start belongs to.
    """
    found = np.zeros(len(walks))
    starts = Counter(owners)
    walked = [i for i, walk in enumerate(walks) if walk.codes and starts[owners[walk.start]] == 1]
    if not walked:
        return found
    paths = list(dict.fromkeys(walks[i].codes for i in walked))
    words = encoder.encode([_words(seen, codes) for codes in paths])
    row_of = {codes: row for row, codes in enumerate(paths)}
    asked = [texts[walks[i].start] for i in walked]
    distinct = {text: row for row, text in enumerate(dict.fromkeys(asked))}
    questions = encoder.encode(list(distinct), role="query")
    rows, owners_of = [row_of[walks[i].codes] for i in walked], [distinct[text] for text in asked]
    found[walked] = np.einsum("we,we->w", words[rows], questions[owners_of])
    return found


def weigh(walks: Sequence[FinishedWalk], similarities: Reals, weight: float) -> list[FinishedWalk]:
    """The walks of one question, their relation paths' probabilities times exp(weight x similarity).

    The sum over relation paths stays as it was, so that staying at the topic is as likely as before.
    """
    first: dict[tuple[int, tuple[int, ...]], int] = {}
    for i, walk in enumerate(walks):
        if walk.codes:
            first.setdefault((walk.start, walk.codes), i)
    if not first or not weight:
        return list(walks)
    rows = list(first.values())
    factors = np.exp(weight * (similarities - similarities[rows].max()))
    probabilities = np.array([walk.path_probability for walk in walks])
    factors *= probabilities[rows].sum() / max(float((probabilities * factors)[rows].sum()), 1e-300)
    return [
        replace(walk, probability=walk.probability * factor, path_probability=walk.path_probability * factor)
        if walk.codes
        else walk
        for walk, factor in zip(walks, factors.tolist(), strict=True)
    ]


def _words(seen: GraphView, codes: Sequence[int]) -> str:
    return " , ".join(label_to_text(seen.graph.relation(code % seen.graph.num_relations).label) for code in codes)
