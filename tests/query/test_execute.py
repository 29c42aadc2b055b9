"""The executor against an interpreter of sets and pyoxigraph, and what it says when something cannot be done."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plan_oracle
from clew.errors import InputError, NotFoundError
from clew.graph import Graph
from clew.query import ExecutionLimits, execute, parse, show, tabulated
from clew.query import plan as p
from effort import examples


def agreement(seed: int) -> None:
    rng = random.Random(seed)
    world = plan_oracle.random_world(rng)
    plan = plan_oracle.Planner(rng, world).plan()
    wanted = plan_oracle.naive(plan, world)
    assert plan_oracle.agree(plan_oracle.plain(execute(plan, world.graph), world.graph), wanted), show(plan)
    assert plan_oracle.agree(plan_oracle.by_sparql(plan, world), wanted), show(plan)


@examples(300)
@given(st.integers(0, 2**48))
def test_interpreter_executor_and_sparql_agree(seed: int) -> None:
    agreement(seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_plans_agree() -> None:
    for seed in range(10_000):
        agreement(seed)


ROWS = [
    ("nile", "type", "River"), ("amazon", "type", "River"), ("rhine", "type", "River"), ("brook", "type", "River"),
    ("nile", "length", "6650 km"), ("amazon", "length", "6,400 km"), ("rhine", "length", "1230 km"),
    ("nile", "crosses", "Egypt"), ("nile", "crosses", "Sudan"), ("rhine", "crosses", "Germany"),
    ("Egypt", "population", "110000000"), ("Sudan", "population", "48000000"), ("Germany", "population", "84000000"),
    ("Egypt", "founded", "1922"), ("Sudan", "founded", "1956"), ("Germany", "founded", "1871"),
    ("Egypt", "motto", "x"), ("nile", "has source", "lake"), ("ann", "held", "m.1"), ("m.1", "office", "mayor"),
    ("m.1", "from", "2001"), ("ann", "held", "m.2"), ("m.2", "office", "judge"), ("m.2", "from", "2010"),
]  # fmt: skip


@pytest.fixture(scope="module")
def rivers() -> Graph:
    return Graph.from_triples(ROWS, name="rivers")


def labels(graph: Graph, text: str) -> list[str]:
    return graph.labels_at(execute(parse(text), graph).members)


def test_superlatives_read_units_and_say_what_is_missing(rivers: Graph) -> None:
    found = execute(parse("top(class(River), length, largest, 2)"), rivers)
    assert rivers.labels_at(found.members) == ["nile", "amazon"]
    assert found.ranking is not None and (found.ranking.compared, found.ranking.missing) == (3, 1)
    assert found.notes == ("1 of 4 have no length",)
    assert tabulated(found, rivers).rows[0] == ("nile", "nile", "6650 km")
    assert labels(rivers, "top(class(River), length, largest, 1, 1)") == ["amazon"]
    assert labels(rivers, "top(class(River), length, largest, 1, 7)") == []


def test_units_are_converted_or_refused(rivers: Graph) -> None:
    assert labels(rivers, 'where(class(River), length, >, number(4000, "mi"))') == ["nile"]
    assert labels(rivers, "where(class(River), length, >, 6500)") == ["nile"]  # in the unit of the column
    with pytest.raises(InputError, match=r"length is a length .in km.: kg cannot be compared"):
        execute(parse('where(class(River), length, >, number(3, "kg"))'), rivers)


def test_years_are_compared_as_dates_and_as_numbers(rivers: Graph) -> None:
    for year in ("date(1922)", "1922"):
        assert set(labels(rivers, f"where(all(), founded, >, {year})")) == {"Sudan"}
        assert set(labels(rivers, f"where(all(), founded, <=, {year})")) == {"Egypt", "Germany"}
    assert labels(rivers, "where(all(), founded, between, date(1900), date(1930))") == ["Egypt"]
    assert str(execute(parse("max(follow(entity(nile), crosses), founded)"), rivers).quantity) == "1956"
    assert str(execute(parse("difference(entity(Egypt), entity(Germany), founded)"), rivers).quantity) == "51 years"


def test_qualifiers_stand_on_the_mediator(rivers: Graph) -> None:
    assert labels(rivers, "follow(entity(ann), held/office)") == ["mayor", "judge"]
    assert labels(rivers, "follow(entity(ann), held/office, test(from, <, date(2005)))") == ["mayor"]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("follow(entity(nile), crosess)", NotFoundError, "no relation 'crosess'; nearest: 'crosses'"),
        ("follow(entity(nlie), crosses)", NotFoundError, "no entity 'nlie'; nearest: 'nile'"),
        ("class(Rivers)", NotFoundError, "Rivers"),
        ("class(Egypt)", NotFoundError, "no class 'Egypt'"),
        ("top(class(River), crosses, largest)", InputError, "crosses has no order.*a superlative"),
        ("sum(all(), motto)", InputError, "motto has no order"),
        ("sum(follow(entity(nile), crosses), founded)", InputError, "holds dates: they have no sum"),
        (
            "calc(/, max(entity(Egypt), founded), count(all()))",
            InputError,
            "dates cannot be added, mult",
        ),
        ('where(all(), founded, >, number(3, "kg"))', InputError, "founded holds dates, and 3 kg is none"),
        ("where(all(), population, >, date(2008-05))", InputError, "population holds numbers"),
        ("difference(entity(Egypt), entity(nile), founded)", None, "there is no founded"),
        ("mean(entity(brook), length)", None, "there is no length to take the mean of"),
        ("calc(/, count(all()), count(follow(entity(brook), crosses)))", None, "division by zero"),
    ],
)
def test_what_cannot_be_done_is_said(rivers: Graph, text: str, error: type[Exception] | None, message: str) -> None:
    if error is None:
        found = execute(parse(text), rivers)
        assert found.quantity is None and any(message in note for note in found.notes)
        return
    with pytest.raises(error, match=message):
        execute(parse(text), rivers)


def test_hubs_stay_within_limits_and_it_is_said() -> None:
    hub = Graph.from_triples([("hub", "to", f"e{i}") for i in range(500)] + [("e1", "to", "x")])
    found = execute(parse("count(follow(entity(hub), to))"), hub, limits=ExecutionLimits(pairs=100))
    assert not found.complete and str(found.quantity) == "100"
    assert "400 more triples were not looked at" in found.notes[-1]
    with pytest.raises(InputError, match=r"all\(\) would go over 502 entities"):
        execute(parse("count(all())"), hub, limits=ExecutionLimits(everything=100))
    # all() is not gone over where a relation or another set says who is meant
    small = ExecutionLimits(everything=1)
    assert hub.labels_at(execute(parse("where(all(), to, =, entity(x))"), hub, limits=small).members) == ["e1"]
    assert len(execute(parse("and(all(), entity(e1))"), hub, limits=small).members) == 1


def test_a_shared_name_is_refused_and_namesakes_are_all_meant() -> None:
    graph = Graph.from_triples(
        [("http://a/x", "http://a/name", "1"), ("http://a/y", "http://b/name", "2")],
        labels={"http://a/x": "Springfield", "http://a/y": "Springfield"},
    )
    with pytest.raises(InputError, match="name of 2 relations"):
        execute(parse("values(entity(Springfield), name)"), graph)
    assert len(execute(p.Entities(("Springfield",)), graph).members) == 2


def test_edits_are_seen(rivers: Graph) -> None:
    changed = rivers.edited(add=[("brook", "length", "2 km")])
    assert labels(changed, "top(class(River), length, smallest)") == ["brook"]
    assert labels(rivers, "top(class(River), length, smallest)") == ["rhine"]


LOANS = [
    ("A", "type", "Loan"), ("A", "start", "2020-01-10"), ("A", "end", "2020-06-26"), ("A", "agreed", "2019"),
    ("B", "type", "Loan"), ("B", "start", "2019-02-28"), ("B", "end", "2021-02-28"), ("B", "agreed", "2016"),
    ("C", "type", "Loan"), ("C", "start", "2021-12-01"), ("C", "end", "2021-11-01"), ("C", "fee", "12"),
    ("D", "type", "Loan"), ("D", "start", "2020-01-01"),
]  # fmt: skip


@pytest.fixture(scope="module")
def loans() -> Graph:
    return Graph.from_triples(LOANS, name="loans")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max(entity(A), span(start, end, days))", "168 days"),
        ("max(entity(A), span(start, end, weeks))", "24 weeks"),
        ("max(entity(A), span(start, end, months))", "5 months"),
        ("max(entity(B), span(start, end, years))", "2 years"),
        ("max(entity(C), span(start, end))", "-30 days"),
        ("max(entity(A), span(agreed, end, years))", "1 years"),
        ("max(entity(A), span(agreed, end, days))", None),  # known to the year
        ("max(entity(A), span(start, end, hours))", None),  # known to the day
        ("mean(class(Loan), span(start, end, days))", "289.6666667 days"),
        ("difference(entity(A), entity(B), start, days)", "316 days"),
        ("difference(entity(A), entity(B), start, years)", "0 years"),
        ("difference(entity(A), entity(B), agreed, years)", "3 years"),
        ("difference(entity(B), entity(A), span(start, end, days))", "563 days"),
    ],
)
def test_the_time_between_two_dates(loans: Graph, text: str, said: str | None) -> None:
    found = execute(parse(text), loans).quantity
    assert (None if found is None else str(found)) == said


def test_times_rank_and_filter_and_what_has_none_is_said(loans: Graph) -> None:
    longest = execute(parse("top(class(Loan), span(start, end, days), largest)"), loans)
    assert loans.labels_at(longest.members) == ["B"] and longest.notes == ("1 of 4 have no time from start to end",)
    assert longest.ranking is not None and longest.ranking.said(float(longest.ranking.keys[0])) == "731 days"
    assert labels(loans, 'where(class(Loan), span(start, end, days), >, number(3, "months"))') == ["A", "B"]
    assert labels(loans, "where(class(Loan), span(start, end, weeks), between, 20, 30)") == ["A"]
    assert labels(loans, "compare(entity(A), entity(B), span(start, end), smallest)") == ["A"]


def test_sums_and_means_are_conditions() -> None:
    rows = [("o1", "buyer", "ann"), ("o2", "buyer", "ann"), ("o3", "buyer", "bo"), ("o4", "buyer", "cy")]
    rows += [("o1", "price", "60 EUR"), ("o2", "price", "60 EUR"), ("o3", "price", "90 EUR"), ("cy", "type", "Buyer")]
    graph = Graph.from_triples([*rows, ("ann", "type", "Buyer"), ("bo", "type", "Buyer")])
    assert labels(graph, "where(class(Buyer), sum(^buyer/price), >, 100)") == ["ann"]  # two equal prices are two
    assert labels(graph, 'where(class(Buyer), mean(^buyer/price), between, 60, number(95, "EUR"))') == ["ann", "bo"]
    assert labels(graph, "where(class(Buyer), sum(^buyer/price), <, 100)") == ["bo"]
    assert labels(graph, "where(class(Buyer), sum(^buyer/price), >, max(follow(class(Buyer), ^buyer), price))") == [
        "ann"
    ]
    assert labels(graph, "where(class(Buyer), sum(^buyer/price, entity(o1, o3)), >, 50)") == ["ann", "bo"]
    assert labels(graph, "top(class(Buyer), sum(^buyer/price, entity(o1, o3)), largest)") == ["bo"]
    assert labels(graph, "top(class(Buyer), value(^buyer/price, entity(o1, o2)), largest)") == ["ann"]
    assert labels(graph, "wherecount(class(Buyer), ^buyer, =, 1, entity(o1, o3))") == ["ann", "bo"]
    found = execute(parse("where(class(Buyer), sum(^buyer/price), >=, 0)"), graph)
    assert found.notes == ("1 of 3 have no ^buyer/price",)  # cy, who bought for no price, is not compared
    with pytest.raises(InputError, match="have no sum"):
        execute(parse("where(class(Loan), sum(start), >, 3)"), Graph.from_triples(LOANS))


SHOP = [
    ("l1", "order", "o1"), ("l1", "product", "Tent"), ("l1", "quantity", "2"), ("l1", "price", "249.50 EUR"),
    ("l2", "order", "o1"), ("l2", "product", "Mug"), ("l2", "quantity", "3"), ("l2", "price", "7 EUR"),
    ("l3", "order", "o2"), ("l3", "product", "Mug"), ("l3", "quantity", "2"), ("l3", "price", "6 EUR"),
    ("Tent", "stock", "2"), ("Tent", "minimum", "5"), ("Tent", "weight", "3 kg"), ("Tent", "type", "Product"),
    ("Mug", "stock", "40"), ("Mug", "minimum", "10"), ("Mug", "weight", "300 g"), ("Mug", "type", "Product"),
    ("Rope", "stock", "4"), ("Rope", "minimum", "4"), ("Rope", "type", "Product"), ("Bag", "stock", "1"),
    ("Bag", "minimum", "0"), ("Bag", "type", "Product"), ("Bag", "since", "2020-01-01"),
]  # fmt: skip


@pytest.fixture(scope="module")
def shop() -> Graph:
    return Graph.from_triples(SHOP, name="shop")


def test_two_numbers_of_one_thing_are_compared(shop: Graph) -> None:
    assert labels(shop, "where(class(Product), calc(-, stock, minimum), <, 0)") == ["Tent"]
    assert labels(shop, "where(class(Product), calc(-, stock, minimum), <=, 0)") == ["Tent", "Rope"]
    assert labels(shop, "where(class(Product), calc(/, stock, minimum), >=, 4)") == ["Mug"]  # of Bag by zero: none
    assert labels(shop, "top(class(Product), calc(-, stock, minimum), smallest)") == ["Tent"]
    assert labels(shop, "compare(entity(Bag), entity(Rope), calc(-, stock, minimum), largest)") == ["Bag"]
    found = execute(parse("where(class(Product), calc(-, stock, weight), >, 0)"), shop)
    assert found.notes == ("2 of 4 have no calc(-, stock, weight)",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sum(entity(o1), ^order/calc(*, quantity, price))", "520 EUR"),
        ("sum(follow(entity(o1, o2), ^order), calc(*, quantity, price))", "532 EUR"),
        ("sum(entity(o1), ^order/calc(*, quantity, product/stock))", "124"),
        ("sum(entity(o1), ^order/calc(*, quantity, product/weight))", "6.9 kg"),
        ("max(entity(Mug), calc(/, weight, product))", None),  # nobody has such a value
        ("max(entity(Tent), calc(/, weight, weight))", "1"),
        ("max(entity(Bag), calc(/, stock, minimum))", None),
        ("difference(entity(o1), entity(o2), sum(^order/calc(*, quantity, price)))", "508 EUR"),
    ],
)
def test_two_numbers_of_one_thing_are_put_together(shop: Graph, text: str, said: str | None) -> None:
    found = execute(parse(text), shop).quantity
    assert (None if found is None else str(found)) == said


def test_sums_of_products_rank_and_filter(shop: Graph) -> None:
    assert labels(shop, "top(entity(Tent, Mug), sum(^product/calc(*, quantity, price)), largest)") == ["Tent"]
    assert labels(shop, "where(entity(o1, o2), sum(^order/calc(*, quantity, price)), <, 100)") == ["o2"]
    mugs = "top(entity(o1, o2), sum(^order/calc(*, quantity, price), follow(entity(Mug), ^product)), largest)"
    assert labels(shop, mugs) == ["o1"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("where(class(Product), calc(-, since, stock), >, 0)", "dates are not put together"),
        ("sum(follow(entity(o1), ^order), calc(+, price, product/weight))", "cannot be added"),
        ("where(class(Product), calc(-, stock, minimum), =, date(2020))", "compared with a number"),
        ("where(class(Product), calc(^, stock, minimum), <, 0)", "expected . - . or /"),
        ("top(class(Product), count(calc(-, stock, minimum)), largest)", "things are counted"),
    ],
)
def test_numbers_that_cannot_be_put_together_are_refused(shop: Graph, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        execute(parse(text), shop)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("max(entity(C), span(start, fee, days))", "fee holds no dates"),
        ("difference(entity(C), entity(C), fee, days)", "between two dates only"),
        ("top(class(Loan), span(start, end, fortnights), largest)", "fortnights"),
        ("where(class(Loan), span(start, end), =, date(2020))", "compared with a number"),
        ('where(class(Loan), span(start, end), >, number(3, "km"))', "km"),
        ("difference(entity(A), entity(B), count(start), days)", "its key is a path"),
    ],
)
def test_times_that_make_no_sense_are_refused(loans: Graph, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        execute(parse(text), loans)
