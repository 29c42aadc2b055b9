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

_THINK = re.compile(r"[<\[](/?)(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)[>\]]", re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>\s*final\s*<\|message\|>")  # before it stands what a model of that format thinks
_ANALYSIS = re.compile(r"<\|channel\|>\s*(?:analysis|commentary)\b.*", re.DOTALL)
_SPECIAL = re.compile(r"<\|[A-Za-z0-9_ -]{1,40}\|>|</?s>|<(?:end_of_turn|start_of_turn|eos|bos|pad|unk)>|\[/?INST\]")
_TAGGED = re.compile(r"<(answers?|final_answer|result)>(.*?)(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEX = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\{([^{}]*)\}")
_FENCE = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_FENCE_MARK = re.compile(r"```(?:[A-Za-z0-9_+-]*(?=\n))?")
_EMPTY_FENCE = re.compile(r"```[A-Za-z0-9_+-]*\s*\Z")
_MARK = re.compile(r"^(?:[-*•‣–]|\(?\d{1,3}[.)\]:])\s+")
_LABELLED = re.compile(r"^(?:#+\s*)?(?:ans|answer|final answer)s?\s*[:=]\s*", re.IGNORECASE)
_AFTERWORD = re.compile(
    r"^(?:[#>*_\s]*)(?:explanations?|reasoning|rationale|justifications?|notes?|evidence|sources?|references?|context|"
    r"confidence|details|because)\b[*_]*\s*[:(\-–—]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"^(?:(?!.*(?:n['’]t |\bnot\b))[^:.\[{\"]{0,100}?,\s*|so|thus|therefore|hence)?,?\s*"
    r"the\s+(?:final\s+|correct\s+|possible\s+)?answers?"
    r"(?:\s+to\s+(?:the|your|this)\s+question)?\s*(?:is|are|:)\s*:?\s*",
    re.IGNORECASE,
)
_SYNTAX = re.compile(
    r"^[\[{(]\s*[\"'{\[]|[\"'][\]}]+[,;]?$|^```|^</?\w{1,20}>?$|^[\w ]{1,30}:\s*[\[{]+$"
    r"|^[\"']?\w{1,30}[\"']\s*:\s*[\[{\"']?|[\"']\s*[:,]\s*[\"'{\[]|\"\s*:\s*\w|^[\[{][\d\s,\[\]{}]*$"
    r"|^[\"'](?:answers?|final_answer|results?|entities)[\"']\s*[\"'{\[:]"
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
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_OPENING = re.compile(r"[\[{]\s*[\"'{\[]")
LONGEST_ANSWER = 1000  # characters; a name has fewer
_DEEPEST = 64
_STARTS_TRIED = 256  # places at which JSON is looked for in prose; bounds the work on hostile text


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value found in a reply, or the reason why there is none. `value` is a model instance if one was asked.

    `partial`: the reply broke off, and the value holds what was whole of it.
    """

    value: Any = None
    problem: str = ""
    partial: bool = False

    @property
    def ok(self) -> bool:
        return not self.problem


def clean(text: str) -> str:
    """`text` without reasoning blocks and chat markers.

    A block that never closes hides everything after it; a close without an opening (the template held it) everything
    before it.
    """
    if final := list(_FINAL.finditer(text)):
        text = text[final[-1].end() :]
    else:
        text = _ANALYSIS.sub("", text)
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

    Understands JSON and Python-like lists, alone, fenced, in prose or before an explanation; `<answer>` and `\\boxed`;
    numbered and bulleted lines, `ans:` lines, `The answer is …`, plain lines. A list that breaks off gives its whole
    items. A comma separates answers only inside an explicit list. Lines such as "none" or "I don't know" are dropped,
    and nothing that is syntax is ever an answer.
    """
    text = clean(text)
    if marked := [body for _, body in _TAGGED.findall(text) if body.strip()]:
        text = "\n".join(marked)
    elif boxed := _BOXED.findall(text):
        text = _TEX.sub(r"\1", boxed[-1])
    answers: dict[str, str] = {}
    for answer in _found(text):
        if any(c.isalnum() or ord(c) > 127 for c in answer) and not _says_nothing(answer) and not _is_syntax(answer):
            answers.setdefault(normalise(answer), answer)
    return list(answers.values())


def _found(text: str) -> list[str]:
    """Candidates for answers, from the most explicit form that a reply holds."""
    listed = _listed(text)
    if listed is not None:
        return listed
    fenced = [body for body in _FENCE.findall(text) if body.strip()]
    if fenced and (listed := _listed(fenced[-1])) is not None:
        return listed
    if fenced and _only_fence(text):
        return _lines(fenced[-1])
    if text.count("```") % 2 and _EMPTY_FENCE.search(text):
        return []  # it broke off before the first item
    if not _stated(text) and (listed := _embedded(text)) is not None:
        return listed
    return _lines(text)


def _is_syntax(answer: str) -> bool:
    """Whether a text is a piece of JSON, of a fence or of a tag, and not a name."""
    return len(answer) > LONGEST_ANSWER or bool(_SYNTAX.search(answer))


def parse_json(text: str, schema: Mapping[str, Any] | type[BaseModel] | None = None) -> Parsed:
    """The first JSON value in a reply that fits `schema` (a JSON schema or a pydantic model), with prose around it.

    Without a schema the first object or array, else the whole text as a JSON scalar.
    """
    text = clean(text)
    if not text:
        return Parsed(problem="the reply is empty")
    problem = ""
    for value, partial in _json_values(text):
        fitted = _fit(value, schema)
        if fitted.ok:
            return Parsed(fitted.value, partial=partial)
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


def _json_values(text: str) -> Iterator[tuple[Any, bool]]:
    """Every JSON value worth looking at: the whole text, each fence, then objects and arrays from left to right.

    With each, whether it is what was whole of one that broke off.
    """
    for body in (text, *_FENCE.findall(text)):
        try:
            yield _DECODER.decode(body.strip()), False
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
            yield value, False
        except (ValueError, RecursionError):
            if (whole := _whole_part(text[position:])) is not None:
                yield whole, True
            position += 1


def _listed(text: str) -> list[str] | None:
    """The items when `text` begins with a list, or an object that holds one; None when it is something else.

    What follows the list is an explanation. A list that breaks off gives the items that are whole.
    """
    text = text.strip()
    if not text or text[0] not in "[{":
        return None
    try:
        value, end = _DECODER.raw_decode(text)
        items = _strings(value)
        bare = isinstance(value, list) and not any(isinstance(item, (str, Mapping, list)) for item in value)
        if items is not None and not (bare and text[end:].strip()):  # "[1] Paris" cites
            return [
                " ".join(item.split()) for item in items
            ]  # JSON says where a text ends: its full stop is part of it
    except (ValueError, RecursionError):
        pass
    quoted = text[1:].lstrip()[:1] in tuple("\"'“‘`«{[")
    if (inner := _bracketed(text)) is not None:
        return [_tidy(item) for item in _split(inner)]
    if not quoted:
        return None
    whole = _whole_part(text)
    items = None if whole is None else _strings(whole)
    return [" ".join(item.split()) for item in items or ([] if text[0] == "{" else _quoted_items(text))]


def _embedded(text: str) -> list[str] | None:
    """The items of the last list of texts that stands in prose; empty where one was begun and holds nothing whole."""
    found: list[str] | None = None
    position = 0
    for _ in range(_STARTS_TRIED):
        starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
        if not starts:
            break
        position = min(starts)
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            if _OPENING.match(text, position):  # it breaks off, or is a list of Python's
                inner = _bracketed(text[position:])
                whole = _whole_part(text[position:]) if inner is None else None
                items = _split(inner) if inner is not None else (_strings(whole) if whole is not None else None)
                if items and (inner is not None or found is None):
                    found = [_tidy(item) for item in items]
                    if inner is None:
                        break
                found = found or []
            position += 1
            continue
        among = value if isinstance(value, list) else [value]
        found = (_strings(value) if any(isinstance(item, (str, dict)) for item in among) else None) or found
        position = end
    return None if found is None else [" ".join(item.split()) for item in found]


def _bracketed(text: str) -> str | None:
    """What stands between the bracket that opens a Python-like list of texts and the one that closes it.

    None where it does not close, holds lists itself, or is followed by text that makes it something else.
    """
    closing = {"[": "]", "{": "}"}[text[0]]
    inside, previous = "", text[0]
    for at, character in enumerate(text[1:], start=1):
        if inside:
            inside = "" if character == inside else inside
        elif character in _QUOTES and previous in "[{,":
            inside = _QUOTES[character]
        elif character in "[{" or (character == ":" and text[0] == "{"):
            return None
        elif character == closing:
            rest = text[at + 1 :]
            quoted = text[1:].lstrip()[:1] in _QUOTES
            return text[1:at] if quoted or not rest.strip(" .") or rest.lstrip(" .").startswith("\n") else None
        previous = previous if character.isspace() else character
    return None


def _quoted_items(text: str) -> list[str]:
    """The whole items of a Python-like list of quoted texts that breaks off."""
    items = [item.strip() for item in _split(text[1:])]
    return [_tidy(item) for item in items if len(item) > 1 and item[-1] == _QUOTES.get(item[0])]


def _whole_part(text: str) -> Any:
    """The value of a JSON text that breaks off or goes wrong, up to its last whole value; None where none is whole."""
    stack: list[str] = []  # what closes the open arrays and objects
    keys: list[bool] = []  # of each, whether a key comes next
    best: tuple[int, tuple[str, ...]] | None = None
    at = 0
    while at < len(text):
        character = text[at]
        value_ended = False
        if character.isspace() or character == ",":
            if character == "," and keys and stack[-1] == "}":
                keys[-1] = True
        elif character in "[{":
            stack.append("]" if character == "[" else "}")
            keys.append(character == "{")
            if len(stack) > _DEEPEST:
                break
        elif character in "]}":
            if not stack or stack.pop() != character:
                break
            keys.pop()
            if not stack:
                best = (at + 1, ())
                break
            value_ended = True
        elif character == ":":
            if not keys:
                break
            keys[-1] = False
        else:
            end = _scalar_end(text, at)
            if end is None or not stack:
                break
            at, value_ended = end - 1, not keys[-1]
        at += 1
        if value_ended:
            best = (at, tuple(reversed(stack)))
    if best is None:
        return None
    try:
        return _DECODER.decode(text[: best[0]] + "".join(best[1]))
    except (ValueError, RecursionError):
        return None


def _scalar_end(text: str, at: int) -> int | None:
    """Where the text, number or word that begins here ends; None where it breaks off."""
    if text[at] == '"':
        try:
            _, end = _DECODER.raw_decode(text, at)
        except ValueError:
            return None
        return end
    found = _SCALAR.match(text, at)
    return None if found is None or found.end() >= len(text) else found.end()


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
    written: list[str] = []
    for line in _FENCE_MARK.sub("\n", text).splitlines():
        if _AFTERWORD.match(line) and written:
            break  # what follows explains
        if line.strip():
            written.append(line.rstrip())
    if stated := _stated("\n".join(written)):
        return [item for rest in stated for item in (_listed(rest.rstrip(" .")) or [_tidy(rest)])]
    marked = [line for line in written if _MARK.match(line.lstrip())]
    if marked:  # what is indented deeper says something about the item above it
        least = min(len(line) - len(line.lstrip()) for line in marked)
        items = [_MARK.sub("", line.lstrip(), count=1) for line in marked if len(line) - len(line.lstrip()) == least]
        return [_tidy(item) for item in items]
    lines = [line.strip() for line in written]
    return [item for line in lines if not line.endswith(":") for item in (_listed(line) or [_tidy(line)])]


def _stated(text: str) -> list[str]:
    """What stands behind `ans:`, else behind "the answer is"."""
    plain = [line.strip().replace("**", "").replace("__", "") for line in text.splitlines()]
    labelled = [_LABELLED.sub("", line, count=1) for line in plain if _LABELLED.match(line)]
    sentences = [_SENTENCE.sub("", line, count=1) for line in plain if _SENTENCE.match(line)]
    return [rest for rest in (labelled or sentences) if rest]


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
