"""A server that starts no browsers: routes that need none behave the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sortkey.systems import SharedResources
from tests.systems.wallcrawler.served import Served, served


@pytest.fixture
def without_browsers(
    sortkey_shared: SharedResources, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    monkeypatch.setenv("WALLCRAWLER_BROWSERS", "none")
    with served(sortkey_shared) as running:
        yield running
