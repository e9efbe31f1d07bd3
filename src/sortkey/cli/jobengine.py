"""`sortkey jobengine`: journeys that migrate a database in six stages, run here or by workers elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from sortkey.cli.failure import FAILED, USAGE, CommandFailed
from sortkey.cli.helping import examples
from sortkey.cli.options import Json, check_place

EXAMPLES = """\
examples:
  sortkey jobengine demo --data demo      the six stages on a sample shop
  sortkey jobengine status --data demo    what became of it
  sortkey jobengine run shop.sqlite       migrate a database of your own
"""
DEMO_EXAMPLES = """\
examples:
  sortkey jobengine demo                  in a folder that is removed again
  sortkey jobengine demo --data demo      in one that stays: look around in it
  sortkey jobengine status --data demo
"""
RUN_EXAMPLES = """\
examples:
  sortkey jobengine run shop.sqlite --target migrated.sqlite
  sortkey jobengine run dump.sql --target migrated/ --rules rules.json
  PGPASSWORD=… sortkey jobengine run postgresql://shop@localhost/shop
  sortkey jobengine run --journey JRN-ABC123456789     go on with one that stopped

exit codes: 0 completed, and everything that was asked for was reached; 1 not so; 2 wrong arguments
"""
Priority = Literal["low", "medium", "high", "critical"]
Data = Annotated[
    str, typer.Option("--data", metavar="ADDRESS", help="Where journeys lie: a folder, http://… or aws://region.")
]
Objects = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Where logs and reports lie, with {bucket} (default: in the folder)."),
]
Threads = Annotated[int, typer.Option(min=1, max=64, help="How many jobs this process runs at once.")]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """Migrate databases in journeys of six stages."""


@app.command(epilog=DEMO_EXAMPLES)
def demo(
    data: Annotated[str | None, typer.Option(metavar="FOLDER", help="Use this folder, and keep it.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the folder that is made where none is named.")] = False,
    customers: Annotated[
        int, typer.Option(min=40, max=100_000, help="Size of the shop: 18 rows for each customer.")
    ] = 400,
    json: Json = False,
) -> int:
    """Migrate a sample shop of 22 tables, with its flaws, to TMF documents: the six stages, for real.

    Analyses the shop's SQLite file, strips and maps its schema, plans the migration, moves every row and proves it;
    then prints the final report.
    """
    folder = data or tempfile.mkdtemp(prefix="sortkey-jobengine-")
    began = time.perf_counter()
    try:
        with _engine(folder, None, makes=True) as engine:
            sample = _system("sample")
            shop = sample.make_shop(os.path.join(folder, "shop.sqlite"), customers=customers)
            journey = _new_journey(
                engine, str(shop), os.path.join(folder, "migrated.sqlite"), "The sample shop", "medium", sample.RULES
            )
            done = _run_all(engine, journey.journey_id, threads=2)
            code = _print_end(engine, done, time.perf_counter() - began, is_json=json, folder=folder)
        if not json and (data or keep):
            print(f"\nAll of it lies in {folder}: sortkey jobengine status --data {folder}", file=sys.stderr)
        return code
    finally:
        if data is None and not keep:
            shutil.rmtree(folder, ignore_errors=True)


@app.command(epilog=RUN_EXAMPLES)
def run(
    source: Annotated[
        str | None, typer.Argument(help="What to migrate: a SQLite file, a SQL dump, or postgresql://user@host/name.")
    ] = None,
    target: Annotated[
        str, typer.Option(help="Where the documents go: a .sqlite file, or a folder for JSON Lines.")
    ] = "migrated.sqlite",
    journey: Annotated[str | None, typer.Option(metavar="ID", help="Go on with this journey instead.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the journey (default: that of the source).")] = None,
    priority: Annotated[Priority, typer.Option(help="Journeys of a higher one run first.")] = "medium",
    rules: Annotated[Path | None, typer.Option(metavar="FILE", help="Second Brain rules: a JSON list.")] = None,
    stage: Annotated[str | None, typer.Option(metavar="ID", help="Run this stage only.")] = None,
    data: Data = "data",
    objects: Objects = None,
    threads: Threads = 2,
    json: Json = False,
) -> int:
    """Run a journey, with its progress, and print the final report. Ctrl-C stops it where it can go on later."""
    if (source is None) == (journey is None):
        raise CommandFailed("name what to migrate, or with --journey a journey to go on with", USAGE)
    began = time.perf_counter()
    with _engine(data, objects, makes=journey is None) as engine:
        journey_id = journey
        if journey_id is None:
            drafts = _rules(rules) if rules else ()
            journey_id = _new_journey(engine, source or "", target, name, priority, drafts).journey_id
            print(f"journey {journey_id}", file=sys.stderr)
        done = _run_all(engine, journey_id, threads=threads, stage_id=stage)
        return _print_end(engine, done, time.perf_counter() - began, is_json=json, folder=data)


@app.command(
    epilog=examples(
        "sortkey jobengine work --threads 4",
        "sortkey jobengine work --data http://db:8000 --objects s3://acme-{bucket}",
    )
)
def work(data: Data = "data", objects: Objects = None, threads: Threads = 2) -> None:
    """Run the jobs of journeys until Ctrl-C: start as many of these as you like, on as many machines."""
    import asyncio

    from sortkey.cli.loops import run_loop, stop_signal

    async def until_signal() -> None:
        signalled = stop_signal()
        print(f"working on {data}, {threads} jobs at once; Ctrl-C stops", flush=True)
        await signalled.wait()
        await asyncio.to_thread(worker.stop)

    with _engine(data, objects, makes=True) as engine:
        worker = engine.worker(threads=threads).start()
        run_loop(until_signal())


@app.command(
    epilog=examples("sortkey jobengine status    every journey", "sortkey jobengine status JRN-ABC123456789 --json")
)
def status(
    of: Annotated[str | None, typer.Argument(metavar="ID", help="A journey or a job (default: all journeys).")] = None,
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Print journeys, the stages and jobs of one journey, or the steps of one job."""
    from sortkey.cli import jobengine_view as view
    from sortkey.cli.printing import print_json

    with _engine(data, objects) as engine:
        if of is None:
            journeys = engine.journeys.list()
            print_json([_plain(each) for each in journeys]) if json else view.print_journeys(journeys)
        elif of.startswith("JOB-"):
            job = engine.executions.get(of)
            print_json(_plain(job)) if json else view.print_steps(job)
        else:
            journey, stages = engine.journeys.get(of), engine.journeys.stages(of)
            jobs = list(engine.executions.list_jobs(of, size=1000).items)
            if json:
                print_json({"journey": _plain(journey), "jobs": [_plain(each) for each in jobs]})
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
    of: Annotated[str, typer.Argument(metavar="ID", help="A job, or a journey for all of its jobs.")],
    step: Annotated[str | None, typer.Option(metavar="ID", help="Only this step.")] = None,
    level: Annotated[
        list[str] | None, typer.Option(help="Only debug, info, warning or error; may be given several times.")
    ] = None,
    text: Annotated[str | None, typer.Option(help="Only lines in which this occurs.")] = None,
    form: Annotated[Literal["txt", "json", "csv"], typer.Option("--format", help="What to print.")] = "txt",
    data: Data = "data",
    objects: Objects = None,
) -> None:
    """Print the log of a job, line by line, also while it runs."""
    search, export = _system("log_search"), _system("log_export")
    where = search.LogFilter.of(level, text=text)
    with _engine(data, objects) as engine:
        for job in _jobs(engine, of):
            about = (job.journey_id, job.stage_id, job.job_id)
            for chunk in export.export_logs(engine.buckets.logs, *about, form, where, step=step):
                sys.stdout.write(chunk.decode())


@app.command(
    epilog=examples("sortkey jobengine report JRN-ABC123456789", "sortkey jobengine report JOB-ABC123456789 --json")
)
def report(
    of: Annotated[str, typer.Argument(metavar="ID", help="A journey for its final report, or a job for those of it.")],
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Print the final report of a journey, or what the steps of a job report."""
    from sortkey.cli import jobengine_view as view
    from sortkey.cli.printing import print_json

    with _engine(data, objects) as engine:
        if not of.startswith("JOB-"):
            told = engine.executions.final_report(of)
            print_json(told) if json else view.print_markdown(told["text"])
            return
        job = engine.executions.get(of)
        files = [each.file for each in engine.get_job_reports(job.journey_id, job.job_id, job.stage_id)]
        files.sort(key=lambda file: file.execution_summary.start_time)
        if json:
            print_json([file.model_dump(mode="json", by_alias=True) for file in files])
            return
        for file in files:
            advice = "".join(f"\n- {each}" for each in file.recommendations)
            view.print_markdown(f"## {file.title}\n\n{file.summary}\n{advice}\n\n")


@app.command(
    epilog=examples("sortkey jobengine retry JOB-ABC123456789", "sortkey jobengine retry JOB-ABC123456789 --no-wait")
)
def retry(
    job: Annotated[str, typer.Argument(metavar="JOB", help="A job that failed or was cancelled.")],
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Run it here, or leave it to workers.")] = True,
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> int:
    """Run a job again: a new execution with the next number. The old one stays as it is."""
    from sortkey.cli.printing import print_json

    with _engine(data, objects) as engine:
        made = engine.executions.retry(job)
        if wait:
            from sortkey.cli.jobengine_view import watch

            with engine.worker(threads=1):
                watch(engine, made.journey_id, made.stage_id)
            made = engine.executions.get(made.job_id)
        print_json(_plain(made)) if json else print(f"{made.job_id}, execution {made.execution_number}: {made.status}")
        return FAILED if wait and made.status != "completed" else 0


@app.command(
    epilog=examples(
        "sortkey jobengine cancel JOB-ABC123456789", "sortkey jobengine cancel JRN-ABC123456789    all that runs of it"
    )
)
def cancel(
    of: Annotated[str, typer.Argument(metavar="ID", help="A job, or a journey with what runs of it.")],
    data: Data = "data",
    objects: Objects = None,
) -> None:
    """End a job at its next safe point; one that waits at once. Of a journey nothing starts any more."""
    with _engine(data, objects) as engine:
        if of.startswith("JOB-"):
            found = engine.executions.cancel(of)
            told = "it ends at its next safe point" if found.status == "running" else f"it is {found.status}"
        else:
            told = f"it is {engine.cancel_journey(of).status}"
        print(f"{of}: {told}")


# -- what the commands share


@contextmanager
def _engine(data: str, objects: str | None, *, makes: bool = False) -> Generator[Any]:
    """The engine on a folder, which other commands can use meanwhile, or on what lies elsewhere. What only looks
    `makes` no folder: a name with a typing error would be a new one."""
    from sortkey.cli.sharing import shared_store

    check_place(data, makes=makes)
    if objects is None and "://" in data:
        raise CommandFailed(f"the tables are at {data}: say where the buckets are, with --objects", USAGE)
    service, buckets = _system("service"), _system("buckets")
    with shared_store(data) as store:
        opened = buckets.Buckets.open(objects or os.path.join(data, "buckets", "{bucket}"))
        try:
            engine = service.JobEngine(store, opened)
            engine.ensure()
            yield engine
        finally:
            opened.close()


def _new_journey(engine: Any, source: str, target: str, name: str | None, priority: str, rules: Any) -> Any:
    from pydantic import ValidationError

    parts, drafts = _system("parts"), _system("inputs")
    is_file = "://" not in source
    if is_file and not os.path.isfile(source):
        raise CommandFailed(f"there is no file {source} to migrate", USAGE)
    title = Path(source).stem if is_file else source.rsplit("/", 1)[-1]
    about = {"type": "database", "schema_id": title, "schema_name": title, "schema_version": "1"}
    address = os.path.abspath(source) if is_file else source
    try:
        return engine.journeys.create(
            name=name or title,
            created_by=os.environ.get("USER", "command line"),
            oda_component_type="PRODUCTCATALOG",
            source=parts.Source(**about, address=address),
            configuration=parts.JourneyConfiguration(target=os.path.abspath(target)),
            priority=priority,
            rules=[drafts.RuleDraft(**each) for each in rules],
        )
    except ValidationError as error:
        # Without what was given: it may hold a password.
        told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise CommandFailed(f"this cannot be a journey: {told}", USAGE) from None


def _rules(path: Path) -> list[dict[str, Any]]:
    from json import JSONDecodeError, loads

    try:
        found: Any = loads(path.read_text(encoding="utf-8"))
    except JSONDecodeError as error:
        raise CommandFailed(f"{path} is no JSON: {error}", USAGE) from None
    if not isinstance(found, list):
        raise CommandFailed(f"{path} is no list of rules", USAGE)
    return cast("list[dict[str, Any]]", found)


def _run_all(engine: Any, journey_id: str, *, threads: int, stage_id: str | None = None) -> Any:
    """Run what is left of a journey, or one stage, on workers in this process."""
    from sortkey.cli.jobengine_view import watch

    stages = engine.journeys.stages(journey_id)
    if not any(stage.status == "running" for stage in stages):  # else somebody was stopped in its middle: go on
        if stage_id is None:
            engine.run_journey(journey_id)
        else:
            engine.start_job(journey_id, stage_id)
    with engine.worker(threads=threads, poll_seconds=0.2):
        return watch(engine, journey_id, stage_id)


def _print_end(engine: Any, journey: Any, seconds: float, *, is_json: bool, folder: str) -> int:
    """The final report, or how far it came; the result is the exit code."""
    from sortkey.cli.jobengine_view import print_markdown
    from sortkey.cli.printing import print_json

    jobs = list(engine.executions.list_jobs(journey.journey_id, size=1000).items)
    found = engine.executions.final_report(journey.journey_id) if journey.status == "completed" else None
    if is_json:
        told = {"journey": _plain(journey), "seconds": round(seconds, 1), "jobs": [_plain(each) for each in jobs]}
        print_json({**told, "report": found, "folder": folder})
    elif found:
        print_markdown(found["text"])
        totals = journey.aggregates
        told = f"{totals.completed_jobs} jobs, {totals.total_logs} lines of log, {totals.total_warnings} warnings"
        print(f"\n{journey.journey_id} is completed after {seconds:.1f} s: {told}.", file=sys.stderr)
    else:
        failed = next((job for job in reversed(jobs) if job.status == "failed"), None)
        why = f": {failed.stage_id}, {failed.error_message}" if failed and journey.status == "failed" else ""
        print(f"{journey.journey_id} is {journey.status}, {journey.overall_progress} % done{why}", file=sys.stderr)
    if found is None:
        return FAILED if journey.status in ("failed", "cancelled") else 0
    return 0 if found["is_passed"] else FAILED


def _jobs(engine: Any, of: str) -> list[Any]:
    if of.startswith("JOB-"):
        return [engine.executions.get(of)]
    engine.journeys.get(of)
    return list(engine.executions.list_jobs(of, size=1000).items)


def _plain(entity: Any) -> Any:
    return entity.model_dump(mode="json")


def _system(name: str) -> Any:
    """By name: the library does not know the systems on it."""
    from importlib import import_module

    return import_module(f"sortkey_systems.jobengine.{name}")
