"""A question and one of its plans as one sequence of tokens, for a network that reads the two together.

    [CLS] question [SEP] it KIND > relation > KIND < relation < KIND [SEP] KIND [SEP]

`it` stands for a topic, `>` around a relation that is walked forward, `<` around one walked backward, `&` before
another path, `;` before the steps after paths meet; KIND is what the topic is and what a step leads to, where known,
and at the end what the answers are. The empty plan stands for "none of these". Each token has a mark besides: of which
topic it tells, which way its relation is walked, whether it is a kind.

Shapes: P plans, L plan tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clew.encoding.cross_encoder import Sequenced, Words
from clew.reading.plantext import AFTER, END, START, STEP

MARKS = 10
PLAIN, MENTION, FORWARD, BACKWARD, KIND, TOPIC = (
    0,
    1,
    4,
    5,
    6,
    7,
)  # MENTION and TOPIC: one mark for each of three topics
TOPICS = 3
MOST_QUESTION, MOST_RELATION, MOST_KIND, MOST_TOKENS = 60, 12, 6, 110


@dataclass(frozen=True, slots=True)
class PairSigns:
    """The token numbers of what stands between the words."""

    begin: int
    end: int
    forward: int
    backward: int
    joined: int
    after: int
    topic: int

    @classmethod
    def of(cls, number: Callable[[str], int | None]) -> PairSigns:
        """From a tokenizer's `token_to_id`."""
        found = [number(sign) for sign in ("[CLS]", "[SEP]", ">", "<", "&", ";", "it")]
        return cls(*(each if each is not None else 0 for each in found))


@dataclass(frozen=True, slots=True)
class StepWords:
    """A step in tokens."""

    first: Words
    second: Words  # empty for one hop
    way: int  # as in `WordedStep`
    kind: Words  # of what it leads to


def question_part(words: Words, flags: Sequence[int], signs: PairSigns) -> Sequenced:
    """`words` without special tokens, `flags` the mention of each from 1, 0 for none."""
    words = words[:MOST_QUESTION]
    marks = [PLAIN if flag < 1 else MENTION + min(flag, TOPICS) - 1 for flag in flags[: len(words)]]
    return [signs.begin, *words, signs.end], [PLAIN, *marks, PLAIN]


def plan_part(
    row: Iterable[Sequence[int]],
    steps: Sequence[StepWords],
    kind: Words,
    start_kinds: Sequence[Words],
    signs: PairSigns,
) -> Sequenced:
    """What follows the question.

    Args:
        row: (L, 4) tokens of the plan as in `plantext`. kind: of the ends. start_kinds: by mention.
    """
    tokens: list[int] = []
    marks: list[int] = []

    def add(words: Words, mark: int) -> None:
        tokens.extend(words)
        marks.extend([mark] * len(words))

    for role, trail, place, ref in row:
        if role == START:
            add([signs.joined] if trail else [], PLAIN)
            add([signs.topic], TOPIC + min(ref, TOPICS - 1))
            add(start_kinds[ref][:MOST_KIND] if ref < len(start_kinds) else [], KIND)
        elif role in (STEP, AFTER):
            add([signs.after] if role == AFTER and place == 1 else [], PLAIN)
            step = steps[ref]
            hops = [(step.first, step.way)]
            if step.way >= 2:
                hops = [(step.first, (step.way - 2) // 2), (step.second, (step.way - 2) % 2)]
            for words, back in hops:
                sign = signs.backward if back else signs.forward
                add([sign, *words[:MOST_RELATION], sign], BACKWARD if back else FORWARD)
            add(step.kind[:MOST_KIND], KIND)
        elif role == END:
            add([signs.end], PLAIN)
            add(kind[:MOST_KIND], KIND)
    add([signs.end], PLAIN)
    return tokens, marks


def empty_plan(signs: PairSigns) -> Sequenced:
    """Stands for "none of these"."""
    return [signs.end], [PLAIN]


def pair(asked: Sequenced, plan: Sequenced) -> Sequenced:
    """Both, cut where they are longer than the network reads."""
    return [*asked[0], *plan[0]][:MOST_TOKENS], [*asked[1], *plan[1]][:MOST_TOKENS]
