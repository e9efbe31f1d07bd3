"""Both homes are what the tests of the systems take them for: empty, apart, and with links that can
be followed.
"""

from __future__ import annotations

from urllib.request import Request, urlopen

import pytest

from sortkey import Entity, Table, key
from tests.systems.homes import Home

notes = Table("notes", key=("PK",))


class Note(Entity, table=notes):
    """A note."""

    name: str

    @key("NOTE#{name}")
    def key(*, name: str):
        """A note."""


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_home_is_empty_at_first(home: Home, attempt: int) -> None:
    # A test that finds what another one left fails on some days only.
    home.store.ensure(notes)
    assert home.store.scan(Note) == []
    assert home.objects["reports"].list().objects == ()
    home.store.create(Note(name="here"))
    home.objects["reports"].put("here", b"here")


def test_links_of_a_home_can_be_followed(home: Home) -> None:
    # What a browser uploads and downloads goes this way.
    files = home.objects["uploads"]
    with urlopen(
        Request(
            files.presign_put("a/b", size=5, content_type="text/plain"),
            b"hello",
            _TEXT,
            method="PUT",
        )
    ):
        pass
    with urlopen(files.presign_get("a/b")) as answer:
        assert answer.read() == b"hello"


_TEXT = {"Content-Type": "text/plain"}
