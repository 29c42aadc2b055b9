# ruff: noqa: E501 - lines as the tools write them
"""Dumps of databases give the graph that the databases themselves would give; nothing in them is run."""

from __future__ import annotations

import codecs
import gzip
import re
import sqlite3
from pathlib import Path

import pytest
from pyarrow import parquet

import clew
from clew.errors import InputError
from clew.graph import Graph, build, sql_script
from clew.graph.inputs import Problems, Stream
from clew.graph.sql_dump import dumped
from clew.graph.sql_script import SAMPLE

XSD = "http://www.w3.org/2001/XMLSchema#"
MYSQL = r"""-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: it's a shop
-- ------------------------------------------------------
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;

DROP TABLE IF EXISTS `customers`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE `customers` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(80) COLLATE utf8mb4_general_ci NOT NULL COMMENT 'as on the card; no (nick) names',
  `vip` tinyint(1) DEFAULT '0',
  `note` text,
  `joined` datetime DEFAULT CURRENT_TIMESTAMP,
  `photo` blob,
  PRIMARY KEY (`id`),
  UNIQUE KEY `name_idx` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `customers` WRITE;
/*!40000 ALTER TABLE `customers` DISABLE KEYS */;
INSERT INTO `customers` VALUES (1,'Ann O\'Lee',1,'says \"hi\";\r\nback\\slash','2020-01-02 00:00:00',_binary '\0\x89'),"""
MYSQL += r"""(2,'Bo (the 2nd), Jr.',0,NULL,'2021-03-04 10:11:12',NULL),(3,'Zoë \'\'Z'' Ek',0,'','0000-00-00 00:00:00',0xDEAD);
/*!40000 ALTER TABLE `customers` ENABLE KEYS */;
UNLOCK TABLES;
CREATE TABLE `orders` (
  `id` int NOT NULL,
  `buyer` int DEFAULT NULL,
  `total` decimal(10,2) DEFAULT NULL,
  `placed` date DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `buyer` (`buyer`),
  CONSTRAINT `orders_ibfk_1` FOREIGN KEY (`buyer`) REFERENCES `customers` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB;
INSERT INTO `orders` VALUES (501,1,19.90,'2024-01-02'),(502,2,-3.00,'2024-02-03');
INSERT INTO `orders` VALUES (503,1,7,NULL);
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER `t` BEFORE INSERT ON `orders` FOR EACH ROW BEGIN INSERT INTO log VALUES (1); END */;;
CREATE PROCEDURE p() BEGIN INSERT INTO `orders` VALUES (999,1,1,NULL); END ;;
DELIMITER ;
/*!50001 CREATE VIEW `v` AS SELECT 1 AS `a` */;
-- Dump completed on 2024-05-01 12:00:00
"""
ORDERS = {
    ("orders/501", "buyer", "customers/1"), ("orders/502", "buyer", "customers/2"),
    ("orders/503", "buyer", "customers/1"),
    ("orders/501", "total", f'"19.90"^^<{XSD}decimal>'), ("orders/502", "total", f'"-3.00"^^<{XSD}decimal>'),
    ("orders/503", "total", f'"7"^^<{XSD}integer>'),
    ("orders/501", "placed", f'"2024-01-02"^^<{XSD}date>'), ("orders/502", "placed", f'"2024-02-03"^^<{XSD}date>'),
    *((f"orders/{key}", "type", "order") for key in (501, 502, 503)),
    *((f"customers/{key}", "type", "customer") for key in (1, 2, 3)),
    ("customers/1", "vip", f'"true"^^<{XSD}boolean>'), ("customers/2", "vip", f'"false"^^<{XSD}boolean>'),
    ("customers/3", "vip", f'"false"^^<{XSD}boolean>'),
    ("customers/1", "note", '"says "hi";\r\nback\\slash"'),
    ("customers/1", "joined", f'"2020-01-02T00:00:00"^^<{XSD}dateTime>'),
    ("customers/2", "joined", f'"2021-03-04T10:11:12"^^<{XSD}dateTime>'),
}  # fmt: skip
POSTGRES = r"""--
-- PostgreSQL database dump
--

\restrict AbCd

SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE FUNCTION public.f() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
BEGIN INSERT INTO public.orders VALUES (9, 9, 'x'); RETURN NEW; END;
$_$;

CREATE TABLE public.customers (
    id integer NOT NULL,
    name character varying(80) DEFAULT 'a;b'::character varying NOT NULL,
    vip boolean DEFAULT false,
    note text,
    joined timestamp without time zone,
    photo bytea
);
ALTER TABLE public.customers OWNER TO shop;
ALTER TABLE public.customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.customers_id_seq
    START WITH 1
);
CREATE TABLE sales.orders (
    id integer NOT NULL,
    buyer integer,
    total numeric(10,2),
    placed date
)
PARTITION BY RANGE (placed);
CREATE TABLE sales.orders_2024 (
    id integer NOT NULL,
    buyer integer,
    total numeric(10,2),
    placed date
);
CREATE VIEW public.v AS
 SELECT orders.id FROM sales.orders;
ALTER TABLE ONLY sales.orders ATTACH PARTITION sales.orders_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
"""
COPIED = r"""
COPY public.customers (id, name, vip, note, joined, photo) FROM stdin;
1	Ann O'Lee	t	says "hi";\r\nback\\slash	2020-01-02 00:00:00	\\x0089
2	Bo (the 2nd), Jr.	f	\N	2021-03-04 10:11:12	\N
3	Zoë ''Z' Ek	f		\N	\N
\.


COPY sales.orders_2024 (id, buyer, total, placed) FROM stdin;
501	1	19.90	2024-01-02
502	2	-3.00	2024-02-03
503	1	7	\N
\.
"""
INSERTED = r"""
INSERT INTO public.customers OVERRIDING SYSTEM VALUE VALUES (1, 'Ann O''Lee', true, E'says "hi";\r\nback\\slash', '2020-01-02 00:00:00', '\x0089');
INSERT INTO public.customers OVERRIDING SYSTEM VALUE VALUES (2, 'Bo (the 2nd), Jr.', false, NULL, '2021-03-04 10:11:12', NULL);
INSERT INTO public.customers (name, id, vip) VALUES ('Zoë ''''Z'' Ek', 3, false) ON CONFLICT DO NOTHING;
INSERT INTO sales.orders_2024 VALUES
	(501, 1, 19.90, '2024-01-02'),
	(502, 2, -3.00::numeric, DATE '2024-02-03'),
	(503, 1, 7, NULL);
"""
KEYS = """
SELECT pg_catalog.setval('public.customers_id_seq', 2, true);
ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sales.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
CREATE INDEX i ON sales.orders USING btree (buyer);
ALTER TABLE ONLY sales.orders
    ADD CONSTRAINT orders_buyer_fkey FOREIGN KEY (buyer) REFERENCES public.customers(id) ON DELETE SET NULL;
\\unrestrict AbCd
"""


def said(graph: Graph) -> set[tuple[str, str, str]]:
    return {(t.head.id, t.relation.id, t.tail.id) for t in graph.triples()}


def rows(graph: Graph, plan: str) -> list[str]:
    return sorted(str(row[0]) for row in clew.query(graph, plan).rows)


DUMPS = {"mysqldump": MYSQL, "copy": POSTGRES + COPIED + KEYS, "inserts": POSTGRES + INSERTED + KEYS}


@pytest.mark.parametrize("tool", DUMPS)
def test_dumps_of_one_database(tmp_path: Path, tool: str) -> None:
    """Whatever tool wrote it: the same graph."""
    (tmp_path / "shop.sql").write_bytes(DUMPS[tool].replace("\n", "\r\n" if tool == "mysqldump" else "\n").encode())
    report = build(tmp_path / "shop.sql", tmp_path / "x.kg")
    graph = Graph.open(tmp_path / "x.kg")
    assert said(graph) == ORDERS
    assert "  buyer → customers" in report.tables and not report.num_problems
    assert graph.entity("customers/3").label == "Zoë ''Z' Ek"
    assert rows(graph, "count(class(order))") == ["3"]
    assert rows(graph, 'values(follow(entity("Ann O\'Lee"), ^buyer), total)') == ["19.90", "7"]
    assert rows(graph, "where(class(order), placed, >, date(2024-01-31))") == ["order 502"]
    assert rows(graph, "follow(where(class(order), total, <, 0), buyer)") == ["Bo (the 2nd), Jr."]


@pytest.mark.parametrize("tool", DUMPS)
def test_blocks_may_end_anywhere(tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "shop.sql"
    first, _, rest = DUMPS[tool].partition("\n\n")
    file.write_text(first + "\n-- it's\n" * (SAMPLE // 9 + 1) + rest, "utf-8")
    found = []
    for step in (1, 3, 1 << 20):
        monkeypatch.setattr(sql_script, "STEP", step)
        problems = Problems()
        stream = Stream(file, problems)
        tables, left_out = dumped(tmp_path, stream, problems, lambda: None)
        stream.close()
        assert not problems.total
        found.append(([parquet.read_table(table.pop("file")).to_pylist() for table in tables], tables, left_out))
    assert found[0] == found[1] == found[2]
    assert [len(each) for each in found[0][0]] == [3, 3]


def test_sqlite3_writes_what_it_has(tmp_path: Path) -> None:
    """As `sqlite3 shop.db .dump` of version 3.40 and 3.50 writes it, beside the database itself."""
    text = r"""PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE authors(id INTEGER PRIMARY KEY, "full name" TEXT NOT NULL, born DATE, photo BLOB);
INSERT INTO authors VALUES(1,'Ursula O''Neil','1929-10-21',X'00ff');
INSERT INTO authors VALUES(2,'Bo; "Jr."',NULL,NULL);
CREATE TABLE [books](isbn TEXT PRIMARY KEY, title, author_id INTEGER REFERENCES authors(id), price REAL, pages INT, blurb TEXT, half GENERATED ALWAYS AS (pages/2) STORED);
INSERT INTO books VALUES('000-1',replace('Left\nHand','\n',char(10)),1,9.5,300,replace(replace('two\r\nlines','\r',char(13)),'\n',char(10)));
INSERT INTO books VALUES('000-2','C:\',2,-1.5,12,NULL);
INSERT INTO books VALUES('000-3','x',2,-0.5,NULL,unistr('back\\slash\u000areal'));
CREATE TABLE `key`(key TEXT, "index" INT, PRIMARY KEY(key));
CREATE TABLE seq(id INTEGER PRIMARY KEY AUTOINCREMENT, n TEXT);
INSERT INTO seq VALUES(1,'a');
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','ft','ft',0,'CREATE VIRTUAL TABLE ft USING fts5(x)');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('seq',1);
CREATE VIEW v AS SELECT * FROM books;
CREATE TRIGGER t AFTER INSERT ON books BEGIN INSERT INTO authors VALUES(99,'evil',NULL,NULL); SELECT CASE WHEN 1 THEN 2 END; END;
PRAGMA writable_schema=OFF;
COMMIT;
"""
    (tmp_path / "dump.sql").write_text(text)
    with sqlite3.connect(tmp_path / "own.sqlite") as own:
        made = re.sub(r"(?s)(PRAGMA writable_schema|INSERT INTO sqlite_|DELETE FROM)[^;]*;", "", text)
        made = made.replace("unistr('back\\\\slash\\u000areal')", r"'back\slash' || char(10) || 'real'")
        own.executescript(
            re.sub(r"(INSERT INTO books) VALUES", r"\1(isbn,title,author_id,price,pages,blurb) VALUES", made)
        )
    graphs = []
    for name in ("dump.sql", "own.sqlite"):
        report = build(tmp_path / name, tmp_path / "x.kg")
        assert not report.num_problems and "left out: view v" in report.tables
        graphs.append(said(Graph.open(tmp_path / "x.kg")))
    assert graphs[0] == graphs[1]
    assert ("books/000-1", "author", "authors/1") in graphs[0]


def test_sql_server_and_phpmyadmin(tmp_path: Path) -> None:
    server = """USE [shop]\nGO\nSET ANSI_NULLS ON\nGO
CREATE TABLE [dbo].[Customers](\n\t[Id] [int] IDENTITY(1,1) NOT NULL,\n\t[Name] [nvarchar](50) NULL,
 CONSTRAINT [PK_C] PRIMARY KEY CLUSTERED \n(\n\t[Id] ASC\n)WITH (PAD_INDEX = OFF) ON [PRIMARY]\n) ON [PRIMARY]\nGO
CREATE TABLE [dbo].[Orders]([Id] [int] NOT NULL PRIMARY KEY, [CustomerId] [int] NULL, [Placed] [datetime] NULL)\nGO
SET IDENTITY_INSERT [dbo].[Customers] ON
INSERT [dbo].[Customers] ([Id], [Name]) VALUES (1, N'Zoë''s')
INSERT [dbo].[Customers] ([Id], [Name]) VALUES (2, N'Bo')\nSET IDENTITY_INSERT [dbo].[Customers] OFF\nGO
INSERT [dbo].[Orders] ([Id], [CustomerId], [Placed]) VALUES (7, 2, CAST(N'2024-01-02T10:30:00.000' AS DateTime))\nGO
ALTER TABLE [dbo].[Orders]  WITH CHECK ADD  CONSTRAINT [FK] FOREIGN KEY([CustomerId])\nREFERENCES [dbo].[Customers] ([Id])\nGO
"""
    (tmp_path / "server.sql").write_bytes(codecs.BOM_UTF16_LE + server.replace("\n", "\r\n").encode("utf-16-le"))
    admin = """-- phpMyAdmin SQL Dump\nSET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";\n
CREATE TABLE `Customers` (\n  `Id` int(11) NOT NULL,\n  `Name` varchar(50)\n) ENGINE=InnoDB;
INSERT INTO `Customers` (`Id`, `Name`) VALUES\n(1, 'Zoë\\'s'),\n(2, 'Bo');
CREATE TABLE `Orders` (`Id` int(11) NOT NULL, `CustomerId` int(11), `Placed` datetime);
INSERT INTO `Orders` (`Id`, `CustomerId`, `Placed`) VALUES\n(7, 2, '2024-01-02 10:30:00.000');
ALTER TABLE `Customers`\n  ADD PRIMARY KEY (`Id`);\nALTER TABLE `Orders`\n  ADD PRIMARY KEY (`Id`),\n  ADD KEY `c` (`CustomerId`);
ALTER TABLE `Orders`\n  ADD CONSTRAINT `FK` FOREIGN KEY (`CustomerId`) REFERENCES `Customers` (`Id`);\nCOMMIT;
"""
    (tmp_path / "admin.sql").write_text(admin)
    for name in ("server.sql", "admin.sql"):
        report = build(tmp_path / name, tmp_path / "x.kg")
        assert not report.num_problems
        graph = Graph.open(tmp_path / "x.kg")
        assert said(graph) == {
            ("Customers/1", "type", "customer"), ("Customers/2", "type", "customer"), ("Orders/7", "type", "order"),
            ("Orders/7", "Customer", "Customers/2"),
            ("Orders/7", "Placed", f'"2024-01-02T10:30:00.000"^^<{XSD}dateTime>'),
        }  # fmt: skip
        assert graph.entity("Customers/1").label == "Zoë's"


def test_what_only_a_run_would_give_is_told(tmp_path: Path) -> None:
    text = """CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT, at TEXT);
INSERT INTO a VALUES(1,'x',now()),(2,load_extension('/tmp/evil.so'),NULL);
INSERT INTO a SELECT * FROM b;
ATTACH DATABASE '/etc/passwd' AS p;
UPDATE a SET name = 'y';
INSERT INTO a VALUES(3);
INSERT INTO a VALUES(4,'z',upper(
"""
    (tmp_path / "x.sql").write_text(text)
    report = build(tmp_path / "x.sql", tmp_path / "x.kg")
    assert sorted(each.line or 0 for each in report.problems) == [2, 2, 3, 4, 5, 6, 8]
    told = "\n".join(map(str, report.problems))
    for words in ("now(…)", "load_extension(…)", "only a run gives", "ATTACH is not", "UPDATE is not", "a row of a"):
        assert words in told
    assert said(Graph.open(tmp_path / "x.kg")) == {("a/1", "type", "a"), ("a/2", "type", "a")}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PGDMP\x01\x0e\x00", "pg_restore"),
        (b"SQLite format 3\x00" + bytes(100), "--format sqlite"),
        (b"\x89PNG\x00\x01", "is no text of SQL"),
        (b"INSERT INTO a VALUES(1,'x", "a quote that is not closed"),
        (b"SELECT 1;", "holds no table"),
        (b"", "holds no table"),
        (b"INSERT INTO a VALUES(1,'x');", "whose columns are not stated"),
        (b"CREATE TABLE a(" + b"(" * 100_000, "a bracket that is not closed"),
    ],
)
def test_files_that_are_no_dumps(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.sql").write_bytes(content)
    with pytest.raises(InputError) as caught:
        build(tmp_path / "x.sql", tmp_path / "x.kg")
    assert message in str(caught.value) and str(caught.value).count("\n") == 1


def test_a_dump_may_come_in_a_pipe_and_in_windows_letters(tmp_path: Path) -> None:
    text = "CREATE TABLE a(id INT PRIMARY KEY, name TEXT);\nINSERT INTO a VALUES(1,'Zoë'),(2,'Bo');\n"
    (tmp_path / "x.sql.gz").write_bytes(gzip.compress(text.encode("cp1252")))
    report = build(tmp_path / "x.sql.gz", tmp_path / "x.kg")
    assert [each.kind for each in report.problems] == ["utf8"]
    assert Graph.open(tmp_path / "x.kg").entity("a/1").label == "Zoë"
