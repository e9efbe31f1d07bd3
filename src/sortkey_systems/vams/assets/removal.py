"""Deleting an asset for good: record, files, and every row of it.

The record goes first, in one transaction with a mark and a job, so that nobody can use the asset
any more. The job removes the rest in steps and is resumed after a crash. Until it ends, the mark
keeps the id and the folder from being used again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortkey import Delete, JobContext, Objects, Put, Store, job
from sortkey.errors import NotConfigured, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.assets.archive import files_key
from sortkey_systems.vams.assets.assets import TRIES, Assets, unchanged
from sortkey_systems.vams.assets.creation import (
    REMOVAL_MARK,
    location_claim,
    release_of,
    removal_key,
)
from sortkey_systems.vams.assets.rows import keys_of, link_ids
from sortkey_systems.vams.buckets import Buckets
from sortkey_systems.vams.changes import Changes
from sortkey_systems.vams.databases import Databases
from sortkey_systems.vams.failures import Conflict, Failure, Invalid
from sortkey_systems.vams.jobs import Jobs
from sortkey_systems.vams.link_changes import remove_link
from sortkey_systems.vams.model import Asset, AssetLinkMetadata, AuthEntity

KEYS_AT_ONCE = 500
"""Rows that are deleted between two safe points of the job."""

Remover = Callable[[Asset], object]
"""Removes what a part of the service has of an asset. Calling it again is fine."""


class Removal:
    """Deletes assets for good."""

    def __init__(
        self,
        store: Store,
        access: Access,
        assets: Assets,
        databases: Databases,
        buckets: Buckets,
        changes: Changes,
        jobs: Jobs,
    ) -> None:
        self._store, self._access, self._assets = store, access, assets
        self._databases, self._buckets, self._changes = databases, buckets, changes
        self._jobs = jobs
        self._removers: dict[str, Remover] = {}
        self._job = job("vams.remove-asset", timeout=6 * 3600, retries=20)(self._remove)
        jobs.add(self._job)

    def register(self, name: str, remover: Remover) -> None:
        """Call a part's own removal before the rows and objects go, in the order of the calls."""
        self._removers[name] = remover

    def delete(
        self, caller: Caller, database_id: str, asset_id: str, reason: str | None = None
    ) -> Asset:
        """Delete an active or archived asset for good."""
        for _ in range(TRIES):
            asset = self._assets.get(caller, database_id, asset_id, "DELETE", archived=True)
            key = Asset.key(database_id=database_id, asset_id=asset_id)
            mark = AuthEntity(
                entity_type=REMOVAL_MARK,
                sk=f"{database_id}:{asset_id}",
                definition={"item": asset.to_item()},
            )
            ids = {"database_id": database_id, "asset_id": asset_id}
            task = self._jobs.write_of(self._job, ids, key=files_key(asset))
            writes: list[Any] = [
                Delete(key.archived() if asset.in_archive else key, unchanged(asset)),
                Put(mark),
                task,
            ]
            if asset.asset_location is not None:  # nobody else gets the folder meanwhile
                writes.append(Put(location_claim(asset)))
            if not asset.in_archive:
                count = self._databases.count_write(database_id, -1)
                writes += [count] if count is not None else []
            try:
                self._store.transact(*writes)
            except TransactionFailed:
                continue
            self._jobs.notify(task.entity)
            self._record(caller, asset, reason)
            self._changes.asset_changed(caller, asset, "delete")
            return asset
        raise Conflict("the asset is being changed by others: try again")

    def _record(self, caller: Caller, asset: Asset, reason: str | None) -> None:
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        self._access.audit.record("ACTIONS", caller, "asset.delete", subject, reason=reason)

    # -- the job

    def _remove(self, context: JobContext, database_id: str, asset_id: str) -> None:
        mark = self._store.find(
            AuthEntity.key(entity_type=REMOVAL_MARK, sk=f"{database_id}:{asset_id}"),
            consistent=True,
        )
        if mark is None or not mark.definition:
            return  # done before
        asset = Asset.from_item(mark.definition["item"])
        for name, remover in self._removers.items():
            context.step(name, _called, remover, asset)
        self._remove_links(asset)
        self._remove_objects(context, asset)
        self._remove_rows(context, asset)
        release = release_of(asset)
        ends = [Delete(removal_key(asset)), *([release] if release is not None else [])]
        self._store.transact(*ends)

    def _remove_links(self, asset: Asset) -> None:
        """Links with their metadata. The assets at the other ends change, so search sees it."""
        for link_id in link_ids(self._store, asset):
            metadata = self._store.keys(AssetLinkMetadata.of_link(asset_link_id=link_id))
            self._store.batch_write(deletes=metadata)
            remove_link(self._store, link_id)

    def _remove_rows(self, context: JobContext, asset: Asset) -> None:
        is_only = not self._assets.by_id(asset.asset_id)
        several: list[Any] = []
        for key in keys_of(self._store, asset, is_only=is_only):
            several.append(key)
            if len(several) == KEYS_AT_ONCE:
                context.check_cancelled()
                self._store.batch_write(deletes=several)
                several.clear()
        if several:
            self._store.batch_write(deletes=several)

    def _remove_objects(self, context: JobContext, asset: Asset) -> None:
        """All versions and markers of its files, uploads that are not complete, and what was
        generated from them.
        """
        try:
            place = self._assets.place_of(asset)
        except (Failure, NotConfigured):
            return  # its bucket is not there
        remove_all(place.objects, place.prefix, context.check_cancelled)
        remove_all(self._buckets.auxiliary, place.prefix, context.check_cancelled)


def remove_all(objects: Objects, prefix: str, safe_point: Callable[[], object]) -> None:
    """Remove every version, marker and incomplete upload under a prefix, which ends in a slash."""
    if not prefix.rstrip("/"):
        raise Invalid("an asset at the root of a bucket cannot be deleted with its files")
    for upload in objects.uploads(prefix):
        objects.abort_upload(upload)
    for number, version in enumerate(objects.versions(prefix)):
        if number % KEYS_AT_ONCE == 0:
            safe_point()
        objects.delete(version.key, version.version_id)


def _called(remover: Remover, asset: Asset) -> None:
    """Call a remover; what it returns is not stored."""
    remover(asset)
