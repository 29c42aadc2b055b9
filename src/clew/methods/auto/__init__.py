"""auto: the two readers that need no training, asked together; which of them is believed, and how far, was learned."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="auto",
        summary="asks walk and plan, weighs what they say against each other, and says which was believed",
        paper="",
        needs=Needs(encoder="required", language_model="optional", model="optional", extras=("encoder",)),
        method="clew.methods.auto.method:Auto",
        config="clew.methods.auto.method:Config",
        train="clew.methods.auto.fitting:train",
        train_config="clew.methods.auto.fitting:TrainConfig",
    ),
)
