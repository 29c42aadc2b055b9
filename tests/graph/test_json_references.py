"""Keys of plain JSON that hold ids of other lists: ids are unique within their list alone, as services number them."""

import json

import pytest

from clew.graph import Graph, build

TEAMS = [{"id": n, "name": f"Team {n}"} for n in range(1, 5)]
AGENTS = [{"id": 100 + n, "name": f"Agent {n}", "hired_on": f"201{n}-02-03", "team_id": 1 + n % 4} for n in range(1, 6)]
USERS = [{"id": n, "name": f"User {n}", "manager_id": None if n == 7 else 7} for n in range(1, 13)]
TICKETS = [
    {"id": 2000 + n, "subject": f"Ticket {n}", "requester_id": 1 + 5 * n % 12, "assignee_id": 100 + 1 + n % 5,
     "watcher_ids": [n % 4 + 1, 9], "priority_id": f"P{1 + n % 3}", "reopen_count": n % 3, "ram_gb": 4}
    for n in range(9)
]  # fmt: skip
PRIORITIES = [{"id": f"P{n}", "name": name} for n, name in enumerate(("Critical", "High", "Low"), 1)]


def helpdesk(**more):
    """An export as a service writes it, with lists changed or added."""
    teams = [{**team, "lead_id": 100 + team["id"]} for team in TEAMS]
    lists = {"teams": teams, "agents": AGENTS, "users": USERS, "tickets": TICKETS, "priorities": PRIORITIES}
    return {"exported_at": "2025-03-31", **lists, **more}


def built(tmp_path, data, name="export.json"):
    (tmp_path / name).write_text(data if isinstance(data, str) else json.dumps(data))
    report = build(tmp_path / name, tmp_path / "g.kg")
    assert report.num_problems == 0
    graph = Graph.open(tmp_path / "g.kg", verify=True)
    return {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}, list(report.tables)


def test_a_column_leads_to_the_list_that_its_name_or_its_meaning_says(tmp_path):
    products = [{"id": 501, "name": "Mail", "supported_by_team_id": 2, "seats": 3}]
    devices = [{"id": n, "name": f"LT-{n}", "type": kind, "assigned_user_id": 3}
               for n, kind in ((901, "laptop"), (902, "phone"))]  # fmt: skip
    children = [TICKETS[0], {**TICKETS[1], "parent_id": 2000, "device_id": 902}, *TICKETS[2:]]
    facts, told = built(tmp_path, helpdesk(products=products, devices=devices, tickets=children))
    assert {
        ("Team 1", "lead", "Agent 1"), ("Agent 1", "team", "Team 2"), ("User 1", "manager", "User 7"),
        ("Ticket 0", "requester", "User 1"), ("Ticket 0", "assignee", "Agent 1"), ("Ticket 0", "priority", "Critical"),
        ("Ticket 0", "watcher", "User 9"), ("Ticket 1", "watcher", "User 2"), ("Mail", "supported_by_team", "Team 2"),
        ("LT-901", "assigned_user", "User 3"), ("Ticket 1", "parent", "Ticket 0"), ("Ticket 1", "device", "LT-902"),
    } <= facts  # fmt: skip
    assert {("Ticket 1", "reopen_count", "1"), ("Ticket 1", "ram_gb", "4"), ("Mail", "seats", "3")} <= facts
    assert "9 × 'ticket'" in told and "  requester_id → user" in told and "  lead_id → agent" in told


def test_ids_that_are_numbers_in_texts(tmp_path):
    data = json.loads(json.dumps(helpdesk()), parse_int=str)
    facts, _ = built(tmp_path, data)
    assert {("Ticket 0", "requester", "User 1"), ("Agent 1", "team", "Team 2"), ("Ticket 1", "reopen_count", "1")} <= (
        facts
    )


def test_of_lists_that_hold_all_values_the_one_that_they_fill(tmp_path):
    """Both users and agents are people and are numbered from one: no user above the fifth is ever assigned."""
    agents = [{**agent, "id": agent["id"] - 100} for agent in AGENTS]
    tickets = [{**ticket, "assignee_id": ticket["assignee_id"] - 100} for ticket in TICKETS]
    facts, _ = built(tmp_path, helpdesk(agents=agents, tickets=tickets, teams=TEAMS))
    assert {("Ticket 0", "assignee", "Agent 1"), ("Ticket 0", "requester", "User 1")} <= facts


def test_what_nothing_tells_apart_stays_as_it_is(tmp_path):
    tickets = [{**ticket, "xref_id": 1 + n % 3, "invoice_id": n + 1, "company_id": 70 + n}
               for n, ticket in enumerate(TICKETS)]  # fmt: skip
    facts, told = built(tmp_path, helpdesk(tickets=tickets))
    assert {("Ticket 0", "xref_id", "1"), ("Ticket 0", "invoice_id", "1"), ("Ticket 0", "company_id", "70")} <= facts
    assert "ticket.xref_id: names no table, and its values are keys of team, user; kept as a value" in told


def test_a_value_that_is_not_there_stays_one(tmp_path):
    agents = [*AGENTS, {"id": 106, "name": "Agent 6", "team_id": 44}]
    facts, told = built(tmp_path, helpdesk(agents=agents))
    assert {("Agent 6", "team_id", "44"), ("Agent 1", "team", "Team 2")} <= facts
    assert "  team_id → team, 80 % of its values" in told


@pytest.mark.parametrize("lines", [True, False])
def test_records_of_several_kinds_in_one_list(tmp_path, lines):
    """Ids are unique within what the records state as their type."""
    records = [{"type": kind, **each} for kind, some in (("team", TEAMS), ("user", USERS), ("ticket", TICKETS))
               for each in some]  # fmt: skip
    records[-1] = {**records[-1], "team_id": 4, "parent_id": 2000}
    facts, _ = built(tmp_path, "\n".join(map(json.dumps, records)) if lines else records,
                     "dump.ndjson" if lines else "dump.json")  # fmt: skip
    assert {("Ticket 0", "requester", "User 1"), ("User 1", "manager", "User 7"), ("Ticket 8", "team", "Team 4"),
            ("Ticket 8", "parent", "Ticket 0")} <= facts  # fmt: skip


def test_lists_within_objects_and_codes_that_two_lists_share(tmp_path):
    orders = [{"id": n, "lines": [{"article_id": f"A{n}", "pieces": 2}, {"article_id": "A3", "pieces": 1}],
               "rack_id": f"A{n}"} for n in (1, 2)]  # fmt: skip
    articles = [{"id": f"A{n}", "name": f"Article {n}"} for n in range(1, 4)]
    racks = [{"id": f"A{n}", "name": f"Rack {n}"} for n in range(1, 4)]
    facts, _ = built(tmp_path, {"orders": orders, "articles": articles, "racks": racks})
    assert {("order 1", "rack", "Rack 1"), ("order 2", "rack", "Rack 2")} <= facts
    assert {(relation, tail) for head, relation, tail in facts if head.startswith("_:")} >= {
        ("article", "Article 1"), ("article", "Article 3"), ("pieces", "2"),
    }  # fmt: skip
