"""Commands that change how a journey runs: run a job again, or cancel."""

from __future__ import annotations

from typing import Annotated

import typer

from sortkey.commands import FAILED, USAGE, CommandFailed, Json, print_json
from sortkey_systems.jobengine.commands import output
from sortkey_systems.jobengine.commands.options import Data, Objects
from sortkey_systems.jobengine.commands.runs import StorageFailures, open_engine, plain


def retry(
    job: Annotated[str, typer.Argument(metavar="JOB", help="A job that failed or was cancelled.")],
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Run it here, or leave it to workers.")
    ] = True,
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> int:
    """Run a job again: a new execution with the next number. The old one does not change."""
    if not job.startswith("JOB-"):
        advice = (
            "a job id looks like JOB-ABC123456789; `sortkey jobengine status JOURNEY` lists jobs "
            "of a journey"
        )
        raise CommandFailed(f"{job!r} is not a job id: {advice}", USAGE)
    with open_engine(data, objects) as engine:
        execution = engine.executions.retry(job)
        if wait:
            failures = StorageFailures()
            with engine.worker(threads=1, on_error=failures.note):
                output.watch(engine, execution.journey_id, execution.stage_id, check=failures.check)
            execution = engine.executions.get(execution.job_id)
        print_json(plain(execution)) if json else print(
            f"{execution.job_id}, execution {execution.execution_number}: {execution.status}"
        )
        return FAILED if wait and execution.status != "completed" else 0


def cancel(
    of: Annotated[
        str, typer.Argument(metavar="ID", help="A job, or a journey with what runs of it.")
    ],
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Cancel a job: a pending one at once, a running one at its next safe point. For a journey, no
    further stage starts.
    """
    with open_engine(data, objects, entity_id=of) as engine:
        cancelled = (
            engine.executions.cancel(of) if of.startswith("JOB-") else engine.cancel_journey(of)
        )
    if json:
        print_json(plain(cancelled))
        return
    is_running = of.startswith("JOB-") and cancelled.status == "running"
    state = "ends at its next safe point" if is_running else f"is {cancelled.status}"
    print(f"{of} {state}")
