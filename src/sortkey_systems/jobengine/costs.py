"""The monthly cost of storing logs and reports: in S3, in DynamoDB, and in both, as the system
does.

Prices per GB and month are the document's. Its own totals do not follow from them, so these are
computed.
"""

from __future__ import annotations

from dataclasses import dataclass

S3_DOLLARS_A_GB = 0.023
DYNAMODB_DOLLARS_A_GB = 0.25
ITEM_KILOBYTES_MAX = 400
MEGABYTES_A_GB = 1000
"""As in the document: 60 MB a job and 100 jobs are 6 GB."""


@dataclass(frozen=True, slots=True)
class Volume:
    """What is written: sizes of one job in MB, of one log entry in KB. `indexed_share` of the
    entries become items.
    """

    jobs_a_day: int = 100
    log_megabytes: float = 50
    report_megabytes: float = 10
    days: int = 30
    entries_a_job: int = 10_000
    indexed_share: float = 0.10
    entry_kilobytes: float = 1.0
    reports_a_job: int = 5
    catalog_kilobytes: float = 1.0

    @property
    def gigabytes_a_day(self) -> float:
        return self.jobs_a_day * (self.log_megabytes + self.report_megabytes) / MEGABYTES_A_GB

    @property
    def gigabytes(self) -> float:
        """Everything written in a month."""
        return self.gigabytes_a_day * self.days

    @property
    def table_gigabytes(self) -> float:
        """The part that is also in the table: log entries, and the catalog of reports."""
        entries = self.entries_a_job * self.indexed_share * self.entry_kilobytes
        catalog = self.reports_a_job * self.catalog_kilobytes
        return self.jobs_a_day * self.days * (entries + catalog) / MEGABYTES_A_GB**2

    @property
    def items_a_job(self) -> int:
        """How many items of the maximum size a job would fill if everything were in the table."""
        kilobytes = (self.log_megabytes + self.report_megabytes) * MEGABYTES_A_GB
        return -int(-kilobytes // ITEM_KILOBYTES_MAX)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Dollars a month for the data of one month."""

    volume: Volume
    s3: float
    dynamodb: float
    hybrid: float

    @property
    def saved(self) -> float:
        """The share that the hybrid saves compared with DynamoDB only."""
        return 1 - self.hybrid / self.dynamodb

    @property
    def times_cheaper(self) -> float:
        """How much cheaper a GB is in S3 than in DynamoDB."""
        return self.dynamodb / self.s3

    def text(self) -> str:
        """The estimate as readable text."""
        volume = self.volume
        return (
            f"{volume.jobs_a_day} jobs a day of {volume.log_megabytes + volume.report_megabytes:g} "
            "MB are "
            f"{volume.gigabytes_a_day:g} GB a day, {volume.gigabytes:g} GB a month.\n"
            f"S3 only        ${self.s3:8.2f} a month\n"
            f"DynamoDB only  ${self.dynamodb:8.2f} a month, in {volume.items_a_job} items a job\n"
            f"hybrid         ${self.hybrid:8.2f} a month, {volume.table_gigabytes:.3g} GB of it in "
            "the table; "
            f"{self.saved:.0%} less than DynamoDB only\n"
        )


def estimate(volume: Volume | None = None) -> Estimate:
    """Estimate the cost of a volume. Requests and index copies are not included, as in the
    document's prices.
    """
    volume = volume or Volume()
    s3 = volume.gigabytes * S3_DOLLARS_A_GB
    return Estimate(
        volume,
        s3=s3,
        dynamodb=volume.gigabytes * DYNAMODB_DOLLARS_A_GB,
        hybrid=s3 + volume.table_gigabytes * DYNAMODB_DOLLARS_A_GB,
    )
