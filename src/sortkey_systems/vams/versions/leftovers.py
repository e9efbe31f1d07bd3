"""`Leftovers`: the rows of versions whose creation was interrupted. Nobody reads them, so they are
removed some hours later, by a job that is stored before the first row.
"""

from __future__ import annotations

from sortkey import JobContext, job
from sortkey_systems.vams.jobs import Jobs
from sortkey_systems.vams.model import Asset, AssetVersion
from sortkey_systems.vams.versions.creation import PUBLISH_SECONDS_MAX
from sortkey_systems.vams.versions.records import VersionRecords

DELAY_SECONDS = 2.0 * PUBLISH_SECONDS_MAX
"""A version that is not published by then never is."""


class Leftovers:
    """Removes the rows of versions that were never published."""

    def __init__(self, jobs: Jobs, records: VersionRecords) -> None:
        self._jobs, self._records = jobs, records
        self._job = job("vams.remove-version-leftovers", retries=20)(self._run)
        jobs.add(self._job)

    def expect(self, asset: Asset, number: int) -> None:
        """Rows of a version are about to be written."""
        arguments = {
            "database_id": asset.database_id,
            "asset_id": asset.asset_id,
            "version_id": str(number),
        }
        self._jobs.enqueue(self._job, arguments, delay=DELAY_SECONDS)

    def _run(self, context: JobContext, database_id: str, asset_id: str, version_id: str) -> None:
        version = AssetVersion(
            database_id=database_id, asset_id=asset_id, asset_version_id=version_id
        )
        if self._records.find(version, version_id) is None:
            self._records.remove_rows(version, version_id)
