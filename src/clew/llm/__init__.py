"""Language models: remote and local backends behind one seam, with budgets, cache, prompts and the one reply parser."""

from clew.llm.ability import check_request, estimate_tokens, require_abilities, room, token_counter
from clew.llm.budget import BudgetExhausted, Meter
from clew.llm.cache import Call, ReplyCache
from clew.llm.metered import MeteredModel, backend_of
from clew.llm.opening import open_language_model
from clew.llm.prompt import Prompt, load_prompt
from clew.llm.reply import Parsed, check_json, clean, normalise, parse_answers, parse_json
from clew.llm.settings import Budget, ModelSettings, Price

__all__ = [
    "Budget",
    "BudgetExhausted",
    "Call",
    "Meter",
    "MeteredModel",
    "ModelSettings",
    "Parsed",
    "Price",
    "Prompt",
    "ReplyCache",
    "backend_of",
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
    "room",
    "token_counter",
]
