"""The document's retrieval patterns that span several kinds of items or add a filter.

Patterns 2 to 5 are queries of the entities themselves.
"""

from __future__ import annotations

from sortkey import CollectionQuery, Query, attr
from sortkey_systems.jobengine.model.journeys import Journey, Rule, Stage
from sortkey_systems.jobengine.model.records import Job, Log, Report
from sortkey_systems.jobengine.model.table import model
from sortkey_systems.jobengine.parts import ACTIVE, JobId, JourneyId, Name, Order


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
