"""The error for a stored item that cannot be read: its key, and a line for each problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from sortkey.errors import InvalidItem
from sortkey.model.codec import decode
from sortkey.model.layout import Layout
from sortkey.values.attributes import AttributeValue

VALUE_SHOWN_MAX = 60


def invalid(layout: Layout, item: Mapping[str, AttributeValue], error: Exception) -> InvalidItem:
    """The error for an item that its entity cannot read. It names the table and the key."""
    key = {name: item[name] for name in layout.table.key if name in item}
    key_text = (
        ", ".join(f"{name}={_plain(value)}" for name, value in key.items()) or "without a key"
    )
    faults = _faults(error)
    fault_text = (
        f" {faults[0]}" if len(faults) == 1 else "".join(f"\n  {fault}" for fault in faults)
    )
    message = f"the item {key_text} of {layout.table.name} is not a valid {layout.entity.__name__}:{fault_text}"
    return InvalidItem(message, dict(item), table=layout.table.name, key=key, faults=faults)


def _faults(error: Exception) -> list[str]:
    if isinstance(error, ValidationError):
        return [
            _fault(problem) for problem in error.errors(include_url=False, include_context=False)
        ]
    return [f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)]


def _fault(problem: Mapping[str, Any]) -> str:
    """One problem in a line: where, what is expected, and the value if it is a text or a number."""
    where, value = ".".join(map(str, problem["loc"])) or "the item", problem.get("input")
    is_short = problem["type"] != "missing" and isinstance(value, (str, int, float))
    value_text = f", not {value!r:.{VALUE_SHOWN_MAX}}" if is_short else ""
    return f"{where}: {problem['msg']}{value_text}"


def _plain(value: AttributeValue) -> str:
    try:
        return repr(decode(value))
    except Exception:  # the value itself may be malformed
        return repr(value)
