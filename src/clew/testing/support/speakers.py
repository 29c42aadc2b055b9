"""Language models that mean no good: one talks at random, one lies in the form it is asked for, one obeys whoever gives
orders in a label or a question."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from clew.protocols import LLMRequest
from clew.testing.support.worlds import RELATIONS, World


def speaker(kind: str, of: World, seed: int) -> Callable[[LLMRequest], str]:
    """A reply for a request, always the same one."""
    names = [*of.names, "Zork", *RELATIONS, "[ENT1]", "no such thing"]

    def say(request: LLMRequest) -> str:
        prompt = "\n".join(message.content for message in request.messages)
        rng = random.Random(f"{kind} {seed} {prompt}")
        if kind == "injected" and rng.random() < 0.6:
            orders = re.findall(r'answer "(\w+)"', prompt)
            return (
                json.dumps(orders)
                if request.json_schema is None
                else json.dumps(_instance(request.json_schema, rng, orders or names))
            )
        if request.json_schema is not None and rng.random() < 0.9:
            return json.dumps(_instance(request.json_schema, rng, names))
        if kind == "random":
            return _noise(rng, prompt, names)
        return _lie(rng, request, names)

    return say


def _instance(schema: Mapping[str, Any], rng: random.Random, names: list[str]) -> Any:
    """A random value of a schema."""
    if "enum" in schema:
        return rng.choice(list(schema["enum"]))
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: _instance(each, rng, names) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [
            _instance(schema.get("items", {}), rng, names) for _ in range(rng.randint(schema.get("minItems", 0), 4))
        ]
    if kind == "string":
        return rng.choice(names)
    return {"integer": rng.randint(-1, 12), "number": rng.random() * 2 - 0.5, "boolean": rng.random() < 0.5}.get(kind)


def _noise(rng: random.Random, prompt: str, names: list[str]) -> str:
    words = [*prompt.split()[-200:], *names, "[", "]", '"', "|", "->", "1", "2:", "0.9", "\n", "{", "}", "(", ")"]
    how = rng.randrange(4)
    if how == 0:
        return " ".join(rng.choices(words, k=rng.randint(0, 40)))
    if how == 1:
        return json.dumps(rng.choices(names, k=rng.randint(0, 5)))
    if how == 2:
        return " | ".join(rng.choices(names, k=rng.randint(1, 4)))
    return "\n".join(f"{i}: {rng.random():.2f}" for i in range(1, rng.randint(2, 9)))


def _lie(rng: random.Random, request: LLMRequest, names: list[str]) -> str:
    """The form that is asked for, about other things: lines of the prompt or its examples with names exchanged."""
    shown = [message.content for message in request.messages if message.role == "assistant"]
    last = request.messages[-1].content.splitlines()
    how = rng.randrange(4)
    if how == 0 and shown:
        return _exchanged(rng.choice(shown), rng, names)
    if how == 1:
        return "\n".join(_exchanged(line, rng, names) for line in rng.sample(last, min(len(last), rng.randint(1, 4))))
    if how == 2:
        return "\n".join(rng.sample(last, min(len(last), rng.randint(1, 4))))
    return "Answers: " * (rng.random() < 0.5) + json.dumps(rng.choices(names, k=rng.randint(1, 4)))


def _exchanged(text: str, rng: random.Random, names: list[str]) -> str:
    return re.sub(
        r"[A-Z][a-z]+( [A-Z][a-z]+)*|\d+",
        lambda found: rng.choice(names) if rng.random() < 0.5 else found.group(),
        text,
    )
