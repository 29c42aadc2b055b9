"""What services hand out: the things in it, whatever protocol is around them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError
from clew.graph import Graph, build


def rows(folder: Path, *, types: bool = False, **files: Any) -> set[tuple[str, str, str]]:
    paths = []
    for name, held in files.items():
        lines = isinstance(held, tuple)
        path = folder / f"{name}.{'jsonl' if lines else 'json'}"
        path.write_text("\n".join(map(json.dumps, held)) if lines else json.dumps(held))
        paths.append(path)
    assert build(paths, folder / "g.kg").num_problems == 0
    triples = Graph.open(folder / "g.kg", verify=True).triples()
    return {(t.head.label, t.relation.label, t.tail.label) for t in triples if types or t.relation.label != "type"}


def _link(to: str, **more: Any) -> dict[str, Any]:
    return {"href": f"https://shop.example/{to}", **more}


def test_hal_over_two_files(tmp_path: Path) -> None:
    tents = {"name": "Ridge Tent", "price": 389, "_links": {
        "self": _link("products/1"), "supplier": _link("suppliers/7"), "image": _link("1.jpg"),
        "accessories": [_link("products/2")], "find": _link("products{?q}", templated=True),
    }}  # fmt: skip
    line = {"name": "Guyline", "price": 4, "_links": {"self": _link("products/2")}}
    products = {"_embedded": {"products": [tents, line]}, "_links": {"self": _link("products?page=0"),
                "next": _link("products?page=1")}, "page": {"size": 2}}  # fmt: skip
    suppliers = {"_embedded": {"suppliers": [{"name": "Norrland", "_links": {"self": _link("suppliers/7")}}]},
                 "_links": {"self": _link("suppliers")}}  # fmt: skip
    assert rows(tmp_path, products=products, suppliers=suppliers) == {
        ("Ridge Tent", "price", "389"), ("Ridge Tent", "supplier", "Norrland"), ("Guyline", "price", "4"),
        ("Ridge Tent", "accessories", "Guyline"),
    }  # fmt: skip


def test_json_api(tmp_path: Path) -> None:
    book = {"type": "books", "id": "1", "attributes": {"title": "Estuary", "pages": 180}, "relationships": {
        "authors": {"data": [{"type": "people", "id": "1"}]}, "reviews": {"links": {"related": "…"}},
        "series": {"data": None},
    }}  # fmt: skip
    person = {"type": "people", "id": "1", "attributes": {"name": "Caoimhe"}}
    assert rows(tmp_path, types=True, books={"data": [book], "included": [person]}) == {
        ("Estuary", "type", "book"), ("Estuary", "pages", "180"), ("Estuary", "authors", "Caoimhe"),
        ("Caoimhe", "type", "person"),
    }  # fmt: skip


def test_pages_of_graphql(tmp_path: Path) -> None:
    mia = {"id": "u1", "name": "Mia", "login": "mia-v"}
    ben = {"id": "u2", "name": "Ben", "login": "ben"}
    issues = [
        {"id": "i1", "title": "Too slow", "author": {"login": "mia-v"}, "labels": {"nodes": [{"name": "bug"}]}},
        {"id": "i2", "title": "Too loud", "author": {"login": "ben"}, "labels": {"nodes": []}},
    ]
    organization = {"id": "o1", "name": "Low Labs", "members": {"edges": [
        {"role": "ADMIN", "cursor": "x", "node": mia}, {"role": "MEMBER", "cursor": "y", "node": ben},
    ]}, "issues": {"nodes": issues, "totalCount": 2, "pageInfo": {"hasNextPage": False}}}  # fmt: skip
    found = rows(tmp_path, response={"data": {"organization": organization}})
    assert {
        ("Low Labs", "member", "Mia"), ("Low Labs", "issues", "Too slow"), ("Too slow", "author", "Mia"),
        ("Too loud", "author", "Ben"), ("Too slow", "labels", "bug"),
    } <= found  # fmt: skip
    assert {row[2] for row in found if row[1] == "role"} == {"ADMIN", "MEMBER"}
    assert not any(row[1] in ("cursor", "totalCount", "edges", "node") for row in found)


def test_maps_by_id(tmp_path: Path) -> None:
    ada, bo = "vjruN544DTgSEiz61pXk2h", "SJQpZjHWW9hK9AF99bruv2"
    data = {
        "users": {ada: {"displayName": "Ada"}, bo: {"displayName": "Bo"}},
        "trips": {"-NzI67NmjX849g1nzgJ0": {"title": "Lofoten", "ownerUid": ada, "members": {ada: True, bo: True}},
                  "-NzI67NmjX849g1nzgJ1": {"title": "Skye", "guide": f"/users/{bo}"}},
        "friends": {ada: {bo: True}, bo: {ada: True}},
    }  # fmt: skip
    assert rows(tmp_path, export=data) == {
        ("Lofoten", "owner", "Ada"), ("Lofoten", "members", "Ada"), ("Lofoten", "members", "Bo"),
        ("Skye", "guide", "Bo"), ("Ada", "friends", "Bo"), ("Bo", "friends", "Ada"),
    }  # fmt: skip


def test_lines_of_mongodb(tmp_path: Path) -> None:
    club, mia = "5c7ccfc95f3a91c2d79af9ee", "5c2b7cec5f3a91c2d7edd59f"
    clubs = (
        {"_id": {"$oid": club}, "name": "Ironworks", "managerId": {"$oid": mia}},
        {"_id": {"$oid": club[::-1]}, "name": "Apex", "managerId": {"$oid": mia}},
    )
    people = (
        {"_id": {"$oid": mia}, "name": {"first": "Amina", "last": "Khan"}, "homeClub": {"$ref": "clubs", "$id":
         {"$oid": club}}, "joined": {"$date": {"$numberLong": "1546300800000"}}, "fee": {"$numberDecimal": "44.50"}},
    )  # fmt: skip
    assert rows(tmp_path, clubs=clubs, people=people) == {
        ("Ironworks", "manager", "Amina Khan"), ("Apex", "manager", "Amina Khan"),
        ("Amina Khan", "homeClub", "Ironworks"), ("Amina Khan", "joined", "2019-01-01"), ("Amina Khan", "fee", "44.50"),
    }  # fmt: skip


def test_answers_of_search_contents_and_odata(tmp_path: Path) -> None:
    hits = {"took": 3, "hits": {"total": 1, "hits": [
        {"_index": "exhibits-2025.02.27", "_id": "7", "_score": 1.0, "_source": {"title": "Charger", "year": 1920}},
    ]}}  # fmt: skip
    assert rows(tmp_path, types=True, search=hits) == {("Charger", "type", "exhibit"), ("Charger", "year", "1920")}
    strapi = {"data": [{"id": 1, "attributes": {"title": "Onion Jam", "author": {"data": {"id": 1, "attributes":
              {"name": "Inés"}}}, "cover": {"data": None}}}], "meta": {"pagination": {"page": 1}}}  # fmt: skip
    assert rows(tmp_path, recipes=strapi) == {("Onion Jam", "author", "Inés")}
    account, order = "2dd301c8-a91a-4a5c-b623-c4dd26000001", "9c6abc0d-d389-4dde-a880-efe7f7000000"
    shown = "status@OData.Community.Display.V1.FormattedValue"
    accounts = {"@odata.context": "https://x/$metadata#accounts", "value": [
        {"@odata.etag": "W/1", "accountid": account, "name": "Brightwater"}]}  # fmt: skip
    orders = {"@odata.context": "https://x/$metadata#workorders", "value": [
        {"workorderid": order, "name": "WO-1", "_account_value": account, "status": 690970003, shown: "Completed",
         "Parent@odata.bind": f"/accounts({account})"}]}  # fmt: skip
    assert rows(tmp_path, accounts=accounts, workorders=orders) == {
        ("WO-1", "account", "Brightwater"), ("WO-1", "status", "Completed"), ("WO-1", "Parent", "Brightwater"),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["row", "graph"])
def test_answers_of_neo4j(tmp_path: Path, form: str) -> None:
    nodes = [{"id": 1, "labels": ["Team"], "properties": {"name": "Payments"}},
             {"id": 2, "labels": ["Service"], "properties": {"name": "ledger"}}]  # fmt: skip
    owns = {"id": 9, "type": "OWNS", "startNode": 1, "endNode": 2, "properties": {"since": 2022}}
    meta = [{"id": 1, "type": "node"}, None, {"id": 9, "type": "relationship"}, {"id": 2, "type": "node"}]
    data = {"graph": {"nodes": nodes, "relationships": [owns]}} if form == "graph" else {
        "row": [{"name": "Payments"}, "OWNS", {"since": 2022}, {"name": "ledger"}], "meta": meta}  # fmt: skip
    found = rows(tmp_path, answer={"results": [{"columns": ["n", "t", "r", "m"], "data": [data]}], "errors": []})
    assert ("Payments", "OWNS", "ledger") in found and any(row[1:] == ("since", "2022") for row in found)


def test_lists_with_ids_of_their_own(tmp_path: Path) -> None:
    data = {
        "hosts": [{"hostId": "H01", "name": "Bridget"}, {"hostId": "H02", "name": "Callum"}],
        "sponsors": [{"sponsorId": f"S{n}", "company": name} for n, name in enumerate(
            ["Kett Garage", "Marsh Inn", "Old Lifeboat", "Holt Bakery", "Cromer Fish"])],
        "programmes": [{"progId": "P1", "title": "Salt & Toast", "hostIds": ["H01", "H02"],
                        "sponsorship": [{"sponsorId": "S1", "spots": 4}, {"sponsorId": "S3", "spots": 2}]}],
    }  # fmt: skip
    found = rows(tmp_path, export=data)
    assert {("Salt & Toast", "host", "Bridget"), ("Salt & Toast", "host", "Callum")} <= found
    assert {row[2] for row in found if row[1] == "sponsor"} == {"Marsh Inn", "Holt Bakery"}


def test_what_is_only_referred_to_is_the_thing_that_says_more(tmp_path: Path) -> None:
    def member(number: int, name: str, **more: Any) -> dict[str, Any]:
        return {"id": number, "name": name, **more}

    members = [
        member(7, "Ada", role="head", joined=2009),
        member(8, "Bo", role="phd", joined=2022, supervisor=member(7, "Ada")),
        member(9, "Cy", role="phd", joined=2023, supervisor=member(8, "Bo")),
    ]
    papers = [{"id": 3, "title": "Thin films", "authors": [member(7, "Ada"), member(8, "Bo")]}]
    data = {"groups": [{"id": 1, "title": "Optics", "members": members, "papers": papers}]}
    found = rows(tmp_path, types=True, lab=data)
    assert {("Bo", "supervisor", "Ada"), ("Thin films", "authors", "Ada"), ("Ada", "joined", "2009")} <= found
    assert {row[2] for row in found if row[:2] == ("Ada", "type")} == {"member"}


def test_a_title_of_people_is_no_name(tmp_path: Path) -> None:
    titles = ("Dr", "Dr", "Prof", "Dr", "Prof")
    people = [{"lecturerNo": n, "title": title, "sortName": f"Quist, {n}da"} for n, title in enumerate(titles)]
    found = rows(tmp_path, timetable={"lecturers": people})
    assert ("Quist, 0da", "title", "Dr") in found


def test_records_of_airtable_over_two_files(tmp_path: Path) -> None:
    site, ada = "recAl1DVNYZV0zZYa", "rec7DIv3tmxvJm8aH"
    sites = {"records": [{"id": site, "createdTime": "2024-05-07T03:30:02.000Z", "fields": {
        "Site name": "Hoogwerd", "Team": [ada], "Days dug": 6}}]}  # fmt: skip
    people = {"records": [{"id": ada, "createdTime": "2024-05-07T03:30:02.000Z", "fields": {
        "Name": "Ada", "Sites": [site]}}]}  # fmt: skip
    found = rows(tmp_path, Sites=sites, People=people)
    assert {("Hoogwerd", "Team", "Ada"), ("Ada", "Sites", "Hoogwerd"), ("Hoogwerd", "Days dug", "6")} <= found


def test_users_of_a_chat_over_two_files(tmp_path: Path) -> None:
    users = [{"id": "U0E6SYHTQ13", "name": "wei"}, {"id": "U0QF83NQP2L", "name": "jonas"}]
    channels = [{"id": "C0HGJWA409L", "name": "orders", "creator": "U0E6SYHTQ13", "members": ["U0QF83NQP2L"]}]
    found = rows(tmp_path, users=users, channels=channels)
    assert {("orders", "creator", "wei"), ("orders", "members", "jonas")} <= found


def test_a_thing_with_pages_of_others(tmp_path: Path) -> None:
    def track(id: str, name: str) -> dict[str, Any]:
        artists = [{"id": "a1", "type": "artist", "name": "DJ Okra"}]
        return {"added_at": "2024-01-01", "track": {"id": id, "type": "track", "name": name, "artists": artists}}

    held = {
        "id": "p1", "type": "playlist", "name": "Sunday", "images": [{"url": "https://i/1", "width": 640}],
        "tracks": {"href": "https://x", "limit": 100, "next": None, "offset": 0, "total": 2,
                   "items": [track("t1", "Proof"), track("t2", "Rise")]},
    }  # fmt: skip
    found = rows(tmp_path, playlist=held)
    assert {("Sunday", "track", "Proof"), ("Sunday", "track", "Rise"), ("Rise", "artists", "DJ Okra")} <= found


def test_relations_that_state_their_kind_and_direction(tmp_path: Path) -> None:
    dan = {"id": "e431f5f6-b5d2-343d-8b36-72607fae4e00", "name": "Dan"}
    held = {
        "id": "0005f5f6-b5d2-343d-8b36-72607fae4e00", "name": "The Exchange", "type": "Group",
        "type-id": "9995f5f6-b5d2-343d-8b36-72607fae4e00", "relations": [
            {"type": "member of band", "direction": "backward", "artist": dan, "begin": "1979"},
            {"type": "tribute", "direction": "forward", "artist": {**dan, "id": dan["id"][::-1], "name": "Copies"}},
        ],
    }  # fmt: skip
    found = rows(tmp_path, artist=held)
    assert {("Dan", "member of band", "The Exchange"), ("The Exchange", "tribute", "Copies")} <= found


def test_elements_of_openstreetmap(tmp_path: Path) -> None:
    held = {"version": 0.6, "generator": "Overpass API", "elements": [
        {"type": "node", "id": 1, "lat": 48.6, "lon": 12.9, "tags": {"name": "Weidach", "place": "village"}},
        {"type": "node", "id": 2, "lat": 48.7, "lon": 12.8}, {"type": "way", "id": 1, "nodes": [1, 2]},
        {"type": "way", "id": 7, "nodes": [1, 2], "tags": {"name": "Mill Lane", "highway": "residential"}},
        {"type": "relation", "id": 3, "tags": {"name": "Bus 62", "type": "route", "route": "bus"}, "members": [
            {"type": "way", "ref": 7, "role": ""}, {"type": "node", "ref": 1, "role": "stop"},
            {"type": "node", "ref": 99, "role": "stop"}]},
    ]}  # fmt: skip
    found = rows(tmp_path, types=True, osm=held)
    assert {
        ("Weidach", "type", "village"), ("Bus 62", "stop", "Weidach"), ("Bus 62", "member", "Mill Lane"),
        ("Mill Lane", "type", "residential"), ("Bus 62", "type", "route"),
    } <= found  # fmt: skip


DEEP: Any = 1
for _ in range(700):
    DEEP = [DEEP]


@pytest.mark.parametrize("held", [
    {"people": [{"name": "A", "_id": {"$oid": "5c7ccfc95f3a91c2d79af9ee"}, "deep": DEEP}]},
    {"elements": [{"type": "node", "id": None, "tags": {"name": "A"}, "members": 3}], "osm3s": {}},
    {"id": "p", "name": "P", "type": "x", "tracks": {"items": [3, None], "total": "x"}},
    {"records": [{"id": 3, "createdTime": None, "fields": {"id": "x"}}]},
    {"_links": {"self": None}, "_embedded": {"x": [1, {"name": "A"}]}},
    {"data": {"type": "x", "id": None}, "included": 7},
    {"results": [{"columns": [], "data": [{"row": [1], "meta": []}]}]},
    {"hits": {"hits": [{"_source": 3}]}},
    {"name": "A", "edges": [{"node": None}]},
    {"@odata.context": 3, "value": [{"name": "A"}]},
    {"people": [{"name": "A", "when": {"$date": "x"}, "id": {"$oid": {}}}]},
])  # fmt: skip
def test_broken_envelopes_break_nothing(tmp_path: Path, held: Any) -> None:
    (tmp_path / "x.json").write_text(json.dumps(held))
    try:
        build(tmp_path / "x.json", tmp_path / "g.kg")
    except InputError as error:
        assert "x.json" in str(error)


def test_a_document_is_a_thing_with_lists_of_its_own(tmp_path: Path) -> None:
    """Nested things are found by ids and names that are called after them."""
    venue = {
        "venueId": "V-1", "name": "Lock Lane", "city": "Leeds",
        "rooms": [{"roomCode": "R1", "title": "Cellar", "sessions": [
            {"sessionId": "S1", "teamName": "Odd Socks", "minutes": 50},
            {"sessionId": "S2", "teamName": "Late Again", "minutes": 61}]}],
        "teams": [{"teamName": "Odd Socks", "captain": "Ida"}, {"teamName": "Late Again", "captain": "Per"}],
    }  # fmt: skip
    found = rows(tmp_path, venue_leeds=venue)
    assert {("Lock Lane", "city", "Leeds"), ("Lock Lane", "rooms", "Cellar"), ("Cellar", "sessions", "S1"),
            ("S1", "teamName", "Odd Socks"), ("Odd Socks", "captain", "Ida")} <= found  # fmt: skip
