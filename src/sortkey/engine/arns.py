"""The ARN of a table or a stream in a request, for the operations that take nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sortkey.engine import streams
from sortkey.engine.tables import Table
from sortkey.errors import ResourceNotFoundException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

_RESOURCE = re.compile(r"arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table/([A-Za-z0-9_.-]{3,255})(?:/(stream|index)/(.+))?")


def tag_arn(arn: str | None) -> str:
    """The ARN of a request about tags, as far as it can be judged by itself."""
    if arn is None:
        raise ValidationException("Invalid TableArn")
    _parts(arn, f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return arn


def tagged_table(engine: Engine, arn: str) -> Table:
    """The table of a tag's ARN."""
    table = engine.catalog.find(arn.split(":table/", 1)[1])
    if table is None or not _is_here(engine, arn):
        raise ResourceNotFoundException(f"Requested resource not found: ResourcArn: {arn} not found")  # sic
    return table


def check_policy_resource(engine: Engine, arn: str) -> None:
    """A resource policy belongs to a table or a stream that exists."""
    name, kind = _parts(arn, f"{INVALID}Invalid resource arn provided. Provided resource arn: {arn}")
    if kind == "stream":
        streams.find(engine, arn)
    elif engine.catalog.find(name) is None or not _is_here(engine, arn):
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")


def _parts(arn: str, malformed: str) -> tuple[str, str | None]:
    if not arn.startswith("arn:"):
        raise ValidationException(f"ARNs must start with 'arn:': {arn}")
    match = _RESOURCE.fullmatch(arn)
    if match is None:
        raise ValidationException(malformed)
    name, kind, _ = match.groups()
    if kind == "index":
        raise ValidationException(
            f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    return name, kind


def _is_here(engine: Engine, arn: str) -> bool:
    """Whether it names this region and account, whose tables these are."""
    return arn == engine.catalog.arn(arn.split(":table/", 1)[1])
