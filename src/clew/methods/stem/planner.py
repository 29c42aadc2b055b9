"""Questions to plans: SGDA writes assertions and a strategy, SAGB turns them into schema triples (paper section 3.2).

Kept apart from tracing because everything here speaks of text. Two forms of one planner: `prompted` asks the configured
language model with examples, `trained` asks the two models that `clew train stem` left, on text whose topics are
masked; such a plan does not depend on names, so equal masked questions are planned once.

Shapes: B beams.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from clew.llm import Prompt, load_prompt
from clew.methods.stem.config import Config
from clew.methods.stem.schema import (
    Decomposition,
    SchemaGraph,
    SchemaTriple,
    bind_topics,
    distinct,
    masked,
    parts,
    placed,
    read_decomposition,
    read_triples,
    rename,
)
from clew.protocols import LanguageModel, LLMRequest, Message
from clew.types import Usage

REMEMBERED = 20_000  # masked questions whose plans are kept
SHOWN = "\n\nThe graph near it, by example triples (head | relation | tail):\n"  # between a text and the schema
TEMPERATURE = 0.7  # of sampled plans, where the language model has no beams
WRITTEN = 192  # most tokens of a decomposition or a schema
PACKAGE = "clew.methods.stem"

Written = tuple[tuple[Decomposition, tuple[SchemaTriple, ...], int], ...]
"""What was written for a text: decompositions, the triples of each, and how many lines were none."""


@dataclass(frozen=True)
class PlannedSchemas:
    """The plans of one question, best first, and what was lost on the way."""

    plans: tuple[SchemaGraph, ...]
    counts: Counter[str]
    decompositions: tuple[Decomposition, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Planner:
    """SGDA and SAGB over one or two language models.

    Args:
        form: "trained" sends bare texts with masked topics, "prompted" instructions with examples.
    """

    def __init__(
        self, config: Config, decomposer: LanguageModel, grounder: LanguageModel, form: Literal["trained", "prompted"]
    ) -> None:
        self.config, self.form = config, form
        self._decomposer, self._grounder = decomposer, grounder
        self._decompose = prompt(config, "decompose", "question")
        self._ground = prompt(config, "ground", "assertions")
        self._known: OrderedDict[str, Written] = OrderedDict()
        self._lock = threading.Lock()

    def plan(
        self, questions: Sequence[tuple[str, Sequence[Sequence[str]]]], schemas: Sequence[str] = ()
    ) -> list[PlannedSchemas]:
        """The plans of each (text, names of each topic). Cost: one call of SGDA per distinct text, one of SAGB per
        distinct decomposition; a reply that does not parse is asked for again `retries` times.

        Args:
            schemas: per question what its prompts show of the graph; empty: nothing.

        Every question with a topic has a plan: where nothing parses it is one built from the question's own words.
        """
        texts = [masked(text, names) if self.form == "trained" else " ".join(text.split()) for text, names in questions]
        if schemas and self.form == "prompted":
            texts = [f"{text}{SHOWN}{schema}" if schema else text for text, schema in zip(texts, schemas, strict=True)]
        with self._lock:
            known = {text: self._known[text] for text in dict.fromkeys(texts) if text in self._known}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        spent: dict[str, Usage] = {}
        for attempt in range(1 + self.config.retries):
            left = [text for text in new if not known.get(text)]
            if not left:
                break
            self._ask(left, attempt, known, spent)
        with self._lock:
            self._known.update((text, known[text]) for text in new)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return [
            # What a text cost is told with the first question that has it.
            replace(self._planned(text.partition(SHOWN)[0], names, known[text]), usage=spent.pop(text, Usage()))
            for text, (_, names) in zip(texts, questions, strict=True)
        ]

    def _ask(self, texts: Sequence[str], attempt: int, known: dict[str, Written], spent: dict[str, Usage]) -> None:
        """Decompose and ground `texts` into `known`."""
        width = self.config.beams
        beams = "beams" in self._decomposer.abilities and attempt == 0
        requests = [
            LLMRequest(
                self._decompose.render(question=text) if self.form == "prompted" else bare(text),
                max_tokens=WRITTEN,
                temperature=0.0 if beams or (width == 1 and not attempt) else TEMPERATURE,
                n=width,
                beams=width if beams else 0,
                seed=attempt,
            )
            for text in texts
        ]
        read: list[list[Decomposition]] = []
        for text, reply in zip(texts, self._decomposer.generate(requests), strict=True):
            spent[text] = spent.get(text, Usage()) + reply.usage
            beam = [read_decomposition(each.text, each.logprob or 0.0) for each in reply.texts]
            read.append(list({(d.assertions, d.strategy): d for d in reversed(beam) if d is not None}.values())[::-1])
        shown = {text: text.partition(SHOWN) for text in texts}
        pieces = list(
            dict.fromkeys(
                piece + "".join(shown[text][1:])
                for text, own in zip(texts, read, strict=True)
                for each in own
                for piece, _ in self._pieces(each)
            )
        )
        requests = [
            LLMRequest(
                self._ground.render(assertions=text) if self.form == "prompted" else bare(text), max_tokens=WRITTEN
            )
            for text in pieces
        ]
        grounded = {
            text: (*read_triples(reply.text), reply.usage)
            for text, reply in zip(pieces, self._grounder.generate(requests) if requests else [], strict=True)
        }
        told: set[str] = set()
        for text, own in zip(texts, read, strict=True):
            rows = []
            for each in own:
                found: dict[SchemaTriple, None] = {}
                lost = 0
                for piece, ends in self._pieces(each):
                    piece += "".join(shown[text][1:])
                    triples, broken, usage = grounded[piece]
                    lost += broken
                    found.update({(ends.get(h, h), r, ends.get(t, t)): None for h, r, t in triples})
                    if piece not in told:
                        told.add(piece)
                        spent[text] += usage
                rows.append((each, tuple(found), lost))
            known[text] = tuple(rows)

    def _pieces(self, decomposition: Decomposition) -> list[tuple[str, dict[str, str]]]:
        """What SAGB is shown at once, and what its ends stand for: all assertions, or, trained by us, a single one."""
        if self.form == "trained":
            return [placed(assertion) for assertion in decomposition.assertions]
        return [("\n".join(decomposition.assertions), {})]

    def _planned(
        self,
        text: str,
        names: Sequence[Sequence[str]],
        written: Written,
    ) -> PlannedSchemas:
        counts: Counter[str] = Counter()
        plans: list[SchemaGraph] = []
        labels = {f"[T{i}]": own[0] for i, own in enumerate(names, 1) if own}
        for decomposition, triples, broken in written:
            counts["triples that do not parse"] += broken
            counts["plans without a strategy"] += not decomposition.stated
            topics = bind_topics(dict.fromkeys(node for h, _, t in triples for node in (h, t)), names)
            said = tuple(rename(each, labels) for each in decomposition.assertions)
            plan = SchemaGraph(said, self._strategy(decomposition.strategy), triples, topics, decomposition.logprob)
            whole = [part for part in parts(plan) if part.target is not None]
            counts["plans without a topic"] += not whole
            plans += whole
        kept = distinct(plans)
        counts["equal plans"] = len(plans) - len(kept)
        if not kept:
            counts["plans from the question's words"] = 1
            kept = [self._fallback(text, i, own) for i, own in enumerate(names)]
        return PlannedSchemas(tuple(kept), +counts, tuple(each for each, _, _ in written))

    def _strategy(self, planned: str) -> str:
        return planned if self.config.strategy == "adaptive" else self.config.strategy.capitalize()

    def _fallback(self, text: str, topic: int, names: Sequence[str]) -> SchemaGraph:
        """The topic, the question's other words as the relation, and an unknown."""
        said = masked(text, [names]) if self.form == "prompted" else text
        words = " ".join(word for word in said.split() if not word.startswith("[T")).strip(" ?.") or "related to"
        node = f"[T{topic + 1}]"
        assertion = f"{names[0] if names else node} {words} [ENT1]"
        strategy = self._strategy("Precision")
        return SchemaGraph((assertion,), strategy, ((node, words, "[ENT1]"),), {node: topic}, fallback=True)


def prompt(config: Config, name: str, slot: str, *more: str) -> Prompt:
    """Our prompt, or the user's own of that name in `method.prompts`."""
    own: Path | None = None if config.prompts is None else config.prompts / f"{name}.txt"
    return load_prompt(PACKAGE, name, slots=(slot, *more), override=own if own is not None and own.is_file() else None)


def bare(text: str) -> tuple[Message, ...]:
    """A text as a fine-tuned model of ours expects it: nothing but the text."""
    return (Message("user", text),)
