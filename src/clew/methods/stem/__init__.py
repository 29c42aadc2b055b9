"""STEM: Structure-Tracing Evidence Mining, as one room. Importing this loads nothing heavy."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="stem",
        summary="plans a schema of the question and traces it in the graph as one whole structure",
        paper="STEM: Structure-Tracing Evidence Mining for Knowledge Graphs-Driven Retrieval-Augmented Generation",
        needs=Needs(
            encoder="required",
            language_model="optional",
            model="optional",
            either=True,
            extras=("models",),
        ),
        method="clew.methods.stem.method:Stem",
        config="clew.methods.stem.config:Config",
        train="clew.methods.stem.train:train",
        train_config="clew.methods.stem.config:TrainConfig",
        report="clew.methods.stem.report:report",
    ),
)
