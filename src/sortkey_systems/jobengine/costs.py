"""What storing logs and reports costs a month: in S3, in DynamoDB, and as the system does it, both.

Prices a GB and month are the document's; its own totals do not follow from them, so these are
computed.
"""

from __future__ import annotations

from dataclasses import dataclass

S3_DOLLARS_A_GB = 0.023
DYNAMODB_DOLLARS_A_GB = 0.25
ITEM_KILOBYTES_MAX = 400
MEGABYTES_A_GB = 1000
"""The document counts so: 60 MB a job and 100 jobs are 6 GB."""


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
        """All that a month leaves behind."""
        return self.gigabytes_a_day * self.days

    @property
    def table_gigabytes(self) -> float:
        """What of it is in the table as well: entries of logs, and the catalog of reports."""
        entries = self.entries_a_job * self.indexed_share * self.entry_kilobytes
        catalog = self.reports_a_job * self.catalog_kilobytes
        return self.jobs_a_day * self.days * (entries + catalog) / MEGABYTES_A_GB**2

    @property
    def items_a_job(self) -> int:
        """How many items of the largest size a job would fill if everything were in the table."""
        kilobytes = (self.log_megabytes + self.report_megabytes) * MEGABYTES_A_GB
        return -int(-kilobytes // ITEM_KILOBYTES_MAX)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Dollars a month for what one month has left behind."""

    volume: Volume
    s3: float
    dynamodb: float
    hybrid: float

    @property
    def saved(self) -> float:
        """The share that the hybrid saves against DynamoDB only."""
        return 1 - self.hybrid / self.dynamodb

    @property
    def times_cheaper(self) -> float:
        """A GB in S3 against one in DynamoDB."""
        return self.dynamodb / self.s3

    def text(self) -> str:
        """For a person."""
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
    """What a volume costs. Requests and the index's copies are not in it, as they are not in the
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
