"""The five rewards of Stage II as pure functions of sets, and as what the trainer calls.

Separate from the training so that each is tested by hand. With A^p, P^p the predicted answers and paths, A*, P* the
gold ones of the state, A all right answers and E the edges of the state:

    format       1 if the reply can be read, else 0
    answers      |A^p ∩ A*| / |A*|             exploration  |P^p ∩ P*| / |P*|
    answer discovery       |A^p ∩ (A - A*)| - β |A^p - A|
    exploration discovery  |(P^p ∩ E) - P*| - β |P^p - E|

Two decisions the paper leaves open. Where the gold set is empty the ratio is 1 for an empty prediction and else 0.
As printed, naming every neighbour is the best policy: each edge counts 1 in the last reward, against at most 1 for
everything right. So the discoveries are divided by max(1, |gold|), clipped to [-1, 1] (`clipped`), or taken as
printed (`paper`), or left out (`off`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

from clew.learning.tuning import Reward

Discovery = Literal["clipped", "paper", "off"]
Item = Any


def share(predicted: Collection[Item], gold: Collection[Item]) -> float:
    """|predicted ∩ gold| / |gold|, and for no gold whether nothing was predicted."""
    right = set(gold)
    if not right:
        return 0.0 if predicted else 1.0
    return len(set(predicted) & right) / len(right)


def discovery(
    predicted: Collection[Item],
    gold: Collection[Item],
    real: Collection[Item],
    beta: float = 0.5,
    mode: Discovery = "clipped",
) -> float:
    """What is named beyond gold and real, less β for each that is not; beside the number of gold ones when clipped.

    Args:
        real: all right answers, or all extensions that exist.
    """
    if mode == "off":
        return 0.0
    named, known = set(predicted), set(gold)
    truth = known | set(real)
    value = len((named & truth) - known) - beta * len(named - truth)
    return value if mode == "paper" else max(-1.0, min(1.0, value / max(1, len(known))))


class Judged:
    """One reply against its state, in sets. `facts` are the JSON values that `clew.methods.roe.train` writes:

    tags: for each written item the entities and the edges it stands for; answers, paths: gold of this state;
    every: all right answers.
    """

    def __init__(self, text: str, facts: Mapping[str, Any], split: Callable[[str], tuple[list[str], list[str], bool]]):
        answers, explore, self.readable = split(text)
        tags: Mapping[str, Any] = facts["tags"]
        self.answers = [e for tag in answers for e in (tags[tag]["entities"] if tag in tags else [f"?{tag}"])]
        self.paths = [p for tag in explore for p in (tags[tag]["paths"] if tag in tags else [f"?{tag}"])]
        self.gold_answers, self.gold_paths, self.every = facts["answers"], facts["paths"], facts["every"]
        self.existing = [p for tag in tags.values() for p in tag["paths"]]


def reward_functions(
    split: Callable[[str], tuple[list[str], list[str], bool]],
    *,
    beta: float,
    mode: Discovery,
    observe: Callable[[int], None] | None = None,
) -> dict[str, Reward]:
    """The rewards by name, each with its own log line.

    Args:
        split: a reply as the items answered and explored, and whether it could be read.
        observe: hears how many paths each action explores: the number that shows reward hacking.
    """

    def judged(judge: Callable[[Judged], float]) -> Reward:
        def reward(texts: Sequence[str], states: Sequence[Mapping[str, Any]]) -> list[float]:
            return [judge(Judged(text, facts, split)) for text, facts in zip(texts, states, strict=True)]

        return reward

    def exploration(one: Judged) -> float:
        if observe is not None:
            observe(len(set(one.paths)))
        return share(one.paths, one.gold_paths) if one.readable else 0.0

    rewards = {
        "format": judged(lambda one: float(one.readable)),
        "answers": judged(lambda one: share(one.answers, one.gold_answers) if one.readable else 0.0),
        "exploration": judged(exploration),
    }
    if mode != "off":
        rewards["answer_discovery"] = judged(
            lambda one: discovery(one.answers, one.gold_answers, one.every, beta, mode)
        )
        rewards["exploration_discovery"] = judged(
            lambda one: discovery(one.paths, one.gold_paths, one.existing, beta, mode)
        )
    return rewards
