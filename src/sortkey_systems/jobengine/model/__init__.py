"""The AI Job Engine's data model: one table, `TransformationSystem`, where each journey is one
partition.

Follows the document "DynamoDB Database Structure for AI Job Engine": keys, entity types and
retrieval patterns, in its order and in its words. Full logs and reports are stored in S3. Running
the stages is left to the service.
"""

from sortkey_systems.jobengine.model.journeys import Journey, Rule, Stage, in_rank_order
from sortkey_systems.jobengine.model.patterns import (
    active_journeys,
    get_journey_complete,
    jobs_of_stage,
    journey_details,
    journey_jobs,
    latest_execution,
    recent_logs,
    rules_for_stage,
)
from sortkey_systems.jobengine.model.records import JOB_STATES, Job, Log, Report, StageJob
from sortkey_systems.jobengine.model.table import Changing, Dated, model, table

__all__ = [
    "JOB_STATES",
    "Changing",
    "Dated",
    "Job",
    "Journey",
    "Log",
    "Report",
    "Rule",
    "Stage",
    "StageJob",
    "active_journeys",
    "get_journey_complete",
    "in_rank_order",
    "jobs_of_stage",
    "journey_details",
    "journey_jobs",
    "latest_execution",
    "model",
    "recent_logs",
    "rules_for_stage",
    "table",
]
