"""walk: relation paths from the topics, chosen by what the question's words ask for; no training, no language model."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="walk",
        summary="follows the relations that the question's words ask for; needs no training and no language model",
        paper="",
        needs=Needs(encoder="required", language_model="optional", extras=("encoder",)),
        method="clew.methods.walk.method:Walk",
        config="clew.methods.walk.method:Config",
    ),
)
