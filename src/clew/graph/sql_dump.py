"""Reader of SQL dumps: mysqldump, pg_dump (COPY or INSERT), sqlite3's .dump, SQL Server's scripts. Nothing is run.

Kept apart because a dump is no database: its statements are taken apart (`sql_script`), tables with their keys and rows
are kept (`sql_tables`), and what would change them by running something (UPDATE, INSERT … SELECT, functions) is told
with its line. Some thousand rows are held at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from clew.graph.inputs import Problems, Stream
from clew.graph.sql_script import Script, SqlEnd, SqlError, SqlToken
from clew.graph.sql_tables import DumpTable, items_in, named, parted, take_item

AT_ONCE = 1 << 15  # rows of all tables held
HELD = 48 << 20  # letters of them
STATED = 100_000  # tokens of a statement
_SHELL = re.compile(r"\\[^\n]*+\n?")  # of psql, as \connect
_DELIMITER = re.compile(r"(?i)DELIMITER[ \t]+(\S+)[ \t]*\r?\n")
_LINE = re.compile(r"\n")
_UNTIL = re.compile(r"(?im)^[ \t]*DELIMITER[ \t]+;[ \t]*\r?$")
_HEADS = ("INSERT", "REPLACE", "CREATE", "ALTER", "SET", "GO", "PRINT", "USE", "DECLARE", "COMMIT")
_BEFORE = ("INTO", "IGNORE", "OR", "REPLACE", "LOW_PRIORITY", "DELAYED", "ABORT")
_CHANGES = ("UPDATE", "DELETE", "MERGE", "TRUNCATE", "LOAD", "CALL", "EXEC", "EXECUTE", "ATTACH")
_SAYING = ("CAST", "CONVERT", "TRY_CAST", "DATE", "TIME", "TIMESTAMP", "DATETIME", "TO_DATE", "TO_TIMESTAMP", "JSON",
           "ST_GEOMFROMTEXT", "UNISTR")  # fmt: skip
_ANY = re.compile(r"\\u([0-9A-Fa-f]{4})|\\\\")


def dumped(
    folder: Path, stream: Stream, problems: Problems, moved: Callable[[], None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Write each table of a dump into a folder.

    Args:
        moved: called from time to time, to show that work goes on.

    Returns:
        "file", "name", "columns" and "stated" (primary and foreign keys, types) of each table; what is left out.
    """
    script = Script(stream, problems, moved)
    if script.refused:
        problems.add(str(stream.file), None, "unreadable", script.refused)
        return [], []
    dump = _Dump(folder, script, lambda line, message: problems.add(str(stream.file), line, "syntax", message))
    dump.read()
    return dump.tables(), dump.left_out


class _Dump:
    def __init__(self, folder: Path, script: Script, tell: Callable[[int, str], None]) -> None:
        self._folder, self._script, self._tell = folder, script, tell
        self._tables: dict[tuple[str, str], DumpTable] = {}
        self._parents: dict[tuple[str, str], tuple[str, str]] = {}
        self._schema = ""
        self._held = self._letters = 0
        self.left_out: list[str] = []

    # -- statements ----------------------------------------------------------------------------------------------------

    def read(self) -> None:
        script, line = self._script, 1
        while True:
            try:
                line = script.line
                if script.starts(_SHELL):
                    continue
                if delimiter := script.starts(_DELIMITER):
                    if delimiter[1] != ";":  # procedures: nothing in them is a row
                        script.skip_past(_UNTIL)
                    continue
                token = script.token()
                if token is None:
                    return
                line = script.line
                self._statement(token)
            except SqlEnd as error:
                self._tell(
                    error.line or line, f"a statement that cannot be read: {error}; the rest of the file is not read"
                )
                return
            except SqlError as error:
                self._tell(error.line or line, f"a statement that cannot be read: {error}")

    def _statement(self, first: SqlToken) -> None:
        if first.is_word("INSERT", "REPLACE"):
            self._insert()
        elif first.is_word("COPY") and self._script.postgres:
            self._copy()
        elif first.is_word("SET") and self._script.server:  # ends with its line
            self._script.skip_past(_LINE)
        elif first.is_word("CREATE", "ALTER", "USE", "SET", *_CHANGES):
            tokens = [first, *self._rest()]
            if first.is_word("CREATE"):
                self._create(tokens)
            elif first.is_word("ALTER"):
                self._alter(tokens)
            elif first.is_word("USE") and len(tokens) > 1:
                self._schema = tokens[1].value
            elif first.is_word("SET") and [each.value.lower() for each in tokens[1:2]] == ["search_path"]:
                self._schema = next((each.value for each in tokens[3:] if each.kind != "sign"), "")
            elif first.is_word(*_CHANGES) and not self._books(tokens):
                raise SqlError(f"{first.value.upper()} is not carried out")
        elif first != ("sign", ";") and not (first.is_word("GO") and self._script.server):
            for _ in self._rest():
                pass

    def _rest(self) -> Iterator[SqlToken]:
        """The tokens of a statement up to its end; of one with a body (a trigger), to the end of that."""
        depth, count, body = 0, 0, False
        while (token := self._script.token()) is not None:
            count += 1
            if count < 6 and token.is_word("TRIGGER", "FUNCTION", "PROCEDURE", "EVENT", "PACKAGE"):
                body = True
            if body and token.is_word("BEGIN", "CASE"):
                depth += 1
            elif body and token.is_word("END"):
                following = self._script.peek()
                if following is None or not following.is_word("IF", "LOOP", "WHILE", "REPEAT", "FOR"):
                    depth -= 1
                if following is not None and following.is_word("IF", "LOOP", "WHILE", "REPEAT", "FOR", "CASE"):
                    self._script.token()
            if token == ("sign", ";") and depth <= 0:
                return
            if token.is_word("GO") and self._script.server:
                return
            if count < STATED:
                yield token

    def _books(self, tokens: Sequence[SqlToken]) -> bool:
        """Whether a change is of what a database keeps of itself, or of a table that holds nothing yet."""
        name = next((each.value for each in tokens[1:] if each.kind in ("name", "word")
                     and not each.is_word("FROM", "TABLE", "ONLY")), "")  # fmt: skip
        known = self._tables.get((self._schema, name))
        return name.startswith("sqlite_") or (tokens[0].is_word("DELETE", "TRUNCATE") and known is not None)

    def _create(self, tokens: list[SqlToken]) -> None:
        words = [each.value.upper() if each.kind == "word" else "" for each in tokens[:6]]
        if "VIEW" in words:
            at = words.index("VIEW") + 1
            self.left_out.append(f"view {named(tokens, at, '')[0][1]}")
            return
        if "TABLE" not in words or "TRIGGER" in words or "INDEX" in words:
            return
        at = words.index("TABLE") + 1
        if words[at : at + 3] == ["IF", "NOT", "EXISTS"]:
            at += 3
        name, at = named(tokens, at, self._schema)
        if "VIRTUAL" in words:
            self.left_out.append(f"virtual table {name[1]}")
            return
        if [each.value.upper() for each in tokens[at : at + 2]] == ["PARTITION", "OF"]:
            self._parents[name] = named(tokens, at + 2, self._schema)[0]
            return
        if tokens[at : at + 1] != [("sign", "(")]:
            raise SqlError(f"CREATE TABLE {name[1][:40]} without its columns")
        table = self._table(name)
        items, at = items_in(tokens, at)
        for item in items:
            take_item(table, item, self._schema)
        for i, each in enumerate(tokens[at:], at):
            if each.is_word("INHERITS") and tokens[i + 1 : i + 2] == [("sign", "(")]:
                parent = self._tables.get(named(tokens, i + 2, self._schema)[0])
                for column in parent.columns if parent else ():
                    table.add_column(column, parent.types[column] if parent else "")

    def _alter(self, tokens: list[SqlToken]) -> None:
        if len(tokens) < 4 or not tokens[1].is_word("TABLE"):
            return
        at = 2
        while tokens[at : at + 1] and tokens[at].is_word("ONLY", "IF", "EXISTS"):
            at += 1
        name, at = named(tokens, at, self._schema)
        rest = tokens[at:]
        if [each.value.upper() for each in rest[:2]] == ["ATTACH", "PARTITION"]:
            self._parents[named(rest, 2, self._schema)[0]] = name
            return
        table = self._tables.get(name)
        if table is None:
            return
        for part in parted(rest):
            while part and part[0].is_word("ADD", "WITH", "CHECK", "NOCHECK"):
                part = part[1:]
            if part and part[0].is_word("CONSTRAINT", "PRIMARY", "FOREIGN"):
                take_item(table, part, self._schema)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _insert(self) -> None:
        script = self._script
        script.begin()
        token = script.token()
        while token is not None and token.is_word(
            "INTO", "IGNORE", "OR", "REPLACE", "LOW_PRIORITY", "DELAYED", "ABORT"
        ):
            token = script.token()
        name, columns = self._into(token)
        following = script.token()
        if following is not None and following.is_word("OVERRIDING"):
            script.token(), script.token()
            following = script.token()
        if following is None or not following.is_word("VALUES", "VALUE"):
            script.forget()
            for _ in self._rest():
                pass
            raise SqlError(f"INSERT INTO {name[1][:40]} of what only a run gives")
        if name[1].startswith("sqlite_"):
            script.forget()
            for _ in self._rest():
                pass
            return
        self._fill(name, columns, script.rows(self._other))
        following = script.peek()
        if following is not None and not following.is_word(*_HEADS):
            for _ in self._rest():  # ON CONFLICT …, and the end
                pass

    def _into(self, token: SqlToken | None) -> tuple[tuple[str, str], list[str]]:
        """The name of a table and the columns listed behind it."""
        script = self._script
        said = [token] if token is not None else []
        while (following := script.peek()) == ("sign", "."):
            said += [each for each in (script.token(), script.token()) if each is not None]
        columns = []
        if following == ("sign", "("):
            script.token()
            while (each := script.token()) is not None and each != ("sign", ")"):
                columns += [each.value] if each.kind != "sign" else []
        return named(said, 0, self._schema)[0], columns

    def _copy(self) -> None:
        name, columns = self._into(self._script.token())
        rest = list(self._rest())
        if [each.value.upper() for each in rest[:2]] != ["FROM", "STDIN"]:
            raise SqlError(f"COPY {name[1][:40]} of another file, which is not here")
        if any(each.is_word("CSV", "BINARY") for each in rest):
            raise SqlError(f"COPY {name[1][:40]} in another form than text")
        self._fill(name, columns, self._script.copied())

    def _fill(self, name: tuple[str, str], listed: list[str], rows: Iterator[list[str | None]]) -> None:
        """Put rows into a table, in the order of its columns."""
        table = self._table(self._parents.get(name, name))
        if not table.columns:
            for column in listed:
                table.add_column(column, "")
        if not table.columns:
            for _ in rows:
                pass
            raise SqlError(f"rows of {name[1][:40]}, whose columns are not stated")
        columns = table.columns
        known = {column.casefold(): i for i, column in enumerate(columns)}
        places = [known.get(column.casefold(), -1) for column in listed]
        if not listed or places == list(range(len(columns))):
            places = []
        stored = [i for i, column in enumerate(columns) if column not in table.computed]
        bad: list[int] = []  # lines
        try:
            for row in rows:
                at = places or (stored if len(row) != len(columns) else ())
                if at and len(row) != len(at):
                    bad.append(self._script.line if not bad else 0)
                    continue
                if at:
                    held: list[str | None] = [None] * len(columns)
                    for i, value in zip(at, row, strict=True):
                        if i >= 0:
                            held[i] = value
                    row = held
                table.rows.append(row)
                self._held += 1
                if self._held % 256 == 0:
                    self._letters += 256 * sum(len(value) for value in row if value is not None)
                    if self._held >= AT_ONCE or self._letters > HELD:
                        self._flush()
        except SqlError as error:  # many statements may have been read as one
            error.line = self._script.line
            raise
        finally:
            if bad:
                said = f"{len(bad):,} rows" if len(bad) > 1 else "a row"
                self._tell(bad[0], f"{said} of {name[1][:40]} with another number of values than it has columns")

    def _flush(self) -> None:
        for table in self._tables.values():
            if table.rows:
                table.flush()
        self._held = self._letters = 0

    def _other(self, held: list[SqlToken]) -> str | None:
        """What a value says that is more than a text or a number, without running anything."""
        tokens = [each for each in held if not (each.kind == "word" and each.value.startswith("_"))]  # _utf8mb4 'x'
        if len(tokens) < len(held) and tokens and not tokens[0].value.isprintable():
            return None  # bytes
        if "::" in [each.value for each in tokens if each.kind == "sign"]:
            tokens = tokens[: tokens.index(SqlToken("sign", "::"))]
        if len(tokens) == 1:
            word = tokens[0].is_word("TRUE", "FALSE")
            return tokens[0].value if tokens[0].kind in ("text", "name", "number") or word else None
        if len(tokens) == 2 and tokens[0].value in "+-" and tokens[1].kind == "number":
            return tokens[0].value.strip("+") + tokens[1].value
        if len(tokens) == 2 and tokens[0].kind == "word" and tokens[1].kind == "text":  # DATE '2020-01-01'
            return tokens[1].value
        if len(tokens) > 2 and tokens[0].kind == "word" and tokens[1] == ("sign", "("):
            if tokens[0].is_word("REPLACE"):
                return self._replaced(tokens)
            if tokens[0].is_word(*_SAYING):
                said = next((each.value for each in tokens[2:] if each.kind in ("text", "number")), None)
                unistr = tokens[0].is_word("UNISTR") and said is not None
                return _ANY.sub(_meant, said) if unistr and said is not None else said
            self._tell(self._script.line, f"a value that only a run gives, {tokens[0].value[:40]}(…), left out")
        return None

    def _replaced(self, tokens: list[SqlToken]) -> str | None:
        """How sqlite3 writes texts of several lines: replace(replace('a\\nb','\\r',char(13)),'\\n',char(10))."""
        texts = [each.value for each in tokens if each.kind == "text"]
        letters = [each.value for each in tokens if each.kind == "number"]
        if len(texts) != len(letters) + 1 or not all(each in ("10", "13") for each in letters):
            return None
        said = texts[0]
        for mark, letter in zip(texts[1:], letters, strict=True):
            said = said.replace(mark, chr(int(letter)))
        return said

    # -- tables --------------------------------------------------------------------------------------------------------

    def _table(self, name: tuple[str, str]) -> DumpTable:
        if name not in self._tables:
            self._tables[name] = DumpTable(name, self._folder / f"{len(self._tables)}.parquet")
        return self._tables[name]

    def tables(self) -> list[dict[str, Any]]:
        """Each table with what is stated of it, when the file is at its end."""
        bare = [each.name.casefold() for each in self._tables.values()]
        shown = {
            key: each.name if bare.count(each.name.casefold()) == 1 else f"{each.schema}_{each.name}".strip("_")
            for key, each in self._tables.items()
        }
        found = []
        for key, each in self._tables.items():
            if not each.columns or self._parents.get(key) in self._tables:
                continue
            each.close()
            foreign = [[here, shown[target], there] for here, target, there in each.foreign if target in shown]
            stated = {"types": each.types, "primary": each.primary, "foreign": foreign}
            found.append({"file": str(each.file), "name": shown[key], "columns": each.columns, "stated": stated})
        return found


def _meant(match: re.Match[str]) -> str:
    """A letter that sqlite3's unistr stands for."""
    return chr(int(match[1], 16)) if match[1] else "\\"
