"""The names and values that an expression may refer to, and those that it used."""

from __future__ import annotations

from collections.abc import Mapping

from sortkey.expressions.faults import Fault
from sortkey.expressions.paths import Parts, check_levels
from sortkey.expressions.syntax import Path
from sortkey.values.attributes import AttributeValue

Values = Mapping[str, AttributeValue]


class Scope:
    """Looks up placeholders while an expression is checked and compiled."""

    def __init__(self, names: Mapping[str, str], values: Values) -> None:
        self._names = names
        self._values = values
        self.used_names: set[str] = set()
        self.used_values: set[str] = set()
        self.paths: dict[Parts, None] = {}  # in the order of their first use

    def path(self, path: Path) -> Parts:
        """The path with its aliases replaced."""
        check_levels(path.parts)
        parts = tuple(self._name(part) if isinstance(part, str) else part for part in path.parts)
        self.paths[parts] = None
        return parts

    def value(self, placeholder: str) -> AttributeValue:
        self.used_values.add(placeholder)
        try:
            return self._values[placeholder]
        except KeyError:
            raise Fault(
                "An expression attribute value used in expression is not defined; attribute "
                f"value: {placeholder}"
            ) from None

    def _name(self, part: str) -> str:
        if part[0] != "#":
            return part
        self.used_names.add(part)
        try:
            return self._names[part]
        except KeyError:
            raise Fault(
                "An expression attribute name used in the document path is not defined; attribute "
                f"name: {part}"
            ) from None
