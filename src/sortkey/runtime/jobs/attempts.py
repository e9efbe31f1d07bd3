"""Runs an attempt: calls the function, and decides what happens to the job."""

from __future__ import annotations

import threading
import traceback
from datetime import timedelta
from typing import Any

from sortkey.errors import (
    GiveUp,
    JobCancelled,
    JobInterrupted,
    JobLost,
    JobStopped,
    JobTimedOut,
    SortkeyError,
)
from sortkey.runtime.jobs.attempt import Running
from sortkey.runtime.jobs.context import JobContext
from sortkey.runtime.jobs.leases import Ending
from sortkey.runtime.jobs.records import Job
from sortkey.runtime.jobs.values import storable
from sortkey.runtime.jobs.wakeups import of_job, of_queue
from sortkey.runtime.metrics import counter, histogram

ATTEMPTS = counter("sortkey_job_attempts_total", "Attempts of jobs, by how they ended.")
SECONDS = histogram("sortkey_job_seconds", "How long attempts of jobs ran.")
TRACEBACK_CHARACTERS_MAX = 8000


def run(running: Running) -> Job:
    """Run the function and end the attempt. Returns the updated job. KeyboardInterrupt and the like
    are raised on.
    """
    try:
        result = running.definition.function(JobContext(running), **running.job.arguments)
        ending = Ending("completed", "completed", result=storable(result, "the result of a job"))
    except JobStopped as stopped:
        ending = after_stop(running, stopped)
    except Exception as error:
        # A function may turn the error that stopped it into another one.
        ending = (
            after_stop(running, running.stopped)
            if running.stopped
            else after_failure(running, error)
        )
    except BaseException as error:
        if threading.current_thread() is not threading.main_thread():
            return end(
                running, after_failure(running, error)
            )  # exit() in a function ends only the attempt
        end(running, _released(running, "the worker was ended"))
        raise
    return end(running, ending)


def end(running: Running, ending: Ending) -> Job:
    """Write the end of the attempt. If the job was lost, or the store cannot be reached, another
    worker takes it over later.
    """
    had_slots = bool(running.job.slots)
    try:
        running.log.flush()
        job = running.lease.end(ending)
    except JobLost:
        if not running.is_given_up:
            _count(running, "lost")
        return running.job
    except SortkeyError as error:
        message = (
            f"job {running.job.job_id}: its end could not be written, so it is taken up again later"
        )
        running.environment.on_error(message, error)
        return running.job
    _count(running, ending.outcome)
    running.environment.wakeups.notify(of_job(job.job_id))
    if had_slots or job.due_at is not None:  # another job may start now
        running.environment.wakeups.notify(
            of_queue(job.queue), job.due_at.timestamp() if job.due_at else None
        )
    return job


def after_stop(running: Running, stopped: JobStopped) -> Ending:
    """The end of an attempt that was stopped at a safe point."""
    match stopped:
        case JobCancelled():
            return Ending("cancelled", "cancelled", error=str(stopped))
        case JobInterrupted():
            return _released(running, str(stopped))
        case JobTimedOut():
            return _failed(running, "timed_out", str(stopped))
        case _:
            return Ending(
                "lost", "pending", due_at=running.environment.now()
            )  # no longer held: it will not be written


def after_failure(running: Running, error: BaseException) -> Ending:
    """The end of an attempt whose function raised an error. The error is logged with its
    traceback.
    """
    message = f"{type(error).__name__}: {error}"
    where = "".join(traceback.format_exception(error))[-TRACEBACK_CHARACTERS_MAX:]
    try:
        running.log.add(
            running.step,
            "ERROR",
            f"attempt {running.job.attempt} failed: {message}",
            {"traceback": where},
        )
    except SortkeyError as problem:
        running.environment.on_error(
            f"job {running.job.job_id}: its error could not be logged", problem
        )
    return _failed(running, "failed", message, final=isinstance(error, GiveUp))


def _failed(running: Running, outcome: Any, error: str, *, final: bool = False) -> Ending:
    job, environment = running.job, running.environment
    if final or job.attempt >= (job.attempts_max or 0):
        return Ending(outcome, "failed", error=error)
    wait = running.definition.backoff.seconds(job.attempt - job.attempts_before, environment.random)
    return Ending(
        outcome, "pending", due_at=environment.now() + timedelta(seconds=wait), error=error
    )


def _released(running: Running, why: str) -> Ending:
    """Not a failure: it does not use up a retry."""
    return Ending(
        "released", "pending", due_at=running.environment.now(), error=why, attempts_more=1
    )


def _count(running: Running, outcome: str) -> None:
    metrics, job = running.environment.store.metrics, running.job
    if metrics is not None and job.started_at is not None:
        metrics.add(ATTEMPTS, queue=job.queue, name=job.name, outcome=outcome)
        seconds = (running.environment.now() - job.started_at).total_seconds()
        metrics.observe(SECONDS, seconds, queue=job.queue, name=job.name)
