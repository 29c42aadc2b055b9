"""Values of an event that bears the name of what it belongs to are reached through it."""

from __future__ import annotations

from clew.graph import Graph
from clew.query import plan as p
from clew.query.keys import Keys


def test_the_date_of_an_event_named_after_its_owner_is_a_key_of_the_owner() -> None:
    rows = []
    for number, route in enumerate(("Via Alba", "Old Wall", "North Ridge", "Sun Slab")):
        event = f"First ascent of {route}"
        rows += [
            (route, "type", "route"),
            (route, "first ascent", event),
            (event, "start date", f"19{60 + number}-07-01"),
        ]
        rows += [(route, "crag", f"Crag {number}"), (f"Crag {number}", "opened", f"20{10 + number}-05-01")]
    keys = Keys(Graph.from_triples(rows))
    found = keys.values(p.Class("route"), ("climbed", "date", "year"), dates=True)
    assert [step.relation for step in found[0].path] == ["first ascent", "start date"]
    assert all(key.path[0].relation != "crag" for key in found)  # a crag has a name of its own
