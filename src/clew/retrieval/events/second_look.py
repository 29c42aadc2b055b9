"""A cross-encoder looks again at the plans over events that the ranking likes best, and at what was found otherwise.

    [CLS] question [SEP] plan in words (`in_words`) [SEP]

Which kind of things is asked for, and which of two figures or two dates, the ranking knows by cosines of single words;
read together with the question, "the earliest order date of every order whose account is Fennel & Fig" is what "when
did we first get an order from that cafe" asks for. The empty plan stands for "none of these". The encoder was trained
further on the questions that the ranking was fitted on, by scripts/fit_events.py, from the weights that
`clew.reading.cross_encoder` reads relation paths with; its own are stored as differences to these.

Shapes: K plans looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clew.encoding.cross_encoder import SHIPPED, CrossEncoder, Sequenced
from clew.graph import Graph
from clew.query.text import parse
from clew.retrieval.events.in_words import in_words
from clew.types import Answer

FILE = Path(__file__).with_name("second_look.safetensors")
MAKER = "python scripts/fit_events.py"
MOST_QUESTION, MOST_PLAN = 50, 75  # tokens


@dataclass(frozen=True, slots=True)
class Looked:
    """What the second look says of a question's plans: logits, one against another."""

    plans: tuple[float, ...]  # (K,)
    none: float  # of none of them
    found: float  # of what was found otherwise; of none of them where nothing was


@cache
def cross_encoder(file: Path = FILE) -> CrossEncoder:
    """By default the one that ships."""
    return CrossEncoder(file, MAKER, marks=1, base=SHIPPED)


def found_in_words(answer: Answer, graph: Graph) -> str:
    """What an answer was found by, a plan or a relation path, as the cross-encoder reads it; empty where there is
    none."""
    if not answer.candidates:
        return ""
    return in_words(parse(answer.plan.text), graph) if answer.plan is not None else str(answer.details.get("plan", ""))


def sequences(question: str, plans: Sequence[str], by: CrossEncoder) -> list[Sequenced]:
    """Tokens of a question beside each of some plans in words; an empty one for none."""
    begin, end = (by.tokenizer.token_to_id(sign) or 0 for sign in ("[CLS]", "[SEP]"))
    asked, *others = (read.ids for read in by.tokenizer.encode_batch([question, *plans], add_special_tokens=False))
    made = [[begin, *asked[:MOST_QUESTION], end, *plan[:MOST_PLAN], end] for plan in others]
    return [(tokens, [0] * len(tokens)) for tokens in made]


def look(question: str, plans: Sequence[str], found: str, by: CrossEncoder) -> Looked:
    """The second look at some plans and what was found otherwise, in words."""
    every = list(dict.fromkeys([*plans, "", found]))
    rated = dict(zip(every, by.rate(sequences(question, every, by)).tolist(), strict=True))
    return Looked(tuple(rated[plan] for plan in plans), rated[""], rated[found])
