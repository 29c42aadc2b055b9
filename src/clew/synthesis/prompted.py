"""Questions, assertions and strategies from a language model: STEM's prompts P4, P5 and P6 in our own words.

Kept apart from the grammar (`writer`) because it costs calls and may refuse: "No Solution" is a valid reply, and a
reply that breaks the rules (a placeholder in the question, a sentence missing) is dropped and counted, never mended.
Answers come from the graph in both cases; the model only finds words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from clew.graph.subgraph import Subgraph
from clew.llm.prompt import load_prompt
from clew.llm.reply import clean, parse_json
from clew.protocols import LanguageModel, LLMRequest
from clew.synthesis.questions import SynthesisReport, Synthetic, record
from clew.synthesis.structures import SamplingConfig, Structure, StructureSampler, mask
from clew.synthesis.writer import Written

Masked = Sequence[tuple[str, str, str]]
_PLACEHOLDER = re.compile(r"\[ENT\d+\]")
_BETWEEN = re.compile(r"(?:(?<=[.\"'])\s*,|,(?=\s*[\[\"'A-Z]))\s*")


class _Composed(BaseModel):
    model_config = ConfigDict(extra="ignore")
    sentences: list[str]
    question: str


def synthesize_prompted(
    graph: Subgraph,
    count: int,
    model: LanguageModel,
    *,
    seed: int = 0,
    sampling: SamplingConfig | None = None,
    batch: int = 16,
    temperature: float = 1.0,
    report: SynthesisReport | None = None,
) -> Iterator[Synthetic]:
    """Questions over `graph` written by `model` (P6), with the strategy it gives them (P5).

    Stops after `count` questions, or once ten times as many structures were refused in a row as are wanted.
    """
    sampler = StructureSampler(graph, sampling or SamplingConfig(), seed)
    report = report if report is not None else SynthesisReport()
    report.relations, report.dropped = graph.num_relations, sampler.dropped
    refused = 0
    covered: set[int] = set()
    while report.questions < count and refused < 10 * count:
        structures = [sampler.one() for _ in range(min(batch, count - report.questions))]
        written = compose(graph, structures, model, temperature=temperature, seed=seed)
        kept = [(s, w) for s, w in zip(structures, written, strict=True) if isinstance(w, Written)]
        for outcome in written:
            if isinstance(outcome, str):
                refused += 1
                report.dropped[outcome] = report.dropped.get(outcome, 0) + 1
        judged = strategies(model, [(w.text, w.assertions) for _, w in kept])
        for (structure, words), strategy in zip(kept, judged, strict=True):
            refused = 0
            covered.update(relation for relation, _ in structure.steps)
            report.count(structure, words, strategy or structure.strategy, len(covered))
            id = f"prompted-{seed}-{report.questions}"
            yield record(graph, structure, words, id, strategy or structure.strategy)


def compose(
    graph: Subgraph, structures: Sequence[Structure], model: LanguageModel, *, temperature: float, seed: int
) -> list[Written | str]:
    """P6 for each structure: the words, or why there are none."""
    prompt = load_prompt("clew.synthesis", "compose", slots=("triples", "answer"))
    masked, answers = [], []
    for structure in structures:
        rows = mask(graph, structure)
        masked.append([words for _, words in rows])
        last = structure.thread[-1]
        answers.append(next(words[0 if n[0] == last else 2] for n, words in rows if last in (n[0], n[2])))
    requests = [
        LLMRequest(prompt.render(triples=_lines(m), answer=a), temperature=temperature, seed=seed + i)
        for i, (m, a) in enumerate(zip(masked, answers, strict=True))
    ]
    return [_checked(reply.text, m) for reply, m in zip(model.generate(requests), masked, strict=True)]


def assertions(model: LanguageModel, items: Sequence[tuple[str, Masked]]) -> list[tuple[str, ...] | None]:
    """P4: one sentence per masked triple of each (question, triples); None where the reply broke the rules."""
    prompt = load_prompt("clew.synthesis", "assert", slots=("question", "triples"))
    requests = [LLMRequest(prompt.render(question=q, triples=_lines(m)), temperature=1.0) for q, m in items]
    found: list[tuple[str, ...] | None] = []
    for reply, (_, masked) in zip(model.generate(requests), items, strict=True):
        value = parse_json(reply.text, {"type": "array", "items": {"type": "string"}}).value
        said = tuple(value) if isinstance(value, list) else _sentences(clean(reply.text), len(masked))
        found.append(said if _keeps_placeholders(said, masked) else None)
    return found


def strategies(model: LanguageModel, items: Sequence[tuple[str, Sequence[str]]]) -> list[str | None]:
    """P5: "Precision" or "Breadth" for each (question, assertions); None where the reply is neither."""
    if not items:
        return []
    prompt = load_prompt("clew.synthesis", "strategy", slots=("question", "statements"))
    requests = [LLMRequest(prompt.render(question=q, statements=" ".join(said)), max_tokens=8) for q, said in items]
    replies = [set(re.findall(r"precision|breadth", clean(r.text).lower())) for r in model.generate(requests)]
    return [words.pop().capitalize() if len(words) == 1 else None for words in replies]


def _checked(text: str, masked: Masked) -> Written | str:
    if "no solution" in clean(text).lower():
        return "no solution"
    composed = parse_json(text, _Composed).value or _as_printed(clean(text), len(masked))
    if not isinstance(composed, _Composed) or not composed.question.strip():
        return "reply is not what was asked for"
    if _PLACEHOLDER.search(composed.question):
        return "placeholder in the question"
    if not _keeps_placeholders(composed.sentences, masked):
        return "sentences do not match the triples"
    named = {end for h, _, t in masked for end in (h, t) if not _PLACEHOLDER.fullmatch(end)}
    if not all(name.casefold() in composed.question.casefold() for name in named):
        return "a topic is missing in the question"
    return Written(composed.question.strip(), "prompted", tuple(composed.sentences), tuple(masked))


def _as_printed(text: str, triples: int) -> _Composed | None:
    """`[(Sentence_1, Sentence_2, …), Question]`, the paper's own form of P6."""
    first, last = text.find("("), text.rfind("),")
    if not -1 < first < last:
        return None
    question = text[last + 2 :].rpartition("]")[0] or text[last + 2 :]
    return _Composed(sentences=list(_sentences(text[first + 1 : last], triples)), question=question.strip(" \n\"'"))


def _sentences(text: str, number: int) -> tuple[str, ...]:
    """The `number` sentences of a list without quotes, a line each or behind commas; none where there are others."""
    bare = text.strip().strip("`").strip()
    for inner in (bare.removeprefix("[").removesuffix("]"), bare):
        for parts in (inner.splitlines(), _BETWEEN.split(inner)):
            said = tuple(part.strip(" ,;\"'") for part in parts if part.strip(" ,;\"'"))
            if len(said) == number and all(part.count("[") == part.count("]") for part in said):
                return said
    return ()


def _keeps_placeholders(sentences: Sequence[str], masked: Masked) -> bool:
    """One sentence per triple, each with exactly the placeholders of its triple."""
    return len(sentences) == len(masked) and all(
        set(_PLACEHOLDER.findall(sentence)) == {e for e in (h, t) if _PLACEHOLDER.fullmatch(e)}
        for sentence, (h, _, t) in zip(sentences, masked, strict=True)
    )


def _lines(masked: Masked) -> str:
    return "\n".join(f"({h}, {r}, {t})" for h, r, t in masked)
