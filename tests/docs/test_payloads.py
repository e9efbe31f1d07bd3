"""The code of the page on payloads and objects does what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sortkey
from tests.docs.test_documents import ROOT, differences

PAGE = ROOT / "docs" / "how-to" / "payloads.md"
ROOMS = ("connect.buckets", "model.payloads", "runtime.objects", "runtime.objects.data")


@pytest.mark.slow
def test_the_code_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    # A document that lies costs every reader an hour.
    assert differences(PAGE, tmp_path) == []


def test_every_name_and_every_method_is_documented() -> None:
    # What is exported but not documented is only found by reading the source.
    text = PAGE.read_text(encoding="utf-8")
    names = [name for room in ROOMS for name in sortkey._ROOMS[room]]
    names += [
        name
        for name in vars(sortkey.Objects)
        if not name.startswith("_") and name not in ("name", "close")
    ]
    assert len(names) > 25
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []
