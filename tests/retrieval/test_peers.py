"""What a thing lacks and others of its kind have, how things stand, and numbers beside what a graph counts."""

from __future__ import annotations

import pytest

from clew.api import open_method
from clew.graph import Graph
from clew.types import Answer, Question

SHOPS = {  # manager, street, floors, open
    "Corner Bakery": ("Ada Lund", "Mill Street", 1, "true"), "Old Bakery": ("Ben Fox", "High Street", 2, "false"),
    "River Bakery": ("Cleo Park", "High Street", 2, "true"), "Harbour Bakery": (None, "Mill Street", 3, "true"),
}  # fmt: skip
SHOP_TRIPLES = [
    *((shop, "type", "bakery") for shop in SHOPS),
    *((shop, "manager", manager) for shop, (manager, *_) in SHOPS.items() if manager),
    *((shop, "street", street) for shop, (_, street, _, _) in SHOPS.items()),
    *((shop, "number of floors", str(floors)) for shop, (*_, floors, _) in SHOPS.items()),
    *((shop, "operational", open_) for shop, (*_, open_) in SHOPS.items()),
    *((person, "type", "person") for person in ("Ada Lund", "Ben Fox", "Cleo Park", "Dora Vale")),
    *((street, "type", "street") for street in ("Mill Street", "High Street")),
    ("Rye Loaf", "type", "bread"), ("Rye Loaf", "sold at", "Harbour Bakery"), ("Rye Loaf", "baker", "Dora Vale"),
    ("Spelt Loaf", "type", "bread"), ("Spelt Loaf", "sold at", "Old Bakery"), ("Spelt Loaf", "baker", "Ben Fox"),
]  # fmt: skip
GRAPH = Graph.from_triples(SHOP_TRIPLES, name="shops")


def _asked(text: str) -> Answer:
    return open_method(GRAPH, "auto").answer(Question("q", text), GRAPH)


def test_what_others_of_the_kind_have_and_this_one_lacks_is_told() -> None:
    assert _asked("Who is the manager of Old Bakery?").texts == ("Ben Fox",)
    lacking = _asked("Who is the manager of Harbour Bakery?")
    assert not lacking.candidates  # and not who bakes what it sells
    assert "manager" in lacking.note


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which bakeries are no longer working?", ["Old Bakery"]),
        ("Which bakeries are still in operation?", ["Corner Bakery", "Harbour Bakery", "River Bakery"]),
        ("Is Old Bakery out of service?", ["yes"]),
        ("Is River Bakery out of service?", ["no"]),
        ("Which two-floor bakeries are in High Street?", ["Old Bakery", "River Bakery"]),
        ("How many more floors does Harbour Bakery have than Corner Bakery?", ["2"]),
        ("Old Bakery versus Corner Bakery: what's the difference in number of floors?", ["1"]),
        ("Spelt Loaf is sold at which bakery?", ["Old Bakery"]),
        ("Which bakeries have no manager yet?", ["Harbour Bakery"]),
    ],
)
def test_other_ways_to_ask(text: str, answers: list[str]) -> None:
    assert sorted(_asked(text).texts) == answers
