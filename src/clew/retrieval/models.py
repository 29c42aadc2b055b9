"""Kinds of models, and the things that are of one: "laptops at Quayside" are the devices there whose model is a laptop,
and no models."""

from __future__ import annotations

from clew.graph import Graph
from clew.graph.sets import held
from clew.query import plan as p
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.query.vocabulary import stem
from clew.retrieval.lexicon import Lexicon

_MODELS = frozenset(["model", "design", "variant"])  # what a link to the kind of a single thing is called


def of_model(kind: str, graph: Graph) -> p.SetPlan:
    """The things that a noun for a kind means: those whose model is of the kind, where it is one of models."""

    def made() -> p.SetPlan:
        of_kind, lexicon = p.Class(kind), Lexicon.of(graph)
        name = lexicon.class_ids.get(kind, kind)
        if stem(name.lower().split()[-1]) in _MODELS:
            return of_kind
        members = execute(of_kind, graph).members
        for step, _ in steps_of(graph, members):
            if step.forward or _MODELS.isdisjoint(lexicon.words_of(step.relation)[-1:]):
                continue
            things = p.Follow(of_kind, (step,))
            if not held(execute(things, graph).members, members).any():
                return things
        return of_kind

    return graph.derived(("retrieval.models", kind), made)
