"""The records: what cannot be made, and that every form of a plan leads back to it."""

import json
import random

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plan_oracle
from clew.errors import InputError
from clew.query import from_json, parse, schema, sentence, show, to_cypher, to_json
from clew.query import plan as p
from effort import examples

ODD = [
    "größe",
    'a "quoted" name',
    "back\\slash",
    "tab\there",
    "count",
    "top(",
    "1999",
    "-3",
    "a/b",
    "x.",
    "^",
    "é:1",
    ",",
]


def renamed(node: object, names: list[str], rng: random.Random) -> object:
    """The plan with other names, so that the text form meets odd ones."""
    from dataclasses import fields, replace

    if isinstance(node, p.Step):
        return p.Step(rng.choice(names), node.forward)
    if isinstance(node, p.Entities):
        return p.Entities(tuple(rng.choice(names) for _ in node.ids))
    if isinstance(node, p.Class):
        return p.Class(rng.choice(names))
    if isinstance(node, p.Text):
        return p.Text(rng.choice(names))
    if isinstance(node, tuple):
        return tuple(renamed(each, names, rng) for each in node)
    if isinstance(node, (p.Plan, p.Test, p.Key)):
        return replace(node, **{f.name: renamed(getattr(node, f.name), names, rng) for f in fields(node)})  # type: ignore[type-var]
    return node


@examples(200)
@given(st.integers(0, 2**32), st.lists(st.text(min_size=1, max_size=8), max_size=3))
def test_every_form_leads_back(seed: int, names: list[str]) -> None:
    rng = random.Random(seed)
    world = plan_oracle.random_world(rng)
    plan = plan_oracle.Planner(rng, world).plan()
    odd = renamed(plan, [*ODD, *(n for n in names if n.isprintable())], rng)
    for each in (plan, odd):
        assert parse(show(each)) == each
        document = json.loads(json.dumps(to_json(each)))
        assert from_json(document) == each
        assert sentence(each) and to_cypher(each)


def test_the_schema_accepts_what_is_written() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    seen = set()
    for seed in range(200):
        rng = random.Random(seed)
        plan = plan_oracle.Planner(rng, plan_oracle.random_world(rng)).plan()
        if p.size(plan) <= 3:  # a validator tries every kind of node at every level
            seen |= {type(node).__name__ for node in p.walk(plan)}
            validator.validate(to_json(plan))
    assert len(seen) > 12
    assert not validator.is_valid({"node": "Count"})
    assert not validator.is_valid({"node": "Count", "of": {"node": "Count", "of": {"node": "All"}}})


def test_values_lead_back() -> None:
    tests = [
        p.Test(p.steps("height"), ">=", p.Number(1.85, "m")),
        p.Test(p.steps("height"), "between", p.Number(-1e-7), p.Number(1e20)),
        p.Test((), "=", p.Text('say "x"')),
        p.Test(p.steps("born", "^in"), "<", p.Date("-0044")),
        p.Test(p.steps("born"), "=", p.Date("2008-05-03T10:00:00Z")),
        p.Test(p.steps("born"), "between", p.Date("1990"), p.Date("1999-12")),
        p.Test(p.steps("age"), ">", p.Arithmetic("/", p.Count(p.All()), p.Count(p.Class("c")))),
        p.Test(p.steps("^customer", "amount"), ">=", p.Number(1000, "EUR"), how="sum"),
        p.Test(p.steps("price"), "between", p.Number(2), p.Number(3), how="mean"),
        p.Test(p.steps("^x", "y"), "<", p.Number(2), how="sum", among=p.Class("d")),
    ]
    for test in tests:
        plan = p.Where(p.Class("c"), test)
        assert parse(show(plan)) == plan
        assert from_json(to_json(plan)) == plan


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a plan"),
        ("France", "entity"),
        ("count(entity(France)", r"expected '\)', found the end"),
        ("counts(entity(a))", "nearest: 'count'"),
        ("count(count(entity(a)))", "count.. needs a set of entities here, but count.. makes values"),
        ("follow(entity(a), b/c/d)", "not 3; nest them"),
        ("follow(entity(a), b, test(c, =, 1))", "mediator"),
        ('where(entity(a), b, <, "text")', "a text has no order"),
        ("where(entity(a), b, <, entity(c))", "an entity has no order"),
        ("where(entity(a), sum(b), >, date(2008))", "a sum is compared with one number"),
        ("where(entity(a), mean(.), >, 3)", "the path names no relation"),
        ("where(entity(a), count(b), >, 3)", "expected"),
        ("top(entity(a), sum(b, class(c)), largest)", "its path has one step"),
        ("top(entity(a), count(b, count(class(c))), largest)", "count.. needs a set"),
        ("where(entity(a), b, contains, 3)", "compares with a text"),
        ("where(entity(a), b, between, 3)", "expected ','"),
        ("where(entity(a), b, between, 3, date(2008))", "two numbers or two dates"),
        ('where(entity(a), b, >, number(3, "parsecs"))', "unknown unit 'parsecs'"),
        ("where(entity(a), b, >, date(2008-13))", "not a date"),
        ("where(entity(a), b, ~, 3)", "cannot read"),
        ("top(entity(a), b, biggest)", "largest or smallest"),
        ("top(entity(a), ., largest, 0)", "expected a whole number from 1"),
        ("and(entity(a))", "at least two sets"),
        ("entity()", "names no entity"),
        ("values(entity(a), )", "expected a name"),
        ("count(entity(a)) count(entity(b))", "expected the end"),
        ('count(entity("a\\q"))', "JSON"),
    ],
)
def test_mistakes_are_reported_with_their_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse(text)
    assert "plan, character" in str(caught.value)


def test_size_is_bounded() -> None:
    with pytest.raises(InputError, match="nested deeper"):
        parse("count(" * 5000 + "all()" + ")" * 5000)
    with pytest.raises(InputError, match="more than 400 parts"):
        parse("or(" + ", ".join(["all()"] * 500) + ")")
    with pytest.raises(InputError, match="characters; at most"):
        parse("a" * 1_000_000)
    deep: dict[str, object] = {"node": "All"}
    for _ in range(100):
        deep = {"node": "Follow", "of": deep, "path": [{"relation": "r"}]}
    with pytest.raises(InputError, match="nested deeper"):
        from_json(deep)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"node": "Cuont", "of": {"node": "All"}}, "plan: no node 'Cuont'; nearest: 'Count'"),
        ({"node": "Count"}, "plan: Count lacks of"),
        ({"node": "Count", "of": {"node": "All"}, "off": 1}, "no field 'off'; nearest: 'of'"),
        ({"node": "Count", "of": 3}, "plan.of: expected an object"),
        ({"node": "Follow", "of": {"node": "All"}, "path": [{"relation": 3}]}, r"plan.path\[0\]: a relation"),
        ({"node": "Follow", "of": {"node": "All"}, "path": "r"}, "plan.path: expected a list"),
        ({"node": "Top", "of": {"node": "All"}, "key": {"path": []}, "k": True}, "k of top.. is True"),
        ({"node": "Where", "of": {"node": "All"},
          "test": {"path": [], "op": ">", "value": {"node": "Number", "value": ""}}}, "not a finite number"),
        ([1], "expected an object"),
    ],
)  # fmt: skip
def test_documents_are_not_trusted(document: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_json(document)


def test_numbers_put_together_in_cypher() -> None:
    text = to_cypher(parse("sum(entity(A), ^order/calc(/, quantity, product/size))"))
    assert "WITH DISTINCT x, y1, v AS u, v.value AS a" in text and "OPTIONAL MATCH (y1)-[:`product`]->(z1)" in text
    assert "CASE WHEN v.value <> 0 THEN toFloat(a) / v.value END" in text and "sum(v)" in text


def test_the_time_between_two_dates_in_cypher() -> None:
    text = to_cypher(parse('where(class(Loan), span(start, end, days), >, number(2, "weeks"))'))
    assert "min(v.value) AS a" in text and "max(v.value) AS b" in text
    assert "duration.inDays(a, b).days" in text and "v > 14" in text
    assert "duration.inMonths(n4, n2).years" in to_cypher(parse("difference(entity(A), entity(B), opened, years)"))
