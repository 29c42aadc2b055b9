"""Decompositional reasoning for graph retrieval: a small graph per sub-question, one model reads their union."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="decompose",
        summary="splits the question, retrieves a connected graph for each part, answers from their union",
        paper="Decompositional Reasoning for Graph Retrieval with Large Language Models (anonymous ACL submission)",
        needs=Needs(encoder="required", language_model="optional", model="optional", extras=("models",)),
        method="clew.methods.decompose.method:Decompose",
        config="clew.methods.decompose.config:Config",
        train="clew.methods.decompose.train:train",
        train_config="clew.methods.decompose.config:TrainConfig",
    ),
)
