"""SCR, stepwise contrastive reasoning: a trained beam search over relations and entities, without a language model."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="scr",
        summary="walks the graph step by step, each step chosen by a small trained network; no language model",
        paper="Lin, Luo, Liu, Wu: Stepwise Contrastive Reasoning for Retrieval-Augmented Generation over Knowledge "
        "Graphs, AAAI 2026",
        needs=Needs(encoder="required", language_model="optional", model="required", extras=("models",)),
        method="clew.methods.scr.method:Scr",
        config="clew.methods.scr.config:Config",
        train="clew.methods.scr.train:train",
        train_config="clew.methods.scr.config:TrainConfig",
    ),
)
