"""Commands that show what is stored: journeys and jobs, logs, and reports."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from sortkey.commands import USAGE, CommandFailed, Json, JsonFormat, print_json
from sortkey_systems.jobengine.commands import output
from sortkey_systems.jobengine.commands.options import Data, Objects
from sortkey_systems.jobengine.commands.runs import jobs_of, open_engine, plain
from sortkey_systems.jobengine.logs.export import export_all_logs
from sortkey_systems.jobengine.logs.search import LogFilter


def status(
    of: Annotated[
        str | None, typer.Argument(metavar="ID", help="A journey or a job (default: all journeys).")
    ] = None,
    data: Data = "data",
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Print journeys, the stages and jobs of one journey, or the steps of one job."""
    with open_engine(data, objects, entity_id=of) as engine:
        if of is None:
            journeys = engine.journeys.list()
            if json:
                print_json([plain(listed) for listed in journeys])
            elif journeys:
                output.print_journeys(journeys)
            else:
                print(
                    f"no journeys yet: `sortkey jobengine demo --data {data}` creates one",
                    file=sys.stderr,
                )
        elif of.startswith("JOB-"):
            job = engine.executions.get(of)
            print_json(plain(job)) if json else output.print_steps(job)
        else:
            journey, stages = engine.journeys.get(of), engine.journeys.stages(of)
            jobs = engine.executions.all_jobs(of)
            if json:
                print_json(
                    {
                        "journey": plain(journey),
                        "stages": [plain(stage) for stage in stages],
                        "jobs": [plain(entry) for entry in jobs],
                    }
                )
            else:
                output.print_journeys([journey])
                output.print_jobs(stages, jobs)


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
    with open_engine(data, objects, entity_id=of) as engine:
        jobs = [(job.journey_id, job.stage_id, job.job_id) for job in jobs_of(engine, of)]
        for chunk in export_all_logs(engine.buckets.logs, jobs, form, where, step=step):
            sys.stdout.write(chunk.decode())


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
    with open_engine(data, objects, entity_id=of) as engine:
        if not of.startswith("JOB-"):
            final = engine.executions.final_report(of)
            print_json(final) if json else output.print_markdown(final["text"])
            return
        job = engine.executions.get(of)
        files = [
            report.file
            for report in engine.get_job_reports(job.journey_id, job.job_id, job.stage_id)
        ]
        files.sort(key=lambda file: file.execution_summary.start_time)
        if json:
            print_json([file.model_dump(mode="json", by_alias=True) for file in files])
            return
        for file in files:
            advice = "".join(f"\n- {recommendation}" for recommendation in file.recommendations)
            output.print_markdown(f"## {file.title}\n\n{file.summary}\n{advice}\n\n")
