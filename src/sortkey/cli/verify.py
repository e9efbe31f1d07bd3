"""`sortkey verify`: checks that payloads exist unchanged, and finds objects without an item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
    "sortkey verify shop --sweep --older-than 7d    remove what no item uses",
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
            help="Age at which an object without an item is orphaned: 30s, 10m, 12h, 7d.",
        ),
    ] = "1d",
    quick: Annotated[bool, typer.Option("--quick", help="Do not read the objects.")] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Remove orphaned objects.")] = False,
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
    loaded, grace = load_model(model), read_duration(older_than)
    with _open(data, objects) as store:
        findings = store.verify(loaded, grace=grace, quick=quick)
        removed = store.sweep(loaded, grace=grace).removed if sweep else []
    removed_versions = {_version(finding) for finding in removed}
    left = [
        finding
        for finding in findings
        if finding.kind != "orphaned" or _version(finding) not in removed_versions
    ]
    _print_json(loaded, left, removed) if json else _print(loaded, left, removed)
    return FAILED if left else 0


def _version(finding: Finding) -> tuple[str, str, str | None]:
    return finding.bucket, finding.key, finding.version_id


def _open(data: str, objects: str | None) -> Store:
    import sortkey

    where = bucket_address(data, objects)
    check_address(data)
    return sortkey.open(data, objects=where)


def _print(model: Model, findings: list[Finding], removed: list[Finding]) -> None:
    for finding in findings:
        print(_line(finding))
    for finding in removed:
        print(f"removed     {finding.bucket}/{finding.key} (version {finding.version_id})")
    fields = sum(len(entity.__layout__.payloads) for entity in model.entities)
    if not fields:
        print(f"{model.name} has no payload fields")
    elif not findings:
        print(f"{model.name}: every payload exists and is unchanged")
    else:
        kinds = [finding.kind for finding in findings]
        print(
            f"{len(findings)} found: "
            + ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        )


def _line(finding: Finding) -> str:
    version = "" if finding.version_id is None else f" (version {finding.version_id})"
    where = f"{finding.bucket}/{finding.key}{version}" if finding.bucket else ""
    text = (
        f"{finding.kind:<11} {where}\n{'':<12}{finding.detail}"
        if where
        else f"{finding.kind:<11} {finding.detail}"
    )
    if finding.item is None:
        return text
    key = " ".join(f"{name}={next(iter(value.values()))}" for name, value in finding.item.items())
    return f"{text}\n{'':<12}used by {finding.table} {key}"


def _print_json(model: Model, findings: list[Finding], removed: list[Finding]) -> None:
    from dataclasses import asdict

    print_json(
        {
            "model": model.name,
            "findings": [asdict(finding) for finding in findings],
            "removed": [asdict(finding) for finding in removed],
        }
    )
