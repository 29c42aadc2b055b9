"""What a language model wrote, turned into answers or JSON: the one parser of replies.

Kept apart from the backends because every method reads replies and none may do it in its own way. Nothing here raises
on any text: a reply is outside input, so what cannot be read comes back empty or with a `problem` in words.
Nothing is evaluated; Python-looking lists are scanned by hand.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

_THINK = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_SPECIAL = re.compile(r"<\|[A-Za-z0-9_ -]{1,40}\|>|</?s>|<(?:end_of_turn|eos|bos|pad)>|\[/?INST\]")
_FENCE = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_MARK = re.compile(r"^(?:[-*•‣–]|\(?\d{1,3}[.)\]:])\s+")
_LABELLED = re.compile(r"^(?:ans|answer|final answer)s?\s*:\s*", re.IGNORECASE)
_SENTENCE = re.compile(
    r"^(?:so|thus|therefore|hence)?,?\s*the\s+(?:final\s+|correct\s+|possible\s+)?answers?"
    r"(?:\s+to\s+(?:the|your|this)\s+question)?\s*(?:is|are|:)\s*:?\s*",
    re.IGNORECASE,
)
_BOLD = re.compile(r"^(\*\*|__)(.+?)\1")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»"}
_ABBREVIATION = re.compile(r"(?:\b[A-Z]|\.[A-Za-z]|\b(?:Jr|Sr|St|Dr|Mr|Mrs|Inc|Ltd|Co|Corp|Bros|vs|etc|No))\.$")
_NOTHING = {
    "none", "na", "null", "nil", "unknown", "no answer", "no answers", "no answer found", "not available", "not found",
    "not applicable", "not provided", "not mentioned", "not specified", "no information", "no information available",
    "i dont know", "i do not know", "dont know", "do not know", "cannot be determined", "cant be determined",
    "insufficient information", "not enough information", "unanswerable", "no relevant information",
}  # fmt: skip
_NOTHING_STARTS = ("i dont know", "i do not know", "i am not sure", "im not sure", "sorry ", "i cannot answer")
_STARTS_TRIED = 256  # places at which JSON is looked for in prose; bounds the work on hostile text


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value found in a reply, or the reason why there is none. `value` is a model instance if one was asked."""

    value: Any = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


def clean(text: str) -> str:
    """`text` without reasoning blocks and chat markers.

    A block that never closes hides everything after it; a close without an opening (the template held it) everything
    before it.
    """
    kept: list[str] = []
    position, inside = 0, False
    for tag in _THINK.finditer(text):
        if tag.group(1):
            if not inside:
                kept.clear()
            position, inside = tag.end(), False
        elif not inside:
            kept.append(text[position : tag.start()])
            inside = True
    if not inside:
        kept.append(text[position:])
    return _SPECIAL.sub("", "".join(kept)).strip()


@lru_cache(maxsize=65536)
def normalise(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces: the field's usual form for comparing answers.

    A text that would vanish ("The", "A", "...") keeps its lower-cased form, so that it is never equal to another.
    """
    lowered = text.lower()
    bare = "".join(c for c in lowered if c not in string.punctuation)
    words = [word for word in bare.split() if word not in ("a", "an", "the")]
    return " ".join(words) or " ".join(lowered.split())


def parse_answers(text: str) -> list[str]:
    """The answers in a reply, in its order, without repeats; empty when it holds none.

    Understands JSON and Python-like lists, numbered and bulleted lines, `ans:` lines, `The answer is …`, plain lines.
    A comma separates answers only inside an explicit list. Lines such as "none" or "I don't know" are dropped.
    """
    text = clean(text)
    found = _listed(text)
    if found is None:
        fenced = [body for body in _FENCE.findall(text) if body.strip()]
        found = _listed(fenced[-1]) if fenced else None
        if found is None:
            found = _lines(fenced[-1] if fenced and _only_fence(text) else text)
    answers: dict[str, str] = {}
    for answer in found:
        if any(c.isalnum() or ord(c) > 127 for c in answer) and not _says_nothing(answer):
            answers.setdefault(normalise(answer), answer)
    return list(answers.values())


def parse_json(text: str, schema: Mapping[str, Any] | type[BaseModel] | None = None) -> Parsed:
    """The first JSON value in a reply that fits `schema` (a JSON schema or a pydantic model), with prose around it.

    Without a schema the first object or array, else the whole text as a JSON scalar.
    """
    text = clean(text)
    if not text:
        return Parsed(problem="the reply is empty")
    problem = ""
    for value in _json_values(text):
        fitted = _fit(value, schema)
        if fitted.ok:
            return fitted
        problem = problem or fitted.problem
    return Parsed(problem=problem or f"no JSON in the reply: {_short(text)}")


def check_json(value: Any, schema: Mapping[str, Any]) -> str:
    """Why `value` does not fit a JSON schema, in words; empty when it does."""
    from jsonschema import SchemaError, validators

    kind = validators.validator_for(schema)
    try:
        kind.check_schema(schema)
        error = next(iter(sorted(kind(schema).iter_errors(value), key=lambda e: list(map(str, e.absolute_path)))), None)
    except SchemaError as bad:
        return f"the schema itself is wrong: {bad.message}"
    except RecursionError:
        return "nested too deep"
    return "" if error is None else f"at {error.json_path}: {_short(error.message)}"


def _fit(value: Any, schema: Mapping[str, Any] | type[BaseModel] | None) -> Parsed:
    if schema is None:
        return Parsed(value)
    if isinstance(schema, type):
        try:
            return Parsed(schema.model_validate(value))
        except (ValidationError, RecursionError) as error:
            first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": "nested too deep"}
            return Parsed(problem=f"at {'.'.join(map(str, first['loc'])) or 'the top'}: {first['msg']}")
    problem = check_json(value, schema)
    return Parsed(problem=problem) if problem else Parsed(value)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_reject_constant)


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON value worth looking at: the whole text, each fence, then objects and arrays from left to right."""
    for body in (text, *_FENCE.findall(text)):
        try:
            yield _DECODER.decode(body.strip())
        except (ValueError, RecursionError):
            continue
    position = 0
    for _ in range(_STARTS_TRIED):
        starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
        if not starts:
            return
        position = min(starts)
        try:
            value, position = _DECODER.raw_decode(text, position)
            yield value
        except (ValueError, RecursionError):
            position += 1


def _listed(text: str) -> list[str] | None:
    """The items when `text` is nothing but a list, or an object that holds one; None when it is something else."""
    text = text.strip()
    if not text or text[0] not in "[{":
        return None
    try:
        items = _strings(_DECODER.decode(text))  # JSON says where a text ends: its full stop is part of it
        return None if items is None else [" ".join(item.split()) for item in items]
    except (ValueError, RecursionError):
        pass
    if text[0] == "[" and text[-1] == "]" and "[" not in text[1:]:
        return [_tidy(item) for item in _split(text[1:-1])]
    return None


def _strings(value: Any) -> list[str] | None:
    """Answers inside a decoded JSON value."""
    if isinstance(value, Mapping):
        for key in ("answers", "answer", "final_answer", "result", "results", "entities"):
            if key in value:
                return _strings(value[key])
        for key in ("name", "label", "text", "entity"):
            if isinstance(value.get(key), str):
                return [value[key]]
        return None
    if isinstance(value, list):
        return [text for item in value for text in (_strings(item) or [])]
    if value is None:
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [str(value)] if isinstance(value, (str, int, float)) else None


def _split(inner: str) -> list[str]:
    """The items of `'a', "b, c", d`: commas separate unless they stand inside quotes."""
    items, current, closing = [], "", ""
    for character in inner:
        if closing:
            closing = "" if character == closing else closing
        elif character in _QUOTES and not current.strip():
            closing = _QUOTES[character]
        elif character == ",":
            items.append(current)
            current = ""
            continue
        current += character
    return [*items, current]


def _only_fence(text: str) -> bool:
    return not _FENCE.sub("", text).strip()


def _lines(text: str) -> list[str]:
    """Answers one per line; when some lines are marked as answers (`ans:`, bullets, numbers), only those count."""
    lines = [line.strip() for line in text.replace("```", "\n").splitlines() if line.strip()]
    plain = [line.replace("**", "") for line in lines]
    labelled = [_LABELLED.sub("", line, count=1) for line in plain if _LABELLED.match(line)]
    sentences = [_SENTENCE.sub("", line, count=1) for line in plain if _SENTENCE.match(line)]
    stated = [rest for rest in (labelled or sentences) if rest]
    if stated:
        return [item for rest in stated for item in (_listed(rest.rstrip(" .")) or [_tidy(rest)])]
    marked = [_MARK.sub("", line, count=1) for line in lines if _MARK.match(line)]
    if marked:
        return [_tidy(item) for item in marked]
    return [item for line in lines if not line.endswith(":") for item in (_listed(line) or [_tidy(line)])]


def _tidy(item: str) -> str:
    """One answer without emphasis, quotes and the full stop of a sentence."""
    item = " ".join(item.split())
    bold = _BOLD.match(item)
    if bold:  # "**Paris**: the capital" names the answer in bold and explains it after
        item = bold.group(2)
    if item.endswith((".", ",", ";")) and not item.endswith("..") and not _ABBREVIATION.search(item):
        item = item[:-1].rstrip()
    while len(item) > 1 and item[0] in _QUOTES and item[-1] == _QUOTES[item[0]]:
        item = item[1:-1].strip()
    return item


def _says_nothing(answer: str) -> bool:
    bare = normalise(answer)
    return bare in _NOTHING or bare.startswith(_NOTHING_STARTS)


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
