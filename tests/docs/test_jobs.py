"""The code of the page about jobs does what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_documents import ROOT, differences


@pytest.mark.slow
def test_the_code_of_the_page_about_jobs_does_what_it_shows(tmp_path: Path) -> None:
    # A document that lies costs every reader an hour.
    assert differences(ROOT / "docs" / "how-to" / "jobs.md", tmp_path) == []
