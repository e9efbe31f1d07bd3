"""docs/how-to/systems.md shows parts of what `sortkey new system` writes: they must be the parts it
writes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sortkey.cli import main

PAGE = Path(__file__).parents[2] / "docs/how-to/systems.md"
BLOCKS = re.findall(
    r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("systems") / "tasks"
    assert main(["new", "system", "tasks", "--into", os.fspath(folder)]) == 0
    return folder


@pytest.mark.parametrize(("path", "shown"), BLOCKS, ids=[path for path, _ in BLOCKS])
def test_the_page_shows_what_is_written(project: Path, path: str, shown: str) -> None:
    # Code in a page that nobody runs is wrong after the next change.
    assert shown in (project / path).read_text(encoding="utf-8")


def test_the_page_shows_every_kind_of_file() -> None:
    assert len(BLOCKS) == 7
