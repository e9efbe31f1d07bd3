"""Counts of assets by the index, which must be those of the assets themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from sortkey_systems.vams import asset_counts
from sortkey_systems.vams.asset_counts import AssetCounts
from sortkey_systems.vams.model import Asset, Database
from tests.systems.vams.host import ADMIN
from tests.systems.vams.search.corpus import PEOPLE, searched


@pytest.mark.slow
def test_the_index_counts_what_a_look_at_every_asset_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Large databases are counted by the index: it must not count what the caller may not see.
    with searched(tmp_path) as requests:
        service = requests.service
        counts = AssetCounts(service.store, service.access, service.search)
        names = {asset.database_id for asset in service.store.scan(Asset)}
        databases = [Database(database_id=name) for name in sorted(names)]
        found = set[tuple[int, ...]]()
        for user in (ADMIN, *PEOPLE):
            caller = service.access.caller(user)
            by_reading = counts.of(caller, databases)
            assert sum(service.search.counts_by_database(caller).values()) == sum(
                by_reading.values()
            ), user
            monkeypatch.setattr(asset_counts, "READ_MAX", 0)
            assert counts.of(caller, databases) == by_reading, user
            monkeypatch.undo()
            found.add(tuple(by_reading.values()))
        assert len(found) > 3
