"""plan: plans grown from the question's topics and read by the network that ships with clew; no training needed."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="plan",
        summary="reads relation plans with a small network learned over many graphs; needs no training of its own",
        paper="",
        needs=Needs(encoder="required", model="optional", extras=("encoder",)),
        method="clew.methods.plan.method:PlanMethod",
        config="clew.methods.plan.method:Config",
    ),
)
