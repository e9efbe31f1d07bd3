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
    """Run a job again: a new execution with the next number. The old one stays as it is."""
    if not job.startswith("JOB-"):
        told = (
            "one is named as JOB-ABC123456789, and `sortkey jobengine status JOURNEY` lists those "
            "of a journey"
        )
        raise CommandFailed(f"{job!r} is no job: {told}", USAGE)
    with open_engine(data, objects) as engine:
        made = engine.executions.retry(job)
        if wait:
            failures = StorageFailures()
            with engine.worker(threads=1, on_error=failures.note):
                output.watch(engine, made.journey_id, made.stage_id, check=failures.check)
            made = engine.executions.get(made.job_id)
        print_json(plain(made)) if json else print(
            f"{made.job_id}, execution {made.execution_number}: {made.status}"
        )
        return FAILED if wait and made.status != "completed" else 0


def cancel(
    of: Annotated[
        str, typer.Argument(metavar="ID", help="A job, or a journey with what runs of it.")
    ],
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """End a job at its next safe point; one that waits at once. Of a journey nothing starts any
    more.
    """
    with open_engine(data, objects, named=of) as engine:
        found = engine.executions.cancel(of) if of.startswith("JOB-") else engine.cancel_journey(of)
    if json:
        print_json(plain(found))
        return
    ends = of.startswith("JOB-") and found.status == "running"
    print(f"{of} {'ends at its next safe point' if ends else f'is {found.status}'}")
