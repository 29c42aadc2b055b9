"""Answers of every method with language models that mean no good, checked by code that shares nothing with clew but the
text of a plan: none may be called supported that is not. `python -m clew.testing.support --answers 10000 --seed 1`.

Everything is drawn from (seed, number of the graph) alone, so that what was wrong can be drawn again.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew.encoding import HashEncoder
from clew.errors import ClewError
from clew.protocols import Ability, Example, LanguageModel, LLMReply, LLMRequest, Method
from clew.settings import configure
from clew.testing.fake_llm import FakeLanguageModel
from clew.testing.support.check import Check
from clew.testing.support.speakers import speaker
from clew.testing.support.worlds import World, question, world
from clew.types import Answer, Gold, Question
from clew.workspace import Workspace

METHODS = ("walk", "plan", "auto", "io", "cot", "scr", "stem", "roe", "decompose", "eperm")
MODELS = ("random", "lying", "injected", "none")
NEEDS_MODEL = ("io", "cot", "stem", "roe", "eperm")
COUNTED = ("answers", "candidates", "supported")
ASKED = 12  # questions about one graph
WIDTH = 32  # of the encoder


@dataclass
class SupportCounts:
    """How many answers, candidates and supported ones there were, by method and model, and what was wrong."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def answers(self) -> int:
        return sum(n for (_, _, what), n in self.counts.items() if what == "answers")

    def __iadd__(self, other: SupportCounts) -> SupportCounts:
        self.counts.update(other.counts)
        self.wrong += other.wrong
        return self

    def lines(self) -> Iterator[str]:
        """A table by method and model, and the sums."""
        total: Counter[str] = Counter()
        for method in METHODS:
            for model in MODELS:
                found = {what: self.counts[method, model, what] for what in COUNTED}
                total.update(found)
                if found["answers"]:
                    yield f"{method:10} {model:9}" + "".join(f" {n:8,} {what}" for what, n in found.items())
        yield " " * 20 + "".join(f" {total[what]:8,} {what}" for what in COUNTED) + f", {len(self.wrong)} wrong"


class _Speaker:
    """A language model that is told for each graph what to say."""

    name: str = "hostile"
    abilities: frozenset[Ability] = FakeLanguageModel("").abilities

    def __init__(self, kind: str) -> None:
        self.kind, self._model = kind, FakeLanguageModel("")

    def about(self, of: World, seed: int) -> None:
        self._model = FakeLanguageModel(speaker(self.kind, of, seed))

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        return self._model.generate(requests)

    def stream(self, request: LLMRequest) -> Iterator[str]:
        return self._model.stream(request)


class Trial:
    """Every method, opened once with every language model; `folder` is for the one model that is trained."""

    def __init__(self, folder: Path) -> None:
        self._encoder = HashEncoder(WIDTH)
        first = world(random.Random("training"), "training")
        model = self._trained(first, folder)
        self._speakers = {kind: _Speaker(kind) for kind in MODELS if kind != "none"}
        self._opened: dict[tuple[str, str], Method] = {
            (method, kind): self._open(method, self._speakers.get(kind), first, model)
            for method in METHODS
            for kind in MODELS
            if kind != "none" or method not in NEEDS_MODEL
        }

    def _open(self, method: str, language_model: LanguageModel | None, first: World, model: Path) -> Method:
        chosen: dict[str, Any] = {"name": method, **({"model": str(model)} if method == "scr" else {})}
        configuration = configure(flags={"method": chosen}, environment={})
        return Workspace(
            configuration, graph=first.graph, encoder=self._encoder, language_model=language_model
        ).open_method()

    def _trained(self, of: World, folder: Path) -> Path:
        """A network that has seen one question twice: it ranks by next to nothing, as a hostile model's would."""
        head, relation, tail = next(fact for fact in of.facts if all(id in of.labels for id in fact[::2]))
        asked = Question("q", f"what is the {relation} of {of.labels[head]}?", (head,))
        tiny = {"network": {"width": 8, "layers": 1}, "fit": {"steps": 2}, "hops": 2}
        flags = {"method": {"name": "scr"}, "train": tiny}
        space = Workspace(configure(flags=flags, environment={}), graph=of.graph, encoder=self._encoder)
        example = Example(asked, Gold((of.labels[tail],), (tail,)))
        return Path(space.train([example], [example], folder).model)

    def about(self, seed: int, number: int, asked: int = ASKED) -> SupportCounts:
        """Questions about one graph, by every method with every language model."""
        rng = random.Random(f"{seed} {number}")
        of = world(rng, f"world-{seed}-{number}")
        questions = [question(rng, of, i) for i in range(asked)]
        check, tally, checked = Check(of), SupportCounts(), dict[str, list[str]]()
        for each in self._speakers.values():
            each.about(of, number)
        for (method, kind), opened in self._opened.items():
            try:
                answers = opened.predict(questions, of.graph)
            except ClewError as error:
                tally.wrong.append(f"seed {seed} graph {number} {method} {kind}: raised {error}")
                continue
            for answer in answers:
                text = _claims(answer)
                if text not in checked:
                    checked[text] = list(check.problems(json.loads(text)))
                supported = sum(candidate.supported for candidate in answer.candidates)
                for what, n in zip(COUNTED, (1, len(answer.candidates), supported), strict=True):
                    tally.counts[method, kind, what] += n
                where = f"seed {seed} graph {number} {method} {kind} {answer.question.id}"
                tally.wrong += [f"{where}: {problem}" for problem in checked[text]]
        return tally


def _claims(answer: Answer) -> str:
    """What of a stored answer is checked; the same for many answers, which are then checked once."""
    row = json.loads(answer.to_json())
    return json.dumps({part: row[part] for part in ("evidence", "topics", "plan", "candidates")})
