"""The text of an SQL dump taken apart: tokens, rows of values, lines of COPY, in pieces of any length.

Kept apart from what the statements mean (`sql_dump`): here are the quotes and escapes in which MySQL, PostgreSQL,
SQLite and SQL Server differ. Rows are split by one regular expression a value: a parser of SQL makes a tree of each and
wants the whole statement at once (sqlglot 0.9 MB/s, this 18 to 22, lines of COPY 100).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew.graph.inputs import Problems, Stream

SAMPLE = 1 << 16  # bytes by which the dialect is told
STEP = 1 << 20  # bytes read at a time
LONGEST = 64 << 20  # letters of one token, or of a statement that is no row
NESTED = 64  # brackets within brackets of a value
_PG = re.compile(
    r"PostgreSQL database|pg_catalog|standard_conforming_strings|\bCOPY\s+\S+\s+(?:\([^)]*\)\s+)?FROM\s+stdin"
)
_LITE = re.compile(r"\s*(?:PRAGMA\b|BEGIN TRANSACTION)")
_MY = re.compile(r"(?i)\bmysql|mariadb|phpmyadmin|/\*!|`|\bENGINE\s*=|\bAUTO_INCREMENT\b")
_LINE = re.compile(r"\n")
_GO = re.compile(r"(?im)^GO\s*$")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|(.))", re.DOTALL)
_MY_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_MY_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_OPENED = re.compile(r"[nNeExXbB]?'|[\"`]|\$\w*(?:\$|\Z)")
# Groups are atomic and not possessive: before Python 3.11.5 a possessive one loses matches (cpython 106052).
_PLAIN, _SLASHED = r"'(?>(?:[^']++|'')*)'", r"'(?>(?:[^'\\]++|\\.|'')*)'"
_NUMBER = r"[-+]?(?:\d++\.?\d*+|\.\d++)(?>(?:[eE][-+]?\d++)?)"


class SqlError(Exception):
    """A statement that cannot be read; the text says why, `line` where, if that is not where the statement begins."""

    line = 0


class SqlEnd(SqlError):
    """The same, where nothing behind it can be read either."""


class SqlToken(NamedTuple):
    kind: str  # "word", "name" (quoted), "text", "number", "sign", "bytes"
    value: str

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.value.upper() in words


class Script:
    """A dump as a stream of tokens; `line` is that of the next one."""

    def __init__(self, stream: Stream, problems: Problems, moved: Callable[[], None]) -> None:
        self._stream, self._problems, self._moved = stream, problems, moved
        self._text, self._at, self._ended = "", 0, False
        self._lines, self._counted, self._told = 1, 0, False
        self._mark = -1  # where a statement begins whose beginning is needed
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        first = stream.read(SAMPLE)
        if first[:2] in (b"\xff\xfe", b"\xfe\xff"):  # as PowerShell and SQL Server write it
            self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self.refused = _refused(first)
        if self.refused:
            self._ended = True
            return
        self._text = self._decoder.decode(first, not first)
        sample = self._text
        self.postgres = _PG.search(sample) is not None
        self.mysql = not self.postgres and not _LITE.match(_without_comments(sample)) and _MY.search(sample) is not None
        self.server = _GO.search(sample) is not None
        string = _SLASHED if self.mysql else _PLAIN
        comment = r"--[^\n]*+\n|/\*.*?\*/" + (r"|#[^\n]*+\n" if self.mysql else "")
        bracketed = "" if self.postgres else r"|\[[^\]]*+\]"
        self._space = re.compile(rf"(?>(?:\s++|{comment})*)", re.DOTALL)
        self._token = re.compile(
            rf"""(?P<text>[nN]?{string}|[eE]{_SLASHED}|\$(?P<tag>\w*+)\$.*?\$(?P=tag)\$)"""
            rf"""|(?P<bytes>[xX]'[0-9A-Fa-f]*'|0x[0-9A-Fa-f]*+\b|[bB]'[01]*')"""
            rf"""|(?P<name>"(?>(?:[^"]++|"")*)"|`(?>(?:[^`]++|``)*)`{bracketed})"""
            rf"""|(?P<word>[^\W\d][\w$]*+)|(?P<number>(?:\d++\.?\d*+|\.\d++)(?>(?:[eE][-+]?\d++)?))|(?P<sign>::|.)""",
            re.DOTALL,
        )
        self._value = re.compile(
            rf"\s*+(?:(?:[nN]?({string}))|({_NUMBER})|(NULL)|(TRUE|FALSE))\s*+([,)])", re.DOTALL | re.IGNORECASE
        )

    # -- text ----------------------------------------------------------------------------------------------------------

    @property
    def line(self) -> int:
        self._lines += self._text.count("\n", self._counted, self._at)
        self._counted = max(self._counted, self._at)
        return self._lines

    def _more(self) -> bool:
        """Read on; what was taken is forgotten. False at the end."""
        if self._ended:
            return False
        kept = self._at if self._mark < 0 else self._mark
        rest = len(self._text) - kept
        if rest > LONGEST:
            raise SqlEnd("a text or a name that goes on for too long")
        self._lines, self._counted = self.line, self._at - kept
        block = self._stream.read(max(STEP, rest))
        self._ended = not block
        self._text = self._text[kept:] + self._decoder.decode(block, not block)
        self._at -= kept
        self._mark = min(self._mark, 0)
        self._moved()
        return True

    def _skip_space(self) -> None:
        while True:
            match = self._space.match(self._text, self._at)
            self._at = match.end() if match else self._at
            opened = self._text.startswith(("--", "/*", "#") if self.mysql else ("--", "/*"), self._at)
            if not opened and len(self._text) - self._at > 1:
                return
            if not self._more():
                self._at = len(self._text) if opened else self._at  # a remark that nothing ends
                return

    def starts(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take what fits a pattern of at most a line, after space and comments."""
        self._skip_space()
        while "\n" not in self._text[self._at : self._at + 4096] and len(self._text) - self._at < 4096 and self._more():
            pass
        match = pattern.match(self._text, self._at)
        if match:
            self._at = match.end()
        return match

    def skip_past(self, pattern: re.Pattern[str]) -> None:
        """Go on behind the next place that fits, or to the end."""
        while (match := pattern.search(self._text, self._at)) is None:
            self._at = max(self._at, len(self._text) - 256)
            if not self._more():
                self._at = len(self._text)
                return
        self._at = match.end()

    def token(self) -> SqlToken | None:
        """The next token, None at the end of the text."""
        self._skip_space()
        while True:
            match = self._token.match(self._text, self._at)
            cut = match is None or match.end() == len(self._text)
            opened = (
                match is not None
                and _OPENED.match(self._text, match.start()) is not None
                and (match.lastgroup in ("sign", "word"))
            )
            if (cut or opened) and self._more():
                continue
            if match is None:
                return None
            if opened:
                raise SqlEnd("a quote that is not closed")
            self._at = match.end()
            return self._made(match)

    def peek(self) -> SqlToken | None:
        before = self.token()
        if before is not None:
            self._at = self._begin
        return before

    def _made(self, match: re.Match[str]) -> SqlToken:
        self._begin, kind, said = match.start(), match.lastgroup or "sign", match[0]
        if kind in ("text", "tag"):
            return SqlToken("text", self._unquoted(said))
        if kind == "name":
            return SqlToken("name", said[1:-1].replace(said[-1] * 2, said[-1]))
        if kind == "bytes" and said[0] in "bB":
            bits = said[2:-1]
            return SqlToken("number", bits) if len(bits) == 1 else SqlToken("bytes", "")
        return SqlToken(kind, said)

    def _unquoted(self, said: str) -> str:
        if said[0] == "$":
            tag = said[: said.index("$", 1) + 1]
            return said[len(tag) : -len(tag)]
        if said[0] in "eE":
            return self._read(_ESCAPE.sub(_escaped, said[2:-1].replace("''", "'")))
        return self._body(said[1:] if said[0] in "nN" else said)

    def _body(self, said: str) -> str:
        """What a quoted text says."""
        body = said[1:-1]
        if self.mysql and "\\" in body:
            body = _MY_ESCAPE.sub(lambda match: _MY_LETTERS.get(match[1], match[1]), body.replace("''", "'"))
        elif "''" in body:
            body = body.replace("''", "'")
        return body if body.isascii() else self._read(body)

    def _read(self, text: str) -> str:
        """A text that is no UTF-8 read as Windows-1252."""
        try:
            text.encode()
        except UnicodeEncodeError:
            if not self._told:
                self._problems.add(
                    str(self._stream.file), self.line, "utf8", "is not UTF-8; what is not was read as Windows-1252"
                )
                self._told = True
            return text.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
        return text

    # -- rows ----------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The token that was taken last begins a statement of rows."""
        self._mark = self._begin

    def forget(self) -> None:
        """Nobody needs the beginning of the statement any more."""
        self._mark = -1

    def rows(self, other: Callable[[list[SqlToken]], str | None]) -> Iterator[list[str | None]]:
        """The rows that VALUES lists, and those of the statements behind it that begin in the same way.

        Args:
            other: what a value says that is no plain one, from its tokens.
        """
        opening = self.token()
        if opening != ("sign", "("):
            self._mark = -1
            raise SqlError(f"expected the values of a row, got {opening.value[:40] if opening else 'the end'!r}")
        head = re.escape(self._text[self._mark : self._begin])
        self._mark = -1
        following = re.compile(rf"\s*+(?:,|;\s*+{head})\s*+\(") if len(head) < 10_000 else re.compile(r"\s*+,\s*+\(")
        while True:
            yield self._row(other)
            match = following.match(self._text, self._at)
            while match is None and len(self._text) - self._at < 20_000 and self._more():
                match = following.match(self._text, self._at)
            if match is None:
                return
            self._at = match.end()

    def _row(self, other: Callable[[list[SqlToken]], str | None]) -> list[str | None]:
        row: list[str | None] = []
        match_value, body = self._value.match, self._body
        while True:
            match = match_value(self._text, self._at)
            if match is None:
                held, end = self._expression()
                row.append(other(held))
            else:
                text, number, _, truth, end = match.groups()
                self._at = match.end()
                row.append(body(text) if text is not None else number or truth)
            if end == ")":
                return row

    def _expression(self) -> tuple[list[SqlToken], str]:
        """The tokens of a value and the sign behind it."""
        held: list[SqlToken] = []
        depth = 0
        while True:
            token = self.token()
            if token is None or len(held) > 10_000 or depth > NESTED:
                raise SqlError("a row that does not end")
            if token.kind == "sign":
                if not depth and token.value in ",)":
                    return held, token.value
                depth += (token.value in "([") - (token.value in ")]")
            held.append(token)

    def copied(self) -> Iterator[list[str | None]]:
        """The lines that follow COPY … FROM stdin, up to the one that ends them."""
        self.skip_past(_LINE)
        self._at -= 1  # each line is taken with the end of the one before it
        while True:
            end = self._text.rfind("\n", self._at)
            if end <= self._at:
                if not self._more():
                    return
                continue
            stop = self._text.find("\n\\.", self._at, end + 1)
            while stop >= 0 and self._text[stop + 3 : stop + 5].rstrip("\r\n"):
                stop = self._text.find("\n\\.", stop + 1, end + 1)
            lines = self._text[self._at : end if stop < 0 else stop].split("\n")
            self._at = end if stop < 0 else self._text.index("\n", stop + 1)
            for line in lines[1:]:
                fields = (line[:-1] if line.endswith("\r") else line).split("\t")
                if "\\" in line:
                    yield [None if each == "\\N" else _ESCAPE.sub(_escaped, each) for each in fields]
                else:
                    yield list(fields if line.isascii() else map(self._read, fields))
            if stop >= 0:
                return


def _refused(first: bytes) -> str:
    """Why a file is no text of SQL."""
    if first.startswith(b"PGDMP"):
        return "is in PostgreSQL's own format; make text of it with  pg_restore -f dump.sql FILE"
    if first.startswith(b"SQLite format 3\0"):
        return "is a database of SQLite and no dump of one; say so with --format sqlite"
    if b"\0" in first[:4096] and first[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return "is no text of SQL"
    return ""


def _without_comments(text: str) -> str:
    return re.sub(r"(?:\s*--[^\n]*\n)+", "", text.lstrip("\ufeff"), count=1)


def _escaped(match: re.Match[str]) -> str:
    """A letter that a backslash of PostgreSQL stands before."""
    small, code, long, octal, letter = match.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    number = int(octal, 8) & 255 if octal else int(small or code or long, 16)
    return chr(number) if 0 < number < 0xD800 or 0xDFFF < number < 0x110000 else ""
