"""`sortkey verify`: whether every payload that an item shows is there and as it was written, and what nobody shows."""

from __future__ import annotations

import argparse
import os
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sortkey.cli.failure import FAILED, USAGE, CommandFailed
from sortkey.cli.loading import MODEL_HELP, load_model

if TYPE_CHECKING:
    from sortkey.model.patterns import Model
    from sortkey.runtime.payloads.checks import Finding
    from sortkey.runtime.payloads.store import PayloadStore

DESCRIPTION = """\
Walk the items of a model and the objects of their payloads, and list what is missing, changed or orphaned.

  missing     an item shows it, and it is not in the bucket
  changed     it has other bytes than the item says
  orphaned    it lies where payloads lie, and no item has shown it for some time
  unreadable  the pointer in the item is none

Every object is read, unless --quick. Nothing is changed, unless --sweep. The exit code is 1 when something was found.
"""
EXAMPLES = """\
examples:
  sortkey verify applens                                   the folder data/, its buckets in data/buckets/
  sortkey verify shop.model:model --data aws://eu-west-1 --objects "s3://shop-{bucket}?region=eu-west-1"
  sortkey verify applens --quick --json                    sizes and hashes as they are recorded, for programs
  sortkey verify applens --sweep --older-than 7d           remove what no item has shown for a week
"""
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    parser = commands.add_parser(
        "verify",
        help="check the payloads of a model's items",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument("--data", default="data", metavar="ADDRESS", help="folder, aws://… or http://… of the tables")
    parser.add_argument(
        "--objects",
        metavar="ADDRESS",
        help="where the buckets are, with {bucket} for their names (default: buckets/{bucket} in the folder)",
    )
    parser.add_argument(
        "--older-than",
        default="1d",
        type=_duration,
        metavar="TIME",
        help="how long an object may be shown by nobody before it is orphaned: 30s, 10m, 12h, 7d (default: 1d)",
    )
    parser.add_argument("--quick", action="store_true", help="do not read the objects")
    parser.add_argument("--sweep", action="store_true", help="remove what is orphaned")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from sortkey.errors import SortkeyError

    model = load_model(options.model)
    try:
        with _open(options) as store:
            findings = store.verify(model, grace=options.older_than, is_quick=options.quick)
            removed = store.sweep(model, grace=options.older_than).removed if options.sweep else []
    except SortkeyError as error:
        raise CommandFailed(str(error), FAILED) from None
    gone = {(each.bucket, each.key, each.version_id) for each in removed}
    left = [
        each for each in findings if each.kind != "orphaned" or (each.bucket, each.key, each.version_id) not in gone
    ]
    _print_json(model, left, removed) if options.json else _print(model, left, removed)
    return FAILED if left else 0


def _open(options: argparse.Namespace) -> PayloadStore:
    import sortkey

    is_folder = "://" not in options.data
    if is_folder and not os.path.isdir(options.data):
        raise CommandFailed(f"there is no folder {options.data}: name that of the tables with --data", USAGE)
    if not is_folder and options.objects is None:
        raise CommandFailed("say where the buckets are: --objects 's3://name-{bucket}'", USAGE)
    return sortkey.open(options.data, objects=options.objects or os.path.join(options.data, "buckets", "{bucket}"))


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
        print(f"{len(findings)} found: " + ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)))


def _line(finding: Finding) -> str:
    version = "" if finding.version_id is None else f" (version {finding.version_id})"
    where = f"{finding.bucket}/{finding.key}{version}" if finding.bucket else ""
    told = f"{finding.kind:<11} {where}\n{'':<12}{finding.detail}" if where else f"{finding.kind:<11} {finding.detail}"
    if finding.item is None:
        return told
    key = " ".join(f"{name}={next(iter(value.values()))}" for name, value in finding.item.items())
    return f"{told}\n{'':<12}shown by {finding.table} {key}"


def _print_json(model: Model, findings: list[Finding], removed: list[Finding]) -> None:
    import json
    from dataclasses import asdict

    told: dict[str, Any] = {"model": model.name, "findings": [asdict(each) for each in findings]}
    told["removed"] = [asdict(each) for each in removed]
    print(json.dumps(told, indent=2, ensure_ascii=False))


def _duration(text: str) -> timedelta:
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: use a number and s, m, h or d, as 12h")
    return timedelta(seconds=int(match[1]) * _UNITS[match[2]])
