"""The executable part of a Second Brain rule: what it says to do, from its JSON or from plain
English sentences.

A rule may be natural language, `{"naturalLanguage": …, "jsonRule": {…}}`, or the JSON itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

Kind = Literal[
    "map",
    "preserve",
    "remove",
    "threshold",
    "values",
    "dates",
    "require",
    "pattern",
    "default",
    "recommend",
]
KINDS: tuple[Kind, ...] = (
    "map",
    "preserve",
    "remove",
    "threshold",
    "values",
    "dates",
    "require",
    "pattern",
    "default",
    "recommend",
)


class RuleNotUnderstood(Exception):
    """The executable part of a rule has an unknown form. The message says which part."""


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive of a rule. `source` is a pattern of tables or columns, `target` a resource or
    attribute.
    """

    kind: Kind
    source: str = ""
    target: str = ""
    value: Any = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


def directives_of(content: Any) -> list[Directive]:
    """The directives of a rule. Empty if its text has no executable sentence."""
    if isinstance(content, str):
        return _of_text(content)
    fields = cast("dict[str, Any]", content)
    executable = fields.get("jsonRule", fields if "naturalLanguage" not in fields else None)
    if isinstance(executable, str):
        executable = json.loads(executable)
    if executable:
        return list(_of_json(executable))
    return _of_text(str(fields.get("naturalLanguage", "")))


# -- JSON


def _of_json(part: Any) -> Iterator[Directive]:
    if isinstance(part, list):
        for member in cast("list[Any]", part):
            yield from _of_json(member)
        return
    if not isinstance(part, dict):
        raise RuleNotUnderstood(f"{part!r} is not an object")
    fields = cast("dict[str, Any]", part)
    if "action" in fields:
        yield _of_action(fields)
        return
    for source, target in fields.get("fieldMappings", fields.get("field_mappings", {})).items():
        yield Directive("map", source, target)
    for word in ("preserve", "remove"):
        for source in _listed(fields.get(word)):
            yield Directive(cast("Kind", word), source)
    for name, value in fields.get("thresholds", {}).items():
        yield Directive("threshold", target=name, value=float(value))
    for target, pattern in fields.get("patterns", {}).items():
        yield Directive("pattern", target=target, value=_compiled(pattern))
    for target, value in fields.get("defaults", {}).items():
        yield Directive("default", target=target, value=value)
    for target in _listed(fields.get("require")):
        yield Directive("require", target=target)
    for text in _listed(fields.get("recommendations")):
        yield Directive("recommend", value=text)


def _of_action(fields: dict[str, Any]) -> Directive:
    kind = fields["action"]
    if kind not in KINDS:
        raise RuleNotUnderstood(f"action {kind!r} is not one of {', '.join(KINDS)}")
    needed = {
        "map": ("source", "target"),
        "threshold": ("target", "value"),
        "pattern": ("target", "value"),
        "default": ("target", "value"),
    }
    missing = [name for name in needed.get(kind, ()) if name not in fields]
    if missing:
        raise RuleNotUnderstood(f"{kind} needs {' and '.join(missing)}")
    value = _compiled(fields["value"]) if kind == "pattern" else fields.get("value")
    options = {
        name: option
        for name, option in fields.items()
        if name not in ("action", "source", "target", "value")
    }
    return Directive(kind, fields.get("source", ""), fields.get("target", ""), value, options)


def _compiled(pattern: Any) -> str:
    try:
        re.compile(pattern)
    except (re.error, TypeError) as error:
        raise RuleNotUnderstood(f"{pattern!r} is not a pattern: {error}") from None
    return pattern


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


# -- plain English

_NAME = r"""['"`](?P<{}>[\w.*?]+)['"`]"""
_THING = r"(?:\s+(?:field|column|table|attribute|value)s?)?"
_MAP = re.compile(
    rf"\bmap(?:s|ped)?\s+(?:the\s+)?{_NAME.format('source')}{_THING}\s+(?:on)?to\s+(?:the\s+)?(?:TMF\w*\s+)?"
    rf"{_NAME.format('target')}",
    re.IGNORECASE,
)
_KEEP = re.compile(rf"\b(?:preserve|keep)\s+(?:the\s+)?{_NAME.format('source')}", re.IGNORECASE)
_DROP = re.compile(
    rf"\b(?:remove|drop|exclude|ignore)\s+(?:the\s+)?{_NAME.format('source')}", re.IGNORECASE
)
_LIMIT = re.compile(
    r"\b(?P<name>coverage|validation|compliance)\b[^.%\d]*?(?P<value>\d+(?:\.\d+)?)\s*(?P<percent>%|percent)?",
    re.IGNORECASE,
)


def _of_text(text: str) -> list[Directive]:
    directives = [
        Directive("map", match["source"], match["target"]) for match in _MAP.finditer(text)
    ]
    directives += [Directive("preserve", match["source"]) for match in _KEEP.finditer(text)]
    directives += [Directive("remove", match["source"]) for match in _DROP.finditer(text)]
    for match in _LIMIT.finditer(text):
        value = float(match["value"]) / (100 if match["percent"] else 1)
        if 0 < value <= 1:
            directives.append(Directive("threshold", target=match["name"].lower(), value=value))
    return directives
