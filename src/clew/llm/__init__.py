"""Language models: remote and local backends behind one seam, with budgets, cache, prompts and the one reply parser."""

from clew.llm.ability import check_request, require_abilities
from clew.llm.budget import BudgetExhausted, Meter, estimate_tokens, token_counter
from clew.llm.cache import Call, ReplyCache
from clew.llm.ledger import Ledger
from clew.llm.opening import open_language_model
from clew.llm.prompt import Prompt, load_prompt
from clew.llm.reply import Parsed, check_json, clean, normalise, parse_answers, parse_json
from clew.llm.settings import Budget, ModelSettings, Price

__all__ = [
    "Budget",
    "BudgetExhausted",
    "Call",
    "Ledger",
    "Meter",
    "ModelSettings",
    "Parsed",
    "Price",
    "Prompt",
    "ReplyCache",
    "check_json",
    "check_request",
    "clean",
    "estimate_tokens",
    "load_prompt",
    "normalise",
    "open_language_model",
    "parse_answers",
    "parse_json",
    "require_abilities",
    "token_counter",
]
