"""What storing logs and reports costs, by the prices of the document."""

from __future__ import annotations

import pytest

from sortkey_systems.jobengine.costs import Volume, estimate


@pytest.mark.accepts("JE-70", "JE-72")
def test_JE_72_the_documents_volume_costs_what_its_prices_say() -> None:
    # 180 GB × $0.023 is its $4.14; 180 GB × $0.25 is $45, and not its $375.
    found = estimate()
    assert found.volume.gigabytes_a_day == 6
    assert found.volume.gigabytes == 180
    assert found.volume.items_a_job == 150
    assert round(found.s3, 2) == 4.14
    assert found.dynamodb == 45
    assert round(found.times_cheaper) == 11
    assert found.s3 < found.hybrid < found.dynamodb
    assert 0.85 < found.saved < 0.92


@pytest.mark.accepts("JE-72")
def test_JE_72_the_estimator_prints_its_own_result() -> None:
    # A person reads it; no figure of the document is copied.
    assert estimate().text() == (
        "100 jobs a day of 60 MB are 6 GB a day, 180 GB a month.\n"
        "S3 only        $    4.14 a month\n"
        "DynamoDB only  $   45.00 a month, in 150 items a job\n"
        "hybrid         $    4.89 a month, 3.02 GB of it in the table; 89% less than DynamoDB "
        "only\n"
    )


def test_an_estimate_follows_the_volume() -> None:
    # Twice as many jobs cost twice as much; no item in the table, and the hybrid is S3.
    assert estimate(Volume(jobs_a_day=200)).s3 == 2 * estimate().s3
    alone = estimate(Volume(indexed_share=0, reports_a_job=0))
    assert alone.hybrid == alone.s3
    assert estimate(Volume(log_megabytes=0.1, report_megabytes=0.1)).volume.items_a_job == 1
