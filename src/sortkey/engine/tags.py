"""Tags of a table or a stream: the keys and values that AWS allows. A stream does not inherit its
table's tags.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import streams
from sortkey.engine.streams import Feed
from sortkey.engine.tables import Table
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

TAGS_MAX = 50
ALL_BYTES_MAX = 10 * 1024
KEY_CHARACTERS_MAX = 128
VALUE_CHARACTERS_MAX = 256

NO_TAG = "Atleast one Tag needs to be provided as Input."  # sic
NO_KEY = "Atleast one Tag Key needs to be provided as Input."

# Letters of any script, digits, white space and these characters.
_ALLOWED = re.compile(r"[\w\s+\-=.:/@]*")

Tags = dict[str, str]


def read(entries: list[dict[str, Any]]) -> Tags:
    """The tags of a request."""
    tags: Tags = {}
    for tag in entries:
        key, value = check_key(tag.get("Key")), tag.get("Value")
        if value is None or len(value) > VALUE_CHARACTERS_MAX or not _ALLOWED.fullmatch(value):
            raise ValidationException(
                f"The Tag Value provided is invalid, Value: {'null' if value is None else value}"
            )
        if key in tags:
            raise ValidationException(
                f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"
            )
        tags[key] = value
    return tags


def check_key(key: str | None) -> str:
    if not key or len(key) > KEY_CHARACTERS_MAX or not _ALLOWED.fullmatch(key):
        raise ValidationException(
            f"The Tag Key provided is invalid, Key: {'null' if key is None else key}"
        )
    if key.lower().startswith("aws:"):
        raise ValidationException(f"Tag Key cannot be prefixed with aws:, Key: {key}")
    return key


def merge(old: Tags, new: Tags) -> Tags:
    """The tags after some were added. An existing key gets its new value."""
    merged = {**old, **new}
    check_count(len(merged))
    if sum(len(text.encode()) for tag in merged.items() for text in tag) > ALL_BYTES_MAX:
        raise ValidationException(f"Size of all Tags exceeds the limit of {ALL_BYTES_MAX} bytes")
    return merged


def tags_of(holder: Table | Feed) -> Tags:
    return holder.tags if isinstance(holder, Feed) else holder.settings.get("Tags", {})


def keep(engine: Engine, holder: Table | Feed, tags: Tags) -> None:
    if isinstance(holder, Feed):
        streams.save(engine, replace(holder, tags=tags))
    else:
        engine.catalog.save(replace(holder, settings={**holder.settings, "Tags": tags}))


def check_count(count: int) -> None:
    if count > TAGS_MAX:
        raise ValidationException(
            "Number of Tags exceed the current limit for the provided ResourceArn"
        )
