"""Placeholders for the names and values of one request's expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sortkey.values.attributes import AttributeValue

_PLACEHOLDER = re.compile(r"[#:][nv]\d+")


class Names:
    """Gives names and values placeholders. Equal ones share a placeholder.

    Every name gets one, so reserved words, dots and colons in names never matter.
    """

    def __init__(self) -> None:
        self.expression_names: dict[str, str] = {}
        self.expression_values: dict[str, AttributeValue] = {}
        self._placeholders: dict[str, str] = {}

    def name(self, name: str) -> str:
        placeholder = self._placeholders.get(name)
        if placeholder is None:
            placeholder = self._placeholders[name] = f"#n{len(self._placeholders)}"
            self.expression_names[placeholder] = name
        return placeholder

    def path(self, path: Sequence[str | int]) -> str:
        text = ""
        for step in path:
            text += f"[{step}]" if isinstance(step, int) else f".{self.name(step)}"
        return text[1:]

    def value(self, value: AttributeValue) -> str:
        for placeholder, known in self.expression_values.items():
            if known == value:
                return placeholder
        placeholder = f":v{len(self.expression_values)}"
        self.expression_values[placeholder] = value
        return placeholder

    def put_into(self, request: dict[str, Any]) -> None:
        """Add names and values to a request. DynamoDB refuses empty maps, so these are left out."""
        if self.expression_names:
            request["ExpressionAttributeNames"] = self.expression_names
        if self.expression_values:
            request["ExpressionAttributeValues"] = self.expression_values

    def readable(self, text: str) -> str:
        """An expression with names and values in place of placeholders, for people."""
        return _PLACEHOLDER.sub(lambda match: self._shown(match[0]), text)

    def _shown(self, placeholder: str) -> str:
        if placeholder in self.expression_names:
            return self.expression_names[placeholder]
        ((kind, content),) = self.expression_values[placeholder].items()
        return str(content) if kind == "N" else repr(content)
