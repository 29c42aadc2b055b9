"""The one-line text of a plan, which people can type: top(class(City), population, largest).

Kept apart because a text comes from outside: its length and nesting are bounded, and a mistake is reported with its
place. `parse(show(plan)) == plan` for every plan.

    set     entity(A, B…)  class(C)  edges(R)  all()  follow(SET, PATH[, test(PATH, OP, VALUE)…])
            and(SET, SET…)  or(SET, SET…)  minus(SET, SET)  where(SET, PATH, OP, VALUE)
            wherecount(SET, PATH, OP, N[, SET])  top(SET, KEY, largest|smallest[, K[, SKIP]])
            compare(SET, SET, KEY, largest)
    values  values(SET, PATH)
    number  count(SET)  sum|mean|min|max(SET, PATH)  difference(SET, SET, KEY[, UNIT])  calc(+, NUMBER, NUMBER)
    truth   exists(SET)  is(SET, SET)

PATH is `borders`, `^borders` against its direction, `a/^b`, or `.` for the member itself; KEY a PATH, or count(PATH),
sum(PATH), mean(PATH), each with a SET that what is counted or added up must be of: sum(^buyer/price, SET). A condition
may be on sum(PATH) or mean(PATH) too: where(SET, sum(^buyer/price), >, N). In a KEY, a condition and a summary
`span(PATH, PATH, UNIT)` may stand for a PATH: the time from the first date to the second, UNIT seconds, minutes, hours,
days, weeks, months or years. There the last step may also be `calc(SIGN, STEP, PATH)`, which puts the numbers of two
steps from one thing together: where(class(Product), calc(-, stock, minimum), <, 0), sum(SET, ^order/calc(*, quantity,
price)); a summary of it in a KEY is sum(^order/calc(*, quantity, price)). OP is
= != < <= > >= between contains starts; between takes two values. VALUE is 12.5, number(12.5, "km"), date(2008-05),
"text", entity(A), or a plan that makes values. A name with spaces or signs stands in double quotes, with JSON's
escapes. N of wherecount is a whole number, or the PATH to one that each member states.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn, get_args

from clew.errors import InputError, unknown
from clew.query import plan as p
from clew.query.values import shown_number

MAX_LENGTH = 100_000
NAME = re.compile(r"[^\W\d][\w.:-]*")
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<date>-?\d{4,6}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?)?(?:Z|[+-]\d{2}:\d{2})?(?![\w.]))
    |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w:]))
    |(?P<name>[^\W\d][\w.:-]*)|(?P<sign>!=|<=|>=|[<>=^/.,()+*-]))""",
    re.VERBOSE,
)
_AGGREGATES = get_args(p.Summary)


def show(plan: p.Plan) -> str:
    """A plan as one line that `parse` reads back."""
    return _show(plan)


def name(text: str) -> str:
    """A name as it stands in a plan's text: bare where that is unambiguous, else in quotes."""
    bare = NAME.fullmatch(text) and not text.endswith((".", ":", "-"))
    return text if bare else json.dumps(text, ensure_ascii=False)


def show_path(path: p.Path) -> str:
    return "/".join(("" if step.forward else "^") + name(step.relation) for step in path) or "."


def show_measure(path: p.Path, beside: p.Beside | None) -> str:
    """A path, or the time until what it leads to, or a number put together with that at the end of it."""
    match beside:
        case p.Since(since, unit):
            return f"span({show_path(since)}, {show_path(path)}, {unit})"
        case p.Combined(other, sign):
            first = f"{show_path(path[:-1])}/" if len(path) > 1 else ""
            return f"{first}calc({sign}, {show_path(path[-1:])}, {show_path(other)})"
    return show_path(path)


def show_key(key: p.Key) -> str:
    if key.how == "value" and key.among is None:
        return show_measure(key.path, key.beside)
    return f"{key.how}({show_measure(key.path, key.beside)}{_among(key.among)})"


def _among(some: p.SetPlan | None) -> str:
    return "" if some is None else f", {_show(some)}"


def show_value(value: Any) -> str:
    if isinstance(value, p.Number):
        number = repr(value.value) if value.value != int(value.value) else shown_number(value.value)
        return f"number({number}, {json.dumps(value.unit, ensure_ascii=False)})" if value.unit else number
    if isinstance(value, p.Date):
        plain = re.fullmatch(r"-?\d{4,6}(-\d{2}(-\d{2})?)?", value.text)
        return f"date({value.text if plain else json.dumps(value.text)})"
    if isinstance(value, p.Text):
        return json.dumps(value.text, ensure_ascii=False)
    return _show(value)


def _show_test(test: p.Test) -> str:
    upper = "" if test.upper is None else f", {show_value(test.upper)}"
    measured = test.how == "value"
    key = p.Key(test.path, test.how, test.among, None if measured else test.beside)
    what = show_measure(test.path, test.beside) if measured else show_key(key)
    return f"{what}, {test.op}, {show_value(test.value)}{upper}"


def _show(node: p.Plan) -> str:
    side = {True: "largest", False: "smallest"}
    match node:
        case p.Entities(ids):
            return f"entity({', '.join(map(name, ids))})"
        case p.Class(id):
            return f"class({name(id)})"
        case p.EdgesOf(relation):
            return f"edges({name(relation)})"
        case p.All():
            return "all()"
        case p.Follow(of, path, qualifiers):
            tests = "".join(f", test({_show_test(test)})" for test in qualifiers)
            return f"follow({_show(of)}, {show_path(path)}{tests})"
        case p.And(sets) | p.Or(sets):
            return f"{type(node).__name__.lower()}({', '.join(map(_show, sets))})"
        case p.Minus(of, without):
            return f"minus({_show(of)}, {_show(without)})"
        case p.Where(of, test):
            return f"where({_show(of)}, {_show_test(test)})"
        case p.WhereCount(of, path, op, n, among):
            bound = n if isinstance(n, int) else show_path(n)
            return f"wherecount({_show(of)}, {show_path(path)}, {op}, {bound}{_among(among)})"
        case p.Top(of, key, largest, k, skip):
            more = f", {k}, {skip}" if skip else f", {k}" if k != 1 else ""
            return f"top({_show(of)}, {show_key(key)}, {side[largest]}{more})"
        case p.Compare(a, b, key, largest):
            return f"compare({_show(a)}, {_show(b)}, {show_key(key)}, {side[largest]})"
        case p.Values(of, path):
            return f"values({_show(of)}, {show_path(path)})"
        case p.Count(of):
            return f"count({_show(of)})"
        case p.Aggregate(how, of, path, beside):
            return f"{how}({_show(of)}, {show_measure(path, beside)})"
        case p.Difference(a, b, key, unit):
            return f"difference({_show(a)}, {_show(b)}, {show_key(key)}{f', {unit}' if unit else ''})"
        case p.Arithmetic(sign, a, b):
            return f"calc({sign}, {_show(a)}, {_show(b)})"
        case p.Exists(of):
            return f"exists({_show(of)})"
        case p.Is(of, within):
            return f"is({_show(of)}, {_show(within)})"
    raise TypeError(f"no plan: {node!r}")


def parse(text: str) -> p.Plan:
    """The plan that a text states. Raises InputError with the place of the mistake."""
    if len(text) > MAX_LENGTH:
        raise InputError(f"the plan's text has {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    reader = _Reader(text)
    made = reader.plan()
    reader.end()
    for _ in p.walk(made):
        pass
    return made


class _Reader:
    """Reads one plan from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth, self._made = text, 0, 0, 0
        self._kind, self._token, self._start = "", "", 0
        self._advance()

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            rest = self._text[self._at :].lstrip()
            self._start = len(self._text) - len(rest)
            if rest:
                self._fail(f"cannot read {rest[:20]!r}")
            self._kind, self._token, self._at = "end", "", len(self._text)
            return
        self._kind = str(match.lastgroup)
        self._token, self._start, self._at = match[self._kind], match.start(self._kind), match.end()

    def _fail(self, what: str) -> NoReturn:
        before = self._text[max(0, self._start - 30) : self._start]
        raise InputError(f"plan, character {self._start + 1} (after {before!r}): {what}")

    def _found(self) -> str:
        return "the end of the text" if self._kind == "end" else repr(self._token[:40])

    def _take(self, sign: str) -> None:
        if self._token != sign or self._kind == "string":
            self._fail(f"expected {sign!r}, found {self._found()}")
        self._advance()

    def _sees(self, sign: str) -> bool:
        return self._token == sign and self._kind != "string"

    def _more(self) -> bool:
        """Whether a comma follows, which is taken."""
        if self._sees(","):
            self._advance()
            return True
        return False

    def end(self) -> None:
        if self._kind != "end":
            self._fail(f"expected the end, found {self._found()}")

    def plan(self) -> p.Plan:
        if self._kind != "name":
            self._fail(f"expected a plan such as count(…) or follow(…), found {self._found()}")
        head, place = self._token, self._start
        read = _FORMS.get(head.casefold())
        if read is None:
            self._fail(f"{unknown('plan', head, _FORMS)}; a name alone is written entity({name(head)})")
        self._depth += 1
        self._made += 1
        if self._depth > p.MAX_DEPTH or self._made > p.MAX_NODES:
            self._fail(f"more than {p.MAX_NODES} parts, or nested deeper than {p.MAX_DEPTH}: refused")
        self._advance()
        self._take("(")
        try:
            made = read(self)
        except InputError as error:
            if str(error).startswith("plan, character"):
                raise
            self._start = place
            self._fail(str(error))
        self._take(")")
        self._depth -= 1
        return made

    def set(self) -> Any:
        return self.plan()  # the record it goes into says what is wrong with a plan that makes no set

    def comma(self) -> None:
        self._take(",")

    def name(self) -> str:
        if self._kind == "string":
            try:
                found = json.loads(self._token, strict=False)
            except ValueError:
                self._fail(f"{self._token[:40]} is not a text in JSON's notation")
        elif self._kind in ("name", "number", "date"):
            found = self._token
        else:
            self._fail(f"expected a name, found {self._found()}; names with spaces or signs stand in double quotes")
        self._advance()
        return str(found)

    def path(self) -> p.Path:
        if self._sees("."):
            self._advance()
            return ()
        steps = [self._step()]
        while self._sees("/"):
            self._advance()
            steps.append(self._step())
        return tuple(steps)

    def _step(self) -> p.Step:
        back = self._sees("^")
        if back:
            self._advance()
        return p.Step(self.name(), not back)

    def _calls(self, *names: str) -> bool:
        """Whether one of some names stands here with a bracket behind it."""
        named = self._kind == "name" and self._token.casefold() in names
        return named and self._text[self._at :].lstrip()[:1] == "("

    def measure(self) -> tuple[p.Path, p.Beside | None]:
        """A path, the time between two dates, or a path to things of which two numbers are put together."""
        if not self._calls("span"):
            return self._combined()
        self._advance()
        self._take("(")
        since = self.path()
        self.comma()
        path = self.path()
        made = p.Since(since, self.time_unit()) if self._more() else p.Since(since)
        self._take(")")
        return path, made

    def _combined(self) -> tuple[p.Path, p.Beside | None]:
        """A path, whose last place may be `calc(SIGN, STEP, PATH)`."""
        if self._sees("."):
            return self.path(), None
        steps: list[p.Step] = []
        while not self._calls("calc"):
            steps.append(self._step())
            if not self._sees("/"):
                return tuple(steps), None
            self._advance()
        self._advance()
        self._take("(")
        sign = self.sign()
        self.comma()
        steps.append(self._step())
        self.comma()
        beside = p.Combined(self.path(), sign)
        self._take(")")
        return tuple(steps), beside

    def time_unit(self) -> Any:
        if self._kind != "name" or self._token not in get_args(p.TimeUnit):
            self._fail(unknown("unit of time", self._token, get_args(p.TimeUnit)))
        found = self._token
        self._advance()
        return found

    def key(self, *hows: str) -> p.Key:
        """What is compared: a measure, or one of some summaries of what a path leads to."""
        how = self._token.casefold()
        if self._calls(*(hows or ("count", "sum", "mean", "value"))):
            self._advance()
            self._take("(")
            (path, beside), among = self._combined(), self.among()
            self._take(")")
            return p.Key(path, how, among, beside)  # type: ignore[arg-type]
        path, beside = self.measure()
        return p.Key(path, beside=beside)

    def among(self) -> Any:
        """The set of which what is counted or added up is, where one is stated."""
        return self.set() if self._more() else None

    def side(self) -> bool:
        if not self._sees("largest") and not self._sees("smallest"):
            self._fail(f"expected largest or smallest, found {self._found()}")
        largest = self._token == "largest"
        self._advance()
        return largest

    def op(self) -> Any:
        if self._kind not in ("sign", "name"):
            self._fail(f"expected a comparison, found {self._found()}")
        if self._token not in get_args(p.Op):
            self._fail(unknown("comparison", self._token, get_args(p.Op)))
        found = self._token
        self._advance()
        return found

    def bound(self) -> Any:
        """A whole number, or the path to one."""
        return self.whole() if self._kind == "number" else self.path()

    def whole(self) -> int:
        if self._kind != "number" or not re.fullmatch(r"\d{1,9}", self._token):
            self._fail(f"expected a whole number, found {self._found()}")
        found = int(self._token)
        self._advance()
        return found

    def value(self) -> Any:
        if self._kind == "number":
            found: Any = p.Number(float(self._token))
        elif self._kind == "date":
            found = p.Date(self._token)
        elif self._kind == "string":
            return p.Text(self.name())
        elif self._sees("number"):
            return self._number()
        elif self._sees("date"):
            return self._date()
        elif self._kind == "name":
            return self.plan()
        else:
            self._fail(f"expected a value, found {self._found()}: a number, date(…), a text in quotes, or entity(…)")
        self._advance()
        return found

    def _number(self) -> p.Number:
        self._advance()
        self._take("(")
        if self._kind != "number":
            self._fail(f"expected a number, found {self._found()}")
        value = float(self._token)
        self._advance()
        unit = self.name() if self._more() else ""
        self._take(")")
        return p.Number(value, unit)

    def _date(self) -> p.Date:
        self._advance()
        self._take("(")
        found = p.Date(self.name())
        self._take(")")
        return found

    def test(self) -> p.Test:
        key = self.key("sum", "mean")
        self.comma()
        op = self.op()
        self.comma()
        value = self.value()
        upper = None
        if op == "between":
            self.comma()
            upper = self.value()
        return p.Test(key.path, op, value, upper, key.beside, key.how, key.among)  # type: ignore[arg-type]  # no count

    def sign(self) -> Any:
        found = self._token
        if self._kind != "sign" or found not in get_args(p.Sign):
            self._fail(f"expected + - * or /, found {self._found()}")
        self._advance()
        return found


def _names(r: _Reader) -> tuple[str, ...]:
    names = [] if r._sees(")") else [r.name()]
    while r._more():
        names.append(r.name())
    return tuple(names)


def _follow(r: _Reader) -> p.Follow:
    of = r.set()
    r.comma()
    path = r.path()
    tests = []
    while r._more():
        if not r._sees("test"):
            r._fail(f"expected test(PATH, OP, VALUE), found {r._found()}")
        r._advance()
        r._take("(")
        tests.append(r.test())
        r._take(")")
    return p.Follow(of, path, tuple(tests))


def _sets(r: _Reader) -> tuple[Any, ...]:
    sets = [r.set()]
    while r._more():
        sets.append(r.set())
    return tuple(sets)


def _two(r: _Reader) -> tuple[Any, Any]:
    first = r.set()
    r.comma()
    return first, r.set()


def _then(r: _Reader, read: Callable[[], Any]) -> Any:
    r.comma()
    return read()


def _top(r: _Reader) -> p.Top:
    of, key, largest = r.set(), _then(r, r.key), _then(r, r.side)
    k = r.whole() if r._more() else 1
    return p.Top(of, key, largest, k, r.whole() if r._more() else 0)


def _aggregate(how: Any) -> Callable[[_Reader], p.Plan]:
    return lambda r: p.Aggregate(how, r.set(), *_then(r, r.measure))


def _difference(r: _Reader) -> p.Difference:
    a, b = _two(r)
    key = _then(r, r.key)
    return p.Difference(a, b, key, r.time_unit() if r._more() else None)


_FORMS: dict[str, Callable[[_Reader], p.Plan]] = {
    "entity": lambda r: p.Entities(_names(r)),
    "class": lambda r: p.Class(r.name()),
    "edges": lambda r: p.EdgesOf(r.name()),
    "all": lambda _: p.All(),
    "follow": _follow,
    "and": lambda r: p.And(_sets(r)),
    "or": lambda r: p.Or(_sets(r)),
    "minus": lambda r: p.Minus(*_two(r)),
    "where": lambda r: p.Where(r.set(), _then(r, r.test)),
    "wherecount": lambda r: p.WhereCount(r.set(), _then(r, r.path), _then(r, r.op), _then(r, r.bound), r.among()),
    "top": _top,
    "compare": lambda r: p.Compare(*_two(r), _then(r, r.key), _then(r, r.side)),
    "values": lambda r: p.Values(r.set(), _then(r, r.path)),
    "count": lambda r: p.Count(r.set()),
    **{how: _aggregate(how) for how in _AGGREGATES},
    "difference": _difference,
    "calc": lambda r: p.Arithmetic(r.sign(), _then(r, r.set), _then(r, r.set)),
    "exists": lambda r: p.Exists(r.set()),
    "is": lambda r: p.Is(*_two(r)),
}
