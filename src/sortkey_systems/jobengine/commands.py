"""`sortkey jobengine`: journeys that migrate a database in six stages, run here or by workers
elsewhere.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from sortkey.commands import (
    FAILED,
    USAGE,
    CommandFailed,
    Json,
    JsonFormat,
    examples,
    print_json,
    run_until_stopped,
)
from sortkey_systems.jobengine import command_output as view
from sortkey_systems.jobengine.command_losses import allow_losses, losses_of
from sortkey_systems.jobengine.command_runs import (
    StorageFailures,
    check_stage,
    jobs_of,
    new_journey,
    open_engine,
    plain,
    print_end,
    read_rules,
    run_all,
)
from sortkey_systems.jobengine.logs.export import export_all_logs
from sortkey_systems.jobengine.logs.search import LogFilter
from sortkey_systems.jobengine.sample import LOSSES, RULES, make_shop

EXAMPLES = examples(
    "sortkey jobengine demo --data demo      the six stages on a sample shop",
    "sortkey jobengine status --data demo    what became of it",
    "sortkey jobengine run shop.sqlite       migrate a database of your own",
)
DEMO_EXAMPLES = examples(
    "sortkey jobengine demo                  in a folder that is removed again",
    "sortkey jobengine demo --data demo      in one that stays: look around in it",
    "sortkey jobengine status --data demo",
)
RUN_EXAMPLES = examples(
    "sortkey jobengine run shop.sqlite --target migrated.sqlite",
    "sortkey jobengine run dump.sql --target migrated/ --rules rules.json",
    "PGPASSWORD=… sortkey jobengine run postgresql://shop@localhost/shop",
    "sortkey jobengine run --journey JRN-ABC123456789  continue one that stopped",
    "sortkey jobengine run shop.sqlite --allow-lost-rows 0.5%",
) + (
    "\nExit codes: 0 completed, with no more lost than the limits allow; 1 not completed, or more "
    "lost; 2 wrong arguments"
)
Priority = Literal["low", "medium", "high", "critical"]
Data = Annotated[
    str,
    typer.Option(
        "--data", metavar="ADDRESS", help="Where journeys lie: a folder, http://… or aws://region."
    ),
]
Objects = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Where logs and reports lie, with {bucket} (default: in the folder).",
    ),
]
Threads = Annotated[
    int, typer.Option(min=1, max=64, help="How many jobs this process runs at once.")
]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """Migrate databases in journeys of six stages."""


@app.command(epilog=DEMO_EXAMPLES)
def demo(
    data: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Use this folder, and keep it.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the folder that is made where none is named.")
    ] = False,
    customers: Annotated[
        int, typer.Option(min=40, max=100_000, help="Size of the shop: 18 rows for each customer.")
    ] = 400,
    json: Json = False,
) -> int:
    """Migrate a sample shop of 22 tables, with its flaws, to TMF documents: the six stages, for
    real.

    Analyses the shop's SQLite file, strips and maps its schema, plans the migration, moves every
    row and proves it; then prints the final report.
    """
    folder = data or tempfile.mkdtemp(prefix="sortkey-jobengine-")
    began = time.perf_counter()
    try:
        with open_engine(folder, None, makes=True) as engine:
            shop = make_shop(os.path.join(folder, "shop.sqlite"), customers=customers)
            journey = new_journey(
                engine, str(shop), None, "The sample shop", "medium", RULES, folder=folder
            )
            allow_losses(engine, journey.journey_id, LOSSES.model_dump())
            done = run_all(
                engine, journey.journey_id, threads=2, data=folder if data or keep else None
            )
            seconds, is_kept = time.perf_counter() - began, bool(data or keep)
            code = print_end(engine, done, seconds, is_json=json, folder=folder, is_kept=is_kept)
        if not json and (data or keep):
            print(
                f"\nAll of it lies in {folder}: sortkey jobengine status --data {folder}",
                file=sys.stderr,
            )
        return code
    finally:
        if data is None and not keep:
            shutil.rmtree(folder, ignore_errors=True)


@app.command(epilog=RUN_EXAMPLES)
def run(
    source: Annotated[
        str | None,
        typer.Argument(
            help="What to migrate: a SQLite file, a SQL dump, or postgresql://user@host/name."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="Where the documents go: a .sqlite file, or a folder for JSON Lines (default: ID.sqlite)."
        ),
    ] = None,
    journey: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with this journey instead.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the journey (default: that of the source).")
    ] = None,
    priority: Annotated[
        Priority, typer.Option(help="Journeys of a higher one run first.")
    ] = "medium",
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Second Brain rules: a JSON list.")
    ] = None,
    stage: Annotated[str | None, typer.Option(metavar="ID", help="Run this stage only.")] = None,
    allow_lost_rows: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIMIT",
            help="Rows that may be lost: N, N% or TABLE=N; may be given several times.",
        ),
    ] = None,
    allow_lost_values: Annotated[
        str | None, typer.Option(metavar="LIMIT", help="Values that may be lost: N or N%.")
    ] = None,
    allow_dangling: Annotated[
        str | None, typer.Option(metavar="LIMIT", help="References that may lead nowhere: N or N%.")
    ] = None,
    allow_unread: Annotated[
        bool,
        typer.Option(
            "--allow-unread", help="Go on without statements of a dump that could not be read."
        ),
    ] = False,
    data: Data = "data",
    objects: Objects = None,
    threads: Threads = 2,
    json: Json = False,
) -> int:
    """Run a journey, with its progress, and print the final report. Ctrl-C stops it where it can go
    on later.
    """
    if (source is None) == (journey is None):
        raise CommandFailed(
            "name what to migrate, or with --journey a journey to go on with", USAGE
        )
    if stage is not None and journey is None:
        check_stage(stage)
    losses = losses_of(
        allow_lost_rows or [], allow_lost_values, allow_dangling, is_unread=allow_unread
    )
    began = time.perf_counter()
    with open_engine(data, objects, makes=journey is None, named=journey) as engine:
        journey_id = journey
        if journey_id is None:
            drafts = read_rules(rules) if rules else ()
            journey_id = new_journey(
                engine, source or "", target, name, priority, drafts
            ).journey_id
            print(f"journey {journey_id}", file=sys.stderr)
        allow_losses(engine, journey_id, losses)
        done = run_all(engine, journey_id, threads=threads, data=data, stage_id=stage)
        return print_end(engine, done, time.perf_counter() - began, is_json=json, folder=data)


@app.command(
    epilog=examples(
        "sortkey jobengine work --threads 4",
        "sortkey jobengine work --data http://db:8000 --objects s3://acme-{bucket}",
    )
)
def work(data: Data = "data", objects: Objects = None, threads: Threads = 2) -> None:
    """Run the jobs of journeys until Ctrl-C: start as many of these as you like, on as many
    machines.
    """
    with open_engine(data, objects, makes=True) as engine:
        run_until_stopped(
            engine.worker(threads=threads),
            f"working on {data}, {threads} jobs at once; Ctrl-C stops",
        )


@app.command(
    epilog=examples(
        "sortkey jobengine status    every journey",
        "sortkey jobengine status JRN-ABC123456789 --json",
    )
)
def status(
    of: Annotated[
        str | None, typer.Argument(metavar="ID", help="A journey or a job (default: all journeys).")
    ] = None,
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Print journeys, the stages and jobs of one journey, or the steps of one job."""
    with open_engine(data, objects, named=of) as engine:
        if of is None:
            journeys = engine.journeys.list()
            if json:
                print_json([plain(each) for each in journeys])
            elif journeys:
                view.print_journeys(journeys)
            else:
                print(
                    f"there is no journey yet: `sortkey jobengine demo --data {data}` makes one",
                    file=sys.stderr,
                )
        elif of.startswith("JOB-"):
            job = engine.executions.get(of)
            print_json(plain(job)) if json else view.print_steps(job)
        else:
            journey, stages = engine.journeys.get(of), engine.journeys.stages(of)
            jobs = engine.executions.all_jobs(of)
            if json:
                print_json(
                    {
                        "journey": plain(journey),
                        "stages": [plain(each) for each in stages],
                        "jobs": [plain(each) for each in jobs],
                    }
                )
            else:
                view.print_journeys([journey])
                view.print_jobs(stages, jobs)


@app.command(
    epilog=examples(
        "sortkey jobengine logs JRN-ABC123456789 --level error",
        "sortkey jobengine logs JOB-ABC123456789 --format csv > job.csv",
    )
)
def logs(
    of: Annotated[
        str, typer.Argument(metavar="ID", help="A job, or a journey for all of its jobs.")
    ],
    step: Annotated[str | None, typer.Option(metavar="ID", help="Only this step.")] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(help="Only debug, info, warning or error; may be given several times."),
    ] = None,
    text: Annotated[str | None, typer.Option(help="Only lines in which this occurs.")] = None,
    form: Annotated[
        Literal["txt", "json", "csv"], typer.Option("--format", help="What to print.")
    ] = "txt",
    json: JsonFormat = False,
    data: Data = "data",
    objects: Objects = None,
) -> None:
    """Print the log of a job, line by line, also while it runs."""
    from sortkey.errors import ModelError

    form = "json" if json else form
    try:
        where = LogFilter.of(level, text=text)
    except ModelError as error:
        raise CommandFailed(str(error), USAGE) from None
    with open_engine(data, objects, named=of) as engine:
        jobs = [(job.journey_id, job.stage_id, job.job_id) for job in jobs_of(engine, of)]
        for chunk in export_all_logs(engine.buckets.logs, jobs, form, where, step=step):
            sys.stdout.write(chunk.decode())


@app.command(
    epilog=examples(
        "sortkey jobengine report JRN-ABC123456789",
        "sortkey jobengine report JOB-ABC123456789 --json",
    )
)
def report(
    of: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A journey for its final report, or a job for those of it."
        ),
    ],
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Print the final report of a journey, or what the steps of a job report."""
    with open_engine(data, objects, named=of) as engine:
        if not of.startswith("JOB-"):
            told = engine.executions.final_report(of)
            print_json(told) if json else view.print_markdown(told["text"])
            return
        job = engine.executions.get(of)
        files = [
            each.file for each in engine.get_job_reports(job.journey_id, job.job_id, job.stage_id)
        ]
        files.sort(key=lambda file: file.execution_summary.start_time)
        if json:
            print_json([file.model_dump(mode="json", by_alias=True) for file in files])
            return
        for file in files:
            advice = "".join(f"\n- {each}" for each in file.recommendations)
            view.print_markdown(f"## {file.title}\n\n{file.summary}\n{advice}\n\n")


@app.command(
    epilog=examples(
        "sortkey jobengine retry JOB-ABC123456789",
        "sortkey jobengine retry JOB-ABC123456789 --no-wait",
    )
)
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
                view.watch(engine, made.journey_id, made.stage_id, check=failures.check)
            made = engine.executions.get(made.job_id)
        print_json(plain(made)) if json else print(
            f"{made.job_id}, execution {made.execution_number}: {made.status}"
        )
        return FAILED if wait and made.status != "completed" else 0


@app.command(
    epilog=examples(
        "sortkey jobengine cancel JOB-ABC123456789",
        "sortkey jobengine cancel JRN-ABC123456789    all that runs of it",
    )
)
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
