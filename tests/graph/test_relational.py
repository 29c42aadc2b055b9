"""The tables of a relational database become things and relations, from their names and values alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from clew.errors import InputError
from clew.graph import BuildReport, Graph, build
from clew.graph.nouns import abbreviates, noun_of, without_shared

XSD = "http://www.w3.org/2001/XMLSchema#"
CARRIER = {
    "drivers": "id,full_name,dob,home_warehouse_id\n101,Ilse Maes,1988-01-30,1\n102,Jan Bos,1990-02-01,2\n"
    "103,Uwe Kern,1979-05-05,\\N\n",
    "warehouses": "id,name,city_id,cold_storage,mgr_id\n1,North Hub,2,t,1\n2,South Hub,1,f,3\n",
    "cities": "id,name\n1,Lyon\n2,Ghent\n3,Graz\n",
    "staff": "id,full_name,boss_id\n1,Ada Lind,\n2,Bo Falk,1\n3,Cy Moreau,1\n",
    "trucks": "id,plate_no,make,home_warehouse_id\n1,48-BPK-7,DAF,1\n2,71-BTL-2,Volvo,2\n3,22-BNX-9,DAF,NULL\n",
    "driver_trucks": "driver_id,truck_id,assigned_on\n101,1,2018-03-24\n101,2,\n102,3,2020-01-01\n",
}
SHOP = {
    "shop_customers": "customerId,firstName,lastName,email\nC1,Ann,Lee,a@x.org\nC2,Bo,Ek,b@x.org\n",
    "shop_products": "sku,title,unitPrice,isDiscontinued\nP-1,Tea,2.50,0\nP-2,Salt,1.00,1\n",
    "shop_orders": "orderId,customerId,placedAt\n501,C1,2024-01-02 10:30:00\n502,C2,2024-01-03 00:00:00\n",
    "shop_order_items": "orderId,sku,quantity\n501,P-1,3\n501,P-2,1\n502,P-2,7\n",
}
FLIGHTS = {
    "airports": "code,city\nAMS,Amsterdam\nCDG,Paris\nVIE,Vienna\n",
    "flights": "flight_no,origin,destination,zone_no\nKL1,AMS,VIE,1\nAF2,CDG,AMS,2\nOS3,VIE,CDG,1\n",
    "zones": "id,name\n1,Near\n2,Far\n",
}
SCHOOL = {
    "student": "student,name,year\n1,Mia,1\n2,Leo,2\n3,Zoe,1\n",
    "club": "student,course,role\n2,1,Head of pi\n3,2,Lens keeper\n3,1,Scribe\n",
    "course": "course,title,teacher\n1,Algebra,7\n2,Optics,8\n",
    "teacher": "teacher,name\n7,Dr Ames\n8,Dr Berg\n",
    "enrolment": "student,course,grade\n1,1,A\n1,2,B\n2,2,A\n3,1,\n",
}


def put(folder: Path, tables: dict[str, str], suffix: str = "csv") -> list[Path]:
    files = [folder / f"{name}.{suffix}" for name in tables]
    for file, text in zip(files, tables.values(), strict=True):
        file.write_text(text if suffix == "csv" else text.replace(",", "\t"))
    return files


def built(folder: Path, tables: dict[str, str], **options: object) -> tuple[Graph, BuildReport]:
    report = build(put(folder, tables), folder / "x.kg", **options)  # type: ignore[arg-type]
    return Graph.open(folder / "x.kg"), report


def said(graph: Graph) -> set[tuple[str, str, str]]:
    return {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}


def test_a_folder_of_tables(tmp_path: Path) -> None:
    put(tmp_path, CARRIER)
    report = build(tmp_path, tmp_path / "x.kg")
    graph = Graph.open(tmp_path / "x.kg")
    assert said(graph) == {
        *((name, "type", "driver") for name in ("Ilse Maes", "Jan Bos", "Uwe Kern")),
        *((name, "type", "warehouse") for name in ("North Hub", "South Hub")),
        *((name, "type", "city") for name in ("Lyon", "Ghent", "Graz")),
        *((name, "type", "staff") for name in ("Ada Lind", "Bo Falk", "Cy Moreau")),
        *((name, "type", "truck") for name in ("48-BPK-7", "71-BTL-2", "22-BNX-9")),
        ("Ilse Maes", "birth date", "1988-01-30"),
        ("Jan Bos", "birth date", "1990-02-01"),
        ("Uwe Kern", "birth date", "1979-05-05"),
        ("Ilse Maes", "home_warehouse", "North Hub"),
        ("Jan Bos", "home_warehouse", "South Hub"),
        ("North Hub", "city", "Ghent"),
        ("South Hub", "city", "Lyon"),
        ("North Hub", "cold_storage", "true"),
        ("South Hub", "cold_storage", "false"),
        ("North Hub", "manager", "Ada Lind"),
        ("South Hub", "manager", "Cy Moreau"),
        ("Bo Falk", "boss", "Ada Lind"),
        ("Cy Moreau", "boss", "Ada Lind"),
        ("48-BPK-7", "make", "DAF"),
        ("71-BTL-2", "make", "Volvo"),
        ("22-BNX-9", "make", "DAF"),
        ("48-BPK-7", "home_warehouse", "North Hub"),
        ("71-BTL-2", "home_warehouse", "South Hub"),
        ("Ilse Maes", "truck", "48-BPK-7"),
        ("Ilse Maes", "truck", "71-BTL-2"),
        ("Jan Bos", "truck", "22-BNX-9"),
        ("Ilse Maes", "truck", "_:driver_trucks.0"),
        ("_:driver_trucks.0", "truck", "48-BPK-7"),
        ("_:driver_trucks.0", "assigned_on", "2018-03-24"),
        ("Ilse Maes", "truck", "_:driver_trucks.1"),
        ("_:driver_trucks.1", "truck", "71-BTL-2"),
        ("Jan Bos", "truck", "_:driver_trucks.2"),
        ("_:driver_trucks.2", "truck", "22-BNX-9"),
        ("_:driver_trucks.2", "assigned_on", "2020-01-01"),
    }
    assert report.problem_counts == {}
    assert "drivers: 3 × 'driver', key id, named by full_name" in report.tables
    assert "  mgr_id → staff" in report.tables and "  boss_id → staff" in report.tables
    assert "driver_trucks: relation 'truck' from drivers to trucks, with assigned_on" in report.tables
    assert "  mgr_id → staff" in str(report)


def test_keys_in_camel_case_and_codes(tmp_path: Path) -> None:
    graph, _ = built(tmp_path, SHOP)
    found = said(graph)
    assert {
        ("Ann Lee", "type", "customer"),
        ("order 501", "customer", "Ann Lee"),
        ("order 501", "item", "Tea"),
        ("_:shop_order_items.2", "quantity", "7"),
        ("order 502", "placedAt", "2024-01-03"),
        ("Tea", "sku", "P-1"),
        ("Salt", "isDiscontinued", "true"),
    } <= found
    assert ("order 501", "type", "order") in found
    graph, _ = built(tmp_path, FLIGHTS)
    assert {("KL1", "origin", "AMS"), ("KL1", "destination", "VIE"), ("AMS", "city", "Amsterdam")} <= said(graph)
    assert ("KL1", "zone", "Near") in said(graph)


def test_keys_called_like_the_table(tmp_path: Path) -> None:
    graph, report = built(tmp_path, SCHOOL)
    found = said(graph)
    assert {("Mia", "enrolment", "Algebra"), ("Algebra", "teacher", "Dr Ames"), ("Leo", "type", "student")} <= found
    assert ("_:enrolment.0", "grade", "A") in found and ("_:club.1", "role", "Lens keeper") in found
    assert "enrolment: relation 'enrolment' from student to course, with grade" in report.tables


def test_what_is_doubtful_is_told_and_left_alone(tmp_path: Path) -> None:
    tables = {
        "plants": "id,name,owner_id,region_id\n1,Oak,1,1\n2,Fir,2,2\n3,Elm,3,9\n",
        "clients": "id,name,birth_date\n1,Ann,1990-01-01\n2,Bob,1991-01-01\n3,Cas,1992-01-01\n",
        "patients": "id,name,birth_date\n1,Dan,1990-01-01\n2,Eve,1991-01-01\n3,Fay,1992-01-01\n",
        "regions": "id,name\n7,North\n8,South\n9,East\n",
        "visits": "id,patient_id,cost\n51,1,3\n52,2,4\n53,0,5\n54,3,5\n55,3,5\n56,3,5\n57,3,5\n58,3,5\n59,2,7\n",
    }
    graph, report = built(tmp_path, tables)
    found = said(graph)
    assert ("Oak", "owner_id", "1") in found and ("Oak", "region_id", "1") in found
    told = "\n".join(report.tables)
    assert "owner_id: its values are keys of clients and patients; kept as a value, say which with" in told
    assert "region_id: named like a key of regions, but 66.7 % of its values are not there; kept as a value" in told
    assert "patient_id → patients, 75 % of its values" in told
    assert ("visit 51", "patient", "Dan") in found and not any(t[:2] == ("visit 53", "patient") for t in found)
    graph, report = built(tmp_path, tables, foreign_keys={"plants.owner_id": "clients", "visits.patient_id": ""})
    found = said(graph)
    assert ("Oak", "owner", "Ann") in found and ("visit 51", "patient_id", "1") in found


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"plant.owner_id": "clients"}, "no table 'plant'; nearest: 'plants'"),
        ({"plants.owner": "clients"}, "table 'plants' has no column 'owner'; nearest: 'owner_id'"),
        ({"plants.owner_id": "clint"}, "no table 'clint'; nearest: 'clients'"),
    ],
)
def test_a_foreign_key_that_is_none(tmp_path: Path, said: dict[str, str], message: str) -> None:
    tables = {"plants": "id,name,owner_id\n1,Oak,1\n", "clients": "id,name\n1,Ann\n"}
    with pytest.raises(InputError, match=message):
        built(tmp_path, tables, foreign_keys=said)


def database(file: Path, script: str) -> Path:
    with sqlite3.connect(file) as connection:
        connection.executescript(script)
    connection.close()
    return file


def test_a_database_states_its_keys(tmp_path: Path) -> None:
    file = database(
        tmp_path / "club.sqlite",
        """
        CREATE TABLE people (nr INTEGER PRIMARY KEY, name TEXT, active BOOLEAN, photo BLOB, zip TEXT);
        CREATE TABLE shows (title TEXT PRIMARY KEY, host INTEGER REFERENCES people, price REAL);
        CREATE TABLE parts (show TEXT, number INTEGER, length INTEGER, PRIMARY KEY (show, number),
                            FOREIGN KEY (show) REFERENCES shows (title));
        CREATE TABLE casts (show TEXT, part INTEGER, who INTEGER REFERENCES people (nr), fee INTEGER,
                            FOREIGN KEY (show, part) REFERENCES parts (show, number));
        CREATE VIEW cheap AS SELECT * FROM shows;
        INSERT INTO people VALUES (1, 'Ann', 1, x'00ff', '01234'), (2, 'Bo', 0, NULL, '99999');
        INSERT INTO shows VALUES ('Ice', 1, 5.5), ('Fire', 2, 7.0);
        INSERT INTO parts VALUES ('Ice', 1, 30), ('Ice', 2, 25);
        INSERT INTO casts VALUES ('Ice', 2, 2, 100);
        """,
    )
    before = file.read_bytes()
    report = build(file, tmp_path / "x.kg")
    graph = Graph.open(tmp_path / "x.kg")
    found = said(graph)
    assert {
        ("Ice", "host", "Ann"),
        ("Ice", "price", "5.5"),
        ("Ann", "active", "true"),
        ("Ann", "zip", "01234"),
        ("Bo", "type", "person"),
        ("part Ice/2", "show", "Ice"),
        ("part Ice/2", "length", "25"),
        ("part Ice/2", "cast", "Bo"),
        ("_:casts.0", "fee", "100"),
    } <= found
    assert not any(relation == "photo" for _, relation, _ in found)
    assert "left out: view cheap" in report.tables
    assert file.read_bytes() == before and [each.name for each in tmp_path.glob("club*")] == ["club.sqlite"]


def test_what_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(InputError, match="cannot be read as an SQLite database"):
        build(tmp_path / "x.db", tmp_path / "x.kg")
    (tmp_path / "y.db").write_text("hello")
    with pytest.raises(InputError, match="cannot be read as an SQLite database"):
        build(tmp_path / "y.db", tmp_path / "x.kg")


def test_parquet_and_what_pandas_writes(tmp_path: Path) -> None:
    parquet.write_table(
        pa.table({"id": [1, 2], "name": ["Kit", "Moe"], "team_id": [4.0, None]}), tmp_path / "players.parquet"
    )
    (tmp_path / "teams.csv").write_text("id;name;founded\n4;Reds;1901.0\n5;Blues;\n")
    build([tmp_path / "players.parquet", tmp_path / "teams.csv"], tmp_path / "x.kg")
    graph = Graph.open(tmp_path / "x.kg")
    assert {("Kit", "team", "Reds"), ("Reds", "founded", "1901"), ("Moe", "type", "player")} <= said(graph)


def test_a_table_may_speak_of_the_things_of_another(tmp_path: Path) -> None:
    tables = {
        "persons": "id,name\n1,Ann\n2,Bob\n3,Cas\n",
        "students": "person_id,major\n1,Physics\n",
        "friends": "person_id,friend_id\n1,2\n1,3\n2,3\n",
    }
    graph, _ = built(tmp_path, tables)
    assert {("Ann", "type", "person"), ("Ann", "type", "student"), ("Ann", "major", "Physics")} <= said(graph)
    assert ("Ann", "friend", "Bob") in said(graph)


def test_other_tables_stay_what_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("head,relation,tail\nx,likes_id,y\n")
    (tmp_path / "b.csv").write_text("subject,predicate,object\ny,likes,z\n")
    assert build([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "x.kg").triples == 2
    (tmp_path / "c.tsv").write_text("Brazil\tdirected by\tTerry Gilliam\n")
    report = build([tmp_path / name for name in ("a.csv", "b.csv", "c.tsv")], tmp_path / "x.kg")
    assert report.triples == 3 and report.tables == ()


def test_words() -> None:
    assert [noun_of(name) for name in ("tbl_OrderItems", "categories", "dim_customer", "staff")] == [
        ("order", "item"), ("category",), ("customer",), ("staff",)]  # fmt: skip
    assert without_shared(["olist_orders_set", "olist_items_set", "olist_people_set"]) == ["orders", "items", "people"]
    assert without_shared(["order", "order_items", "order_notes"]) == ["order", "order_items", "order_notes"]
    assert abbreviates("mgr", "manager") and abbreviates("cust", "customer") and abbreviates("dept", "department")
    assert not abbreviates("host", "hospital") and not abbreviates("no", "note")


def test_a_table_in_several_files(tmp_path: Path) -> None:
    tables = {
        "orders_2023": "client_id,cost\n1,5\n2,6\n",
        "orders_2024": "client_id,cost\n2,7\n1,8\n",
        "clients": "id,name\n1,Ann\n2,Bob\n",
    }
    graph, report = built(tmp_path, tables)
    assert {(f"order {n}", "client", name) for n, name in enumerate(("Ann", "Bob", "Bob", "Ann"), 1)} <= said(graph)
    assert "orders: 4 × 'order', key none (rows are numbered), named by order and key" in report.tables


def test_frames(tmp_path: Path) -> None:
    import pandas as pd

    clubs = pd.DataFrame({"id": [1, 2], "name": ["Reds", "Blues"], "founded": pd.to_datetime(["1901-05-01", None])})
    players = pa.table({"id": [7, 8], "name": ["Kit", "Moe"], "club_id": [1, None], "captain": [True, False]})
    graph = Graph.from_frames({"clubs": clubs, "players": players})
    found = said(graph)
    assert {("Kit", "club", "Reds"), ("Reds", "founded", "1901-05-01"), ("Moe", "captain", "false")} <= found
    with pytest.raises(InputError, match="1 frames: a database has two tables at least"):
        Graph.from_frames({"clubs": clubs})
    with pytest.raises(InputError, match="cannot be held as a table"):
        Graph.from_frames({"clubs": clubs, "odd": pd.DataFrame({"x": [1, "a"]})})


def test_what_lies_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    put(folder, CARRIER)
    (folder / "README.txt").write_text("what these are, and\nwho made them\n")
    (folder / "x.json").write_text("{}")
    assert build(folder, tmp_path / "x.kg").problem_counts == {}
    with pytest.raises(InputError, match="is a folder without a file of a known format"):
        build(tmp_path / "x.kg", tmp_path / "y.kg")


def test_nodes_of_several_kinds_with_their_edges(tmp_path: Path) -> None:
    nodes = {"cities": "id,name,country_id\nc1,Lyon,k1\nc2,Ghent,k2\n", "countries": "id,name\nk1,France\nk2,Belgium\n"}
    graph, report = built(tmp_path, {**nodes, "edges": "source,target,type\nc1,c2,twinned\n"})
    assert report.tables == () and ("Lyon", "twinned", "Ghent") in said(graph)
    same = {name: text.replace("c1,", "1,").replace("c2,", "2,").replace("k1", "1").replace("k2", "2")
            for name, text in nodes.items()}  # fmt: skip
    graph, report = built(tmp_path, {**same, "flights": "flight_no,from_id,to_id,km\nX1,1,2,600\nX2,2,1,601\n"})
    assert ("Lyon", "country", "France") in said(graph) and ("X1", "km", "600") in said(graph)


def test_by_whom_something_is_done_is_somebody_though_no_word_says_that_it_is_a_key(tmp_path: Path) -> None:
    tables = {
        "weavers": "id,name,dob,taught_by,looms\n1,Ada Lind,1950-01-02,,3\n2,Bo Falk,1970-01-02,1,1\n"
        "3,Cy Moreau,1980-01-02,2,2\n",
        "rugs": "id,title,weaver_id,counted_by\n1,Blue,1,40\n2,Red,2,55\n",
    }
    graph, _ = built(tmp_path, tables)
    facts = said(graph)
    assert {("Bo Falk", "taught by", "Ada Lind"), ("Cy Moreau", "taught by", "Bo Falk")} <= {
        (h, r.replace("_", " "), t) for h, r, t in facts
    }
    assert ("Blue", "counted_by", "40") in facts or ("Blue", "counted by", "40") in facts  # nobody has this key


def called(graph: Graph, *ids: str) -> list[str]:
    return graph.labels_at([number for id in ids if (number := graph.number_of(id)) is not None])


def test_what_things_are_called(tmp_path: Path) -> None:
    """Neither by what many of them are, nor by whom to write to, nor by a code where a few words describe each."""
    shop = {
        "objects": "ObjectID,AccessionNo,Title,ObjectName\n1,52.1,Harvest Supper,Painting\n2,61.3,Rain,Painting\n"
                   "3,74.1,Longcase Clock,Clock\n4,74.2,The Ferry,Painting\n",
        "borrowers": "BorrowerID,Institution,City,ContactName\nB1,Eastmere Museum,Eastmere,Judith Cawley\n"
                     "B2,Lyne Gallery,Lyne,Oliver Hatch\n",
        "parts": "PartNo,Description,SupplierID,QtyOnShelf\nBP-1,Brake pad set,S1,6\nPF-2,Pollen filter,S2,4\n",
        "suppliers": "SupplierID,SupplierName,Tel\nS1,Midland Motors,01530 496200\nS2,Trent Tyres,01283 496310\n",
        "loans_out": "LoanNo,ObjectID,BorrowerID,DateOut,DateReturned\nL1,1,B1,2024-05-01,2024-06-01\n"
                     "L2,3,B2,2024-05-02,\n",
    }  # fmt: skip
    build(put(tmp_path, shop), tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    assert called(graph, "objects/1", "borrowers/B1", "parts/BP-1") == [
        "Harvest Supper", "Eastmere Museum", "Brake pad set",
    ]  # fmt: skip
    assert graph.resolve("loan")  # and no "loans out"


def test_a_table_of_counts_is_of_the_things_that_are_counted(tmp_path: Path) -> None:
    """Fewer rows under the same key are the same things; which are called by the column that is named after them."""
    office = {
        "couples": "client_id,couple,budget\nC1,Ann & Bo,100\nC2,Cy & Di,200\nC3,Ed & Flo,300\n",
        "guest_counts": "client_id,invited\nC1,80\nC3,120\n",
        "payments": "invoice_no,client_id,amount\nI1,C1,10\nI2,C2,20\nI3,C3,30\n",
    }
    report = build(put(tmp_path, office), tmp_path / "g.kg")
    said = "\n".join(report.tables)
    assert "key client_id, named by couple" in said and "client_id → couples" in said
    assert "guest_counts, " not in said  # nothing points to some of the clients where all have a table
    graph = Graph.open(tmp_path / "g.kg")
    assert called(graph, "couples/C1") == ["Ann & Bo"]


def test_a_table_between_two_with_a_key_and_columns_of_its_own_is_of_things(tmp_path: Path) -> None:
    crew = {
        "crew": "crew_id,name\n1,Ann Lee\n2,Bo Ray\n",
        "days": "day_id,place\nD1,Quarry\nD2,Harbour\n",
        "crew_calls": "call_id,day_id,crew_id,call_time,released\n1,D1,1,07:30,17:00\n2,D2,1,08:00,17:30\n",
        "crew_days": "crew_id,day_id,note\n1,D1,early\n2,D2,\n",
    }
    build(put(tmp_path, crew), tmp_path / "g.kg")
    graph = Graph.open(tmp_path / "g.kg")
    assert graph.resolve("crew call")
    assert not graph.resolve("crew day")  # says little of its own: a relation


def test_a_code_of_another_kind_is_called_by_that_kind(tmp_path: Path) -> None:
    """A "cat no" is no category, and an ISBN leads to a book."""
    tables = {
        "releases": "Cat No,Title\nHS1,Paper Orchards\nHS2,Soft Circuit\n",
        "pressings": "Cat No,Format,Units\nHS1,vinyl,300\nHS2,vinyl,200\nHS1,tape,50\n",
    }
    build(put(tmp_path, tables), tmp_path / "g.kg")
    relations = {each.id for each in Graph.open(tmp_path / "g.kg").relations()}
    assert {"release", "Format", "Units"} <= relations and "Cat" not in relations
