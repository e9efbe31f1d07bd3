"""The table of jobs. A job is one partition: the job, its attempts, steps, state and log.

The index `due` is the queue: jobs by lane and by the instant from which somebody may take them.
Pending jobs have a lane for each priority. Running jobs have a separate lane, ordered by the end of
their leases, so jobs of dead workers are found however many others wait. Both indexes hold keys
only: a heartbeat writes a job often, and its arguments may be large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from sortkey.model.entity import Entity
from sortkey.model.fields import Created, KeyOnly, Range, States, Updated, camel
from sortkey.model.instants import Instant
from sortkey.model.keys import index, key, query
from sortkey.model.patterns import Model
from sortkey.model.tables import GSI, Table
from sortkey.runtime.jobs.values import Plain

Priority = Literal["critical", "high", "medium", "low"]
Status = Literal["pending", "running", "completed", "failed", "cancelled"]
Outcome = Literal["completed", "failed", "timed_out", "cancelled", "lost", "released"]
Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]

LANES: Mapping[Priority, int] = {"critical": 0, "high": 1, "medium": 2, "low": 3}
RUNNING_LANE = 9
WORKER_DEATHS_MAX = 2
"""A job that killed this many workers is not tried again, however many retries are left."""
ENDED: tuple[Status, ...] = ("completed", "failed", "cancelled")

STATES = States(
    {
        "pending": ["running", "cancelled"],
        "running": ["completed", "failed", "cancelled", "pending"],
        "failed": ["pending"],
        "cancelled": ["pending"],
    },
    start=["pending"],
)

model = Model("jobs", doc="Durable jobs: their queue, attempts, steps and logs.")

table = model.add(
    Table(
        "sortkey-jobs",
        key=("PK", "SK"),
        indexes=[
            GSI(
                "due",
                "duePK",
                "dueSK",
                projection="KEYS_ONLY",
                doc="Jobs that a worker may take, in order",
            ),
            GSI(
                "status",
                "statusPK",
                "statusSK",
                projection="KEYS_ONLY",
                doc="Jobs by status",
            ),
        ],
        pitr=False,  # heartbeats need no history; the items themselves record what a job did
        doc="Jobs, a partition each.",
    )
)


class Job(Entity, table=table, kind="Job", names=camel):
    """A job. While it runs, `lease` is the token of the only attempt that may write."""

    job_id: str
    queue: str
    name: str
    arguments: dict[str, Plain] = Field(default_factory=dict)
    status: Annotated[Status, STATES] = "pending"
    priority: Priority = "medium"
    lane: Annotated[int, Range(0, RUNNING_LANE)] = LANES["medium"]
    due_at: Instant | None = None
    idempotency_key: str | None = None
    key_name: str | None = None
    key_limit: Annotated[int, Range(1, 10_000)] = 1
    timeout_seconds: float | None = None
    retries: Annotated[int, Range(0, 10_000)] | None = None
    attempt: int = 0
    attempts_before: int = 0
    attempts_max: int | None = None
    worker_deaths: int = 0
    worker_deaths_max: Annotated[int, Range(1, 10_000)] = WORKER_DEATHS_MAX
    lease: str | None = None
    worker: str | None = None
    slots: list[str] = Field(default_factory=list)
    progress: Annotated[int, Range(0, 100)] = 0
    progress_text: str | None = None
    current_step: str | None = None
    cancel_requested: bool = False
    result: Plain = None
    error: str | None = None
    created_at: Annotated[Instant | None, Created] = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    updated_at: Annotated[Instant | None, Updated] = None

    @key("JOB#{jobId}", "JOB")
    def key(*, job_id: str):
        """One job."""

    @index("due", "{queue}", "{lane:01d}#{dueAt}#{jobId}")
    def due(*, queue: str, lane: int | None = None):
        """Jobs of a lane that can be taken, in order of time."""

    @index("status", "{queue}#{status}", "{createdAt}#{jobId}")
    def by_status(*, queue: str, status: Status):
        """The jobs of a queue with a status, in the order in which they were enqueued."""

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED

    @property
    def is_dead_letter(self) -> bool:
        """Whether it ended because too many workers died while they ran it. Only `retry` starts it
        again.
        """
        return self.status == "failed" and self.worker_deaths >= self.worker_deaths_max


class Attempt(Entity, table=table, kind="JobAttempt", names=camel):
    """An ended attempt. Written once, at its end."""

    job_id: KeyOnly[str]
    number: KeyOnly[int]
    outcome: Outcome
    worker: str
    started_at: Instant
    ended_at: Instant
    error: str | None = None

    @key("JOB#{jobId}", "ATTEMPT#{number:05d}")
    def key(*, job_id: str, number: int):
        """One attempt of a job."""

    @query(key)
    def of_job(*, job_id: str):
        """All attempts of a job, oldest first."""


class StepRun(Entity, table=table, kind="JobStep", names=camel):
    """The last run of a step. A completed step is not run again."""

    job_id: KeyOnly[str]
    name: KeyOnly[str]
    status: Literal["completed", "failed"]
    attempt: int
    started_at: Instant
    ended_at: Instant
    result: Plain = None
    error: str | None = None

    @key("JOB#{jobId}", "STEP#{name}")
    def key(*, job_id: str, name: str):
        """One step of a job."""

    @query(key)
    def of_job(*, job_id: str):
        """The steps of a job, by name."""

    @property
    def seconds(self) -> float:
        return (self.ended_at - self.started_at).total_seconds()


class Checkpoint(Entity, table=table, kind="JobState", names=camel):
    """The checkpoint of a job."""

    job_id: KeyOnly[str]
    attempt: int
    state: Plain = None

    @key("JOB#{jobId}", "STATE")
    def key(*, job_id: str):
        """The state of a job."""


class LogLine(Entity, table=table, kind="JobLog", names=camel):
    """A line of the log. Its key has the attempt and the number, so writing it twice has no
    effect.
    """

    job_id: KeyOnly[str]
    attempt: KeyOnly[int]
    number: KeyOnly[int]
    step: str | None = None
    level: Level
    message: str
    at: Instant
    details: dict[str, Plain] = Field(default_factory=dict)

    @key("JOB#{jobId}", "LOG#{attempt:05d}#{number:08d}")
    def key(*, job_id: str, attempt: int, number: int):
        """One line."""

    @query(key)
    def of_job(*, job_id: str, attempt: int | None = None):
        """The log of a job, or of one of its attempts, in the order in which it was written."""


class Slots(Entity, table=table, kind="JobSlots", names=camel):
    """The jobs that hold the slots of a limit: of a queue, or of one key in a queue."""

    name: KeyOnly[str]
    holders: set[str] | None = None

    @key("SLOTS#{name}", "SLOTS")
    def key(*, name: str):
        """The slots of one limit."""
