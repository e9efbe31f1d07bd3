"""The vocabulary of the AI Job Engine's items: ids, statuses and enumerations, and the maps inside
the items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema

from sortkey import CamelPart, Instant, Named, Part, Range, Template
from sortkey_systems.jobengine.sources.addresses import check_address, stored_address

Percent = Annotated[int, Range(0, 100)]
Count = Annotated[int, Field(ge=0)]
Minutes = Annotated[str, Field(pattern=r"^\d+m$")]
"""`30m`. A job's own durations are numbers of seconds."""
TextOrObject = str | dict[str, Any]

JourneyId = Annotated[str, Field(pattern=r"^JRN-[0-9A-Z]{12}$", examples=["JRN-ABC123456789"])]
JobId = Annotated[str, Field(pattern=r"^JOB-[0-9A-Za-z_-]+$", examples=["JOB-456"])]
RuleId = Annotated[
    str,
    Field(
        pattern=r"^rule-.+-.+-[0-9a-f]{8}$", examples=["rule-raw_analysis-field_mapping-a1b2c3d4"]
    ),
]
Name = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]+$")]
"""The id of a stage or a step. It is part of keys and file paths, so it contains neither `#` nor
`/`.
"""

# What two digits of a stage's order, and three of a rule's index and of an execution, can hold.
Order = Annotated[int, Range(1, 99)]
Index = Annotated[int, Range(1, 999)]
ExecutionNumber = Annotated[int, Range(1, 999)]

Priority = Literal["low", "medium", "high", "critical"]
PRIORITIES: tuple[Priority, ...] = ("critical", "high", "medium", "low")
"""The first is processed first."""


JourneyStatus = Literal["pending", "running", "completed", "failed", "paused", "cancelled"]
ACTIVE: tuple[JourneyStatus, ...] = ("pending", "running", "paused")


class Source(CamelPart):
    """What the journey transforms. `address` is where its data is: a file, a dump, or
    `postgresql://user@host/name`.
    """

    model_config = ConfigDict(hide_input_in_errors=True)  # it may be a password

    type: str
    schema_id: str
    schema_name: str
    schema_version: str
    address: Annotated[str, AfterValidator(check_address)] | None = None
    dialect: str | None = None


def _as_stored(value: Any) -> Any:
    """Drop a password that an older version has stored."""
    if not isinstance(value, Mapping):
        return value
    source = cast("Mapping[str, Any]", value)
    address = source.get("address")
    return {**source, "address": stored_address(address)} if isinstance(address, str) else source


StoredSource = Annotated[Source, BeforeValidator(_as_stored)]
"""A source in an item. It can be read, but a password never comes out."""


def _as_text(value: Any) -> Any:
    """A whole number as text. JSON may write 3.0 for 3."""
    if type(value) is int or (type(value) is float and value.is_integer()):
        return str(int(value))
    return value


_ALLOWANCE = r"^([0-9]+|[0-9]+(\.[0-9]+)?%)$"
Allowance = Annotated[
    str,
    Field(pattern=_ALLOWANCE),
    BeforeValidator(_as_text),
    WithJsonSchema(
        {
            "anyOf": [{"type": "string", "pattern": _ALLOWANCE}, {"type": "integer", "minimum": 0}],
            "examples": ["3", "2.5%"],
        }
    ),
]
"""How much may be lost: a number, or a share of the whole."""


class AllowedLosses(CamelPart):
    """What a journey may lose and still complete. By default nothing.

    `rows` of the whole source, except for tables with their own limit in `tables`; `values` that
    could not be converted, and `references` that lead nowhere.
    """

    rows: Allowance = "0"
    tables: dict[str, Allowance] = {}
    values: Allowance = "0"
    references: Allowance = "0"
    unread: bool = False
    """Whether statements of a dump, or tables, that could not be read are accepted."""


class JourneyConfiguration(CamelPart):
    """How the journey's jobs run. `timeout` is in seconds; `target` is a SQLite file or a
    folder.
    """

    timeout: Count = 1800
    max_depth: Count = 5
    tmf_spec_version: str = "4.0.0"
    output_format: str = "json"
    retry_attempts: Count = 3
    enable_detailed_logging: bool = True
    validate_at_each_stage: bool = True
    second_brain_enabled: bool = True
    rule_engine_version: str = "v1.0"
    target: str | None = None
    allowed_losses: AllowedLosses | None = None


class Aggregates(CamelPart):
    """Summary statistics for monitoring and reporting, kept in step with jobs, logs and rules.

    The minutes are the document's; the seconds are what they are made of, since jobs may take less
    than a minute.
    """

    total_jobs: Count = 0
    completed_jobs: Count = 0
    failed_jobs: Count = 0
    total_execution_time: Minutes = "0m"
    total_execution_seconds: float | None = None
    total_logs: Count = 0
    total_errors: Count = 0
    total_warnings: Count = 0
    total_rules: Count = 0
    active_rules: Count = 0


StageStatus = Literal["pending", "running", "completed", "failed", "skipped"]
RuleType = Literal[
    "field_mapping",
    "contextual_recommendations",
    "data_interpretation",
    "validation_rules",
    "business_logic",
    "compliance_check",
]


class Step(CamelPart):
    """An individual task within a stage. `ai_assisted` ones use AI recommendations."""

    step_id: Name
    name: str
    description: str = ""
    ai_assisted: bool = False
    estimated_duration: Minutes | None = None


class RuleMetadata(CamelPart):
    """Where a rule comes from and where it applies."""

    created_by: str
    version: str = "1.0"
    tags: list[str] = []
    applicable_stages: list[Name] = []
    rule_engine: str = "second_brain_v1"


def _canonical(status: Any) -> Any:
    return "running" if status == "in_progress" else status


JobStatus = Annotated[
    Literal["pending", "running", "completed", "failed", "cancelled"], BeforeValidator(_canonical)
]
"""The document's flow also writes `in_progress`, which is `running`."""


class JobConfiguration(CamelPart):
    """Limits of one execution. `timeout` is in seconds."""

    timeout: Count = 1800
    retry_attempts: Count = 3
    enable_detailed_logging: bool = True


class S3Config(CamelPart):
    """The buckets of a job's full logs and reports."""

    logs_bucket: str = "transformation-journey-logs"
    reports_bucket: str = "transformation-journey-reports"


class Results(CamelPart):
    """Outcome statistics."""

    records_processed: Count = 0
    records_succeeded: Count = 0
    records_failed: Count = 0
    tables_analyzed: Count = 0
    fields_extracted: Count = 0


class LogCounts(CamelPart):
    """Log counts for monitoring."""

    total_logs: Count = 0
    error_count: Count = 0
    warning_count: Count = 0
    info_count: Count = 0
    debug_count: Count = 0


class StepRun(CamelPart):
    """One step of one execution. `duration` is in seconds."""

    step_id: Name
    status: Annotated[StageStatus | Literal["cancelled"], BeforeValidator(_canonical)] = "pending"
    start_time: Instant | None = None
    end_time: Instant | None = None
    duration: float | None = None


LOG_FILE = Template(
    "journeys/{journey_id}/stages/{stage_id}/executions/{job_id}/logs/{step_id}.json"
)
"""In the logs bucket: one JSON array of `LogLine` per step per job."""

Level = Annotated[
    Literal["debug", "info", "warning", "error"],
    BeforeValidator(lambda level: level.lower() if isinstance(level, str) else level),
]
UpperLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR"],
    BeforeValidator(lambda level: level.upper() if isinstance(level, str) else level),
]
"""Lower case in the table, upper case in S3; either is accepted in both."""


class LogLine(Part):
    """One entry of a log file in S3, where levels are in upper case and the step is `step_id`."""

    job_id: Annotated[str, Named("jobId")]
    step_id: Name
    level: UpperLevel
    message: str
    timestamp: Instant
    details: dict[str, Any] = {}


REPORT_FILE = Template(
    "journeys/{journey_id}/stages/{stage_id}/executions/{job_id}/reports/{step_id}.json"
)
"""In the reports bucket: one `ReportFile` per step."""


ReportType = Literal["summary", "performance", "error_analysis", "custom", "timeline", "metrics"]


class ExecutionSummary(CamelPart):
    """What ran, in a full report. `duration` is in seconds."""

    step_id: Name
    job_id: JobId
    status: str
    start_time: Instant
    end_time: Instant
    duration: float
    items_processed: Count = 0


class PerformanceMetrics(CamelPart):
    """How it ran, in a full report."""

    throughput: float
    tables_per_second: float | None = None
    average_table_processing_time: float | None = None
    error_rate: float = 0.0
    memory_usage: str | None = None
    cpu_utilization: str | None = None


class ReportFile(CamelPart):
    """A full report in S3. Its ID is `{jobId}_{stepId}`; the catalog entry has another."""

    report_id: str
    report_type: ReportType
    title: str
    summary: str = ""
    execution_summary: ExecutionSummary
    performance_metrics: PerformanceMetrics
    detailed_results: dict[str, Any] = {}
    recommendations: list[str] = []
    generated_at: Instant


class ReportMetrics(CamelPart):
    """Of the report itself. `content_size` is in bytes, `generation_time` in seconds."""

    content_size: Count = 0
    generation_time: float = 0
    report_sections: Count = 0
