"""The code of the page on models that change does what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sortkey
from tests.docs.test_documents import ROOT, differences

PAGE = ROOT / "docs" / "how-to" / "evolution.md"
ELSEWHERE = {"Plan", "Backfilled", "evolution_table"}
"""What one gets, and need not name."""


@pytest.mark.slow
def test_the_code_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    # A document that lies costs every reader an hour.
    assert differences(PAGE, tmp_path) == []


def test_every_name_is_documented() -> None:
    # What is exported but not documented is only found by reading the source.
    text = PAGE.read_text(encoding="utf-8")
    names = [name for name in sortkey._ROOMS["runtime.evolution"] if name not in ELSEWHERE]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []
