"""Sources: a SQLite file and SQL dumps of four dialects give the same tables, keys and rows."""

import sqlite3
import sys
from pathlib import Path

import pytest

from sortkey_systems.jobengine.sources import ForeignKey, Source, SourceError, open_source
from sortkey_systems.jobengine.sources.statements import statements

POSTGRES = r"""
-- PostgreSQL database dump
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN; INSERT INTO x VALUES (1); END; $$;
CREATE TABLE public.customers (
    id integer NOT NULL,
    name character varying(80) NOT NULL,
    note text,
    balance numeric(10,2) DEFAULT 0
);
ALTER TABLE public.customers OWNER TO shop;
CREATE TABLE public.orders (id bigint NOT NULL, customer_id integer, placed timestamp without time zone);
COPY public.customers (id, name, note, balance) FROM stdin;
1	Ann	line\nbreak; and 'quote'	1.50
2	Bob	\N	-3
\.
COPY public.orders (id, customer_id, placed) FROM stdin;
10	1	2024-01-05 10:00:00
11	2	\N
\.
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX customers_name ON public.customers USING btree (name);
ALTER TABLE ONLY public.orders ADD CONSTRAINT orders_fk FOREIGN KEY (customer_id) REFERENCES public.customers(id);
"""
MYSQL = r"""
-- MySQL dump 10.13
/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS `customers`;
CREATE TABLE `customers` (
  `id` int NOT NULL AUTO_INCREMENT, `name` varchar(80) NOT NULL, `note` text, `balance` decimal(10,2) DEFAULT '0.00',
  PRIMARY KEY (`id`), UNIQUE KEY `customers_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `orders` (`id` bigint NOT NULL, `customer_id` int DEFAULT NULL, `placed` datetime DEFAULT NULL,
  PRIMARY KEY (`id`), KEY `by_customer` (`customer_id`),
  CONSTRAINT `orders_fk` FOREIGN KEY (`customer_id`) REFERENCES `customers` (`id`)) ENGINE=InnoDB;
LOCK TABLES `customers` WRITE;
INSERT INTO `customers` VALUES (1,'Ann','line\nbreak; and \'quote\'',1.50),(2,'Bob',NULL,-3);
INSERT INTO `orders` VALUES (10,1,'2024-01-05 10:00:00'),(11,2,NULL);
UNLOCK TABLES;
"""
TSQL = """
CREATE TABLE [dbo].[customers](
  [id] [int] IDENTITY(1,1) NOT NULL, [name] [nvarchar](80) NOT NULL, [note] [nvarchar](max) NULL,
  [balance] [decimal](10, 2) NULL DEFAULT 0, CONSTRAINT [pk] PRIMARY KEY CLUSTERED ([id] ASC),
  CONSTRAINT [customers_name] UNIQUE ([name])
)
GO
CREATE TABLE [dbo].[orders]([id] [bigint] NOT NULL PRIMARY KEY, [customer_id] [int] NULL, [placed] [datetime] NULL)
GO
SET IDENTITY_INSERT [dbo].[customers] ON
GO
INSERT [dbo].[customers] ([id], [name], [note], [balance]) VALUES (1, N'Ann', N'line
break; and ''quote''', CAST(1.50 AS Decimal(10, 2)))
INSERT [dbo].[customers] ([id], [name], [note], [balance]) VALUES (2, N'Bob', NULL, -3)
GO
INSERT [dbo].[orders] ([id], [customer_id], [placed]) VALUES (10, 1, CAST(N'2024-01-05 10:00:00' AS DateTime))
INSERT [dbo].[orders] ([id], [customer_id], [placed]) VALUES (11, 2, NULL)
GO
ALTER TABLE [dbo].[orders] WITH CHECK ADD CONSTRAINT [orders_fk] FOREIGN KEY([customer_id])
REFERENCES [dbo].[customers] ([id])
GO
"""
SQLITE = """
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL UNIQUE, note TEXT,
  balance DECIMAL(10,2) DEFAULT 0);
CREATE TABLE orders (id BIGINT PRIMARY KEY NOT NULL, customer_id INT REFERENCES customers(id), placed DATETIME);
INSERT INTO customers VALUES(1,'Ann','line
break; and ''quote''',1.50);
INSERT INTO "customers" (id, name, balance) VALUES(2,'Bob',-3);
INSERT INTO orders VALUES(10,1,'2024-01-05 10:00:00');
INSERT INTO orders VALUES(11,2,NULL);
COMMIT;
"""


def _dump(folder: Path, text: str) -> Source:
    path = folder / "shop.sql"
    path.write_text(text)
    return open_source(path)


def _file(folder: Path) -> Source:
    path = folder / "shop.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(SQLITE)
    return open_source(path)


@pytest.fixture(params=["file", "postgres", "mysql", "tsql", "sqlite"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    dumps = {"postgres": POSTGRES, "mysql": MYSQL, "tsql": TSQL, "sqlite": SQLITE}
    return _file(tmp_path) if request.param == "file" else _dump(tmp_path, dumps[request.param])


def test_every_kind_of_source_tells_the_same_of_its_tables(source: Source) -> None:
    # The stages must not know where the data comes from.
    assert (list(source.notes), list(source.unread)) == ([], [])
    customers, orders = source.tables()
    assert [customers.name, orders.name] == ["customers", "orders"]
    assert customers.names == ["id", "name", "note", "balance"]
    assert [column.family for column in customers.columns] == ["integer", "text", "text", "decimal"]
    assert [column.nullable for column in customers.columns] == [False, False, True, True]
    assert customers.primary_key == ["id"]
    assert customers.unique == [["name"]]
    assert orders.primary_key == ["id"]
    assert orders.foreign_keys == [ForeignKey(["customer_id"], "customers", ["id"])]
    assert [column.family for column in orders.columns] == ["integer", "integer", "datetime"]


def test_every_kind_of_source_gives_the_same_rows(source: Source) -> None:
    # Strings with semicolons, quotes and line breaks are where dumps are read wrongly.
    assert (source.count("customers"), source.count("orders")) == (2, 2)
    (batch,) = source.batches("customers", 10)
    assert batch.rows == [
        {"id": 1, "name": "Ann", "note": "line\nbreak; and 'quote'", "balance": 1.5},
        {"id": 2, "name": "Bob", "note": None, "balance": -3},
    ]
    assert [row["placed"] for row in source.related("orders", "customer_id", [1, 2, 3])] == [
        "2024-01-05 10:00:00",
        None,
    ]


def test_rows_come_in_key_order_from_any_position(source: Source) -> None:
    # A transfer that was killed goes on behind the last row that it checkpointed.
    first, second = source.batches("orders", 1)
    assert [first.rows[0]["id"], second.rows[0]["id"]] == [10, 11]
    (rest,) = source.batches("orders", 5, after=first.last)
    assert rest.rows == second.rows
    assert list(source.batches("orders", 5, after=second.last)) == []


def test_a_table_without_a_key_is_read_in_its_own_order(tmp_path: Path) -> None:
    # Flawed sources are the ones that need a migration.
    source = _dump(tmp_path, "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('z'),('a'),('z');")
    rows = [row["a"] for batch in source.batches("t", 2) for row in batch.rows]
    assert rows == ["z", "a", "z"]


def test_a_dump_that_breaks_its_own_key_loses_no_row(tmp_path: Path) -> None:
    # Read by key, the second of two equal ones would be passed over at the edge of a batch.
    source = _dump(
        tmp_path,
        "CREATE TABLE t (a INT PRIMARY KEY, b INT); INSERT INTO t VALUES (1,1),(1,2),(2,3);",
    )
    assert [row["b"] for batch in source.batches("t", 1) for row in batch.rows] == [1, 2, 3]
    assert source.notes == ["t: the primary key is not unique in the rows"]


def test_leading_zeros_of_a_text_survive(tmp_path: Path) -> None:
    # An article number '007' is not 7.
    source = _dump(
        tmp_path, "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES ('007', '008');"
    )
    (batch,) = source.batches("t", 5)
    assert batch.rows == [{"a": "007", "b": "008"}]


def test_a_dump_is_read_as_a_stream() -> None:
    # A dump may be larger than memory: a statement is given before the next line is asked for.
    read = list[int]()

    def lines():
        for number in range(1000):
            read.append(number)
            yield f"INSERT INTO t VALUES ({number});\n"

    first = next(iter(statements(lines(), "sqlite")))
    assert first.text == "INSERT INTO t VALUES (0)"
    assert read == [0]


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("mysql", "a 'it\\'s; x'; b", ["a 'it\\'s; x'", "b"]),
        ("sqlite", "a 'it''s; x'; b", ["a 'it''s; x'", "b"]),
        ("sqlite", "a '\\'; b", ["a '\\'", "b"]),
        ("postgres", "a $x$ ; $$ ; $x$; b", ["a $x$ ; $$ ; $x$", "b"]),
        ("tsql", "a [;] \nGO\nb", ["a [;]", "b"]),
        ("mysql", "DELIMITER ;;\na; b;;\nDELIMITER ;\nc;", ["a; b", "c"]),
        ("sqlite", "a -- no; end\n; b /* ; */ c;", ["a", "b /* ; */ c"]),
    ],
)
def test_a_statement_ends_where_its_dialect_ends_it(
    dialect: str, text: str, expected: list[str]
) -> None:
    # Splitting at each semicolon works until the first description that has one.
    assert [each.text for each in statements(text.splitlines(keepends=True), dialect)] == expected


@pytest.mark.parametrize(
    ("address", "says"),
    [("nowhere.sqlite", "is not a file"), ("postgresql://localhost/shop", "pip install 'psycopg")],
)
def test_a_source_that_cannot_be_opened_says_what_to_do(
    address: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first minute with a tool is spent in its error messages.
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SourceError, match=says):
        open_source(address)
