"""`q` of a list of sessions: which user metadata match.

Three forms, in this order: `user_metadata['a']['b']:'value'`, a text on a path; a JSON object of
values that must be equal; any other text, which must occur in the metadata.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, cast

from sortkey.web import Refused

QUERY_CHARACTERS_MAX = 1000

_STEP = r"\['((?:[^'\\]|\\.)*)'\]"
_BRACKETS = re.compile(rf"user_metadata((?:{_STEP})+):'((?:[^'\\]|\\.)*)'")
_ESCAPED = re.compile(r"\\(.)")

Metadata = dict[str, Any]
Test = Callable[[Metadata], bool]


class QueryRefused(Refused):
    """A query that cannot be read."""

    status = 400


def metadata_test(query: str) -> Test:
    """The test behind a query. A session without metadata never matches."""
    text = query.strip()
    if len(text) > QUERY_CHARACTERS_MAX:
        raise QueryRefused(f"q has {len(text)} characters, and {QUERY_CHARACTERS_MAX} are the most")
    if text.startswith("user_metadata"):
        return _on_path(text)
    members = _json_object(text)
    if members is not None:
        return lambda metadata: (
            bool(metadata)
            and all(name in metadata and metadata[name] == value for name, value in members.items())
        )
    return lambda metadata: bool(metadata) and text in json.dumps(metadata, ensure_ascii=False)


def _on_path(text: str) -> Test:
    found = _BRACKETS.fullmatch(text)
    if found is None:
        raise QueryRefused("q is not valid: write user_metadata['name']['inner']:'value'")
    path = [_ESCAPED.sub(r"\1", step) for step in re.findall(_STEP, found[1])]
    value = _ESCAPED.sub(r"\1", found[3])

    def holds(metadata: Metadata) -> bool:
        inner: Any = metadata
        for step in path:
            members = cast(Metadata, inner) if isinstance(inner, dict) else {}
            inner = members.get(step)
        return isinstance(inner, str) and inner == value

    return holds


def _json_object(text: str) -> Metadata | None:
    if not text.startswith("{"):
        return None
    try:
        value: Any = json.loads(text)
    except ValueError:
        return None
    return cast(Metadata, value) if isinstance(value, dict) else None
