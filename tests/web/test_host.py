"""The host: tables of its systems are created once, and what differs in them is reported with what to do."""

from __future__ import annotations

import pytest

from sortkey import Table
from sortkey.systems import SharedResources, find_system
from sortkey.web import Host


def test_a_table_that_differs_is_reported_once_with_the_command_that_helps(
    sortkey_shared: SharedResources, caplog: pytest.LogCaptureFixture
) -> None:
    # Whoever reads it twice looks for a second difference; whoever reads no name does not know what to plan.
    sortkey_shared.store.ensure(Table("wallcrawler-sessions", key=("sessionId",)))
    Host(sortkey_shared, [find_system("wallcrawler")])
    lines = [each.getMessage() for each in caplog.records if "wallcrawler-sessions" in each.getMessage()]
    assert lines
    assert len(lines) == len(set(lines))
    assert all(line.endswith("`sortkey plan wallcrawler` says what to do") for line in lines)
