"""The AI Job Engine's data model: one table, `TransformationSystem`, where each journey is one
partition.

Follows the document "DynamoDB Database Structure for AI Job Engine": keys, entity types and
retrieval patterns, in its order and in its words. Full logs and reports lie in S3; running the
stages is the service's.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from sortkey import (
    GSI,
    CollectionQuery,
    Created,
    Entity,
    Instant,
    KeepNull,
    KeyOnly,
    Model,
    Named,
    Outside,
    Query,
    Range,
    States,
    Table,
    Updated,
    attr,
    camel,
    index,
    key,
    query,
)
from sortkey_systems.jobengine.parts import (
    ACTIVE,
    PRIORITIES,
    Aggregates,
    Execution,
    Index,
    JobConfiguration,
    JobId,
    JobStatus,
    JourneyConfiguration,
    JourneyId,
    JourneyStatus,
    Level,
    LogCounts,
    Minutes,
    Name,
    Order,
    Percent,
    Priority,
    ReportMetrics,
    ReportType,
    Results,
    RuleId,
    RuleMetadata,
    RuleType,
    S3Config,
    StageStatus,
    Step,
    StepRun,
    StoredSource,
    TextOrObject,
)

model = Model("jobengine", doc="Journeys of six stages, their rules, jobs, logs and reports.")

table = model.add(
    Table(
        "TransformationSystem",
        key=("PK", "SK"),
        indexes=[
            GSI(
                "GSI1",
                "GSI1PK",
                "GSI1SK",
                doc="Queries across journeys, or of specific subsets of data",
            )
        ],
        stream="NEW_AND_OLD_IMAGES",
        kms=True,
        doc="All journey-related data. The partition key groups by journey, the sort key says type and order.",
    )
)


class Dated(Entity, table=table, envelope="Data", names=camel):
    """What every item has: the instant of its creation, beside the payload under `Data`."""

    created_at: Annotated[Instant | None, Created, Outside, Named("CreatedAt")] = None


class Changing(Dated):
    """An item that also changes later. Logs and reports do not."""

    updated_at: Annotated[Instant | None, Updated, Outside, Named("UpdatedAt")] = None


# -- 1. Journey Metadata


class Journey(Changing, kind="Journey"):
    """Core information about a transformation journey."""

    journey_id: JourneyId
    name: str
    description: str = ""
    status: JourneyStatus = "pending"
    priority: Priority = "medium"
    created_by: str
    oda_component_type: str
    source: StoredSource
    configuration: JourneyConfiguration = JourneyConfiguration()
    current_stage_index: Annotated[int, Range(0, 98)] = (
        0  # from 0, whereas a stage's order counts from 1
    )
    current_stage_id: Name | None = None
    overall_progress: Percent = 0
    current_jobs: dict[Name, JobId] = {}
    aggregates: Aggregates = Aggregates()

    @key("JOURNEY#{journeyId}", "METADATA")
    def key(*, journey_id: str):
        """Get specific journey by ID."""

    @index("GSI1", "JOURNEYS", "{CreatedAt}")
    def all():
        """Pattern 2: List All Journeys, sorted by creation time."""


# -- 2. Stage Definitions


class Stage(Changing, kind="StageDefinition"):
    """One transformation stage in the journey workflow. Stages run in `order`: 1, 2, 3."""

    journey_id: KeyOnly[JourneyId]
    stage_id: Name
    name: str
    description: str = ""
    order: Order
    can_skip: bool = False
    estimated_duration: Minutes | None = None
    status: StageStatus = "pending"
    second_brain_enabled: bool = True
    rule_types: list[RuleType] = []
    steps: list[Step] = []

    @key("JOURNEY#{journeyId}", "STAGE#{order:02d}#{stageId}")
    def key(*, journey_id: str, order: int, stage_id: str):
        """One stage of a journey."""

    @query(key)
    def of_journey(*, journey_id: str):
        """List all stages for a journey in order."""

    @index("GSI1", "JOURNEY#{journeyId}#STAGES", "{order:02d}")
    def in_order(*, journey_id: str, order: int | None = None):
        """All stages for a journey, from the index; with `order`, the stage that has it."""


# -- 3. Second Brain Rules


class Rule(Changing, kind="SecondBrainRule"):
    """An AI-powered transformation rule that guides data mapping and validation."""

    rule_id: RuleId
    journey_id: JourneyId
    stage_id: Name
    rule_index: Annotated[KeyOnly[Index], Named("index")]
    title: str
    description: str = ""
    type: RuleType
    priority: Priority = "medium"
    scope: Literal["global", "project", "stage"] = "stage"
    status: Literal["active", "inactive", "deprecated"] = "active"
    context: TextOrObject = ""
    content: TextOrObject
    metadata: RuleMetadata

    @key("JOURNEY#{journeyId}", "RULE#{stageId}#{index:03d}#{ruleId}")
    def key(*, journey_id: str, stage_id: str, rule_index: int, rule_id: str):
        """One rule of a journey."""

    @query(key)
    def of_journey(*, journey_id: str):
        """Get all rules for a journey."""

    @query(key)
    def of_stage(*, journey_id: str, stage_id: str):
        """Pattern 4: Get Stage-Specific Rules. Load AI rules for the currently executing stage."""

    @index("GSI1", "JOURNEY#{journeyId}#RULES", "{stageId}#{priority}#{index:03d}")
    def by_priority(
        *, journey_id: str, stage_id: str | None = None, priority: Priority | None = None
    ):
        """All rules for a journey, organized by stage and priority."""

    @property
    def rank(self) -> tuple[int, int]:
        """Where the rule stands among those of a stage. The keys cannot say it: in text, low comes
        before medium.
        """
        return PRIORITIES.index(self.priority), self.rule_index


def in_rank_order(rules: Iterable[Rule]) -> list[Rule]:
    """Rules as they are executed: by priority, critical first, then by index."""
    return sorted(rules, key=lambda rule: rule.rank)


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
    execution_number: Execution = 1
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
    execution_number: Execution
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


# -- Data Retrieval Patterns. Patterns 2 to 5 are queries of the entities themselves.


@model.collection(Journey, Report, Rule, Stage, sort_from="METADATA")
def journey_details(*, journey_id: JourneyId):
    """Pattern 1: Get Complete Journey Information, all but the jobs: metadata, report catalog,
    rules and stages.
    """


@model.collection(Job, sort_prefix="JOB#")
def journey_jobs(*, journey_id: JourneyId):
    """Pattern 1: Get Complete Journey Information, the jobs."""


def get_journey_complete(journey_id: JourneyId) -> tuple[CollectionQuery, CollectionQuery]:
    """View all details about a journey in two queries. The logs lie between them and are never
    read.
    """
    return journey_details(journey_id=journey_id), journey_jobs(journey_id=journey_id)


@model.pattern
def active_journeys() -> Query[Journey]:
    """Show dashboard of all active journeys."""
    return Journey.all().where(attr(Journey.status).isin(*ACTIVE))


@model.pattern
def rules_for_stage(journey_id: JourneyId, stage_id: Name) -> Query[Rule]:
    """The active rules that apply to a stage: its own, those that name it, and those of the journey
    as a whole.
    """
    applies = (
        attr(Rule.metadata.applicable_stages).contains(stage_id)
        | (Rule.stage_id == stage_id)
        | attr(Rule.scope).isin("global", "project")
    )
    return Rule.of_journey(journey_id=journey_id).where(Rule.status == "active").where(applies)


@model.pattern
def jobs_of_stage(journey_id: JourneyId, stage_id: Name) -> Query[Job]:
    """Pattern 5, where the stage's order is not known: all jobs of the journey are read, and
    filtered by stageId.
    """
    return Job.of_journey(journey_id=journey_id).where(Job.stage_id == stage_id)


@model.pattern
def latest_execution(journey_id: JourneyId, order: Order, stage_id: Name) -> Query[Job]:
    """The latest execution of a stage: the one with the highest number."""
    return Job.of_stage(journey_id=journey_id, order=order, stage_id=stage_id).descending().limit(1)


@model.pattern
def recent_logs(job_id: JobId) -> Query[Log]:
    """Pattern 6: Get Recent Job Logs. View latest logs from currently running job, newest first."""
    return Log.of_job(job_id=job_id).descending().limit(100)
