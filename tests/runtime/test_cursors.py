"""Cursors of pages that are no query of a table: those of a service, as of lines in a file."""

from __future__ import annotations

from typing import Any

import pytest

import sortkey
from sortkey import Store
from sortkey.errors import BadCursor

ABOUT = {"logs": "JOB-1", "level": "error"}


def opened(**settings: Any) -> Store:
    return sortkey.open(":memory:", **settings)


def test_a_place_comes_back_from_its_cursor() -> None:
    # A service pages through what it likes, with cursors as good as those of queries.
    with opened() as store:
        cursor = store.sign_cursor(ABOUT, ["step", 17])
        assert store.read_cursor(dict(reversed(ABOUT.items())), cursor) == ["step", 17]


@pytest.mark.parametrize("about", [{"logs": "JOB-2", "level": "error"}, {"logs": "JOB-1"}])
def test_a_cursor_is_of_no_use_for_anything_else(about: dict[str, str]) -> None:
    # It would show lines that were not asked for, or leave some out.
    with opened() as store, pytest.raises(BadCursor):
        store.read_cursor(about, store.sign_cursor(ABOUT, 17))


def test_a_cursor_of_another_tenant_or_secret_is_refused() -> None:
    # Tenants are separated by more than their good will.
    with (
        opened(secret=b"s" * 32, tenant="a") as ours,
        opened(secret=b"s" * 32, tenant="b") as theirs,
    ):
        cursor = ours.sign_cursor(ABOUT, 17)
        with pytest.raises(BadCursor):
            theirs.read_cursor(ABOUT, cursor)
    with opened() as other, pytest.raises(BadCursor):
        other.read_cursor(ABOUT, cursor)


@pytest.mark.parametrize("cursor", ["", "?", "AAAA", "a" * 1000])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    # It comes from a URL, where anyone can write anything.
    with opened() as store, pytest.raises(BadCursor):
        store.read_cursor(ABOUT, cursor)
