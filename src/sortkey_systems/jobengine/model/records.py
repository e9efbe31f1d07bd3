"""What executions of stages record: jobs, entries of logs, and the catalog of reports."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from sortkey import Instant, KeepNull, KeyOnly, States, index, key, query
from sortkey_systems.jobengine.model.table import Changing, Dated
from sortkey_systems.jobengine.parts import (
    ExecutionNumber,
    JobConfiguration,
    JobId,
    JobStatus,
    JourneyId,
    Level,
    LogCounts,
    Name,
    Order,
    Percent,
    ReportMetrics,
    ReportType,
    Results,
    S3Config,
    StepRun,
)

# -- 4. Job Executions

# A failed job stays failed: a retry is a new execution with a higher number.
JOB_STATES = States(
    {
        "pending": ["running", "failed", "cancelled"],
        "running": ["completed", "failed", "cancelled"],
    },
    start=["pending", "running"],
)


class Job(Changing, kind="JobExecution"):
    """One execution of a stage. `duration` is in seconds; the key's timestamp is the job's
    creation.
    """

    job_id: JobId
    journey_id: JourneyId
    order: KeyOnly[Order]
    stage_id: Name
    status: Annotated[JobStatus, JOB_STATES] = "pending"
    progress: Percent = 0
    current_step: Name | None = None
    start_time: Instant | None = None
    end_time: Instant | None = None
    duration: float | None = None
    triggered_by: str = "user"
    execution_number: ExecutionNumber = 1
    configuration: JobConfiguration = JobConfiguration()
    s3_config: S3Config | None = None
    results: Results = Results()
    metrics: LogCounts = LogCounts()
    error_message: Annotated[str | None, KeepNull] = None
    steps: list[StepRun] = []
    attempt: int | None = (
        None  # of the worker that may write here: one that lost its lease has a lower one
    )

    @key("JOURNEY#{journeyId}", "JOB#{order:02d}#{stageId}#{executionNumber:03d}#{CreatedAt}")
    def key(
        *, journey_id: str, order: int, stage_id: str, execution_number: int, created_at: datetime
    ):
        """One execution of a stage."""

    @query(key)
    def of_journey(*, journey_id: str):
        """List jobs for journey."""

    @query(key)
    def of_stage(*, journey_id: str, order: int, stage_id: str):
        """Pattern 5: Get Jobs for Specific Stage. Monitor all executions of a stage."""

    @index("GSI1", "JOB#{jobId}", "{CreatedAt}")
    def by_id(*, job_id: str):
        """The job when only its ID is known. It is older than its logs, which stand behind it in
        the index.
        """


class StageJob(Changing, kind="StageJob"):
    """A job as the dashboard of its stage lists it: written and changed in the same transaction as
    the job itself.

    A job has one key in GSI1, and that is its ID; this small item has the other. Its own key has
    the number of the execution and no timestamp, so that two executions that start at once cannot
    have the same number.
    """

    job_id: JobId
    journey_id: JourneyId
    order: KeyOnly[Order]
    stage_id: Name
    execution_number: ExecutionNumber
    status: Annotated[JobStatus, JOB_STATES] = "pending"
    progress: Percent = 0
    start_time: Instant | None = None
    end_time: Instant | None = None

    @key("JOURNEY#{journeyId}", "DASHBOARD#{order:02d}#{stageId}#{executionNumber:03d}")
    def key(*, journey_id: str, order: int, stage_id: str, execution_number: int):
        """The dashboard's line of one execution."""

    @query(key)
    def of_journey(*, journey_id: str):
        """All lines of a journey, in its own partition."""

    @index("GSI1", "STAGE#{journeyId}#{stageId}", "{CreatedAt}")
    def of_stage(*, journey_id: str, stage_id: str):
        """Scenario 1: Dashboard - Show All Jobs. List of jobs with status, progress, timestamps."""

    @classmethod
    def of(cls, job: Job) -> StageJob:
        """The line of a job."""
        return cls(**{name: getattr(job, name) for name in cls.model_fields})


# -- 5. Log Entries


class Log(Dated, kind="LogEntry"):
    """A lightweight entry for quick queries and recent activity; the full log lies at
    `s3_location`.
    """

    journey_id: KeyOnly[JourneyId]
    job_id: JobId
    step: Name
    log_id: KeyOnly[str]
    level: Level
    message: str
    timestamp: Instant
    source: str | None = None
    s3_location: str | None = None
    details: dict[str, Any] = {}

    @key("JOURNEY#{journeyId}", "LOG#{jobId}#{step}#{timestamp}#{logId}")
    def key(*, journey_id: str, job_id: str, step: str, timestamp: datetime, log_id: str):
        """One log entry."""

    @query(key)
    def of_journey(*, journey_id: str):
        """All log entries of a journey, in its own partition."""

    @query(key)
    def of_step(*, journey_id: str, job_id: str, step: str | None = None):
        """The logs of a job by step, or of one step, in the journey's own partition."""

    @index("GSI1", "JOB#{jobId}", "{timestamp}")
    def of_job(*, job_id: str):
        """Pattern 3: Get All Logs for a Job. Troubleshoot job by viewing all execution logs."""


# -- 6. Reports


class Report(Dated, kind="JobReport"):
    """The catalog entry of a generated report; the full report lies at `s3_location` and has an ID
    of its own.
    """

    journey_id: KeyOnly[JourneyId]
    report_id: str
    job_id: JobId
    report_type: ReportType
    title: str
    summary: str = ""
    s3_location: str
    generated_at: Instant
    status: Literal["generated"] = "generated"
    metrics: ReportMetrics = ReportMetrics()

    @key("JOURNEY#{journeyId}", "REPORT#{jobId}#{reportType}#{generatedAt}#{reportId}")
    def key(
        *,
        journey_id: str,
        job_id: str,
        report_type: ReportType,
        generated_at: datetime,
        report_id: str,
    ):
        """One report."""

    @query(key)
    def of_type(
        *, journey_id: str, job_id: str | None = None, report_type: ReportType | None = None
    ):
        """The reports of a journey, of a job, or of one type of a job, in the journey's own
        partition.
        """

    @index("GSI1", "REPORTS#{jobId}", "{generatedAt}")
    def of_job(*, job_id: str):
        """List all reports for a job, get report summaries."""
