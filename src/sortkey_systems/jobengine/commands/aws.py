"""Commands for a move to AWS: what storage costs, and the IAM and bucket policies it needs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from sortkey.commands import USAGE, CommandFailed, Json, print_json
from sortkey_systems.jobengine.costs import Volume, estimate
from sortkey_systems.jobengine.policies import bucket_policies, policy

_DEFAULT = Volume()


def costs(
    jobs_per_day: Annotated[int, typer.Option(min=1, help="Jobs that run in a day.")] = (
        _DEFAULT.jobs_a_day
    ),
    log_mb: Annotated[float, typer.Option(min=0, help="Megabytes of logs of a job.")] = (
        _DEFAULT.log_megabytes
    ),
    report_mb: Annotated[float, typer.Option(min=0, help="Megabytes of reports of a job.")] = (
        _DEFAULT.report_megabytes
    ),
    json: Json = False,
) -> None:
    """Estimate what a month of logs and reports costs in S3, in DynamoDB, and as stored here.

    The engine stores them in S3, and the entries that are searched most in DynamoDB as well.
    Prices are those of the document; requests are not included.
    """
    volume = Volume(jobs_a_day=jobs_per_day, log_megabytes=log_mb, report_megabytes=report_mb)
    monthly = estimate(volume)
    if json:
        print_json(asdict(monthly) | {"gigabytes": volume.gigabytes, "saved": monthly.saved})
    else:
        print(monthly.text(), end="")


def policies(
    access: Annotated[
        Literal["read", "full", "bucket"],
        typer.Argument(help="An IAM policy to read or for full access, or the bucket policies."),
    ] = "read",
    prefix: Annotated[str, typer.Option(help="What your bucket names begin with, as acme-.")] = "",
    purge: Annotated[
        bool, typer.Option("--purge", help="Let full access delete logs, reports and backups.")
    ] = False,
) -> None:
    """Print the policies that AWS needs, as JSON: least privilege on the table and the buckets.

    Neither access may scan the table. `bucket` prints one policy for each bucket, which refuses
    connections without TLS 1.2.
    """
    if purge and access != "full":
        raise CommandFailed("only full access can purge: `policies full --purge`", USAGE)
    if access == "bucket":
        print_json(bucket_policies(prefix))
    else:
        print_json(policy(access, purge=purge, prefix=prefix))
