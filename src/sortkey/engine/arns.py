"""The ARN of a table or a stream in a request, for operations that accept only ARNs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sortkey.engine import streams
from sortkey.engine.tables import Table
from sortkey.errors import ResourceNotFoundException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

_RESOURCE = re.compile(
    r"arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table/([A-Za-z0-9_.-]{3,255})(?:/(stream|index)/([^/]+))?"
)


def tag_arn(arn: str | None) -> str:
    """The ARN of a request about tags, checked by itself."""
    if arn is None:
        raise ValidationException("Invalid TableArn")
    _parts(arn)
    return arn


def tagged(engine: Engine, arn: str) -> Table | streams.Feed:
    """The table or the stream of a tag's ARN."""
    if not _same(engine, arn, _REGION):
        raise ValidationException(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    holder = engine.catalog.find(arn.split(":table/", 1)[1]) or streams.find_stream(engine, arn)
    if holder is None or not _same(engine, arn, _ACCOUNT):
        raise ResourceNotFoundException(
            f"Requested resource not found: ResourceArn: {arn} not found"
        )
    return holder


def check_policy_resource(engine: Engine, arn: str) -> None:
    """A resource policy belongs to a table or a stream that exists."""
    name, kind, label = _parts(arn)
    if not _same(engine, arn, _ACCOUNT):
        raise ValidationException(
            "This action is only supported by accounts that match the resource owner\u2019s "
            "account."
        )
    if not _same(engine, arn, _REGION) or not _same(engine, arn, _PARTITION):
        raise ValidationException(f"{INVALID}Invalid resource Arn: {arn}")
    engine.catalog.check_not_own(name)
    if kind == "stream":
        if streams.find_stream(engine, arn) is None:
            raise ResourceNotFoundException(
                f"Requested resource not found: Stream: {label} not found for Table: {name}"
            )
    elif engine.catalog.find(name) is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")


def _parts(arn: str) -> tuple[str, str | None, str | None]:
    """The table's name, and the rest of the ARN."""
    if not arn.startswith("arn:"):
        raise ValidationException(f"{INVALID}ARNs must start with 'arn:': {arn}")
    match = _RESOURCE.fullmatch(arn)
    if match is None:
        raise ValidationException(f"{INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    name, kind, label = match.groups()
    if kind == "index":
        raise ValidationException(
            f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided "
            f"resource arn: {arn}"
        )
    return name, kind, label


_PARTITION, _REGION, _ACCOUNT = 1, 3, 4


def _same(engine: Engine, arn: str, part: int) -> bool:
    """Whether a part of the ARN is that of this engine's tables."""
    return arn.split(":")[part] == engine.catalog.arn("x").split(":")[part]
