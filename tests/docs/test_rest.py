"""The code of the page on REST does what it shows, and it tells every name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sortkey.web
from sortkey.web.refusals import STATUSES
from tests.docs.test_documents import ROOT, differences

PAGE = ROOT / "docs" / "how-to" / "rest.md"


@pytest.mark.slow
def test_the_code_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    # A document that lies costs every reader an hour.
    assert differences(PAGE, tmp_path) == []


def test_every_name_is_documented() -> None:
    # What is exported but not documented can only be found in the source.
    text = PAGE.read_text(encoding="utf-8")
    names = [name for name in sortkey.web.__all__ if name != "ErrorAnswer"]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_the_table_of_statuses_is_that_of_the_code() -> None:
    # Whoever writes a client reads it once and relies on it.
    text = PAGE.read_text(encoding="utf-8")
    documented = {
        name: int(row[1])
        for row in re.findall(r"^\| (.*) \| (\d{3}) \|$", text, re.M)
        for name in _names(row[0])
    }
    known = {each.__name__: status for each, (status, _) in STATUSES.items()}
    assert documented.items() <= known.items() | {("ObjectNotFound", 404)}
    assert len(documented) > 8


def _names(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)
