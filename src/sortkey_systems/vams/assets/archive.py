"""Archiving an asset, and the way back.

The record moves to `<database>#deleted` in one transaction, with the count of the database, the
mark on the current version and a job. The job hides the files behind delete markers, and is resumed
after a crash. On the way back, only the markers that came with the archive are removed: files that
were archived before stay so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from sortkey import Delete, JobContext, Objects, ObjectVersion, Put, Store, Update, attr, job
from sortkey.errors import ConditionFailed, TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.assets.assets import TRIES, Assets, unchanged
from sortkey_systems.vams.changes import Changes, Kind
from sortkey_systems.vams.databases import Databases
from sortkey_systems.vams.failures import Conflict, Invalid, NotThere
from sortkey_systems.vams.jobs import Jobs
from sortkey_systems.vams.model import Asset, AssetVersion

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
CHUNK = 200
"""Files between two looks at whether the asset is still archived."""


class Archive:
    """Archives assets and brings them back."""

    def __init__(
        self,
        store: Store,
        access: Access,
        assets: Assets,
        databases: Databases,
        changes: Changes,
        jobs: Jobs,
        now: Callable[[], datetime],
    ) -> None:
        self._store, self._access, self._assets = store, access, assets
        self._databases, self._changes, self._jobs, self._now = databases, changes, jobs, now
        self._hide = job("vams.archive-files", retries=20)(self._hide_files)
        self._show = job("vams.unarchive-files", retries=20)(self._show_files)
        jobs.add(self._hide, self._show)

    def archive(
        self, caller: Caller, database_id: str, asset_id: str, reason: str | None = None
    ) -> Asset:
        """Archive an active asset."""
        for _ in range(TRIES):
            asset = self._assets.get(caller, database_id, asset_id, "DELETE")
            now = self._later_than(asset)
            archived = asset.changed(
                archived_at=now,
                archived_by=caller.user_id,
                archived_reason=reason,
                updated_at=now,
            ).moved_to_archive(True)
            if self._move(asset, archived, -1, self._hide, {"archived_at": _text(now)}):
                self._done(caller, archived, "archive")
                return archived
        raise _busy()

    def unarchive(
        self, caller: Caller, database_id: str, asset_id: str, reason: str | None = None
    ) -> Asset:
        """Bring an archived asset back."""
        for _ in range(TRIES):
            asset = self._assets.get(caller, database_id, asset_id, "PUT", archived=True)
            if not asset.in_archive:
                raise Invalid("the asset is not archived")
            if self._databases.find(database_id) is None:
                raise NotThere("Database not found: create it again first")
            after = asset.files_archived_after
            active = asset.changed(
                archived_at=None,
                archived_by=None,
                archived_reason=None,
                updated_at=self._later_than(asset),
            ).moved_to_archive(False)
            # Without the instant no file was hidden, and none will be. It stays until all are back.
            function = None if after is None else self._show
            if self._move(asset, active, 1, function, {"after": _text(after or BEGINNING)}):
                self._done(caller, active, "unarchive", reason=reason)
                return active
        raise _busy()

    def _move(
        self,
        asset: Asset,
        moved: Asset,
        change: int,
        function: Any | None,
        arguments: dict[str, Any],
    ) -> bool:
        """Move a record into the archive or out of it. False if somebody else changed it."""
        source = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        writes: list[Any] = [
            Put(moved, when=attr(Asset.asset_id).missing()),
            Delete(source.archived() if asset.in_archive else source, unchanged(asset)),
            self._databases.count_write(asset.database_id, change),
            self._version_mark(asset, is_archived=moved.in_archive),
        ]
        task = None
        if function is not None:
            ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
            task = self._jobs.write_of(function, {**ids, **arguments}, key=files_key(asset))
            writes.append(task)
        try:
            self._store.transact(*(write for write in writes if write is not None))
        except TransactionFailed:
            return False
        if task is not None:
            self._jobs.notify(task.entity)
        return True

    def _version_mark(self, asset: Asset, *, is_archived: bool) -> Update[AssetVersion] | None:
        """The write that marks the current version, if there is one."""
        (version,) = self._assets.current_versions([asset])
        if version is None:
            return None
        key = AssetVersion.key(
            database_id=asset.database_id,
            asset_id=asset.asset_id,
            asset_version_id=version.asset_version_id,
        )
        return Update(key, (attr(AssetVersion.is_archived).set(is_archived),))

    def _later_than(self, asset: Asset) -> datetime:
        """Now, and in any case later than the last change, which conditions compare."""
        now = self._now()
        if asset.updated_at is None or now > asset.updated_at:
            return now
        return asset.updated_at + timedelta(microseconds=1)

    def _done(self, caller: Caller, asset: Asset, kind: Kind, **details: Any) -> None:
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        self._access.audit.record("ACTIONS", caller, f"asset.{kind}", subject, **details)
        self._changes.asset_changed(caller, asset, kind)

    # -- jobs

    def _hide_files(
        self, context: JobContext, database_id: str, asset_id: str, archived_at: str
    ) -> None:
        """Put delete markers on the live files of an archived asset."""
        asset = self._still_archived(database_id, asset_id, archived_at)
        if asset is None or asset.bucket_id is None:
            return
        place = self._assets.place_of(asset)
        if asset.files_archived_after is None and not self._remember(asset, place.prefix):
            return
        after: str | None = None
        while self._still_archived(database_id, asset_id, archived_at) is not None:
            context.check_cancelled()
            page = place.objects.list(place.prefix, after=after, limit=CHUNK)
            for each in page.objects:
                place.objects.delete(each.key)
            after = page.after
            if after is None:
                return

    def _remember(self, asset: Asset, prefix: str) -> bool:
        """Store the instant of the newest marker before the first of this archive. False if the
        asset is not archived any more.
        """
        objects = self._assets.place_of(asset).objects
        newest = max((each.modified_at for each in _markers(objects, prefix)), default=BEGINNING)
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id).archived()
        actions = (attr(Asset.files_archived_after).set(newest),)
        try:
            self._store.update(key, *actions, when=attr(Asset.archived_at) == asset.archived_at)
        except ConditionFailed:
            return False
        return True

    def _show_files(self, context: JobContext, database_id: str, asset_id: str, after: str) -> None:
        """Remove the delete markers that an archive has put."""
        asset = self._coming_back(database_id, asset_id, after)
        if asset is None or asset.bucket_id is None:
            return
        place, instant = self._assets.place_of(asset), datetime.fromisoformat(after)
        for number, marker in enumerate(_markers(place.objects, place.prefix)):
            if number % CHUNK == 0:
                context.check_cancelled()
                if self._coming_back(database_id, asset_id, after) is None:
                    return  # archived again, or deleted
            if marker.modified_at > instant:
                place.objects.delete(marker.key, marker.version_id)
        self._end_return(asset)

    def _end_return(self, asset: Asset) -> None:
        """All files are back. The change of the record makes search read them again."""
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        after = attr(Asset.files_archived_after)
        with suppress(ConditionFailed):  # archived again, or deleted
            self._store.update(key, after.remove(), when=after == asset.files_archived_after)

    def _coming_back(self, database_id: str, asset_id: str, after: str) -> Asset | None:
        asset = self._assets.find(database_id, asset_id)
        if asset is None or asset.files_archived_after is None:
            return None
        return asset if _text(asset.files_archived_after) == after else None

    def _still_archived(self, database_id: str, asset_id: str, archived_at: str) -> Asset | None:
        asset = self._assets.find(database_id, asset_id, archived=True)
        if asset is None or not asset.in_archive or asset.archived_at is None:
            return None
        return asset if _text(asset.archived_at) == archived_at else None


def files_key(asset: Asset) -> str:
    """The key of jobs on all files of an asset: they run one at a time."""
    return f"files:{asset.database_id}:{asset.asset_id}"


def _markers(objects: Objects, prefix: str) -> Iterator[ObjectVersion]:
    """The delete markers that hide objects."""
    return (each for each in objects.versions(prefix) if each.is_latest and each.is_marker)


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="microseconds")


def _busy() -> Conflict:
    return Conflict("the asset is being changed by others: try again")
