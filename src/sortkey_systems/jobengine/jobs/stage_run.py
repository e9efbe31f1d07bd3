"""One attempt of an execution: the steps of a stage in order, each with its result, log and report.

A step is two steps of the runtime: first it runs and its result is stored, then its log and report
are published with the times fixed by then. After a crash at most one of the two is repeated, from
its last checkpoint.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sortkey import JobContext, Store
from sortkey.errors import JobCancelled
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.jobs import ledger
from sortkey_systems.jobengine.jobs.endings import added, ended, timed
from sortkey_systems.jobengine.jobs.outcomes import (
    outcome_of,
    recommendations_of,
    refusal_of,
    results_of,
)
from sortkey_systems.jobengine.jobs.results import StepResults
from sortkey_systems.jobengine.jobs.step_context import RunningStep, TookTooLong, kept
from sortkey_systems.jobengine.logs.step_log import StepLog
from sortkey_systems.jobengine.model import Job, Stage
from sortkey_systems.jobengine.parts import LogCounts, Step, StepRun
from sortkey_systems.jobengine.reports.reports import write_step_report
from sortkey_systems.jobengine.reports.usage import Usage, UsageMeter
from sortkey_systems.jobengine.stages.registry import run_step
from sortkey_systems.jobengine.stages.work import Work, to_json

TRACEBACK_CHARACTERS_MAX = 8000
RECOMMENDATIONS_MAX = 50
StepOutcome = dict[str, Any]
"""What the runtime stores about a step that has run: small, and enough to publish it."""


class StageRun:
    """The steps of one stage, for one attempt. `job` is the execution as this attempt last wrote
    it.
    """

    def __init__(
        self,
        ctx: JobContext,
        store: Store,
        buckets: Buckets,
        job: Job,
        stages: Sequence[Stage],
        now: Callable[[], datetime],
    ) -> None:
        self.ctx, self.store, self.buckets, self.job = ctx, store, buckets, job
        self.stages, self.stage = (
            stages,
            next(stage for stage in stages if stage.stage_id == job.stage_id),
        )
        self._now = now
        self._logs: dict[str, StepLog] = {}
        self._counts: list[LogCounts] = []

    def run(self, work: Work, results: StepResults) -> Job:
        """Run all remaining steps. Returns the job in its final state, failed if the verdict on the
        migration says so.

        Raises what stopped or failed it.
        """
        for number, step in enumerate(self.stage.steps):
            self.check_time()
            outcome: StepOutcome = self.ctx.step(
                step.step_id, self._run_step, number, step, work, results
            )
            results.add(self.job, [step.step_id])
            self.ctx.step(f"{step.step_id}:published", self._publish, step, outcome, work)
            self._done(number, step, outcome)
        step_ids = [step.step_id for step in self.stage.steps]
        figures, refused = results_of(step_ids, work), refusal_of(step_ids, work)
        if refused is not None:
            return ended(
                self.job,
                "failed",
                self._counts,
                self._now(),
                results=figures,
                error_message=refused,
            )
        return ended(
            self.job, "completed", self._counts, self._now(), results=figures, progress=100
        )

    def failed(self, error: Exception) -> Job:
        """The job in its final state after an error."""
        text = str(error) if isinstance(error, TookTooLong) else f"{type(error).__name__}: {error}"
        where = "".join(traceback.format_exception(error))[-TRACEBACK_CHARACTERS_MAX:]
        counts = self._last_words("ERROR", text, traceback=where)
        return ended(self.job, "failed", [*self._counts, *counts], self._now(), error_message=text)

    def cancelled(self, reason: JobCancelled) -> Job:
        """The job in its final state after a cancellation."""
        counts = self._last_words("WARNING", "cancelled at a safe point")
        return ended(
            self.job, "cancelled", [*self._counts, *counts], self._now(), error_message=str(reason)
        )

    def check_time(self) -> None:
        """Raises TookTooLong. The time of an execution is that of all its attempts together."""
        timeout, began = self.job.configuration.timeout, self.job.start_time
        if timeout and began and self._now() >= began + timedelta(seconds=timeout):
            raise TookTooLong(f"it ran for longer than {timeout} seconds")

    # -- one step

    def _run_step(self, number: int, step: Step, work: Work, results: StepResults) -> StepOutcome:
        began = self.job.steps[number].start_time or self._begins(number)
        running = StepRun(step_id=step.step_id, status="running", start_time=began)
        self._report(number, 0, current_step=step.step_id, steps=self._with(number, running))
        log = self._logs[step.step_id] = self._log(
            step.step_id, kept(self.ctx, step.step_id).get("position", 0)
        )
        detailed = self.job.configuration.enable_detailed_logging
        context = RunningStep(
            self.ctx,
            step.step_id,
            log,
            lambda percent: self._report(number, percent),
            self.check_time,
            detailed,
        )
        meter = UsageMeter()
        result = run_step(self.job.stage_id, step.step_id, work, context)
        size = results.store(self.job, step.step_id, result)
        log.flush()
        outcome = outcome_of(result)
        return {
            "began": began.isoformat(),
            "ended": max(self._now(), began).isoformat(),
            "counts": log.counts.model_dump(),
            "summary": context.last_line,
            "recommendations": recommendations_of(result)[:RECOMMENDATIONS_MAX],
            "bytes": size,
            "items": outcome.items,
            "failed": outcome.failed,
            "tables": outcome.tables,
            "usage": asdict(meter.read()),
        }

    def _publish(self, step: Step, outcome: StepOutcome, work: Work) -> str:
        """Write the log's file, then the report. Repeating it writes the same."""
        log = self._logs.get(step.step_id) or self._log(step.step_id, None)
        location = log.close()
        write_step_report(
            self.buckets.reports,
            self.store,
            job=self.job,
            step=_record(step, outcome),
            title=step.name,
            summary=outcome["summary"],
            results=to_json(work.results[step.step_id]),
            recommendations=outcome["recommendations"],
            items=outcome["items"],
            errors=outcome["failed"],
            tables=outcome["tables"] or None,
            usage=Usage(**outcome["usage"]),
        )
        return location

    def _done(self, number: int, step: Step, outcome: StepOutcome) -> None:
        """Record the step, unless an earlier attempt did."""
        self._logs.pop(step.step_id, None)
        self._counts.append(LogCounts(**outcome["counts"]))
        if self.job.steps[number].status != "completed":
            self._report(
                number,
                100,
                steps=self._with(number, _record(step, outcome)),
                metrics=added(self._counts),
            )

    # -- what is written

    def _report(self, number: int, percent: int, **changes: Any) -> None:
        """The progress of the step as progress of the job. The last percent belongs to the end of
        the job.
        """
        progress = min((100 * number + percent) // len(self.stage.steps), 99)
        new = self.job.changed(progress=max(progress, self.job.progress), **changes)
        if new != self.job:
            self.job = ledger.progress(self.store, self.job, new, self.stages)

    def _last_words(self, level: str, message: str, **details: Any) -> list[LogCounts]:
        """Write a last line into the log of the current step and close it. Returns its counts."""
        log = self._logs.get(self.job.current_step or "")
        if log is None:
            return []
        log.add(level, message, **details)
        log.close()
        return [log.counts]

    # -- parts

    def _log(self, step_id: str, position: int | None) -> StepLog:
        return open_log(self.buckets, self.store, self.job, step_id, position)

    def _begins(self, number: int) -> datetime:
        """When the previous step ended. The first step starts with the job."""
        before = self.job.steps[number - 1].end_time if number else self.job.start_time
        return before or self._now()

    def _with(self, number: int, step: StepRun) -> list[StepRun]:
        return [*self.job.steps[:number], step, *self.job.steps[number + 1 :]]


def open_log(
    buckets: Buckets, store: Store, job: Job, step_id: str, position: int | None
) -> StepLog:
    """The log of a step, continued. `position` is that of the last checkpoint; None if nothing is
    repeated.
    """
    return StepLog(
        buckets.logs,
        journey_id=job.journey_id,
        stage_id=job.stage_id,
        job_id=job.job_id,
        step_id=step_id,
        store=store,
        resume_from=position,
    )


def _record(step: Step, outcome: StepOutcome) -> StepRun:
    began, over = datetime.fromisoformat(outcome["began"]), datetime.fromisoformat(outcome["ended"])
    return timed(step.step_id, "completed", began, over)
