"""The document's examples as responses of the routes, for the OpenAPI document. Entities, so they
are always valid.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel

from sortkey_systems.jobengine.inputs import JOURNEY_EXAMPLE, RULE_EXAMPLE
from sortkey_systems.jobengine.model import Job, Journey, Log, Report, Rule, StageJob
from sortkey_systems.jobengine.parts import (
    Aggregates,
    LogCounts,
    LogLine,
    Results,
    RuleMetadata,
    Source,
    StepRun,
)
from sortkey_systems.jobengine.stages.default_stages import default_stages

AT = datetime(2025, 11, 1, 20, 30, tzinfo=UTC)
ID = "JRN-ABC123456789"
_DATED: dict[str, Any] = {"created_at": AT, "updated_at": AT}
_FILES = f"journeys/{ID}/stages/raw_analysis/executions/JOB-456"


def shown(entity: BaseModel) -> dict[str, Any]:
    return entity.model_dump(mode="json", by_alias=True)


def page_of(entity: dict[str, Any]) -> dict[str, Any]:
    return {"items": [entity], "cursor": None}


_AGGREGATES = Aggregates(
    total_jobs=12,
    completed_jobs=8,
    failed_jobs=1,
    total_execution_time="125m",
    total_execution_seconds=7512.5,
    total_logs=1450,
    total_errors=5,
    total_warnings=28,
    total_rules=15,
    active_rules=12,
)

AGGREGATES = shown(_AGGREGATES)
JOURNEY = shown(
    Journey(
        journey_id=ID,
        name=JOURNEY_EXAMPLE["name"],
        description=JOURNEY_EXAMPLE["description"],
        status="running",
        priority="high",
        created_by="data_team",
        oda_component_type="PRODUCTCATALOG",
        source=Source(**JOURNEY_EXAMPLE["source"]),
        current_stage_index=2,
        current_stage_id="tmf_mapping",
        overall_progress=45,
        current_jobs={"raw_analysis": "JOB-456", "stripped_schema": "JOB-457"},
        aggregates=_AGGREGATES,
        **_DATED,
    )
)

STAGE = shown(default_stages(ID)[0].changed(status="completed", **_DATED))

RULE = shown(
    Rule(
        rule_id="rule-tmf_mapping-field_mapping-a1b2c3d4",
        journey_id=ID,
        stage_id="tmf_mapping",
        rule_index=1,
        title=RULE_EXAMPLE["title"],
        type="field_mapping",
        priority="high",
        content=RULE_EXAMPLE["content"],
        metadata=RuleMetadata(created_by="data_team", applicable_stages=["tmf_mapping"]),
        **_DATED,
    )
)

_JOB = Job(
    job_id="JOB-456",
    journey_id=ID,
    order=1,
    stage_id="raw_analysis",
    status="completed",
    progress=100,
    current_step="data_profiling",
    start_time=AT,
    end_time=AT + timedelta(seconds=125.5),
    duration=125.5,
    results=Results(
        records_processed=10000, records_succeeded=9998, records_failed=2, tables_analyzed=45
    ),
    metrics=LogCounts(
        total_logs=145, error_count=2, warning_count=8, info_count=120, debug_count=15
    ),
    steps=[StepRun(step_id="schema_extraction", status="completed", start_time=AT, duration=45.0)],
    **_DATED,
)
JOB = shown(_JOB)
STARTED = shown(
    _JOB.changed(
        status="pending", progress=0, current_step=None, start_time=None, end_time=None, steps=[]
    )
)
LINE = shown(StageJob.of(_JOB))

LOG_LINE = shown(
    LogLine(
        job_id="JOB-456",
        step_id="schema_extraction",
        level="INFO",
        message="Successfully extracted 45 tables from source database",
        timestamp=AT,
        details={"tables_extracted": 45, "total_fields": 450},
    )
)
LOG = shown(
    Log(
        journey_id=ID,
        job_id="JOB-456",
        step="schema_extraction",
        log_id="LOG-789",
        level="warning",
        message="Missing index on product_id",
        timestamp=AT,
        s3_location=f"s3://transformation-journey-logs/{_FILES}/logs/schema_extraction.json",
        created_at=AT,
    )
)
REPORT = shown(
    Report(
        journey_id=ID,
        report_id="RPT-ABC",
        job_id="JOB-456",
        report_type="performance",
        title="Performance Analysis Report - Raw Analysis Job",
        summary="Job completed in 125.5 seconds with 2 errors",
        s3_location=f"s3://transformation-journey-reports/{_FILES}/reports/performance_summary.json",
        generated_at=AT,
        created_at=AT,
    )
)
COMPLETE: dict[str, Any] = {
    "format": 1,
    "journey": {},
    "stages": [],
    "rules": [],
    "jobs": [],
    "reports": [],
}

FINAL_REPORT: dict[str, Any] = {
    "outcome": "needs_review",
    "verdict": "Needs review: 200 of 5,000 rows of the source (4.0 %) are not in the target. 1 limit is exceeded.",
    "isPassed": False,
    "exceeded": ["rows of the source not in the target: 200 of 5,000, allowed 0"],
    "missing": {
        "tables": [
            "payments, 200 rows: no resource is like it; the nearest, ProductOrder, fits at 31%"
        ]
    },
    "figures": {"rows": 5000, "rows_lost": 200},
    "text": "# Migration of shop\n…",
}
