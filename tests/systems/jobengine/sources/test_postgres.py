"""PostgreSQL as a source, on a real server: what it declares, every kind of value, resumed reads,
whole journeys.
"""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sortkey_systems.jobengine.parts import JourneyConfiguration, Source
from sortkey_systems.jobengine.sample_shop import SCHEMA, make_shop
from sortkey_systems.jobengine.sources import Source as JourneySource
from sortkey_systems.jobengine.sources import SourceError, open_source
from sortkey_systems.jobengine.sources.schema import ForeignKey
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.registry import run_journey
from sortkey_systems.jobengine.stages.work import MemoryContext, Work
from tests.systems.homes import Home
from tests.systems.jobengine.engines import Engine, engine
from tests.systems.jobengine.stage_runs import ANY_LOSS
from tools.downloads import Missing
from tools.postgres_server import PostgresServer, program

__all__ = ["engine"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]

ODD = """
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE "Mixed Case" ("Id" uuid PRIMARY KEY, "The Name" varchar(20) NOT NULL DEFAULT 'x', mood mood,
  CHECK ("The Name" <> ''));
CREATE TABLE parts (a integer, b text, amount numeric(30, 10), made timestamptz, day date, raw bytea, doc jsonb,
  tags text[], is_on boolean, ratio double precision, PRIMARY KEY (a, b), UNIQUE (amount));
CREATE TABLE lines (part_a integer, part_b text, mixed uuid REFERENCES "Mixed Case", note text,
  FOREIGN KEY (part_a, part_b) REFERENCES parts (a, b));
CREATE INDEX lines_by_note ON lines (note);
CREATE TABLE measures (at timestamptz NOT NULL, value int) PARTITION BY RANGE (at);
CREATE TABLE measures_2020 PARTITION OF measures FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE measures_2021 PARTITION OF measures FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
CREATE TABLE exact (id numeric(38, 10) PRIMARY KEY);
CREATE VIEW seen AS SELECT * FROM parts;
CREATE SCHEMA other; CREATE TABLE other.hidden (id int);
INSERT INTO "Mixed Case" VALUES ('00000000-0000-0000-0000-000000000001', 'one', 'good'),
  ('00000000-0000-0000-0000-000000000002', 'two', NULL);
INSERT INTO parts VALUES
  (1, 'a', 12.5, '2020-02-03 04:05:06+01', '2020-02-03', '\\x00ff', '{"k": [1, null]}', '{a,"b c"}', true, 0.1),
  (1, 'b', 12345678901234567890.1234567890, 'infinity', '0044-03-15 BC', NULL, NULL, NULL, false, 'NaN'),
  (2, 'a', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO lines SELECT 1, 'a', NULL, 'line ' || n FROM generate_series(1, 25) n;
INSERT INTO measures SELECT timestamptz '2020-06-01' + n * interval '30 days', n FROM generate_series(0, 11) n;
INSERT INTO exact SELECT 1000000000000000000000000000 + n * 0.0000000001 FROM generate_series(1, 50) n;
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        started = PostgresServer()
    except Missing as missing:
        pytest.skip(f"no PostgreSQL to test with: {missing}")
    yield started
    started.remove()


def made(server: PostgresServer, name: str) -> str:
    """The address of a new database."""
    with psycopg.connect(server.address(), autocommit=True) as db:
        db.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type]
    return server.address(name)


@pytest.fixture(scope="module")
def odd(server: PostgresServer) -> str:
    """A database with what one meets in the wild."""
    address = made(server, "odd")
    with psycopg.connect(address) as db:
        db.execute(ODD)  # type: ignore[arg-type]
    return address


@pytest.fixture(scope="module")
def shop(server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The sample shop on the server, and the file that it was copied from."""
    path, address = (
        make_shop(tmp_path_factory.mktemp("pg") / "shop.sqlite", customers=60),
        made(server, "shop"),
    )
    with sqlite3.connect(path) as source, psycopg.connect(address) as db:
        # What the shop's program never had: references that are held. The rows do not hold them.
        schema = SCHEMA.replace("REAL", "DOUBLE PRECISION")
        db.execute("SET session_replication_role = replica")
        db.execute(schema)  # type: ignore[arg-type]
        for (table,) in source.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall():
            copy(source, db, table)
    return address, path


def copy(source: sqlite3.Connection, db: Any, table: str) -> None:
    flags = {row[1] for row in source.execute(f"PRAGMA table_info({table})") if row[2] == "BOOLEAN"}
    cursor = source.execute(f"SELECT * FROM {table}")
    names = [each[0] for each in cursor.description]
    with db.cursor().copy(f"COPY {table} FROM STDIN") as rows:
        for row in cursor:
            rows.write_row(
                [bool(v) if name in flags else v for name, v in zip(names, row, strict=True)]
            )


def test_a_server_declares_tables_keys_references_checks_and_indexes(odd: str) -> None:
    # Names with capitals and spaces, keys of two columns, partitions: none of it is rare.
    source = open_source(odd)
    tables = {table.name: table for table in source.tables()}
    source.close()
    assert set(tables) == {"Mixed Case", "parts", "lines", "measures", "exact", "hidden"}
    mixed, parts, lines = tables["Mixed Case"], tables["parts"], tables["lines"]
    assert mixed.primary_key == ["Id"]
    assert [(column.name, column.family, column.nullable) for column in mixed.columns] == [
        ("Id", "text", False),
        ("The Name", "text", False),
        ("mood", "text", True),
    ]
    assert mixed.columns[1].default == "'x'::character varying"
    assert len(mixed.checks) == 1
    assert parts.primary_key == ["a", "b"]
    assert parts.unique == [["amount"]]
    families = {column.name: column.family for column in parts.columns}
    assert (
        families["amount"],
        families["made"],
        families["raw"],
        families["is_on"],
        families["tags"],
    ) == (
        "decimal",
        "datetime",
        "binary",
        "boolean",
        "other",
    )
    assert ForeignKey(["part_a", "part_b"], "parts", ["a", "b"]) in lines.foreign_keys
    assert ForeignKey(["mixed"], "Mixed Case", ["Id"]) in lines.foreign_keys
    assert lines.indexes == [["note"]]


TWO_SCHEMAS = """
CREATE SCHEMA a; CREATE SCHEMA b;
CREATE TABLE a.users (id int PRIMARY KEY, name text);
CREATE TABLE b.users (id int PRIMARY KEY, name text, email text);
CREATE TABLE b.orders (id int PRIMARY KEY, user_id int REFERENCES b.users, other_id int REFERENCES a.users);
CREATE TABLE b.more_users (points int) INHERITS (b.users);
CREATE TABLE b.secrets (id int);
INSERT INTO a.users VALUES (1, 'Ann'), (2, 'Bob');
INSERT INTO b.users VALUES (1, 'Carla', 'c@example.com');
INSERT INTO b.more_users VALUES (2, 'Deniz', 'd@example.com', 5);
INSERT INTO b.orders VALUES (10, 1, 2);
CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA a, b TO reader;
GRANT SELECT ON a.users, b.users, b.orders, b.more_users TO reader;
"""


@pytest.fixture(scope="module")
def two_schemas(server: PostgresServer) -> str:
    address = made(server, "two_schemas")
    with psycopg.connect(address) as db:
        db.execute(TWO_SCHEMAS)  # type: ignore[arg-type]
    return address


def test_tables_of_one_name_in_two_schemas_are_two_tables(two_schemas: str) -> None:
    # Only the first schema of the search path was read, and nobody learned of the others.
    source = open_source(two_schemas)
    tables = {table.name: table for table in source.tables()}
    assert list(tables) == ["a.users", "b.users", "more_users", "orders", "secrets"]
    assert {key.table for key in tables["orders"].foreign_keys} == {"a.users", "b.users"}
    assert [row["name"] for batch in source.batches("a.users", 10) for row in batch.rows] == [
        "Ann",
        "Bob",
    ]
    # A row that inherits is a row of its own table only.
    assert [source.count(name) for name in ("a.users", "b.users", "more_users")] == [2, 1, 1]
    assert [row["name"] for row in source.related("b.users", "id", [1, 2])] == ["Carla"]
    assert list(source.unread) == []
    source.close()


def test_tables_that_may_not_be_read_are_counted(two_schemas: str) -> None:
    # They are a part of the source, and a migration without them is not whole.
    source = open_source(two_schemas.replace("shop@", "reader@"))
    assert [table.name for table in source.tables()] == [
        "a.users",
        "b.users",
        "more_users",
        "orders",
    ]
    assert [each.text for each in source.unread] == [
        "tables: the user has no right to SELECT (b.secrets)"
    ]
    source.close()


ALL_KINDS = """
CREATE SCHEMA a; CREATE SCHEMA b;
CREATE TYPE a.mood AS ENUM ('good', 'bad');
CREATE TABLE a.users (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, twice text GENERATED ALWAYS AS
  (name || name) STORED, mood a.mood DEFAULT 'good', raw bytea, at timestamptz DEFAULT now(), flags bit(3));
CREATE TABLE b.users (id serial PRIMARY KEY, name text, boss int REFERENCES a.users, tags text[], doc jsonb);
CREATE TABLE b."Order Details" ("Line, No" int, note text, amount numeric(24, 6), UNIQUE ("Line, No"));
CREATE TABLE b.measures (at date NOT NULL, value int) PARTITION BY RANGE (at);
CREATE TABLE b.measures_2020 PARTITION OF b.measures FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE VIEW a.seen AS SELECT * FROM a.users; CREATE MATERIALIZED VIEW a.kept AS SELECT * FROM a.users;
CREATE FUNCTION a.f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO a.users (name) VALUES ('x'); END $f$;
CREATE TRIGGER t AFTER DELETE ON a.users FOR EACH ROW EXECUTE FUNCTION a.f();
CREATE INDEX lower_name ON b.users (lower(name) text_pattern_ops); COMMENT ON TABLE a.users IS 'it; is';
ALTER TABLE b.users ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON b.users USING (true);
INSERT INTO a.users (name, raw, flags) VALUES ('Ann', '\\x00ff', B'101'), (E'O''Neil;\n\\t"x"', NULL, NULL);
INSERT INTO b.users (name, boss, tags, doc) VALUES ('Bob', 1, '{a,"b c"}', '{"k": "it''s"}'), (NULL, NULL, NULL, NULL);
INSERT INTO b."Order Details" VALUES (1, 'tab\tand\\slash', 12.5), (2, '', -3);
INSERT INTO b.measures SELECT date '2020-01-01' + n, n FROM generate_series(1, 5) n;
"""


@pytest.mark.parametrize(
    "options", [(), ("--inserts",), ("--column-inserts", "--rows-per-insert=2"), ("--clean",)]
)
def test_what_pg_dump_writes_is_read_whole(
    server: PostgresServer, tmp_path: Path, options: tuple[str, ...]
) -> None:
    # The real program, not our memory of it: identity and computed columns, schemas, odd names,
    # policies, partitions.
    address = made(server, f"dumped{len(options)}{len(''.join(options))}")
    with psycopg.connect(address) as db:
        db.execute(ALL_KINDS)  # type: ignore[arg-type]
    command = [
        program("pg_dump"),
        "--no-owner",
        *options,
        f"--file={tmp_path / 'all.sql'}",
        address,
    ]
    subprocess.run(command, check=True)
    live, dump = open_source(address), open_source(tmp_path / "all.sql")
    assert list(dump.unread) == []
    names = {table.name: table.name for table in live.tables()} | {"measures": "measures_2020"}
    assert set(names) == {"a.users", "b.users", "Order Details", "measures"}
    for name, dumped in names.items():
        assert dump.count(dumped) == live.count(name), name
    assert _column(dump, "a.users", "name") == _column(live, "a.users", "name")
    assert _column(dump, "Order Details", "note") == _column(live, "Order Details", "note")
    (boss,) = next(table for table in dump.tables() if table.name == "b.users").foreign_keys
    assert (boss.table, boss.target_columns) == ("a.users", ["id"])
    live.close()
    dump.close()


def _column(source: JourneySource, table: str, column: str) -> list[Any]:
    return [row[column] for batch in source.batches(table, 10) for row in batch.rows]


def test_rows_that_a_policy_hides_are_an_error(two_schemas: str) -> None:
    # A count of the rest would look like the whole.
    with psycopg.connect(two_schemas) as db:
        db.execute("CREATE TABLE a.own (id int); GRANT SELECT ON a.own TO reader")
        db.execute("ALTER TABLE a.own ENABLE ROW LEVEL SECURITY")
    source = open_source(two_schemas.replace("shop@", "reader@"))
    with pytest.raises(SourceError, match="row-level security"):
        source.count("own")
    source.close()
    with psycopg.connect(two_schemas) as db:
        db.execute("DROP TABLE a.own")


def test_values_come_as_the_other_sources_have_them(odd: str) -> None:
    # A date that Python has no date for must not end a migration; a number must not lose a digit.
    source = open_source(odd)
    (batch,) = source.batches("parts", 10)
    source.close()
    first, second, third = batch.rows
    assert first == {
        "a": 1,
        "b": "a",
        "amount": 12.5,
        "made": "2020-02-03 03:05:06+00",
        "day": "2020-02-03",
        "raw": b"\x00\xff",
        "doc": '{"k": [1, null]}',
        "tags": '["a", "b c"]',
        "is_on": 1,
        "ratio": 0.1,
    }
    assert (second["amount"], second["made"], second["day"]) == (
        "12345678901234567890.1234567890",
        "infinity",
        "0044-03-15 BC",
    )
    assert set(third.values()) == {2, "a", None}
    assert batch.positions == [[1, "a"], [1, "b"], [2, "a"]]


@pytest.mark.parametrize("table", ["parts", "lines", "measures", "exact", "Mixed Case"])
@pytest.mark.parametrize("size", [1, 7])
def test_rows_are_read_again_from_any_position(odd: str, table: str, size: int) -> None:
    # With a key, without one, in partitions, and by numbers of 38 digits: none is lost and none
    # comes twice.
    source = open_source(odd)
    whole = [row for batch in source.batches(table, 1000) for row in batch.rows]
    assert len(whole) == source.count(table) > 0
    rows, after = list[Any](), None
    while True:
        # A new start for each batch, as after a crash.
        batch = next(source.batches(table, size, after), None)
        if batch is None:
            break
        rows, after = rows + batch.rows, batch.last
    source.close()
    assert list(map(str, rows)) == list(map(str, whole))


def test_rows_of_another_table_are_found_by_values_of_any_kind(odd: str) -> None:
    # A text in a column of numbers is not there; it is no error.
    source = open_source(odd)
    assert len(source.related("lines", "part_a", [1, "1", "soon", None, 10**30])) == 25
    assert source.related("lines", "part_a", ["soon"]) == []
    assert len(source.related("parts", "amount", [12.5, "x"])) == 1
    assert len(source.related("Mixed Case", "Id", ["00000000-0000-0000-0000-000000000002"])) == 1
    source.close()


def test_nothing_can_be_written_and_changes_of_others_are_not_seen(odd: str) -> None:
    # It is somebody's production database.
    source: Any = open_source(odd)
    before = source.count("exact")
    with psycopg.connect(odd) as other:
        other.execute("INSERT INTO exact VALUES (1)")
    assert source.count("exact") == before
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        source._db.execute("DELETE FROM exact")
    source.close()
    with psycopg.connect(odd) as other:
        other.execute("DELETE FROM exact WHERE id = 1")


def test_a_server_that_is_not_there_is_reported_without_a_password(server: PostgresServer) -> None:
    # What failed goes into logs.
    with pytest.raises(SourceError, match="cannot be reached") as refused:
        open_source("postgresql://shop:secret@127.0.0.1:1/shop")
    assert "secret" not in str(refused.value)
    with pytest.raises(SourceError, match='database "nothing" does not exist'):
        open_source(server.address("nothing"))
    source = open_source(server.address())
    with pytest.raises(SourceError, match="no table 'nothing'"):
        source.count("nothing")
    source.close()


def test_a_password_for_the_server_comes_from_the_environment(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No address may hold one, so whoever runs a journey, or goes on with it, must learn where to
    # put it.
    rules = server.folder / "data" / "pg_hba.conf"
    rules.write_text(f"host all guarded 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
    with psycopg.connect(server.address()) as db:
        db.execute("CREATE ROLE guarded LOGIN PASSWORD 's3cret'")
        db.execute("SELECT pg_reload_conf()")
    address = server.address().replace("shop@", "guarded@")
    advice = r"set PGPASSWORD for the process that runs the workers, or write it into ~/\.pgpass"
    with pytest.raises(SourceError, match=f"no password supplied: {advice}"):
        open_source(address)
    monkeypatch.setenv("PGPASSWORD", "wr0ng")
    with pytest.raises(SourceError, match=advice) as refused:
        open_source(address)
    assert "wr0ng" not in str(refused.value)
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    open_source(address).close()


def test_a_shop_on_a_server_is_migrated_as_the_file_that_it_was_copied_from(
    shop: tuple[str, Path], tmp_path: Path
) -> None:
    # All six stages: the same documents, whatever the data comes in.
    address, path = shop
    from_file, from_server = (
        Work(open_source(each), str(tmp_path / name), allowed=ANY_LOSS)
        for each, name in ((path, "a"), (address, "b"))
    )
    reports = [run_journey(work, MemoryContext()) for work in (from_file, from_server)]
    for work in (from_file, from_server):
        work.source.close()
    assert [report.is_passed for report in reports] == [True, True]
    with Target(from_file.target) as first, Target(from_server.target) as second:
        assert first.resources() == second.resources()
        for name in first.resources():
            assert _documents(second, name) == _documents(first, name), name


def _documents(target: Target, name: str) -> list[Any]:
    return [document for _, document in target.documents(name)]


def test_a_journey_on_a_server_that_goes_away_is_retried_when_it_is_back(
    home: Home, tmp_path: Path, server: PostgresServer, shop: tuple[str, Path]
) -> None:
    # By workers, with the address in the journey: the job says what happened, and the next
    # execution goes through.
    engine = Engine(home, tmp_path)
    about = {"type": "database", "schema_id": "shop", "schema_name": "Shop", "schema_version": "1"}
    journey = engine.journeys.create(
        name="Live",
        created_by="tests",
        oda_component_type="PRODUCTCATALOG",
        source=Source(**about, address=shop[0]),
        configuration=JourneyConfiguration(
            target=str(tmp_path / "out.sqlite"), retry_attempts=0, allowed_losses=ANY_LOSS
        ),
    )
    server.stop()
    try:
        failed = engine.run(journey)
    finally:
        server.start()
    assert failed.status == "failed"
    assert (failed.error_message or "").startswith("SourceError: PostgreSQL cannot be reached")
    again = engine.executions.retry(failed.job_id)
    engine.work()
    assert engine.executions.get(again.job_id).results.tables_analyzed == 22
    engine.executions.run_journey(journey.journey_id)
    assert engine.work() == 5
    assert engine.executions.final_report(journey.journey_id)["is_passed"]
