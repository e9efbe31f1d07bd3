"""`Reverts`: going back to an earlier version, as a durable job.

The request stores the job and runs it itself; if the server is killed, a worker goes on with it. A
file that has its old bytes again is known by its mark, and the number of the new version is kept as
a step. Jobs on the files of an asset run one at a time: two reverts do not mix, and neither does a
revert with the archive of its asset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortkey import JobContext, job
from sortkey.errors import GiveUp, JobNotEnded
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.archive import files_key
from sortkey_systems.vams.failures import NotReady, NotThere
from sortkey_systems.vams.model import Asset, AssetVersion
from sortkey_systems.vams.versions.creation import NewVersion, VersionWriter
from sortkey_systems.vams.versions.records import VersionRecords
from sortkey_systems.vams.versions.reversion import restore_files, restore_metadata
from sortkey_systems.vams.versions.stored_files import FileState, stored_files
from sortkey_systems.vams.versions.values import CreatedVersion, RevertValues

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

WAIT_SECONDS = 600.0
"""How long a request waits for its revert, which goes on afterwards."""
ATTEMPT_SECONDS = 6 * 3600.0


class Reverts:
    """Reverts assets to earlier versions. No permission is asked here."""

    def __init__(self, service: Vams, records: VersionRecords, writer: VersionWriter) -> None:
        self._service, self._records, self._writer = service, records, writer
        named = job("vams.revert-version", timeout=ATTEMPT_SECONDS, retries=5)
        self._job = named(self._run)
        service.jobs.add(self._job)

    def revert(
        self, caller: Caller, asset: Asset, target: AssetVersion, wanted: RevertValues
    ) -> CreatedVersion:
        """Make the files of a version the latest ones, as a new version."""
        arguments = {
            "database_id": asset.database_id,
            "asset_id": asset.asset_id,
            "target_id": target.asset_version_id,
            "comment": wanted.comment or "",
            "user_id": caller.user_id,
            "with_metadata": wanted.revertMetadata,
        }
        jobs = self._service.jobs
        task = jobs.enqueue(self._job, arguments, key=files_key(asset))
        try:
            ended = jobs.finish(task, WAIT_SECONDS)
        except JobNotEnded:
            raise NotReady("the revert takes long and goes on: look at the versions") from None
        if ended.status != "completed":
            if self._service.assets.find(asset.database_id, asset.asset_id) is None:
                raise NotThere("the asset was archived or deleted meanwhile")
            raise NotReady(f"the revert was not finished, see job {ended.job_id}: try again")
        created = self._records.get(asset, str(ended.result))
        return CreatedVersion(created, self._skipped(asset, target, created))

    def _skipped(
        self, asset: Asset, target: AssetVersion, created: AssetVersion
    ) -> tuple[str, ...]:
        """The paths of files that the target has and the new version could not have."""
        place = self._service.assets.place_of(asset)
        there = {row.file_key for row in self._records.files(asset, created.asset_version_id)}
        rows = self._records.files(asset, target.asset_version_id)
        return tuple(place.relative(row.file_key) for row in rows if row.file_key not in there)

    # -- the job

    def _run(
        self,
        context: JobContext,
        database_id: str,
        asset_id: str,
        target_id: str,
        comment: str,
        user_id: str,
        with_metadata: bool,
    ) -> str:
        """Revert, and give the id of the new version."""
        asset = self._service.assets.find(database_id, asset_id)
        if asset is None:
            raise GiveUp("the asset was archived or deleted meanwhile")
        caller = self._service.access.caller(user_id)
        number: int = context.step("number", self._writer.next_number, asset)
        created = self._records.find(asset, str(number))
        if created is None:
            text = f"[REVERTED FROM v{target_id}] {comment}".rstrip()
            try:
                files = self._restore(context, caller, asset, target_id, with_metadata)
                asset = self._service.files.refresh(asset)
                created = self._writer.create(asset, NewVersion(text, None, user_id, files), number)
            except NotThere as error:
                raise GiveUp(str(error)) from None
        context.step("announcement", self._announce, caller, asset, created, target_id)
        return created.asset_version_id

    def _restore(
        self, context: JobContext, caller: Caller, asset: Asset, target_id: str, metadata: bool
    ) -> list[FileState]:
        place = self._service.assets.place_of(asset)
        restored = restore_files(
            place,
            stored_files(place, asset),
            self._records.files(asset, target_id),
            caller,
            context.check_cancelled,
        )
        # After a kill, nobody knows of which of the restored files the generated data went.
        again = restored.copied_before if context.attempt > 1 else []
        for path in [*restored.changed, *again]:
            self._service.previews.remove_auxiliary(asset, path)
        if metadata:
            paths = [file.relative_path for file in restored.files]
            rows = self._records.metadata(asset, target_id)
            restore_metadata(self._service.store, asset, rows, paths)
        return restored.files

    def _announce(
        self, caller: Caller, asset: Asset, created: AssetVersion, target_id: str
    ) -> None:
        self._service.audit.record(
            "ACTIONS",
            caller,
            "version.revert",
            f"asset/{asset.database_id}/{asset.asset_id}",
            source=target_id,
            assetVersionId=created.asset_version_id,
        )
        self._service.changes.asset_changed(caller, asset, "revert")
