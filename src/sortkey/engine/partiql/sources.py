"""FROM, INTO and UPDATE: which table, and which index of it."""

from __future__ import annotations

import re

from sortkey.engine.partiql.syntax import OddStep, Reference, Source
from sortkey.errors import ValidationException

_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")
INVALID_NAME = (
    "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', "
    "'_', '.'."
)
ALIASED = "Aliasing is not supported"


def read_source(source: Source) -> tuple[str, str | None]:
    """The table and the index that a SELECT reads."""
    if source.joined:
        raise ValidationException("Only select from a single table or index is supported.")
    if source.aliased:
        raise ValidationException(ALIASED)
    if not isinstance(source.node, Reference):
        raise ValidationException("Unexpected from source")
    names: list[str] = []
    for step in source.node.steps:
        if isinstance(step, int | OddStep):
            raise ValidationException("Invalid list expression in source.")
        names.append(step)
    if len(names) > 2:
        raise ValidationException("A path may contain at most 2 components in the FROM clause")
    for name in names:
        _check_name(name)
    return names[0], names[1] if len(names) > 1 else None


def read_target(source: Source, index_refused: str) -> str:
    """The table that a statement writes."""
    table, index = read_source(source)
    if index is not None:
        raise ValidationException(index_refused)
    return table


def _check_name(name: str) -> None:
    if not name.startswith("arn:") and not _NAME.fullmatch(name):
        raise ValidationException(INVALID_NAME)
