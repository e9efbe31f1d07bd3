"""The position of a journey: its progress, its current stage, and what may start next. Pure
functions of its stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sortkey.errors import NotFound
from sortkey.web import Refused
from sortkey_systems.jobengine.model import Job, Journey, Stage
from sortkey_systems.jobengine.parts import PRIORITIES, JourneyStatus, StageStatus

DONE: tuple[StageStatus, ...] = ("completed", "skipped")
LIVE = ("pending", "running")
"""Statuses of a job that has not ended."""
STARTABLE: tuple[JourneyStatus, ...] = ("pending", "running", "failed")


class WrongState(Refused):
    """A request does not fit the status of the journey, stage or job. The message says what
    would.
    """

    status = 409


class StageOutOfOrder(WrongState):
    """Stages run in order: an earlier one is neither completed nor skipped."""


def overall_progress(stages: Sequence[Stage], job: Job | None = None) -> int:
    """The mean over the stages: 100 for a finished one, and the progress of its job for the running
    one.
    """
    if not stages:
        return 0
    parts = [100 if stage.status in DONE else _share(stage, job) for stage in stages]
    return sum(parts) // len(parts)  # rounded down, so that 100 means that all of them are done


def current_stage(stages: Sequence[Stage]) -> Stage:
    """The first stage that is not done, or the last one."""
    return next((stage for stage in stages if stage.status not in DONE), stages[-1])


def is_done(stages: Iterable[Stage]) -> bool:
    return all(stage.status in DONE for stage in stages)


def stage_of(stages: Iterable[Stage], stage_id: str) -> Stage:
    """Raises NotFound."""
    listed = list(stages)
    match = next((stage for stage in listed if stage.stage_id == stage_id), None)
    if match is None:
        raise NotFound(
            f"the journey has no stage {stage_id!r}: it has "
            f"{', '.join(known_stage.stage_id for known_stage in listed)}"
        )
    return match


def with_stage(stages: Iterable[Stage], stage_id: str, status: StageStatus) -> list[Stage]:
    """The stages with the status of one of them changed."""
    return [
        stage.changed(status=status) if stage.stage_id == stage_id else stage for stage in stages
    ]


def startable(journey: Journey, stages: Sequence[Stage], stage_id: str) -> Stage:
    """The stage, if a job of it may start now. Raises NotFound, WrongState, StageOutOfOrder."""
    stage = stage_of(stages, stage_id)
    if journey.status not in STARTABLE:
        hint = "resume it first" if journey.status == "paused" else "nothing of it starts any more"
        raise WrongState(
            f"journey {journey.journey_id} is {journey.status}: {hint}", status=journey.status
        )
    if stage.status not in ("pending", "failed"):
        raise WrongState(
            f"stage {stage_id} is {stage.status}: only one that is pending or failed can start",
            status=stage.status,
        )
    waits_for = [
        earlier.stage_id
        for earlier in stages
        if earlier.order < stage.order and earlier.status not in DONE
    ]
    if waits_for:
        text = (
            f"stage {stage_id} comes after {', '.join(waits_for)}: complete them, or skip those "
            "that may be"
        )
        raise StageOutOfOrder(text, waitsFor=waits_for)
    return stage


def next_stage(journey: Journey, stages: Sequence[Stage]) -> Stage | None:
    """The stage to start next, or None."""
    stage = current_stage(stages)
    waits = journey.status in STARTABLE and stage.status in ("pending", "failed")
    return stage if waits else None


def priority_order(journeys: Iterable[Journey]) -> list[Journey]:
    """Journeys in processing order: critical first, then the oldest."""
    return sorted(
        journeys,
        key=lambda priority: (
            PRIORITIES.index(priority.priority),
            str(priority.created_at),
            priority.journey_id,
        ),
    )


def _share(stage: Stage, job: Job | None) -> int:
    return job.progress if job is not None and job.stage_id == stage.stage_id else 0
