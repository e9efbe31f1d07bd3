"""The page on search: its code runs and prints what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_documents import ROOT, differences


@pytest.mark.slow
def test_the_page_on_search_does_what_it_shows(tmp_path: Path) -> None:
    # It is what people copy.
    assert differences(ROOT / "docs" / "how-to" / "search.md", tmp_path) == []
