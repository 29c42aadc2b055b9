"""RoE, reasoning by exploration: one language model walks the graph and names answers on the way."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="roe",
        summary="lets one language model walk the graph step by step; any chat model, or a small one trained for it",
        paper="Han, Guo, Shomer, Wang, Chu, Li, Ma, Tang: Reasoning by Exploration: A Unified Approach to Retrieval "
        "and Generation over Graphs, 2025",
        needs=Needs(encoder="optional", language_model="optional", model="optional", either=True),
        method="clew.methods.roe.method:RoE",
        config="clew.methods.roe.config:Config",
        train="clew.methods.roe.train:train",
        train_config="clew.methods.roe.config:TrainConfig",
    ),
)
