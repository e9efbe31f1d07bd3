"""`sortkey jobengine`: migrate databases in journeys of six stages, here or on workers
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from sortkey.commands import examples
from sortkey_systems.jobengine.commands.aws import costs, policies
from sortkey_systems.jobengine.commands.control import cancel, retry
from sortkey_systems.jobengine.commands.migrations import demo, run, work
from sortkey_systems.jobengine.commands.views import logs, report, status

RUN_EPILOG = examples(
    "sortkey jobengine run shop.sqlite --target migrated.sqlite",
    "sortkey jobengine run dump.sql --target migrated/ --rules rules.json",
    "PGPASSWORD=… sortkey jobengine run postgresql://shop@localhost/shop",
    "sortkey jobengine run --journey JRN-ABC123456789  continue one that stopped",
    "sortkey jobengine run shop.sqlite --allow-lost-rows 0.5%",
) + (
    "\nExit codes: 0 completed, with no more lost than the limits allow; 1 not completed, or more "
    "lost; 2 wrong arguments"
)
COMMANDS: dict[Callable[..., Any], str] = {
    demo: examples(
        "sortkey jobengine demo                  in a temporary folder",
        "sortkey jobengine demo --data demo      in a folder that is kept",
        "sortkey jobengine status --data demo",
    ),
    run: RUN_EPILOG,
    work: examples(
        "sortkey jobengine work --threads 4",
        "sortkey jobengine work --data http://db:8000 --objects s3://acme-{bucket}",
    ),
    status: examples(
        "sortkey jobengine status    every journey",
        "sortkey jobengine status JRN-ABC123456789 --json",
    ),
    logs: examples(
        "sortkey jobengine logs JRN-ABC123456789 --level error",
        "sortkey jobengine logs JOB-ABC123456789 --format csv > job.csv",
    ),
    report: examples(
        "sortkey jobengine report JRN-ABC123456789",
        "sortkey jobengine report JOB-ABC123456789 --json",
    ),
    retry: examples(
        "sortkey jobengine retry JOB-ABC123456789",
        "sortkey jobengine retry JOB-ABC123456789 --no-wait",
    ),
    cancel: examples(
        "sortkey jobengine cancel JOB-ABC123456789",
        "sortkey jobengine cancel JRN-ABC123456789    the journey and its running job",
    ),
    costs: examples(
        "sortkey jobengine costs",
        "sortkey jobengine costs --jobs-per-day 500 --log-mb 5 --json",
    ),
    policies: examples(
        "sortkey jobengine policies read > policy.json",
        "sortkey jobengine policies full --prefix acme-",
        "sortkey jobengine policies bucket --prefix acme-",
    ),
}

EPILOG = examples(
    "sortkey jobengine demo --data demo      the six stages on a sample shop",
    "sortkey jobengine status --data demo    what became of it",
    "sortkey jobengine run shop.sqlite       migrate your own database",
)

app = typer.Typer(no_args_is_help=True, epilog=EPILOG)


@app.callback()
def group() -> None:
    """Migrate databases in journeys of six stages."""


for command, epilog in COMMANDS.items():
    app.command(epilog=epilog)(command)
