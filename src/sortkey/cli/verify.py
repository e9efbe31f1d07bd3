"""`sortkey verify`: whether every payload that an item shows is there and as it was written, and
what nobody shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.cli.moments import read_duration
from sortkey.commands.failure import FAILED
from sortkey.commands.help import examples
from sortkey.commands.models import load_model
from sortkey.commands.options import Buckets, Data, Json, ModelName, bucket_address, check_address
from sortkey.commands.output import print_json

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.runtime.payloads.checks import Finding
    from sortkey.runtime.store import Store

EXAMPLES = examples(
    "sortkey verify shop                            data/ and data/buckets/",
    "sortkey verify shop --quick --json             sizes and hashes, as recorded",
    "sortkey verify shop --sweep --older-than 7d    remove what nobody shows",
    'sortkey verify shop --data aws://eu-west-1 --objects "s3://acme-{bucket}"',
)


def run(
    model: ModelName,
    data: Data = "data",
    objects: Buckets = None,
    older_than: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="How long an object may be shown by nobody before it is orphaned: 30s, 10m, 12h, 7d.",
        ),
    ] = "1d",
    quick: Annotated[bool, typer.Option("--quick", help="Do not read the objects.")] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Remove what is orphaned.")] = False,
    json: Json = False,
) -> int:
    """Check the payloads of a model: list objects that are missing, changed or orphaned.

    \b
      missing     an item points to it, but it is not in the bucket
      changed     its bytes differ from what the item says
      orphaned    no item has pointed to it for some time
      unreadable  the item's pointer cannot be read

    Every object is read, except with --quick. Nothing is changed, except with --sweep. The exit
    code is 1 when something was found.
    """
    walked, grace = load_model(model), read_duration(older_than)
    with _open(data, objects) as store:
        findings = store.verify(walked, grace=grace, quick=quick)
        removed = store.sweep(walked, grace=grace).removed if sweep else []
    gone = {(each.bucket, each.key, each.version_id) for each in removed}
    left = [
        each
        for each in findings
        if each.kind != "orphaned" or (each.bucket, each.key, each.version_id) not in gone
    ]
    _print_json(walked, left, removed) if json else _print(walked, left, removed)
    return FAILED if left else 0


def _open(data: str, objects: str | None) -> Store:
    import sortkey

    where = bucket_address(data, objects)
    check_address(data)
    return sortkey.open(data, objects=where)


def _print(model: Model, findings: list[Finding], removed: list[Finding]) -> None:
    for each in findings:
        print(_line(each))
    for each in removed:
        print(f"removed     {each.bucket}/{each.key} (version {each.version_id})")
    fields = sum(len(entity.__layout__.payloads) for entity in model.entities)
    if not fields:
        print(f"{model.name} has no payload fields")
    elif not findings:
        print(f"{model.name}: every payload is there, and as it was written")
    else:
        kinds = [each.kind for each in findings]
        print(
            f"{len(findings)} found: "
            + ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        )


def _line(finding: Finding) -> str:
    version = "" if finding.version_id is None else f" (version {finding.version_id})"
    where = f"{finding.bucket}/{finding.key}{version}" if finding.bucket else ""
    told = (
        f"{finding.kind:<11} {where}\n{'':<12}{finding.detail}"
        if where
        else f"{finding.kind:<11} {finding.detail}"
    )
    if finding.item is None:
        return told
    key = " ".join(f"{name}={next(iter(value.values()))}" for name, value in finding.item.items())
    return f"{told}\n{'':<12}shown by {finding.table} {key}"


def _print_json(model: Model, findings: list[Finding], removed: list[Finding]) -> None:
    from dataclasses import asdict

    told: dict[str, Any] = {"model": model.name, "findings": [asdict(each) for each in findings]}
    told["removed"] = [asdict(each) for each in removed]
    print_json(told)
