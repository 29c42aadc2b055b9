"""What can be seen of the process: metrics, one log line a request, spans where OpenTelemetry is installed.

Kept apart so that the doors only say what happened. Question text is in none of them unless it was asked for.
"""

from __future__ import annotations

import contextvars
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

log = logging.getLogger("clew.serve")

noted: contextvars.ContextVar[dict[str, Any] | None] = contextvars.ContextVar("noted", default=None)
"""What the present request wants to have in its log line."""


def note(**values: Any) -> None:
    """Add to the present request's log line."""
    mine = noted.get()
    if mine is not None:
        mine.update(values)


class Metrics:
    """The figures of one process, for Prometheus."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "clew_requests_total", "Requests by route and status.", ("route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "clew_request_seconds",
            "Seconds from request to reply.",
            ("route",),
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
            registry=self.registry,
        )
        self.under_way = Gauge("clew_requests_under_way", "Requests being answered now.", registry=self.registry)
        self.questions = Counter(
            "clew_questions_total", "Questions by graph, method and outcome.", ("graph", "method", "state"),
            registry=self.registry,
        )  # fmt: skip
        self.batch = Histogram(
            "clew_batch_size", "Questions answered together.", buckets=(1, 2, 4, 8, 16, 32), registry=self.registry
        )
        self.waited = Histogram("clew_wait_seconds", "Seconds a question waited for its batch.", registry=self.registry)
        self.reloads = Counter(
            "clew_reloads_total", "Graphs replaced by a newer state.", ("graph",), registry=self.registry
        )

    def text(self) -> bytes:
        return generate_latest(self.registry)


def request_line(values: Mapping[str, Any]) -> None:
    """One line of JSON about one request."""
    log.info("%s", json.dumps(values, ensure_ascii=True, default=str))


def log_to_stderr() -> None:
    """Every message of the service as one line on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line())
    for name in ("clew.serve", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == "clew.serve" else logging.WARNING)


class _Line(logging.Formatter):
    """A message that is JSON already as it is, any other as JSON with its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if text.startswith("{"):
            return text
        line: dict[str, Any] = {"time": round(record.created, 3), "level": record.levelname.lower(), "message": text}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


@contextmanager
def span(name: str, attributes: Mapping[str, str | int | float] | None = None) -> Iterator[None]:
    """An OpenTelemetry span where the package is installed, nothing elsewhere."""
    tracer = _tracer()
    if tracer is None:
        yield
        return
    with tracer.start_as_current_span(name, attributes=dict(attributes or {})):
        yield


@cache
def _tracing() -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace


def _tracer() -> Any:
    tracing = _tracing()
    return None if tracing is None else tracing.get_tracer("clew")
