"""Training tasks as pairs of prompt and completion: plans, answers over weighted paths, and the two scorers.

The prompts are those of answering, so that nothing is learned that is not asked. The paper does not say which scores
its answer prompts carried in training: here gold plans share most of the weight and wrong plans stand beside them, in
some tasks with the best weight, so that weights inform and do not decide.

Shapes: P plans shown, C candidates of a step.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import numpy as np

from clew.graph.paths import path_record, trace
from clew.graph.subgraph import Ints
from clew.learning.tuning import Pair
from clew.methods.eperm.asking import PlacedQuestion, PromptClient, WeightedPlan, plan_text, relation_text
from clew.methods.eperm.config import Config, TrainConfig
from clew.methods.eperm.facts import NO, YES, brief_facts, choices_of, entities_prompt, entity_prompt, facts_of
from clew.methods.eperm.gold import Posterior, TopicPlan
from clew.methods.eperm.plans import vocabulary, vocabulary_text
from clew.methods.eperm.predictor import line_text
from clew.methods.eperm.retriever import step
from clew.protocols import Message
from clew.retrieval.verbalise import path_text

PATHS_PER_PLAN = 6  # shown of one plan in the style "paper"
ANSWERS = 20  # most answers of a completion in the style "paper"
CHOICES = 16  # candidates of a scoring task, at most
GOLD_SHARE = (0.3, 0.95)  # of the weight that gold plans have together
SURE, SURE_SHARE = 0.5, (0.95, 1.0)  # in so many tasks nearly all of it, as a sure planner gives
MISLEADING = 0.1  # share of answer tasks whose best weight is a wrong plan's
OFF_PATH = 0.3  # entity score shown of a sibling off the gold paths


class TaskWriter:
    """Writes the tasks of one question after the other; chance comes from `random` alone."""

    def __init__(self, asker: PromptClient, config: TrainConfig, shown: Config, random: np.random.Generator) -> None:
        self._asker, self._config, self._shown, self._random = asker, config, shown, random
        self.written: Counter[str] = Counter()
        self.lines: list[int] = []  # of each answer task

    def tasks(self, case: PlacedQuestion, mined: Posterior, answers: Ints) -> list[Pair]:
        """All tasks of one question; `case` has its topics, text, graph and starts."""
        plans = {plan_text(case.graph, each.steps): each for each in mined.gold}
        pairs = [self._pair("plan", self._plan(case), text) for text in plans]
        pairs.append(self._answer(case, mined, answers))
        if self._config.scorers:
            gold = mined.gold[int(self._random.integers(len(mined.gold)))]
            pairs += self._relation_tasks(case, gold)
            pairs += self._entity_tasks(case, gold, answers)
        return pairs

    def _pair(self, kind: str, prompt: tuple[Message, ...], completion: str) -> Pair:
        self.written[kind] += 1
        return Pair(prompt, completion)

    def _plan(self, case: PlacedQuestion) -> tuple[Message, ...]:
        prompt = self._asker.prompt("plan")
        values: dict[str, object] = {"question": case.text}
        if "vocabulary" in prompt.slots:
            values["vocabulary"] = vocabulary_text(vocabulary(case, self._shown.vocabulary, self._config.longest, None))
            values["topics"] = ", ".join(dict.fromkeys(topic.entity.label for topic in case.topics))
        return prompt.render(**values)

    def weighted(self, mined: Posterior) -> list[tuple[TopicPlan, float, bool]]:
        """Plans to show with their weights, heaviest first, and whether each is gold."""
        gold = list(mined.gold)
        others = self._distractors(mined)
        sure = self._random.random() < SURE
        share = float(self._random.uniform(*(SURE_SHARE if sure else GOLD_SHARE))) if others else 1.0
        right = self._split(share, len(gold))
        wrong = self._split(1 - share, len(others))
        if others and self._random.random() < MISLEADING:
            best, worst = right.index(max(right)), wrong.index(max(wrong))
            if right[best] > wrong[worst]:
                right[best], wrong[worst] = wrong[worst], right[best]
        rows = [(each, weight, True) for each, weight in zip(gold, right, strict=True)]
        rows += [(each, weight, False) for each, weight in zip(others, wrong, strict=True)]
        return sorted(rows, key=lambda row: -row[1])

    def _split(self, total: float, count: int) -> list[float]:
        return [total * float(x) for x in self._random.dirichlet([2.0] * count)] if count else []

    def _distractors(self, mined: Posterior) -> list[TopicPlan]:
        """Wrong plans, rather those that share a relation with a gold one."""
        if not mined.others:
            return []
        relations = {each.steps[i] for each in mined.gold for i in range(len(each.steps))}
        chance = np.array([1.0 + 4.0 * len(relations & set(each.steps)) for each in mined.others])
        most = min(self._config.distractors, len(mined.others))
        count = int(self._random.integers(0, most + 1)) if self._random.random() < 0.6 else most
        chosen = self._random.choice(len(chance), count, replace=False, p=chance / chance.sum())
        return [mined.others[i] for i in chosen.tolist()]

    def _answer(self, case: PlacedQuestion, mined: Posterior, answers: Ints) -> Pair:
        rows = self.weighted(mined)
        graph = case.graph
        plans = [WeightedPlan(each.steps, plan_text(graph, each.steps), weight) for each, weight, _ in rows]
        self.lines.append(len(rows))
        if self._asker.style == "short":
            lines = [
                line_text(i, each.topic, plan, plan.weight, each.reached)
                for i, (plan, (each, _, _)) in enumerate(zip(plans, rows, strict=True), 1)
            ]
            right = [str(i) for i, (_, _, gold) in enumerate(rows, 1) if gold]
            prompt = self._asker.prompt("answer").render(question=case.text, lines="\n".join(lines))
            return self._pair("answer", prompt, " ".join(right))
        told: list[tuple[float, str]] = []
        for (each, weight, gold), plan in zip(rows, plans, strict=True):
            start = int(case.starts[each.topic])
            for path in trace(graph, [start], plan.steps, limit=PATHS_PER_PLAN):
                sure = 1.0 if not gold or path.entities[-1] in answers else OFF_PATH
                told.append((weight * sure, path_text(path_record(graph, path, weight * sure), direction="mark")))
        total = sum(weight for weight, _ in told) or 1.0
        told.sort(key=lambda line: -line[0])
        text = "\n".join(f"{line} Score:{weight / total:.3f}" for weight, line in told)
        named = [" ".join(name.split()) for name in graph.labels(answers[:ANSWERS])]
        shown = [name for name in named if any(line.endswith((f"> {name}", f"- {name}")) for _, line in told)] or named
        prompt = self._asker.prompt("answer").render(question=case.text, lines=text)
        return self._pair("answer", prompt, json.dumps(shown, ensure_ascii=False))

    def _relation_tasks(self, case: PlacedQuestion, gold: TopicPlan) -> list[Pair]:
        """At one step of a gold plan: the relation that leads on, among those that could."""
        graph = case.graph
        at = int(self._random.integers(len(gold.steps)))
        walked, right = plan_text(graph, gold.steps[:at]), relation_text(graph, *gold.steps[at])
        prompt = self._asker.prompt("relations")
        values: dict[str, object] = {"question": case.text, "walked": walked}
        if self._asker.style == "short":
            return [self._pair("relations", prompt.render(**values), right)]
        offered = [text for own in vocabulary(case, self._shown.vocabulary, at + 1, None) for text in own]
        values |= {"walked": walked or "nothing", "budget": 1}
        values["relations"] = "; ".join(dict.fromkeys([*offered, right]))
        values["topic"] = graph.entity(int(case.starts[gold.topic])).label
        reply = (
            f"<count>1</count>\n<choice>{right}</choice>\n<reason>it leads to the answer</reason>\n<score>0.9</score>"
        )
        return [self._pair("relations", prompt.render(**values), reply)]

    def _entity_tasks(self, case: PlacedQuestion, gold: TopicPlan, answers: Ints) -> list[Pair]:
        """At one hop of a gold plan where some entities lie on a path to an answer and others do not."""
        graph = case.graph
        start = int(case.starts[gold.topic])
        paths = trace(graph, [start], gold.steps, answers)
        hops = list(range(1, len(gold.steps) + 1))
        self._random.shuffle(hops)
        for hop in hops:
            on = {path.entities[hop] for path in paths}
            reached = np.array([start], np.int32)
            for relation, forward in gold.steps[:hop]:
                reached = np.unique(step(graph, reached, relation, forward).reached)
            off = [e for e in reached.tolist() if e not in on]
            if on and off:
                mixed = [(e, True) for e in self._some(sorted(on), CHOICES // 2)]
                mixed += [(e, False) for e in self._some(off, CHOICES - len(mixed))]
                self._random.shuffle(mixed)
                return self._entity_pairs(case, gold, hop, mixed)
        return []

    def _some(self, entities: Sequence[int], most: int) -> list[int]:
        """So many in one task, so many in the next: few or all of them are asked about later."""
        count = int(self._random.integers(1, min(len(entities), most) + 1))
        return [int(e) for e in self._random.choice(np.array(entities), count, replace=False)]

    def _entity_pairs(
        self, case: PlacedQuestion, gold: TopicPlan, hop: int, mixed: Sequence[tuple[int, bool]]
    ) -> list[Pair]:
        short = self._asker.style == "short"
        plan, start, came = plan_text(case.graph, gold.steps), int(case.starts[gold.topic]), gold.steps[hop - 1]
        facts = [
            brief_facts(case, entity, self._shown.facts, start, came)
            if short
            else facts_of(case, entity, self._shown.facts)
            for entity, _ in mixed
        ]
        batch = entities_prompt(self._asker, case, plan, facts)
        goods = [good for _, good in mixed]
        if short:
            right = [choice for choice, good in zip(choices_of(case, facts), goods, strict=True) if good]
            pairs = [self._pair("entities", batch, right[int(self._random.integers(len(right)))])]
        else:
            scores = "\n".join(f"{i}: {1.0 if good else OFF_PATH}" for i, good in enumerate(goods, 1))
            pairs = [self._pair("entities", batch, scores)]
        for good in (True, False):  # one of each: a scorer that has mostly seen "no" says no
            known = facts[goods.index(good)]
            reply = f"{{Candidate Entity: {known[0]}, Score: {1.0 if good else OFF_PATH}}}"
            prompt = entity_prompt(self._asker, case, plan, known)
            pairs.append(self._pair("entity", prompt, (YES if good else NO) if short else reply))
        return pairs
