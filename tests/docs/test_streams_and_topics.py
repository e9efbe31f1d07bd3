"""The code of the pages on streams and topics does what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sortkey
from tests.docs.test_documents import ROOT, differences

PAGES = ("docs/how-to/streams.md", "docs/how-to/topics.md")
ROOMS = ("runtime.streams", "runtime.topics", "runtime.audit", "connect.topics")
ELSEWHERE = {"DeadLetter", "Topics", "Subscription", "streams_table"}
"""What one gets, and need not name."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_does_what_it_shows(name: str, tmp_path: Path) -> None:
    # A document that lies costs every reader an hour.
    assert differences(ROOT / name, tmp_path) == []


def test_every_name_is_documented() -> None:
    # What is exported but not documented is only found by reading the source.
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in PAGES)
    names = [name for room in ROOMS for name in sortkey._ROOMS[room] if name not in ELSEWHERE]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []
