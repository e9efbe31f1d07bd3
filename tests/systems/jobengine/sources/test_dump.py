"""SQL dumps: every statement that may carry rows or tables is read or counted, and schemas are kept
apart.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sortkey.cli import main
from sortkey_systems.jobengine.parts import AllowedLosses
from sortkey_systems.jobengine.sources import Source, Unread, open_source
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.raw_analysis.metadata_analysis import Metadata
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import (
    ExtractedSchema,
    SourceNotRead,
)
from sortkey_systems.jobengine.stages.registry import run_journey, run_stage
from sortkey_systems.jobengine.stages.tmf_mapping.tmf_api_matching import ApiMatches
from sortkey_systems.jobengine.stages.work import MemoryContext, Work
from tests.systems.homes import Home
from tests.systems.jobengine.engines import Engine, engine
from tests.systems.jobengine.stage_runs import rule

__all__ = ["engine"]
IDENTITY = """
CREATE TABLE public.customers (id integer NOT NULL, name text);
ALTER TABLE public.customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME public.s START WITH 1);
INSERT INTO public.customers OVERRIDING SYSTEM VALUE VALUES (1, 'Ann');
INSERT INTO public.customers (id, name) OVERRIDING SYSTEM VALUE VALUES (2, 'Bob'), (3, 'It''s
Carla; OVERRIDING SYSTEM VALUE VALUES');
INSERT INTO public.customers (id, name) OVERRIDING USER VALUE VALUES (4, E'Deniz\\nE');
INSERT INTO public.customers VALUES (5, 'C:\\temp') ON CONFLICT DO NOTHING;
SELECT pg_catalog.setval('public.s', 5, true);
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
"""


def dump(folder: Path, text: str, **options: Any) -> Source:
    path = folder / "shop.sql"
    path.write_text(text)
    return open_source(path, **options)


def rows(source: Source, table: str) -> list[list[Any]]:
    return [list(row.values()) for batch in source.batches(table, 100) for row in batch.rows]


def test_identity_columns_as_pg_dump_writes_them_are_read(tmp_path: Path) -> None:
    # `pg_dump --inserts` writes them so for every identity column: 20,000 rows were skipped
    # unnoticed.
    source = dump(tmp_path, IDENTITY)
    assert source.unread == []
    assert rows(source, "customers") == [
        [1, "Ann"],
        [2, "Bob"],
        [3, "It's\nCarla; OVERRIDING SYSTEM VALUE VALUES"],
        [4, "Deniz\nE"],
        [5, "C:\\temp"],
    ]


@pytest.mark.parametrize(
    ("statement", "kind", "reason"),
    [
        ("INSERT INTO u VALUES ('secret');", "INSERT INTO u", "the table was not created"),
        ("INSERT INTO t SELECT 'secret';", "INSERT INTO t", "its rows are not given as values"),
        ("INSERT INTO t VALUES (now(), 'secret');", "INSERT INTO t", "a value has to be computed"),
        ("INSERT INTO t (a) VALUES (DEFAULT);", "INSERT INTO t", "a value has to be computed"),
        (
            "INSERT INTO t VALUES (1, 'secret'), (2);",
            "INSERT INTO t",
            "a row has more or fewer values than columns",
        ),
        (
            "INSERT INTO t (a, z) VALUES (1, 'secret');",
            "INSERT INTO t",
            "its rows do not fit the table",
        ),
        ("INSERT INTO t VALUES (1 'secret');", "INSERT INTO t", "it cannot be parsed"),
        ("UPDATE t SET b = 'secret';", "UPDATE t", "it may change or add rows"),
        (
            'DELETE FROM "a b"."t" WHERE b = \'secret\';',
            "DELETE FROM a b.t",
            "it may change or add rows",
        ),
        (
            "MERGE INTO t USING u ON ('secret' = b) WHEN MATCHED THEN DELETE;",
            "MERGE INTO t",
            "it may change or add rows",
        ),
        ("TRUNCATE TABLE ONLY t;", "TRUNCATE TABLE t", "it may change or add rows"),
        ("DO $$ BEGIN PERFORM f('secret'); END $$;", "DO", "it may change or add rows"),
        ("SELECT pg_catalog.lowrite(0, '\\x736563726574');", "SELECT", "it may change or add rows"),
        ("COPY t FROM '/files/secret.csv';", "COPY t", "it is not understood"),
        ("CREATE TABLE t (a int);", "CREATE TABLE t", "the table was created before"),
        ("CREATE TABLE v AS SELECT 'secret';", "CREATE TABLE v", "it is not understood"),
        ("CREATE TABLE v (LIKE t INCLUDING ALL);", "CREATE TABLE v", "it is not understood"),
        ("CREATE TABLE v (a int, b 'secret');", "CREATE TABLE v", "it cannot be parsed"),
        ("ALTER TABLE t RENAME COLUMN a TO b;", "ALTER TABLE t", "it is not understood"),
        ("ALTER TABLE t DROP COLUMN a;", "ALTER TABLE t", "it is not understood"),
        ("\\i secret.sql\n", "\\i", "it may change or add rows"),
        ("secret', 1);", "text that is not a statement", "it may change or add rows"),
    ],
)
def test_a_statement_that_is_not_read_is_counted_without_its_values(
    tmp_path: Path, statement: str, kind: str, reason: str
) -> None:
    # What it says may be somebody's name; that it was there must be known.
    text = f"CREATE TABLE t (a INT, b TEXT);\nINSERT INTO t VALUES (7, 'x');\n{statement}\n"
    source = dump(tmp_path, text, dialect="postgres")
    (unread,) = source.unread
    assert (unread.kind, unread.reason, unread.place, unread.count) == (kind, reason, "line 3", 1)
    assert "secret" not in unread.text.replace(kind, "")
    assert rows(source, "t") == [[7, "x"]]


def test_statements_that_are_alike_are_counted_together(tmp_path: Path) -> None:
    # One line for ten thousand of them, with the line of the first.
    updates = "".join(f"UPDATE t SET a = {number};\n" for number in range(30))
    source = dump(tmp_path, f"CREATE TABLE t (a INT);\n{updates}DELETE FROM t;\n")
    assert source.unread == [
        Unread("UPDATE t", "it may change or add rows", "line 2", 30),
        Unread("DELETE FROM t", "it may change or add rows", "line 32", 1),
    ]
    assert source.unread[0].text == "UPDATE t: it may change or add rows (30 times, first line 2)"


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            "postgres",
            r"""\restrict x
            SET client_encoding = 'UTF8'; SELECT pg_catalog.set_config('search_path', '', false); BEGIN;
            CREATE SCHEMA a; COMMENT ON SCHEMA a IS 'it; is'; CREATE EXTENSION IF NOT EXISTS x WITH SCHEMA public;
            CREATE TYPE a.mood AS ENUM ('good'); CREATE SEQUENCE a.s START WITH 1; ALTER SEQUENCE a.s OWNED BY a.t.a;
            CREATE FUNCTION a.f() AS $_$ BEGIN CREATE TABLE x (a int); INSERT INTO x VALUES (1); END $_$;
            CREATE VIEW a.v AS SELECT 1; CREATE MATERIALIZED VIEW a.m AS SELECT 1 WITH NO DATA;
            ALTER TABLE a.t OWNER TO shop; ALTER TABLE ONLY a.t ALTER COLUMN a SET DEFAULT nextval('a.s'::regclass);
            ALTER TABLE ONLY a.t REPLICA IDENTITY FULL; ALTER TABLE a.t CLUSTER ON i; GRANT SELECT ON TABLE a.t TO x;
            CREATE TRIGGER r BEFORE INSERT ON a.t FOR EACH ROW EXECUTE FUNCTION a.f();
            CREATE INDEX i ON ONLY a.t USING gin (a gin_trgm_ops); CREATE POLICY p ON a.t USING (true);
            ALTER TABLE a.t ENABLE ROW LEVEL SECURITY; SELECT pg_catalog.setval('a.s', 5, true);
            REFRESH MATERIALIZED VIEW a.m; ALTER DEFAULT PRIVILEGES FOR ROLE x GRANT SELECT ON TABLES TO y; COMMIT;
            \unrestrict x
            """,
        ),
        (
            "mysql",
            """/*!40101 SET NAMES utf8 */; CREATE DATABASE /*!32312 IF NOT EXISTS*/ `a`; USE `a`; LOCK TABLES `t` WRITE;
            /*!40000 ALTER TABLE `t` DISABLE KEYS */; UNLOCK TABLES; DROP TABLE IF EXISTS `other`;
            /*!50001 CREATE VIEW `v` AS SELECT 1 AS `a`*/;
            DELIMITER ;;
            /*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER x BEFORE INSERT ON t FOR EACH ROW
            BEGIN UPDATE t SET a = 1; END */;;
            DELIMITER ;
            CREATE ALGORITHM=UNDEFINED DEFINER=`a`@`b` SQL SECURITY DEFINER VIEW `v` AS select 1;
            ALTER TABLE `t` MODIFY `a` int NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5;
            """,
        ),
        (
            "sqlite",
            """PRAGMA foreign_keys=OFF; BEGIN TRANSACTION; ANALYZE sqlite_schema; DELETE FROM sqlite_sequence;
            INSERT INTO "sqlite_sequence" VALUES('t',5); INSERT INTO sqlite_stat1 VALUES('t',NULL,'5');
            CREATE TRIGGER r AFTER INSERT ON t WHEN CASE WHEN 1 THEN 1 END BEGIN INSERT INTO t VALUES (9);
            UPDATE t SET a = 1; END; CREATE VIEW v AS SELECT 1; COMMIT;""",
        ),
        (
            "tsql",
            """USE [Shop]\nGO\nSET ANSI_NULLS ON\nGO\nCREATE PROCEDURE [dbo].[p] AS\nBEGIN
INSERT INTO [dbo].[t] VALUES (9);\nUPDATE [dbo].[t] SET a = 1;\nEND\nGO\nALTER TABLE [dbo].[t] CHECK CONSTRAINT [x]\nGO
ALTER TABLE [dbo].[t] ADD CONSTRAINT [d] DEFAULT ((0)) FOR [a]\nGO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'x'\nGO\nCREATE USER [x] FOR LOGIN [y]\nGO\n""",
        ),
    ],
)
def test_statements_that_carry_nothing_are_not_counted(
    tmp_path: Path, dialect: Any, text: str
) -> None:
    # A warning for every SET would hide the one that matters; and what is in a trigger or procedure
    # is not run.
    name = {"postgres": "a.t", "tsql": "[dbo].[t]"}.get(dialect, "t")
    source = dump(tmp_path, f"CREATE TABLE {name} (a INT NOT NULL);\n{text}", dialect=dialect)
    assert list(source.unread) == []
    assert [table.name for table in source.tables()] == ["t"]
    assert rows(source, "t") == []


@pytest.mark.parametrize(
    ("dialect", "literal", "value"),
    [
        ("mysql", "X'4142'", b"AB"),
        ("mysql", "0x41", b"A"),
        ("mysql", "b'101'", 5),
        ("postgres", "B'101'", "101"),
        ("sqlite", r"replace(replace('a\r\nb','\r',char(13)),'\n',char(10))", "a\r\nb"),
        ("sqlite", r"unistr('a\u000ab\\c')", "a\nb\\c"),
        ("tsql", "CONVERT(bit, 1)", 1),
        ("tsql", "0x4142", b"AB"),
    ],
)
def test_literals_mean_what_their_dialect_says(
    tmp_path: Path, dialect: Any, literal: str, value: Any
) -> None:
    # An expression that is stored as its own text looks like data.
    source = dump(
        tmp_path,
        f"CREATE TABLE t (a INT, b TEXT);\nINSERT INTO t VALUES (1, {literal});",
        dialect=dialect,
    )
    assert source.unread == []
    assert rows(source, "t") == [[1, value]]


@pytest.mark.parametrize("dialect", ["mysql", "sqlite"])
def test_replace_is_an_insert(tmp_path: Path, dialect: Any) -> None:
    # `mysqldump --replace` writes nothing else.
    text = (
        "CREATE TABLE t (a INT, b TEXT);\nREPLACE INTO t VALUES (1,'x'),(2,'y');\nREPLACE INTO `t` "
        "(a) VALUES (3);"
    )
    source = dump(tmp_path, text, dialect=dialect)
    assert source.unread == []
    assert rows(source, "t") == [[1, "x"], [2, "y"], [3, None]]


def test_a_computed_column_has_no_value_in_a_dump(tmp_path: Path) -> None:
    # `pg_dump --inserts` writes DEFAULT for it.
    table = "CREATE TABLE public.t (a integer, b integer GENERATED ALWAYS AS (a * 2) STORED);"
    source = dump(
        tmp_path, f"{table}\nINSERT INTO public.t VALUES (1, DEFAULT);", dialect="postgres"
    )
    assert source.unread == []
    assert rows(source, "t") == [[1, None]]


def test_a_dump_that_was_cut_off_is_not_whole(tmp_path: Path) -> None:
    # A full disk while it was written is not seen in its size.
    source = dump(
        tmp_path, "CREATE TABLE public.t (a text);\nCOPY public.t (a) FROM stdin;\nx\ny\n"
    )
    assert [each.text for each in source.unread] == [
        "COPY public.t: the dump ends in the middle of its rows (line 2)"
    ]
    half = dump(
        tmp_path, "CREATE TABLE t (a text);\nINSERT INTO t VALUES ('x');\nINSERT INTO t VALUES ('y"
    )
    assert [each.text for each in half.unread] == ["INSERT INTO t: it cannot be parsed (line 3)"]


def test_a_table_that_is_dropped_and_made_again_has_the_later_rows(tmp_path: Path) -> None:
    # Two dumps in one file.
    one = "DROP TABLE IF EXISTS t;\nCREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);\n"
    source = dump(tmp_path, one + one.replace("1", "2") + "CREATE TABLE IF NOT EXISTS t (b INT);")
    assert source.unread == []
    assert rows(source, "t") == [[2]]


# -- schemas

TWO_SCHEMAS = """
CREATE TABLE a.users (id integer NOT NULL, name text);
CREATE TABLE b.users (id integer NOT NULL, name text, email text);
CREATE TABLE b.orders (id integer NOT NULL, user_id integer, order_date date);
CREATE TABLE b.notes (id integer NOT NULL, user_id integer);
INSERT INTO a.users VALUES (1, 'Ann'), (2, 'Bob');
INSERT INTO b.users VALUES (1, 'Carla', 'c@example.com'), (2, 'Deniz', 'd@example.com'), (3, 'Eva', 'e@example.com');
INSERT INTO b.orders VALUES (10, 2, '2024-01-02');
INSERT INTO b.notes VALUES (20, 1), (21, 2);
ALTER TABLE ONLY a.users ADD CONSTRAINT a_pkey PRIMARY KEY (id);
ALTER TABLE ONLY b.users ADD CONSTRAINT b_pkey PRIMARY KEY (id);
ALTER TABLE ONLY b.orders ADD CONSTRAINT o_pkey PRIMARY KEY (id);
ALTER TABLE ONLY b.notes ADD CONSTRAINT n_pkey PRIMARY KEY (id);
ALTER TABLE ONLY b.orders ADD CONSTRAINT o_fk FOREIGN KEY (user_id) REFERENCES b.users(id);
"""


def test_tables_of_one_name_in_two_schemas_are_two_tables(tmp_path: Path) -> None:
    # They were merged: rows of one under the columns of the other.
    source = dump(tmp_path, TWO_SCHEMAS, dialect="postgres")
    assert source.unread == []
    tables = {table.name: table for table in source.tables()}
    assert list(tables) == ["a.users", "b.users", "notes", "orders"]
    assert rows(source, "a.users") == [[1, "Ann"], [2, "Bob"]]
    assert [row[1] for row in rows(source, "b.users")] == ["Carla", "Deniz", "Eva"]
    assert tables["orders"].foreign_keys[0].table == "b.users"
    assert source.related("b.users", "id", [2])[0]["name"] == "Deniz"


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "SET search_path = {}, pg_catalog;\nCREATE TABLE users (id int);\n"),
        ("mysql", "USE `{}`;\nCREATE TABLE `users` (`id` int);\n"),
        ("tsql", "CREATE TABLE [{}].[users]([id] [int])\nGO\n"),
        ("mysql", "CREATE TABLE `{}`.`users` (`id` int);\n"),
    ],
)
@pytest.mark.parametrize(
    "insert", ["INSERT INTO {}users (id) VALUES ({});\n", "INSERT INTO {}users VALUES (({}));\n"]
)
def test_a_schema_is_named_once_or_every_time(
    tmp_path: Path, dialect: Any, text: str, insert: str
) -> None:
    # Old dumps set it once, newer ones write it before every name.
    parts: list[str] = []
    for number, schema in enumerate(("one", "two"), 1):
        is_named = f"{{}}{'.' if dialect != 'tsql' else ']'}" in text.replace("`", "")
        parts.append(text.format(schema) + insert.format(f"{schema}." if is_named else "", number))
    source = dump(tmp_path, "".join(parts), dialect=dialect)
    assert source.unread == []
    assert {table.name: rows(source, table.name) for table in source.tables()} == {
        "one.users": [[1]],
        "two.users": [[2]],
    }


def test_schemas_stay_apart_in_mapping_documents_and_report(tmp_path: Path) -> None:
    # A reference of b goes to the user of b, though a has one of the same id, and nobody declared
    # it for notes.
    work = Work(dump(tmp_path, TWO_SCHEMAS, dialect="postgres"), str(tmp_path / "out"))
    work.rules = [rule(1, {"action": "map", "source": "users", "target": "Customer"})]
    report = run_journey(work, MemoryContext())
    matches = {
        each.table: each.resource for each in work.result("tmf_api_matching", ApiMatches).matches
    }
    assert matches == {"a.users": "Customer", "b.users": "Customer", "orders": "ProductOrder"}
    with Target(work.target) as target:
        names = {document["id"]: document["name"] for _, document in target.documents("Customer")}
        (order,) = [document for _, document in target.documents("ProductOrder")]
    assert names == {
        "a.users-1": "Ann",
        "a.users-2": "Bob",
        "b.users-1": "Carla",
        "b.users-2": "Deniz",
        "b.users-3": "Eva",
    }
    assert order["relatedParty"][0]["id"] == "b.users-2"
    (link,) = [
        each
        for each in work.result("metadata_analysis", Metadata).relationships
        if each.table == "notes"
    ]
    assert (link.target, link.origin) == ("b.users", "inferred")
    assert "| a.users | Customer | 2 |" in report.text
    assert "| b.users | Customer | 3 |" in report.text


def test_a_rule_may_name_a_table_with_its_schema(tmp_path: Path) -> None:
    # Without one it is about the tables of all schemas.
    work = Work(dump(tmp_path, TWO_SCHEMAS, dialect="postgres"), str(tmp_path / "out"))
    work.rules = [
        rule(1, {"fieldMappings": {"users": "Customer"}}),
        rule(2, {"remove": ["a.users", "b.users.email"]}, stage_id="stripped_schema"),
    ]
    run_journey(work, MemoryContext())
    with Target(work.target) as target:
        found = [document for _, document in target.documents("Customer")]
    assert [each["name"] for each in found] == ["Carla", "Deniz", "Eva"]
    assert "example.com" not in json.dumps(found)


# -- what a journey does with it

UNREAD = (
    "CREATE TABLE customers (id INT PRIMARY KEY, name TEXT);\nINSERT INTO customers VALUES (1, "
    "'Ann');\n" + ("UPDATE customers SET name = 'secret' WHERE id = 1;\n" * 2)
)


def test_a_journey_on_a_dump_that_was_not_read_whole_fails_before_it_writes(
    home: Home, tmp_path: Path
) -> None:
    # The default is the safe one; and a retry would find the same dump.
    engine = Engine(home, tmp_path)
    (tmp_path / "shop.sql").write_text(UNREAD)
    job = engine.run(engine.journey(address=tmp_path / "shop.sql", retry_attempts=3))
    assert job.status == "failed"
    text = job.error_message or ""
    assert (
        "2 parts of shop were not read and may hold data (UPDATE customers: it may change" in text
    )
    assert "(2 times, first line 3)" in text
    assert "(--allow-unread)" in text
    assert "secret" not in text
    assert len(engine.jobs(engine.again(engine.journeys.get(job.journey_id)))) == 1
    assert not (tmp_path / "out.sqlite").exists()


def test_what_was_not_read_can_be_accepted(tmp_path: Path) -> None:
    # It stays in the log and in the result.
    work = Work(dump(tmp_path, UNREAD), str(tmp_path / "out"))
    with pytest.raises(SourceNotRead):
        run_stage("raw_analysis", work, MemoryContext())
    work.allowed, ctx = AllowedLosses(unread=True), MemoryContext()
    run_stage("raw_analysis", work, ctx)
    assert [each.count for each in work.result("schema_extraction", ExtractedSchema).unread] == [2]
    assert ctx.entries[0].level == "WARNING"
    assert ctx.entries[0].message.startswith("not read: UPDATE customers")


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="needs the sqlite3 shell")
def test_a_dump_of_the_sqlite_shell_is_read_whole(tmp_path: Path) -> None:
    # With line breaks, a trigger and a sequence, in whatever form this version of the shell writes
    # them.
    with sqlite3.connect(tmp_path / "a.sqlite") as db:
        db.executescript(
            "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT); INSERT INTO t (b) "
            "VALUES ('x\ny'), ('z');"
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 1; UPDATE t SET b = "
            "''; END;"
        )
    db.close()
    text = subprocess.run(
        ["sqlite3", "a.sqlite", ".dump"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    source = dump(tmp_path, text.stdout)
    assert source.unread == []
    assert rows(source, "t") == [[1, "x\ny"], [2, "z"]]


@pytest.mark.slow
def test_the_command_line_accepts_what_was_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # First refused with a reason, then taken up again with the switch that the reason names.
    monkeypatch.chdir(tmp_path)
    Path("shop.sql").write_text(UNREAD)
    assert main(["jobengine", "run", "shop.sql", "--stage", "raw_analysis"]) == 1
    error = capsys.readouterr().err
    assert "UPDATE customers: it may change or add rows (2 times, first line 3)" in error
    journey = error.split()[1]
    assert (
        main(
            ["jobengine", "run", "--journey", journey, "--stage", "raw_analysis", "--allow-unread"]
        )
        == 0
    )
