"""The code of the page on the AI Job Engine does what it shows, and the page names every
command.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sortkey.cli.program import load
from tests.docs.test_documents import ROOT, differences

PAGE = ROOT / "docs" / "jobengine.md"


@pytest.mark.slow
def test_the_code_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    # A document that lies costs every reader an hour.
    assert differences(PAGE, tmp_path) == []


def test_every_command_is_on_the_page() -> None:
    # A command that is not documented is found only by chance.
    text = PAGE.read_text(encoding="utf-8")
    commands = load("jobengine").commands
    assert len(commands) > 5
    assert [name for name in commands if f"jobengine {name}" not in text] == []
