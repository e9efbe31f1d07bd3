"""A journey from what a person types: what helps where it cannot start, and that the file is read
as it was then.
"""

import sqlite3
from pathlib import Path

import pytest

from sortkey.systems import Resources
from sortkey_systems.jobengine.journeys.new_journey import NotAJourney, start_journey
from sortkey_systems.jobengine.service import JobEngine, make_service


@pytest.fixture
def service(sortkey_resources: Resources) -> JobEngine:
    """As `sortkey up` has it: journeys are confined to a folder. No worker runs, so jobs stay
    pending.
    """
    return make_service(sortkey_resources)


@pytest.mark.parametrize(
    ("name", "path", "said"),
    [
        (" ", None, "Give the journey a name"),
        ("Shop", "", "Give the path of a SQLite file"),
        ("Shop", "{folder}", "is a folder"),
        (
            "Shop",
            "{folder}/gone.sqlite",
            r"There is no file .*gone.sqlite. In its folder there are: shop.sqlite",
        ),
        ("Shop", "{folder}/not/there.sqlite", "The folder .*not is not there either"),
        ("Shop", "{folder}/holiday.jpg", "neither a SQLite file nor a SQL dump"),
    ],
)
def test_what_is_missing_is_reported_and_nothing_is_created(
    service: JobEngine, tmp_path: Path, name: str, path: str | None, said: str
):
    # Who types a path makes mistakes; the message is all the help there is.
    (tmp_path / "holiday.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "shop.sqlite").write_bytes(b"SQLite format 3\0")
    with pytest.raises(NotAJourney, match=said):
        start_journey(
            service,
            name=name,
            path=path and path.format(folder=tmp_path),
            created_by="test",
            is_at_this_machine=True,
        )
    assert service.journeys.list() == []


def test_a_file_from_anywhere_is_copied_with_what_was_written_last(
    service: JobEngine, tmp_path: Path
):
    # Journeys may not read elsewhere; and a database that is in use has its newest rows in a second
    # file.
    with sqlite3.connect(tmp_path / "shop.sqlite", isolation_level=None) as shop:
        shop.execute("PRAGMA journal_mode=WAL")
        shop.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)")
        shop.execute("INSERT INTO orders VALUES (7)")
        path = f" {tmp_path / 'shop.sqlite'} "
        made = start_journey(
            service,
            name="Shop",
            path=path,
            priority="high",
            created_by="test",
            is_at_this_machine=True,
        )
    assert (made.name, made.priority, list(made.current_jobs)) == ("Shop", "high", ["raw_analysis"])
    assert sqlite3.connect(service.places.source(made)).execute(
        "SELECT id FROM orders"
    ).fetchall() == [(7,)]


def test_a_dump_is_a_source_and_so_is_the_sample(service: JobEngine, tmp_path: Path):
    dump = tmp_path / "shop.sql"
    dump.write_text("create table orders (id integer);\n")
    journeys = [
        start_journey(service, name="Shop", path=each, created_by="test", is_at_this_machine=True)
        for each in (str(dump), None)
    ]
    copied, sample = (Path(service.places.source(each)) for each in journeys)
    assert copied.read_text() == dump.read_text()
    assert sample.stat().st_size > 100_000


def test_from_another_machine_only_files_of_the_journeys_are_read(
    service: JobEngine, tmp_path: Path
):
    # The password of the console is no key to every database that the process may read.
    (tmp_path / "secret.sqlite").write_bytes(b"SQLite format 3\0")
    inside = service.places.root / "shop.sql"
    inside.parent.mkdir(exist_ok=True)
    inside.write_text("CREATE TABLE items (id INTEGER PRIMARY KEY);")
    for path in (str(tmp_path / "secret.sqlite"), "../secret.sqlite"):
        with pytest.raises(NotAJourney, match="put the file there"):
            start_journey(
                service, name="Shop", path=path, created_by="test", is_at_this_machine=False
            )
    made = start_journey(
        service, name="Shop", path="shop.sql", created_by="test", is_at_this_machine=False
    )
    assert made.source.schema_name == "shop"
