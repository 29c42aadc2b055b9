"""What a training of any method needs around it: a graph in memory, and a judgement of the model it leaves.

Apart from the workspace because neither opens anything: graph, tools and method settings are handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from clew.errors import ClewError, InputError, NotFoundError
from clew.extras import load, missing_modules
from clew.graph.remote import ServerGraph
from clew.methods.registry import DEFAULT_METHOD, card
from clew.protocols import GraphStore, Method, MethodCard, OnEvent, TextEncoder, Tools
from clew.trained import ComparedModel
from clew.types import Event

if TYPE_CHECKING:
    from clew.protocols import Example

JUDGES = 100  # most held-out questions on which a model is compared with the method that needs none
LEAST_JUDGES = 10  # fewer say nothing


def judge(
    chosen: MethodCard,
    config: Any,
    tools: Tools,
    dev: Sequence[Example],
    graph: GraphStore,
    encoder: Callable[[], TextEncoder],
    on_event: OnEvent,
) -> ComparedModel | None:
    """A model against the method that needs none, on held-out questions of people; None where there are too few.

    The training has seen these questions when it chose among its checkpoints, which favours the model a little.
    """
    from clew.evaluation.answers import score_answer

    written = [each for each in dev if not each.synthetic and each.gold.answers][:JUDGES]
    untrained = card(DEFAULT_METHOD)
    if len(written) < LEAST_JUDGES or any(missing_modules(extra) for extra in untrained.needs.extras):
        return None

    def right(method: Method) -> float:
        hits = 0.0
        for each in written:
            try:
                answer = method.answer(each.question, each.graph or graph)
            except ClewError:
                continue  # counts as wrong
            hits += float(score_answer(answer, each.gold).hits_at_1)
        return hits / len(written)

    plain = Tools(encoder=tools.encoder or encoder(), link=tools.link, cache=tools.cache)
    judged = ComparedModel(
        questions=len(written),
        model=right(load(chosen.method)(config, tools)),
        untrained=right(load(untrained.method)(load(untrained.config)(), plain)),
    )
    said = f"{chosen.name} {judged.model:.3f}, {DEFAULT_METHOD} without training {judged.untrained:.3f}"
    on_event(Event("judge", f"Hits@1 on {judged.questions} held-out questions: {said}", judged.model_dump()))
    return judged


def graph_to_train_on(graph: GraphStore, examples: Sequence[Example], config: Any, on_event: OnEvent) -> GraphStore:
    """The graph; of a server's, a copy of what lies around the topics and answers of the questions."""
    if not isinstance(graph, ServerGraph) or all(example.graph is not None for example in examples):
        return graph
    from clew.graph.remote.pull import collect
    from clew.retrieval.linking import given

    names = dict.fromkeys(name for each in examples for name in each.question.topics)
    if not names:
        raise InputError(
            f"graph {graph.address.shown}: training copies what lies around the topics of the questions, and "
            "none of them names its topics (q_entity); add them, or copy a part with clew pull and train on that"
        )
    topics: dict[str, None] = {}
    for name in names:
        try:
            topics.update((topic.entity.id, None) for topic in given(name, graph))
        except NotFoundError as error:
            on_event(Event("pull", str(error)))
    if not topics:
        raise NotFoundError(f"graph {graph.address.shown}: holds none of the topics of the training questions")
    hops = 1 + max((each.gold.hops or 0 for each in examples), default=0)
    hops = max(hops, 1 + (getattr(config, "hops", None) or 2))
    part, cut = collect(graph, list(topics), hops)
    said = f"{part.num_triples:,} triples within {hops} hops of {len(topics):,} topics"
    on_event(Event("pull", said + (f"; {cut:,} triples of large entities were left out" if cut else "")))
    return part
