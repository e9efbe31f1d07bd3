"""What differs between two JSON values, as readable lines: `storage_encrypted: false → true`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from sortkey_systems.applens.json_depth import loads

NOT_SET = "not set"
TEXT_MAX = 100
"""How many characters of a value a line shows."""


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """One line for each member that differs, by its path."""
    return list(_lines("", before, after))


def _lines(path: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    first, second = _opened(before), _opened(after)
    if isinstance(first, dict) and isinstance(second, dict):
        one, other = cast(dict[str, Any], first), cast(dict[str, Any], second)
        for name in sorted(one.keys() | other.keys()):
            inner = f"{path}.{name}" if path else name
            yield from _lines(inner, one.get(name), other.get(name))
    elif isinstance(first, list) and isinstance(second, list):
        yield from _lists(path, cast(list[Any], first), cast(list[Any], second))
    else:
        yield f"{path}: {' → '.join(_shown(first, second))}"


def _lists(path: str, before: list[Any], after: list[Any]) -> Iterator[str]:
    """Lists of equal length are compared element by element; otherwise the added and removed
    elements are listed.
    """
    if len(before) == len(after) and all(isinstance(member, dict) for member in (*before, *after)):
        for at, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _lines(path if len(before) == 1 else f"{path}[{at}]", one, other)
        return
    gone, come = (
        [member for member in before if member not in after],
        [member for member in after if member not in before],
    )
    yield from (f"{path}: no longer {_cut(_text(member), 0)}" for member in gone)
    yield from (f"{path}: also {_cut(_text(member), 0)}" for member in come)
    if not gone and not come:
        yield f"{path}: {' → '.join(_shown(before, after))}"


def _opened(value: Any) -> Any:
    """A text that contains JSON, as policies do, parsed."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return loads(value)
        except ValueError:
            return value
    return value


def _shown(before: Any, after: Any) -> tuple[str, str]:
    """Both values shortened; of long texts, the part where they differ."""
    one, other = _text(before), _text(after)
    if max(len(one), len(other)) <= TEXT_MAX:
        return one, other
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    start = max(0, same - TEXT_MAX // 4)
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    if len(text) <= TEXT_MAX:
        return text
    part = text[start : start + TEXT_MAX]
    return ("…" if start else "") + part + ("…" if start + TEXT_MAX < len(text) else "")


def _text(value: Any) -> str:
    if value is None:
        return NOT_SET
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
