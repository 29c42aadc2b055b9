"""Training STEM: mine plans, tune SGDA and SAGB, fit the Triple-GNN, write the model's folder.

Read from the bottom: `train` is the list of stages. Each stage keeps its product, so that a resumed training goes on
behind the last one.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from torch import Tensor

from clew.errors import InputError, TrainingError
from clew.graph import Subgraph
from clew.graph.neighborhood import around
from clew.learning.loop import fit
from clew.learning.processes import is_main_process, process_count, wait_for_all
from clew.learning.scratch import SIZES
from clew.learning.training import MODEL, Training
from clew.learning.tuning import Pair
from clew.methods.stem.config import Config, DecomposeConfig, GroundConfig, TrainConfig
from clew.methods.stem.gold import (
    GoldChains,
    MaskedQuestion,
    PlannerExample,
    TripleSentences,
    gold_rows,
    masked_questions,
    planner_examples,
    revisit_share,
)
from clew.methods.stem.guidance import guide
from clew.methods.stem.model import (
    CARD,
    DECOMPOSE,
    GROUND,
    WEIGHTS,
    Trained,
    load_model,
    relation_table,
    save_model,
)
from clew.methods.stem.network import JoinedInput, QuestionInput, TripleNetwork, balanced_loss
from clew.methods.stem.planner import bare
from clew.methods.stem.schema import SchemaGraph, SchemaTriple, placed, write_decomposition, write_triples
from clew.methods.stem.similarity import Floats, Similarity, reworded
from clew.paths.examples import EntityIndex, arrays_of, training_graph
from clew.paths.gold import NEEDED
from clew.protocols import OnEvent, TrainRequest, TrainResult, ignore
from clew.synthesis import synthesize

PLACEHOLDERS = ("[A]", "[B]", *(f"[ENT{i}]" for i in range(1, 9)), *(f"[T{i}]" for i in range(1, 5)))
NEARBY = 3000  # triples of a question's neighbourhood
TUNING = "tuning"  # where the planning models are made
VALIDATED = 100  # dev questions on which the Triple-GNN is judged
WORDINGS = 4  # of each schema that the Triple-GNN sees, beside the graph's own


def _grounding(assertion: str, triple: SchemaTriple) -> Pair:
    """What SAGB learns from one assertion."""
    text, ends = placed(assertion)
    back = {end: mark for mark, end in ends.items()}
    h, r, t = triple
    return Pair(bare(text), write_triples([(back.get(h, h), r, back.get(t, t))]))


@dataclass(frozen=True, slots=True)
class GuidanceExample:
    """What the Triple-GNN sees of a question, several wordings of its schema, and which entities it should find."""

    input: QuestionInput
    wordings: tuple[Floats, ...]  # the graph's own first
    labels: Floats  # (N,)
    triples: int  # of the schema

    def worded(self, wording: int) -> QuestionInput:
        return replace(self.input, query=self.wordings[wording])


class StemTraining(Training):
    """The stages over one request."""

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        if request.tools.encoder is None:
            raise InputError("training stem needs a text encoder")
        self.encoder = request.tools.encoder
        self.config: TrainConfig = request.train_config or TrainConfig()
        planned = "planner" in self.config.parts
        super().__init__(
            request,
            on_event,
            2 + 2 * planned + ("network" in self.config.parts),
            needs=("trl",) * planned,
            made=(DECOMPOSE, GROUND, "network", TUNING, CARD, WEIGHTS),
        )
        source = training_graph(self.examples, request.graph)
        self.graph: Subgraph = arrays_of(source)
        self.chains = GoldChains(self.graph, self.config.hops)
        self.trained = Trained(encoder=self.encoder.name, encoder_width=self.encoder.dim, graph=source.name)

    def mine(self) -> tuple[list[MaskedQuestion], list[PlannerExample]]:
        """Training questions, and what a planner should write for them: D_std and D_syn."""
        config, request = self.config, self.request
        examples = self.examples if config.standard else [e for e in self.examples if e.schema is not None]
        if config.synthetic:
            made = synthesize(self.graph, config.synthetic, seed=request.seed)
            examples = [*examples, *(each.example() for each in made)]
        questions, left = masked_questions(examples, EntityIndex(self.graph))
        self.leave_out(left)
        again = revisit_share(self.chains, questions)
        self.trained = self.trained.model_copy(update={"revisit": again >= NEEDED})
        if "planner" not in config.parts:
            self.details |= {"questions": len(questions), "left out": {k: len(ids) for k, ids in left.items()}}
            return questions, []
        model = request.tools.language_model if config.assertions == "model" else None
        if config.assertions == "model" and model is None:
            raise InputError("train.assertions = 'model' needs a language model; set language_model.model")
        sentences = TripleSentences(self.graph, request.seed)
        planned, left = planner_examples(
            questions, self.chains, sentences, per_text=config.per_text, seed=request.seed, model=model
        )
        self.leave_out(left)
        mined = [each for each in planned if each.origin == "standard"]
        report = {
            "plans": len(planned),
            "distinct masked texts": len({each.text for each in questions if each.planned is None}),
            "D_std": len(mined),
            "D_syn": len(planned) - len(mined),
            "strategies": dict(Counter(each.strategy for each in mined)),
            "questions that walk a triple twice": again,
            "triples per plan": {str(k): v for k, v in sorted(Counter(len(x.triples) for x in mined).items())},
            "examples": [asdict(each) for each in planned[:20]],
        }
        self.tell_mined(len(planned), "plans to learn", len(questions), report)
        return questions, planned

    def decompose(self, planned: Sequence[PlannerExample]) -> None:
        """SGDA: masked question → strategy and assertions."""
        pairs = [Pair(bare(each.text), write_decomposition(each.assertions, each.strategy)) for each in planned]
        self._tune(DECOMPOSE, self.config.decompose, pairs, ())

    def ground(self, planned: Sequence[PlannerExample]) -> None:
        """SAGB: an assertion → its schema triple, with one token per relation."""
        pairs = {
            _grounding(said, triple): None
            for each in planned
            for said, triple in zip(each.assertions, each.triples, strict=True)
        }
        # Every relation of the graph, also those that no plan has.
        statements = TripleSentences(self.graph, self.request.seed)
        names = [self.graph.relation(r).id for r in range(self.graph.num_relations)]
        for name in names:
            triple = ("[T1]", name, "[ENT1]")
            pairs[_grounding(statements.say(triple), triple)] = None
        shown = math.ceil(self.config.ground.pairs / len(pairs))
        self._tune(GROUND, self.config.ground, list(pairs) * shown, names)

    def _tune(
        self, part: str, config: DecomposeConfig | GroundConfig, pairs: Sequence[Pair], keep: Sequence[str]
    ) -> None:
        out, work = self.request.out, self.request.out / TUNING / part
        if self.request.resume and (out / part / "config.json").is_file():
            return
        base = "" if config.base in SIZES else config.base
        self.tune(base, pairs, work, config.tune, size=config.base, keep=[*PLACEHOLDERS, *keep])
        if is_main_process():
            shutil.rmtree(out / part, ignore_errors=True)
            (work / MODEL).rename(out / part)
            shutil.rmtree(work.parent)
        wait_for_all()

    def network(self, questions: Sequence[MaskedQuestion]) -> dict[str, float]:
        """The Triple-GNN on gold plans; its metrics."""
        config, request, out = self.config, self.request, self.request.out
        if request.resume and (out / WEIGHTS).is_file() and not (out / "network").exists():
            self.trained = load_model(out, self.encoder, config.device).trained
            return {}
        similarity = Similarity(self.graph, self.encoder)
        relations = relation_table(similarity, self.encoder, config.device)
        examples = self._examples(similarity, questions)
        if not examples:
            raise TrainingError("no question has a gold chain to train the Triple-GNN on; leave 'network' out of parts")
        held = min(VALIDATED, max(1, len(examples) // 10))
        torch.manual_seed(request.seed)
        network = TripleNetwork(config.network, self.encoder.dim).to(config.device)
        self.details["parameters of network"] = sum(p.numel() for p in network.parameters())
        dev = examples[:held]
        train = np.arange(held, len(examples)) if len(examples) > held else np.arange(held)
        draw = np.random.default_rng(request.seed)
        shuffled: list[tuple[int, int]] = []  # a question, and which wording of its plan
        while len(shuffled) < config.fit.steps * config.fit.accumulate * config.batch * process_count():
            shuffled += [(i, int(draw.integers(len(examples[i].wordings)))) for i in draw.permutation(train).tolist()]

        def batch(k: int) -> list[tuple[int, int]]:
            return shuffled[k * config.batch : (k + 1) * config.batch]

        def loss(chosen: list[tuple[int, int]]) -> Tensor:
            joined = JoinedInput.of([examples[i].worded(wording) for i, wording in chosen], config.device)
            wanted = torch.from_numpy(np.concatenate([examples[i].labels for i, _ in chosen])).to(config.device)
            return balanced_loss(network(joined, relations), wanted, joined.owner, len(chosen))

        def evaluate() -> dict[str, float]:
            sizes = [Config().per_triple * each.triples for each in dev]
            found = guide(network, relations, [each.worded(-1) for each in dev], sizes)
            recall = []
            for each, size, members in zip(dev, sizes, found, strict=True):
                gold = each.input.graph.entities[each.labels > 0]
                # No guidance graph of K entities can hold more than K of them.
                recall.append(float(np.isin(gold, members).sum()) / max(1, min(len(gold), size)))
            return {"guided recall": float(np.mean(recall))}

        (out / "network").mkdir(exist_ok=True)
        progress = fit(
            network,
            batch,
            loss,
            out / "network",
            config.fit,
            evaluate=evaluate,
            metric="guided recall",
            resume=request.resume,
            seed=request.seed,
            on_event=self.on_event,
        )
        wait_for_all()  # all have read the best weights
        if is_main_process():
            self.trained = save_model(out, self.trained, network)
            shutil.rmtree(out / "network")
        wait_for_all()
        return {"guided recall": progress.best}

    def _examples(self, similarity: Similarity, questions: Sequence[MaskedQuestion]) -> list[GuidanceExample]:
        """A sample of the questions that have a gold chain."""
        config = self.config
        draw = np.random.default_rng(self.request.seed)
        found: list[GuidanceExample] = []
        for i in draw.permutation(len(questions))[: config.questions].tolist():
            each = questions[i]
            triples = self.chains.schema(each)
            if not triples:
                continue
            plan = SchemaGraph((), "Precision", triples, {f"[T{n}]": n - 1 for n in range(1, len(each.topics) + 1)})
            near = around(self.graph, each.topics, min(config.hops, len(triples)), max_triples=NEARBY)
            local = {int(number): k for k, number in enumerate(near.entities)}
            wanted = np.zeros(near.num_entities, np.float32)
            gold = gold_rows(self.chains, each)
            wanted[[local[int(e)] for e in self.graph.entities[gold] if int(e) in local]] = 1.0
            topics = np.array([local[int(self.graph.entities[t])] for t in each.topics], np.int64)
            said = [plan]
            if config.reworded:
                said += [
                    replace(plan, triples=reworded(similarity, triples, config.reworded, draw)) for _ in range(WORDINGS)
                ]
            wordings = tuple(similarity.query(one, each.names) for one in said)
            found.append(GuidanceExample(QuestionInput(near, topics, wordings[0]), wordings, wanted, len(triples)))
        return found

    def finish(self) -> None:
        """The card of the folder."""
        if is_main_process():
            trained = self.trained.model_copy(update={"planner": (self.request.out / DECOMPOSE).is_dir()})
            save_model(self.request.out, trained, None)


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Train a planner and a Triple-GNN for `request.graph` from `request.examples`.

    What was mined and left out stands in `mining.json` beside the model.

    Raises:
        TrainingError: no question has a chain to an answer, or the loss is no number.
        InputError, UnsupportedError: impossible settings, a graph whose triples are not at hand.
    """
    work = StemTraining(request, on_event)
    parts = work.config.parts
    questions, planned = work.run("mine plans", work.mine)
    metrics: dict[str, float] = {}
    if "planner" in parts:
        work.run("tune SGDA", work.decompose, planned)
        work.run("tune SAGB", work.ground, planned)
    if "network" in parts:
        metrics = work.run("fit the Triple-GNN", work.network, questions)
    work.run("write", work.finish)
    return work.result(metrics)
