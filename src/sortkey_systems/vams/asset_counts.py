"""How many assets of databases a caller may see. Who sees all of a database gets the count that is
kept with it.

Otherwise the assets are asked one by one, as long as they are few. Of many, the search index counts
those that the caller may see: it follows changes a moment later.
"""

from __future__ import annotations

from collections.abc import Sequence

from sortkey import Store
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.access.reach import reach_in
from sortkey_systems.vams.assets.shapes import asset_object
from sortkey_systems.vams.failures import Failure
from sortkey_systems.vams.model import Asset, Database
from sortkey_systems.vams.search.asset_search import FACET_VALUES, AssetSearch

READ_MAX = 2000
"""Assets that are read for one answer before the index is asked."""


class AssetCounts:
    """Counts assets for callers."""

    def __init__(self, store: Store, access: Access, search: AssetSearch) -> None:
        self._store, self._access, self._search = store, access, search

    def of(self, caller: Caller, databases: Sequence[Database]) -> dict[str, int]:
        """The visible active assets of each database, by its id."""
        allows, denies = self._access.rules(caller, "GET", AssetObject.object_type)
        counts: dict[str, int] = {}
        partly: dict[str, int] = {}
        for database in databases:
            name, total = database.database_id, self._total(database)
            reach = reach_in(name, allows, denies) if total else "none"
            counts[name] = total if reach == "all" else 0
            if reach == "some":
                partly[name] = total
        found = self._indexed(caller) if sum(partly.values()) > READ_MAX else None
        is_complete = found is not None and len(found) < FACET_VALUES
        for name in partly:
            known = (found or {}).get(name, 0 if is_complete else None)
            counts[name] = self._read(caller, name) if known is None else known
        return counts

    def _total(self, database: Database) -> int:
        if database.asset_count is not None:
            return max(0, database.asset_count)
        if database.in_archive:
            return 0
        return self._store.count(Asset.of_database(database_id=database.database_id))

    def _indexed(self, caller: Caller) -> dict[str, int] | None:
        """None if the index is not ready."""
        try:
            return self._search.counts_by_database(caller)
        except Failure:
            return None

    def _read(self, caller: Caller, database_id: str) -> int:
        is_visible = self._access.filter(caller)
        assets = self._store.iterate(Asset.of_database(database_id=database_id).consistent())
        return sum(is_visible(asset_object(asset)) for asset in assets)
