"""EPERM: weighted relation plans, weighted evidence paths, and a reader that sees the weights."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="eperm",
        summary="a language model plans relation paths the graph has, weighs the paths they lead to, and reads them",
        paper="Long, Zhuang, Li, Yao, Wang: EPERM: An Evidence Path Enhanced Reasoning Model for Knowledge Graph "
        "Question and Answering, AAAI 2025",
        needs=Needs(encoder="required", language_model="optional", model="optional", either=True, extras=("models",)),
        method="clew.methods.eperm.method:Eperm",
        config="clew.methods.eperm.config:Config",
        train="clew.methods.eperm.train:train",
        train_config="clew.methods.eperm.config:TrainConfig",
    ),
)
