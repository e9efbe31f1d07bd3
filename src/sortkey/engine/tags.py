"""Tags of a table: what AWS allows as their keys and values. They are kept in the table's settings."""

from __future__ import annotations

import re
from typing import Any

from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

TAGS_MAX = 50
KEY_CHARACTERS_MAX = 128
VALUE_CHARACTERS_MAX = 256

NO_TAG = "Atleast one Tag needs to be provided as Input."  # sic
NO_KEY = "Atleast one Tag Key needs to be provided as Input."

# Letters of any script, digits, white space and these signs.
_ALLOWED = re.compile(r"[\w\s+\-=.:/@]*")

Tags = dict[str, str]


def read(tags: list[dict[str, Any]]) -> Tags:
    """The tags of a request."""
    found: Tags = {}
    for tag in tags:
        key, value = tag.get("Key"), tag.get("Value")
        if not key or len(key) > KEY_CHARACTERS_MAX or not _ALLOWED.fullmatch(key) or key.lower().startswith("aws:"):
            raise ValidationException(f"The Tag Key provided is invalid, Key: {'null' if key is None else key}")
        if value is None or len(value) > VALUE_CHARACTERS_MAX or not _ALLOWED.fullmatch(value):
            shown = "null" if value is None else value
            raise ValidationException(f"The Tag Value provided is invalid, Key: {key}, Value: {shown}")
        if key in found:
            raise ValidationException(f"{INVALID}Duplicate tag keys found: {key}")
        found[key] = value
    return found


def merge(old: Tags, new: Tags) -> Tags:
    """A table's tags after some were added: a key that is there gets its new value."""
    merged = {**old, **new}
    if len(merged) > TAGS_MAX:
        raise ValidationException(f"{INVALID}Number of tags exceeds the per-resource limit of {TAGS_MAX}")
    return merged
