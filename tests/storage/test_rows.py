"""Rows, their bounds and their index columns."""

from __future__ import annotations

import pytest

from sortkey.storage.database import Database
from sortkey.storage.journal import Journal
from sortkey.storage.records import Records
from sortkey.storage.rows import Rows


@pytest.fixture
def rows():
    rows = Rows(Database(), 1, ["x1"])
    rows.create()
    for n in range(5):
        rows.put(bytes([n]), b"item%d" % n, 10 + n, None, [bytes([9 - n]) if n != 3 else None])
    return rows


@pytest.mark.parametrize(
    ("lower", "upper", "after", "descending", "expected"),
    [
        (b"", None, None, False, [0, 1, 2, 3, 4]),
        (b"\x01", b"\x03", None, False, [1, 2]),
        (b"\x01", b"\x04", b"\x01", False, [2, 3]),
        (b"\x01", b"\x04", b"\x02", True, [1]),
        (b"", None, None, True, [4, 3, 2, 1, 0]),
        (b"\x07", None, None, False, []),
    ],
)
def test_a_range_has_its_lower_bound_and_not_its_upper(
    rows, lower, upper, after, descending, expected
):
    # Pages depend on it: a bound that is off by one repeats or loses an item.
    found = rows.range(lower, upper, after=after, descending=descending)
    assert [key[0] for key, _, _ in found] == expected


def test_an_index_holds_only_rows_that_have_its_key_in_its_order(rows):
    # A sparse index: row 3 has no key in it.
    assert [key[0] for _, key, _, _ in rows.index_range("x1", b"", None)] == [4, 2, 1, 0]
    after = (bytes([7]), bytes([2]))
    assert [key[0] for _, key, _, _ in rows.index_range("x1", b"", None, after=after)] == [1, 0]
    assert [
        key[0] for _, key, _, _ in rows.index_range("x1", b"", None, after=after, descending=True)
    ] == [4]


def test_putting_a_row_again_moves_it_in_the_index(rows):
    # The index key is a column of the row, so there is nothing that could be left behind.
    rows.put(bytes([0]), b"new", 3, None, [None])
    assert rows.get(bytes([0])) == (b"new", 3)
    assert [key[0] for _, key, _, _ in rows.index_range("x1", b"", None)] == [4, 2, 1]


def test_a_rollback_gives_back_the_numbers_of_the_journal():
    # Streams must have no gap: a number that was given out in vain is given out again.
    database = Database()
    journal = Journal(database)
    database.begin()
    assert journal.append(1, 0, b"k", None, b"a") == 1
    database.commit()
    database.begin()
    assert journal.append(1, 0, b"k", b"a", b"b") == 2
    database.rollback()
    journal.reload()
    assert journal.append(1, 0, b"k", b"a", b"c") == 2


def test_a_trimmed_journal_never_uses_a_number_twice():
    # Readers remember sequence numbers for longer than the journal keeps its entries.
    database = Database()
    journal = Journal(database)
    for at in (1, 2, 3):
        journal.append(1, at, b"k", None, b"a")
    assert journal.trim(1, before_ms=100) == 3
    assert Journal(database).append(1, 4, b"k", None, b"a") == 4


def test_numbers_are_given_out_once_by_name():
    # Row tables are named by number; a dropped table's number must not come back.
    records = Records(Database())
    assert [
        records.next_number("table"),
        records.next_number("table"),
        records.next_number("other"),
    ] == [1, 2, 1]


@pytest.mark.parametrize("column", [None, "x1"])
@pytest.mark.parametrize("descending", [False, True])
def test_going_on_in_the_middle_walks_over_nothing(column, descending):
    # Reading a long table page by page would else take the square of its length.
    database = Database()
    rows = Rows(database, 1, ["x1"])
    rows.create()
    for n in range(5000):
        rows.put(n.to_bytes(2, "big"), b"%d" % n, 1, None, [b"x"])
    steps = []
    database._connection.set_progress_handler(lambda: steps.append(1) or False, 1)
    after = (None if column is None else b"x", (2500).to_bytes(2, "big"))
    bounds = (b"x", b"y") if column else (b"", b"\xff")
    item, _ = next(iter(rows.items(*bounds, column=column, after=after, descending=descending)))
    assert int(item) == (2499 if descending else 2501)
    assert len(steps) < 200


@pytest.mark.parametrize(
    ("after", "descending", "expected"), [(b"\x00", False, [1, 2]), (b"\x04", True, [2, 1])]
)
def test_a_place_outside_the_bounds_does_not_widen_them(rows, after, descending, expected):
    found = rows.range(b"\x01", b"\x03", after=after, descending=descending)
    assert [key[0] for key, _, _ in found] == expected


def test_a_clock_that_is_set_back_does_not_disorder_the_journal():
    # Recovery finds an instant by halving, and trimming stops at the first young entry: both need
    # the order.
    database = Database()
    journal = Journal(database)
    for at in (10, 5, 20):
        journal.append(1, at, b"k", None, b"a")
    assert [entry.at_ms for entry in journal.read(1, 0)] == [10, 10, 20]
    assert Journal(database).append(1, 1, b"k", None, b"a") == 4
    assert journal.read(1, 3, up_to=4)[0].at_ms == 20
