"""Durable jobs in a table: enqueued once, run by any worker, and resumed after a crash.

`queue` enqueues and watches, `worker` runs, `definitions` and `context` are what a job function
sees.
"""

from sortkey.runtime.jobs.context import JobContext
from sortkey.runtime.jobs.definitions import Backoff, JobFunction, job
from sortkey.runtime.jobs.queue import JobQueue
from sortkey.runtime.jobs.records import Attempt, Job, LogLine, StepRun
from sortkey.runtime.jobs.worker import JobWorker

__all__ = [
    "Attempt",
    "Backoff",
    "Job",
    "JobContext",
    "JobFunction",
    "JobQueue",
    "JobWorker",
    "LogLine",
    "StepRun",
    "job",
]
