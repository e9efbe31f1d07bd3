"""The analysis of a run as a durable job: UPLOADED → PROCESSING → COMPLETE or FAILED, whatever
happens to the worker.

The analysis itself runs in a child process, see `isolated.py`. It may run twice, in a second
attempt or on a worker that was only slow. The first attempt to write the outcome wins.
"""

from __future__ import annotations

from datetime import datetime

from sortkey import Backoff, ItemKey, JobContext, JobQueue, Payload, Store, job
from sortkey.errors import ConditionFailed, JobCancelled, TransitionRefused
from sortkey_systems.applens.analysis import Stage
from sortkey_systems.applens.isolated import Outcome, analyze_isolated
from sortkey_systems.applens.model import Run
from sortkey_systems.applens.problems import AnalysisFailed

QUEUE = "applens"
TRIES_MAX = 3
"""After this many attempts that failed, timed out or lost their worker, the run is FAILED. The
queue may give up sooner.
"""
TIMEOUT_SECONDS = 300
ERROR_CHARACTERS_MAX = 2000
PERCENT: dict[Stage, int] = {"building": 10, "parsed": 40, "analysing": 60}
STORING = 90


# Far more tries than TRIES_MAX: those after it only write that the run has failed, and that must
# come to its end.
@job(
    "applens.analyze",
    timeout=TIMEOUT_SECONDS,
    retries=10_000,
    backoff=Backoff(first_seconds=1, factor=4, max_seconds=60),
)
def analyze_run(ctx: JobContext, user_id: str, created_at: str, run_id: str) -> str:
    """Analyse one run and return its final status. The arguments are the run's key."""
    store = ctx.store
    run = store.get(_key(user_id, created_at, run_id), consistent=True)
    if run.status in ("COMPLETE", "FAILED"):
        return run.status  # by an earlier attempt whose worker was killed before it could report it
    if (reason := _given_up(ctx, store)) is not None:
        return fail(store, run, reason).status
    try:
        return _analyzed(ctx, store, run).status
    except AnalysisFailed as failure:
        return fail(store, run, str(failure)).status
    except JobCancelled:
        fail(store, run, "the analysis was cancelled")
        raise


def fail(store: Store, run: Run, reason: str) -> Run:
    """Mark a run as FAILED unless it has ended. Returns the run as stored."""
    text = reason[:ERROR_CHARACTERS_MAX] or "no reason given"
    try:
        return store.move(ItemKey.of_entity(run), Run.status, "FAILED", set={"last_error": text})
    except TransitionRefused:
        return store.get(ItemKey.of_entity(run), consistent=True)


def arguments_of(run: Run) -> dict[str, str]:
    """The arguments of the job. The whole key, because an index may not have the run yet."""
    assert run.created_at is not None
    return {"user_id": run.user_id, "created_at": run.created_at.isoformat(), "run_id": run.run_id}


def _key(user_id: str, created_at: str, run_id: str) -> ItemKey[Run]:
    return Run.key(user_id=user_id, created_at=datetime.fromisoformat(created_at), run_id=run_id)


def _given_up(ctx: JobContext, store: Store) -> str | None:
    """The reason to stop retrying, or None. A worker that was stopped does not count as a
    failure.
    """
    if ctx.attempt <= TRIES_MAX:
        return None
    tries = JobQueue(store, ctx.job.queue).attempts(ctx.job.job_id)
    failed = [attempt for attempt in tries if attempt.outcome != "released"]
    if len(failed) < TRIES_MAX:
        return None
    return f"the analysis failed {len(failed)} times; last error: {failed[-1].error}"


def _analyzed(ctx: JobContext, store: Store, run: Run) -> Run:
    run = _begun(ctx, store, run)
    assert run.iac is not None
    assert run.iac.key is not None

    def on_stage(stage: Stage, text: str) -> None:
        ctx.log("INFO", stage, about=text)
        ctx.progress(PERCENT[stage], stage)

    name, data = run.iac.key.rpartition("/")[2], store.load(run.iac)
    outcome = analyze_isolated(name, data, on_stage, ctx.check_cancelled)
    ctx.progress(STORING, "storing")
    return _stored(store, run, outcome)


def _begun(ctx: JobContext, store: Store, run: Run) -> Run:
    """Mark the run as PROCESSING, with the job that has its detailed progress."""
    if run.status == "PROCESSING":
        return run  # taken up again
    return store.move(
        ItemKey.of_entity(run), Run.status, "PROCESSING", set={"job_id": ctx.job.job_id}
    )


def _stored(store: Store, run: Run, outcome: Outcome) -> Run:
    """Store graph and report first, then update the item with status and counts in one write."""
    changes = {
        "graph": Payload(outcome.graph),
        "report": Payload(outcome.report),
        "node_count": outcome.counts["nodeCount"],
        "edge_count": outcome.counts["edgeCount"],
        "internet_exposed_count": outcome.counts["internetExposedCount"],
        "datastore_count": outcome.counts["datastoreCount"],
        "graph_hash": outcome.graph_hash,
    }
    try:
        return store.move(ItemKey.of_entity(run), Run.status, "COMPLETE", set=changes)
    except ConditionFailed:
        now = store.get(ItemKey.of_entity(run), consistent=True)
        if now.status == "PROCESSING":
            raise
        return now  # another try was first
