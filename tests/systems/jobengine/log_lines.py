"""A step's log and what the tests of logs do with it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sortkey import Objects, Store
from sortkey_systems.jobengine.logs.step_log import StepLog, get_job_logs
from sortkey_systems.jobengine.parts import LOG_FILE, LogLine

ID, STAGE, JOB = "JRN-ABC123456789", "raw_analysis", "JOB-456"
START = datetime(2025, 11, 1, 20, 30, tzinfo=UTC)


def opened(
    bucket: Objects, step_id: str = "schema_extraction", *, job_id: str = JOB, **settings: Any
) -> StepLog:
    return StepLog(
        bucket, journey_id=ID, stage_id=STAGE, job_id=job_id, step_id=step_id, **settings
    )


def written(
    bucket: Objects, step_id: str, lines: int, *, store: Store | None = None, at: datetime = START
) -> StepLog:
    """A finished log: every tenth line is a warning, every hundredth an error, a second apart."""
    log = opened(bucket, step_id, store=store)
    for number in range(lines):
        level = "ERROR" if number % 100 == 99 else "WARNING" if number % 10 == 9 else "INFO"
        when = at + timedelta(seconds=number)
        log.add(level, f"line {number} of {step_id}", when, number=number, table=f"t{number % 3}")
    log.close()
    return log


def key_of(step_id: str, job_id: str = JOB) -> str:
    return str(
        LOG_FILE.render({"journey_id": ID, "stage_id": STAGE, "job_id": job_id, "step_id": step_id})
    )


def file_of(bucket: Objects, step_id: str = "schema_extraction") -> list[dict[str, Any]]:
    """The file as any JSON reader sees it."""
    return json.loads(bucket.read(key_of(step_id)))


def read(bucket: Objects, step_id: str | None = None, job_id: str = JOB) -> list[LogLine]:
    return list(get_job_logs(bucket, ID, STAGE, job_id, step_id))


def messages(bucket: Objects, step_id: str | None = None) -> list[str]:
    return [line.message for line in read(bucket, step_id)]


def keys(bucket: Objects) -> list[str]:
    """Everything in the bucket, old versions and markers too."""
    return sorted(version.key for version in bucket.versions())
