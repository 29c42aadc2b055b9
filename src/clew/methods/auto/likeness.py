"""How well single words of a question and the steps of a plan mean each other, where no word of the graph says it.

Kept apart from the account of words, which counts what words and the lexicon say: this asks the encoder about what is
left over. "What is the salary of X" leaves "salary", which means nothing near "nationality": the plan answers another
question. Looks at the best plan alone, so it costs a few short texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.graph import Subgraph
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query.vocabulary import SYNONYMS, forms, stem
from clew.reading.reader import Rated
from clew.reading.synonyms import nouns_of
from clew.reading.wording import EMPTY
from clew.retrieval.chunks import LIGHT
from clew.retrieval.words import FUNCTION

DOUBTS = ("strange_word", "strange_step", "nothing_met")
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
LONGEST = 12  # words looked at


def doubts(text: str, mentions: Sequence[str], best: Rated, ground: Subgraph, encoder: TextEncoder) -> dict[str, float]:
    """All in [0, 1], 0 where everything is met: how strange to the plan the strangest word of the question is, how
    strange to the question the strangest step of the plan, and how strange the two are that are nearest."""
    for mention in sorted(mentions, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(mention)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    words = list(dict.fromkeys(word for word in _TOKEN.findall(text.lower()) if _tells(word)))[:LONGEST]
    plan = best.plan
    hops = [hop for trail in plan.trails for step in trail.steps for hop in step]
    hops += [hop for step in plan.after for hop in step]
    steps = list(dict.fromkeys(hops))
    if not words or not steps:
        return dict.fromkeys(DOUBTS, 0.0)
    said = [_said(ground.relation(number).label, forward) for number, forward in steps]
    kind = frozenset(forms(part)) if (part := best.kind.lower()) else frozenset()
    texts = [" ".join(label_to_text(ground.relation(number).label.rsplit(".", 1)[-1]).split()) for number, _ in steps]
    alike = encoder.encode(words, role="query") @ encoder.encode([*texts, best.kind or texts[-1]]).T
    met = [
        [1.0 if forms(word) & told else float(alike[i, j]) for j, told in enumerate(said)]
        + [1.0 if forms(word) & kind else float(alike[i, -1])]
        for i, word in enumerate(words)
    ]
    word = min(max(row) for row in met)
    step = min(max(row[j] for row in met) for j in range(len(steps)))
    nearest = max(max(row[:-1]) for row in met)
    return {name: 1 - max(0.0, min(1.0, value)) for name, value in zip(DOUBTS, (word, step, nearest), strict=True)}


def _tells(word: str) -> bool:
    return len(word) > 1 and word not in FUNCTION and word not in LIGHT and stem(word) not in EMPTY


def _said(label: str, forward: bool) -> frozenset[str]:
    """The forms of all words that a step is known by."""
    own = label_to_text(label.rsplit(".", 1)[-1]).lower().split()
    known = [word for nouns in nouns_of(label, forward) for noun in nouns for word in noun.split()]
    near = [word for word, others in SYNONYMS.items() if set(others) & {stem(part) for part in own}]
    return frozenset(form for word in (*own, *known, *near) if word not in FUNCTION for form in forms(word))
