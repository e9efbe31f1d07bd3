"""AttributesToGet: whole attributes only, each named once."""

from __future__ import annotations

from collections.abc import Sequence

from sortkey.errors import ValidationException
from sortkey.expressions.legacy.comparisons import check_name
from sortkey.expressions.projections import Projection, project_names
from sortkey.values.attributes import INVALID, NAME_BYTES_MAX, NAME_TOO_LARGE


def attributes_to_get(names: Sequence[str]) -> Projection:
    names_seen: set[str] = set()
    for name in names:
        check_name(name)
        if len(name.encode()) > NAME_BYTES_MAX:
            raise ValidationException(NAME_TOO_LARGE)
        if name in names_seen:
            raise ValidationException(INVALID + f"Duplicate value in attribute name: {name}")
        names_seen.add(name)
    return project_names(names)
