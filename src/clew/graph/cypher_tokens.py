"""Cypher as text to statements of tokens, block by block; each letter is scanned once, since a file may be long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

STATEMENT_LIMIT = 16 << 20  # letters of a statement
_TOKEN = re.compile(
    r"[ \t]*(?:(?P<word>[^\W\d]\w*)|(?P<sign><-|->|\+=|=>|-(?!\d)|[(){}\[\]:,;.+*=<>|$&!])"
    r"|(?P<text>'[^'\\]*+(?>(?:\\.[^'\\]*+)*)'|\"[^\"\\]*+(?>(?:\\.[^\"\\]*+)*)\")"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|`(?P<quoted>(?>(?:[^`]|``)+))`|(?P<blank>\s+|//[^\n]*|/\*.*?\*/)|(?P<other>.))",
    re.DOTALL,
)

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class CypherError(Exception):
    """What a statement holds and cannot be read or carried out, and where; None: at the clause that is under way."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class Token(NamedTuple):
    kind: str  # "text", "word", "quoted", "number", "sign", "other", "end", "long"
    value: str
    line: int


class Scanner:
    """Blocks of text in, statements as tokens out; only a token that a block cuts is looked at twice.

    A line that begins with a colon is a command of Neo4j's shell and ends where the line ends.
    """

    def __init__(self) -> None:
        self._rest, self._line = "", 1
        self._clear()

    def _clear(self) -> None:
        self._tokens: list[Token] = []
        self._size = self._depth = 0

    @property
    def stuck(self) -> int | None:
        """The line at which a text begins that is longer than any may be."""
        return self._line if len(self._rest) > STATEMENT_LIMIT else None

    def feed(self, text: str, *, last: bool = False) -> Iterator[list[Token]]:
        """Statements that end in the text so far; the rest of it too, where it is the last."""
        text, place = self._rest + text, 0
        length = len(text)
        while place < length:
            match = _TOKEN.match(text, place)
            kind = match.lastgroup if match is not None else None
            assert match is not None and kind is not None
            value, end = match[kind], match.end()
            if kind == "other" and (value in "'\"`" or text.startswith("/*", end - 1)):  # a text without its end
                value, end = "a text or comment without an end", length
            if end == length and not last:
                break  # it may go on
            command = bool(self._tokens) and self._tokens[0].value == ":"
            if value == ";" if kind == "sign" else kind == "blank" and command and not self._depth and "\n" in value:
                if self._tokens:
                    yield self._tokens
                self._clear()
            elif kind != "blank":
                self._add(Token(kind, value.replace("``", "`") if kind == "quoted" else value, self._line), end - place)
                if command and len(self._tokens) == 2 and value.casefold() == "auto":
                    self._clear()  # what follows on its line is a statement
            if kind in ("blank", "text", "other", "quoted"):
                self._line += text.count("\n", place, end)
            place = end
        self._rest = text[place:]
        if last and self._tokens:
            yield self._tokens

    def _add(self, token: Token, letters: int) -> None:
        self._size += letters
        if self._size > STATEMENT_LIMIT:
            self._tokens = [Token("long", "", self._tokens[0].line if self._tokens else token.line)]
            return
        if token.kind == "sign":
            self._depth += (token.value in "([{") - (token.value in ")]}")
        self._tokens.append(token)


def keywords(tokens: Sequence[Token], among: frozenset[str]) -> list[tuple[int, str]]:
    """Places and upper case of those words that may be keywords: names of labels, properties and variables are none."""
    found = []
    for i, token in enumerate(tokens):
        if token.kind == "word" and (word := token.value.upper()) in among:
            before, after = tokens[i - 1].value if i else "", tokens[i + 1].value if i + 1 < len(tokens) else ""
            if before not in (":", ".", "$", "(", "[") and after not in (":", ".", "=", ")"):
                found.append((i, word))
    return found


def unquoted(quoted: str) -> str:
    """A text token without its quotes and escapes."""
    if "\\" not in quoted:
        return quoted[1:-1]
    text = _ESCAPE.sub(_unescaped, quoted[1:-1])
    # Halves of a letter beyond the first plane make one letter; a half alone is none.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "uU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    return _ESCAPES.get(code, code)
