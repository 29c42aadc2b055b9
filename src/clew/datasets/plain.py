"""The plain question format that every command reads: one JSON object a line.

    {"id": "q1", "question": "who directed Heat?", "q_entity": ["Heat"], "answer": ["Michael Mann"]}

`id` and `question` are needed. Optional: `q_entity` (topics, by label or id), `answer` (texts) and `a_entity` (ids or
labels in the graph; either stands in for the other; an explicit empty list says that the question has no answer),
`aliases` (per answer, other accepted texts), `graph` (triples of this question alone), `hops`, `type`, `paths` (gold
paths, each a list of triples). To train a planner: `masked` (triples in which [ENT1], [ENT2] … stand for what is not
known), `assertions` (a sentence for each) and `strategy`, as `clew synthesize` writes them. Any other key is kept out
of the way, unless it looks like a misspelt one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.graph import Graph
from clew.jsontext import read_json, whole, write_json
from clew.protocols import Example, GraphStore, StatedSchema
from clew.types import Gold, Question

PLANNED = ("masked", "assertions", "strategy")
KEYS = ("id", "question", "q_entity", "answer", "a_entity", "aliases", "graph", "hops", "type", "paths", *PLANNED)
SHOWN = 20
"""Bad lines that one error message lists; the rest are counted."""

LONGEST = 32_768
"""Characters of one question."""

OnProblem = Callable[[str], None]


def read_plain(
    path: str | Path, *, need_answers: bool = False, on_problem: OnProblem | None = None
) -> Iterator[Example]:
    """The questions of a JSONL file, in order.

    Args:
        need_answers: also refuse lines without answers, as training does.
        on_problem: called with `file:line: cause` for each bad line, which is then left out. Without it the whole file
            is checked and one InputError lists the bad lines.

    Raises:
        InputError: bad lines, an unreadable file, or a file without a single question.
    """
    path = Path(path)
    problems: list[str] = []
    report = on_problem or problems.append
    first_line_of: dict[str, int] = {}
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot read questions: {error.strerror}; expected a JSONL file") from None
    with stream:
        for number, raw in enumerate(stream, 1):
            if not raw.strip():
                continue
            try:
                example = parse_example(read_json(raw), need_answers=need_answers)
                seen = first_line_of.setdefault(example.question.id, number)
                if seen != number:
                    raise InputError(f"id {example.question.id!r} is already that of line {seen}; ids must differ")
            except InputError as error:
                report(f"{path}:{number}: {error}")
                continue
            if not problems:
                yield example
    if problems:
        more = f"\n… and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise InputError("\n".join(problems[:SHOWN]) + more)
    if not first_line_of:
        raise InputError(f"{path}: no question in it; expected one JSON object a line with 'id' and 'question'")


def write_plain(examples: Iterable[Example], path: str | Path) -> int:
    """Write examples as plain JSONL and return how many. Raises InputError where the file cannot be written."""
    count = 0
    try:
        with Path(path).open("w", encoding="utf-8", newline="\n") as stream:
            for count, example in enumerate(examples, 1):  # noqa: B007
                stream.write(write_json(to_plain(example)) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot write questions: {error.strerror}") from None
    return count


def to_plain(example: Example) -> dict[str, Any]:
    """The JSON object of one example; optional keys only where they hold something."""
    question, gold = example.question, example.gold
    row: dict[str, Any] = {"id": question.id, "question": question.text}
    if question.topics:
        row["q_entity"] = list(question.topics)
    if gold.stated:
        row["answer"] = list(gold.answers)
        if gold.entities:
            row["a_entity"] = list(gold.entities)
    if example.schema is not None:
        row |= {"masked": [list(triple) for triple in example.schema.triples]}
        row |= {"assertions": list(example.schema.assertions), "strategy": example.schema.strategy or None}
    optional = {"aliases": gold.aliases, "hops": gold.hops, "type": gold.kind, "paths": gold.paths}
    row.update({key: _lists(value) for key, value in optional.items() if value not in (None, ())})
    if example.graph is not None:
        row["graph"] = [[t.head.id, t.relation.id, t.tail.id] for t in example.graph.triples()]
    return row


def parse_example(row: Any, *, need_answers: bool = False) -> Example:
    """One example from a decoded JSON object. Raises InputError that names the key, its value and what is expected."""
    if not isinstance(row, dict):
        raise InputError(f"a JSON {type(row).__name__}, expected an object with 'id' and 'question'")
    for key in row:
        if key not in KEYS and (close := get_close_matches(key, KEYS, n=1, cutoff=0.8)) and close[0] not in row:
            raise InputError(f"no key {key!r} in the plain format; nearest: {close[0]!r}")
    id = row.get("id")
    if isinstance(id, int) and not isinstance(id, bool) and abs(id) < 10**100:
        id = str(id)
    if not isinstance(id, str) or not id.strip():
        raise InputError(f"'id' is {_short(id)}, expected a text that no other line has")
    if not whole(id):
        raise InputError(f"'id' is {id!r}, which holds half of a surrogate pair")
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"'question' is {_short(text)}, expected a text")
    check_question(text)
    gold = _gold(row)
    if need_answers and not gold.stated:
        raise InputError("neither 'answer' nor 'a_entity': training needs one of them ([] says: has no answer)")
    return Example(Question(id, text, _texts(row, "q_entity") or ()), gold, _graph(row, id), schema=_schema(row))


def check_question(text: str) -> None:
    """Raises InputError for a question that no method could be asked: too long, or no text."""
    if len(text) > LONGEST:
        raise InputError(f"the question has {len(text):,} characters, expected at most {LONGEST:,}")
    if not whole(text):
        raise InputError(f"the question {_short(text)} holds half of a surrogate pair: it was cut or is no text")


def _gold(row: dict[str, Any]) -> Gold:
    answers, entities = _texts(row, "answer"), _texts(row, "a_entity")
    hops, kind = row.get("hops"), row.get("type")
    if hops is not None and (not isinstance(hops, int) or isinstance(hops, bool) or hops < 0):
        raise InputError(f"'hops' is {hops!r}, expected a whole number from 0")
    if kind is not None and not isinstance(kind, str):
        raise InputError(f"'type' is {kind!r}, expected a text")
    paths = _list(row, "paths")
    aliases = _list(row, "aliases")
    texts = answers if answers is not None else entities
    if aliases and len(aliases) != len(texts or ()):
        raise InputError(
            f"'aliases' has {len(aliases)} entries for {len(texts or ())} answers, expected one per answer"
        )
    return Gold(
        answers=texts or (),
        entities=entities or (),
        aliases=tuple(_texts({"aliases": item}, "aliases") or () for item in aliases),
        paths=tuple(_triples(path, "paths") for path in paths),
        hops=hops,
        kind=kind,
        stated=texts is not None,
    )


def _schema(row: dict[str, Any]) -> StatedSchema | None:
    if row.get("masked") is None:
        return None
    triples, said, strategy = _triples(row["masked"], "masked"), _texts(row, "assertions") or (), row.get("strategy")
    if strategy not in (None, "Precision", "Breadth"):
        raise InputError(f"'strategy' is {_short(strategy)}, expected 'Precision' or 'Breadth'")
    if said and len(said) != len(triples):
        raise InputError(
            f"'assertions' has {len(said)} entries for {len(triples)} triples in 'masked', expected as many"
        )
    return StatedSchema(triples, said, strategy or "")


def _graph(row: dict[str, Any], id: str) -> GraphStore | None:
    if row.get("graph") is None:
        return None
    return Graph.from_triples(_triples(row["graph"], "graph"), name=f"question {id}")


def _texts(row: dict[str, Any], key: str) -> tuple[str, ...] | None:
    value = row.get(key)
    if value is None:
        return None
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
        raise InputError(f"{key!r} is {_short(value)}, expected a text or a list of texts, none blank")
    if half := next((item for item in items if not whole(item)), None):
        raise InputError(f"{key!r} is {_short(half)}, which holds half of a surrogate pair")
    return tuple(items)


def _list(row: dict[str, Any], key: str) -> list[Any]:
    value = row.get(key)
    if value is not None and not isinstance(value, list):
        raise InputError(f"{key!r} is {_short(value)}, expected a list")
    return value or []


def _triples(value: Any, key: str) -> tuple[tuple[str, str, str], ...]:
    if not isinstance(value, list):
        raise InputError(f"{key!r} holds {_short(value)}, expected a list of triples")
    for triple in value:
        if not (isinstance(triple, list) and len(triple) == 3 and all(isinstance(x, str) and whole(x) for x in triple)):
            raise InputError(f"{key!r} holds {_short(triple)}, expected a triple [head, relation, tail] of texts")
    return tuple((head, relation, tail) for head, relation, tail in value)


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists in lists
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:59] + "…"
