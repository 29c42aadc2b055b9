"""From settings to a language model."""

from __future__ import annotations

from clew.errors import MissingExtraError
from clew.llm.budget import Meter
from clew.llm.cache import ReplyCache
from clew.llm.metered import MeteredModel
from clew.llm.settings import ModelSettings
from clew.protocols import LanguageModel


def open_language_model(settings: ModelSettings, *, api_key: str | None = None) -> MeteredModel:
    """The language model of a configuration, with its accounts. A server is not contacted before the first call.

    Args:
        api_key: for a remote server; default: the environment variable named in the settings.

    Raises:
        ConfigError: no model is named, the URL is none, a key is missing for a server that is not local, or a local
            model has no chat template.
        InputError: a local model cannot be opened.
    """
    price = settings.prices.get(settings.model)
    cache = None if settings.cache is None else ReplyCache(settings.cache)
    meter = Meter(settings.budget, price)
    if settings.batch is not None:
        from clew.llm.batch import BatchFolder, BatchModel

        waiting = BatchModel(settings, BatchFolder(settings.batch), meter=meter)
        return MeteredModel(waiting, meter=meter, cache=cache, group=2**31, books_itself=True)
    if settings.backend == "local":
        local = _open_local(settings)
        return MeteredModel(local, meter=meter, cache=cache, group=4 * settings.batch_size)
    from clew.llm.remote import RemoteModel

    remote = RemoteModel(settings, api_key=api_key, meter=meter)
    return MeteredModel(remote, meter=meter, cache=cache, concurrency=settings.concurrency, books_itself=True)


def _open_local(settings: ModelSettings) -> LanguageModel:
    try:
        from clew.llm.local import LocalModel
    except ImportError:
        raise MissingExtraError("a local language model", "models") from None
    return LocalModel(settings)
