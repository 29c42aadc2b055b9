"""From settings to a language model."""

from __future__ import annotations

from clew.errors import UnsupportedError
from clew.llm.budget import Meter
from clew.llm.cache import ReplyCache
from clew.llm.ledger import Ledger
from clew.llm.settings import ModelSettings


def open_language_model(settings: ModelSettings, *, api_key: str | None = None) -> Ledger:
    """The language model of a configuration, with its accounts. Nothing is sent and no weights are read twice.

    Args:
        api_key: for a remote server; default: the environment variable named in the settings.

    Raises:
        ConfigError: no model is named, the URL is none, or a key is missing for a server that is not local.
    """
    if settings.backend == "local":
        raise UnsupportedError("language_model.backend = 'local' is not part of this version; use backend = 'openai'")
    from clew.llm.remote import RemoteModel

    model = RemoteModel(settings, api_key=api_key)
    cache = None if settings.cache is None else ReplyCache(settings.cache)
    meter = Meter(settings.budget, settings.prices.get(settings.model))
    return Ledger(model, meter=meter, cache=cache, concurrency=settings.concurrency, group=1)
