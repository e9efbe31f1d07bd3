"""The buckets of the AI Job Engine: full logs, full reports, backups of journeys.
Folders, or S3.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from sortkey import Objects, open_objects
from sortkey_systems.jobengine.parts import S3Config

LOGS = "transformation-journey-logs"
REPORTS = "transformation-journey-reports"
BACKUPS = "transformation-backups"


@dataclass(frozen=True, slots=True)
class Buckets:
    """The three buckets."""

    logs: Objects
    reports: Objects
    backups: Objects

    @classmethod
    def open(cls, address: str | os.PathLike[str] = "data/buckets/{bucket}") -> Buckets:
        """The buckets under an address with `{bucket}` in it: `data/buckets/{bucket}`,
        `s3://mycompany-{bucket}`.
        """
        text = os.fspath(address)
        return cls(
            *(open_objects(text.replace("{bucket}", name)) for name in (LOGS, REPORTS, BACKUPS))
        )

    @classmethod
    def of(cls, buckets: Mapping[str, Objects]) -> Buckets:
        """The buckets of a host, by their names."""
        return cls(buckets[LOGS], buckets[REPORTS], buckets[BACKUPS])

    @property
    def s3_config(self) -> S3Config:
        """What a job records about its buckets."""
        return S3Config(logs_bucket=self.logs.name, reports_bucket=self.reports.name)

    def close(self) -> None:
        for bucket in (self.logs, self.reports, self.backups):
            bucket.close()


def uri(bucket: Objects, key: str) -> str:
    """`s3://bucket/key`: how an item names an object, also one in a local folder."""
    return f"s3://{bucket.name}/{key}"
