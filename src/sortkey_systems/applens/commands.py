"""`sortkey applens`: Terraform in, risks out. `analyze` needs no store; the other commands read
stored runs.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sortkey.commands import (
    FAILED,
    JSON_SHOWS_ALL,
    USAGE,
    BucketAddress,
    CommandFailed,
    Data,
    Json,
    JsonFormat,
    bucket_address,
    check_address,
    examples,
    print_json,
    print_table,
)
from sortkey_systems.applens.analysis import Analysis
from sortkey_systems.applens.analysis import analyze as run_analysis
from sortkey_systems.applens.problems import AnalysisFailed
from sortkey_systems.applens.report import Report
from sortkey_systems.applens.sarif import Checkout, to_sarif
from sortkey_systems.applens.text import comparison_page, page

if TYPE_CHECKING:
    from sortkey_systems.applens.model import Environment, Run
    from sortkey_systems.applens.rules.definition import Severity
    from sortkey_systems.applens.service import AppLens

EXAMPLES = examples(
    "sortkey applens analyze ./infra",
    "sortkey applens runs --user 12345",
    "sortkey applens show latest --user 12345",
)
ANALYZE_EXAMPLES = examples(
    "sortkey applens analyze ./infra",
    "sortkey applens analyze plan.json --fail-on high",
    "sortkey applens analyze ./infra --sarif --output applens.sarif",
) + (
    "\nExit codes: 0 analysed; 1 findings of the severity of --fail-on or worse; 2 wrong "
    "arguments; 3 not analysed, or with --fail-on a file that could not be read"
)
NOT_ANALYSED = 3
PAGE_RUNS = 100
RUN_HELP = "The id of a run, or `latest`."

app = typer.Typer(no_args_is_help=True)

User = Annotated[str, typer.Option(metavar="ID", help="Whose runs.")]
Form = Annotated[Literal["text", "json", "sarif"], typer.Option("--format", help="What to print.")]
SarifForm = Annotated[bool, typer.Option("--sarif", help="The same as --format sarif.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help=RUN_HELP)]
OneEnvironment = Annotated[
    Literal["dev", "prod"] | None, typer.Option(help="Only those of one environment.")
]


@app.callback()
def group() -> None:
    """Analyse Terraform for risks."""


@app.command(epilog=ANALYZE_EXAMPLES)
def analyze(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Folder, file or archive.")],
    form: Form = "text",
    fail_on: Annotated[
        Literal["low", "medium", "high", "critical"] | None,
        typer.Option(
            help="Exit with 1 if there is such a finding, or a worse one; with 3 if a file was not read."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there instead of to the terminal.")
    ] = None,
    json: JsonFormat = False,
    sarif: SarifForm = False,
) -> int:
    """Analyse Terraform: a folder, .tf and .tf.json files, `terraform show -json` of a plan or a
    state, or an archive.

    Prints what was not covered, a score, the findings, and the paths from the internet to data. It
    makes no connections and runs nothing.
    """
    chosen = _one_form(form, json, sarif)
    analysis = _analysis(paths)
    text = _formatted(analysis, chosen, paths)
    if output is None:
        print(text, end="")
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandFailed(f"{output} cannot be written: {error.strerror}", USAGE) from None
    return _verdict(analysis.report, fail_on) if fail_on else 0


@app.command(
    epilog=examples(
        "sortkey applens runs --user 12345",
        "sortkey applens runs --user 12345 --environment prod --json",
    )
)
def runs(
    user: User,
    data: Data = "data",
    objects: BucketAddress = None,
    environment: OneEnvironment = None,
    json: Json = False,
) -> None:
    """List the runs of a user, newest first."""
    with _service(data, objects) as service:
        rows = [_row(run) for run in _runs(service, user, environment)]
    if json:
        print_json(rows)
    elif rows:
        print_table(
            _COLUMNS, [[row.get(name) for name in _COLUMNS] for row in rows], more=JSON_SHOWS_ALL
        )
    else:
        print(f"user {user} has no runs: upload a file through `sortkey rest` first")


@app.command(
    epilog=examples(
        "sortkey applens show latest --user 12345",
        "sortkey applens show latest --user 12345 --format sarif > applens.sarif",
    )
)
def show(
    run: RunId,
    user: User,
    data: Data = "data",
    objects: BucketAddress = None,
    form: Form = "text",
    json: JsonFormat = False,
    sarif: SarifForm = False,
) -> int:
    """Print the risk report of a run. The exit code is 3 if the run has no report."""
    chosen = _one_form(form, json, sarif)
    from json import loads

    with _service(data, objects) as service:
        stored_run = _run(service, user, run)
        if stored_run.status != "COMPLETE":
            why = f": {stored_run.last_error}" if stored_run.last_error else ""
            raise CommandFailed(
                f"run {stored_run.run_id} is {stored_run.status}{why}", NOT_ANALYSED
            )
        if chosen == "sarif":
            print_json(service.sarif(user, stored_run.run_id))
            return 0
        document = loads(service.report(user, stored_run.run_id))
    if chosen == "json":
        print_json(document)
    else:
        print(page(Report.from_json(document)), end="")
    return 0


@app.command(epilog=examples("sortkey applens compare 0acdef latest --user 12345"))
def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help=RUN_HELP)],
    after: Annotated[str, typer.Argument(metavar="AFTER", help=RUN_HELP)],
    user: User,
    data: Data = "data",
    objects: BucketAddress = None,
    json: Json = False,
) -> None:
    """Print what changed from one run to another: resources, references, findings, paths to data,
    score.

    Lines begin with + for added, - for removed and ~ for changed, with the details below.
    """
    with _service(data, objects) as service:
        ids = [_run(service, user, name).run_id for name in (before, after)]
        comparison = service.compare(user, *ids)
    if json:
        print_json(comparison.to_json())
    else:
        print(comparison_page(comparison), end="")


def _runs(service: AppLens, user: str, environment: Environment | None) -> Iterator[Run]:
    cursor = None
    while True:
        page = service.runs(user, environment, cursor=cursor, size=PAGE_RUNS)
        yield from page.items
        if (cursor := page.cursor) is None:
            return


def _run(service: AppLens, user: str, run_id: str) -> Run:
    return service.latest(user) if run_id == "latest" else service.get(user, run_id)


_COLUMNS = (
    "runId",
    "createdAt",
    "environment",
    "status",
    "iacS3Key",
    "nodeCount",
    "internetExposedCount",
    "datastoreCount",
    "lastError",
)


def _row(run: Run) -> dict[str, Any]:
    """The item without its index keys, as plain values."""
    values = {name: next(iter(value.values())) for name, value in run.to_item().items()}
    numbers = {name: int(value) for name, value in values.items() if name.endswith("Count")}
    return {
        name: value
        for name, value in (values | numbers).items()
        if not name.startswith(("PK", "SK", "GSI"))
    }


@contextmanager
def _service(data: str, objects: str | None) -> Generator[AppLens]:
    """The service on a folder with its buckets, or on other addresses."""
    import sortkey
    from sortkey_systems.applens.service import AppLens

    where = bucket_address(data, objects)
    check_address(data)
    with sortkey.open(data, objects=where) as store:
        service = AppLens(store)
        service.ensure()
        yield service


def _analysis(paths: list[str]) -> Analysis:
    try:
        return run_analysis(paths)
    except AnalysisFailed as failure:
        raise CommandFailed(str(failure), NOT_ANALYSED) from None
    except OSError as error:
        raise CommandFailed(f"{error.filename}: {error.strerror}", NOT_ANALYSED) from None


def _verdict(report: Report, fail_on: Severity) -> int:
    """The exit code of a gate: a file that was not read may hold a finding that would have stopped
    it.
    """
    if report.at_least(fail_on):
        return FAILED
    unread = report.coverage.files_not_read if report.coverage else ()
    if unread:
        more = f", and {len(unread) - 1} more" if len(unread) > 1 else ""
        raise CommandFailed(f"--fail-on: not everything was read: {unread[0]}{more}", NOT_ANALYSED)
    return 0


def _one_form(form: str, json: bool, sarif: bool) -> str:
    formats = {
        name for name, is_chosen in (("json", json), ("sarif", sarif)) if is_chosen or form == name
    }
    if len(formats) > 1:
        raise CommandFailed(f"one format at a time: {' or '.join(sorted(formats))}", USAGE)
    return next(iter(formats), "text")


def _formatted(analysis: Analysis, form: str, paths: list[str]) -> str:
    import json

    from sortkey import __version__

    if form == "text":
        return page(analysis.report)
    if form == "json":
        document = {**analysis.report.to_json(), "graph": analysis.graph.to_json()}
    else:
        document = to_sarif(analysis.report, __version__, Checkout.of(paths))
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
