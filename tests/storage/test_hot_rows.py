"""Rows in memory must never be other than those on disk."""

from __future__ import annotations

import random

import pytest

from sortkey.storage.database import Database
from sortkey.storage.hot_rows import PAGE_BYTES_MAX, HotRows
from sortkey.storage.rows import Rows
from sortkey.values.keys import encode_key, partition_of


@pytest.fixture
def database():
    return Database()


@pytest.fixture
def rows(database):
    rows = Rows(database, 1, [])
    rows.create()
    return rows


def test_what_is_read_is_what_is_stored_whatever_was_written_and_undone(database, rows):
    # A stale row would answer a read with the past, and give a condition the wrong old item.
    source = random.Random(1)
    for _ in range(3000):
        key = b"....\0\1" + bytes([source.randrange(20)])
        match source.randrange(6):
            case 0:
                database.begin()
                rows.put(key, source.randbytes(8), source.randrange(100), None, [])
            case 1:
                database.begin()
                if rows.get(key):
                    rows.replace(key, source.randbytes(8), source.randrange(100), None)
            case 2:
                database.begin()
                rows.delete(key)
            case 3:
                database.commit()
            case 4:
                database.rollback()
            case _:
                pass
        stored = database.execute("select item, size from t1 where key = ?", (key,)).fetchone()
        assert rows.get(key) == stored
        assert Rows(database, 1, []).get(key) == stored


def test_a_page_lasts_until_something_is_written_to_its_partition(database, rows):
    # A page that outlives a write, or its rollback, would answer a query with the past.
    near, same, far = (
        encode_key([{"S": name}], [{"S": sort}])
        for name, sort in (("a", "1"), ("a", "2"), ("b", "1"))
    )
    partition = partition_of(near)
    for spoil in (
        lambda: rows.put(same, b"x", 1, None, []),
        lambda: rows.replace(same, b"y", 1, None),
        lambda: rows.delete(same),
        lambda: (database.begin(), database.rollback()),
        lambda: (rows.drop(), rows.create()),
    ):
        rows.keep_page(partition, "all", "page", 10)
        rows.put(far, b"x", 1, None, [])
        assert Rows(database, 1, []).page(partition, "all") == "page"
        spoil()
        assert rows.page(partition, "all") is None
    rows.keep_page(partition, "all", "page", PAGE_BYTES_MAX + 1)
    assert rows.page(partition, "all") is None


def test_a_dropped_table_leaves_nothing_to_one_of_the_same_number(database, rows):
    # Numbers are not used twice, but a rollback of the drop brings the table back.
    rows.put(b"k", b"item", 4, None, [])
    assert rows.get(b"k")
    rows.drop()
    rows.create()
    assert rows.get(b"k") is None


def test_the_bound_holds_for_all_tables_together():
    # Many tables must not each take the whole of it.
    hot = HotRows(bytes_max=10_000)
    for number in range(100):
        table = hot.of(f"t{number % 10}")
        hot.keep(table, bytes([number]), (b"x" * 300, 300))
        held = sum(len(item) for n in range(10) for item, _ in hot.of(f"t{n}").values())
        assert held <= 10_000
        assert table[bytes([number])] == (b"x" * 300, 300)
