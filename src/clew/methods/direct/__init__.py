"""The plain baselines: a language model asked without a graph, with and without reasoning aloud."""

from clew.protocols import MethodCard, Needs

CARDS = (
    MethodCard(
        name="io",
        summary="asks a language model directly, without the graph",
        paper="",
        needs=Needs(language_model="required"),
        method="clew.methods.direct.method:Io",
        config="clew.methods.direct.method:IoConfig",
    ),
    MethodCard(
        name="cot",
        summary="asks a language model to think step by step, without the graph",
        paper="Wei et al. 2022, Chain-of-Thought Prompting Elicits Reasoning in Large Language Models",
        needs=Needs(language_model="required"),
        method="clew.methods.direct.method:Cot",
        config="clew.methods.direct.method:CotConfig",
    ),
)
