"""The types of an OpenAPI document in words, as escaped HTML, and examples of their values."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

Schema = Mapping[str, Any]

DEPTH_MAX = 4
"""The depth of examples: a type may contain itself."""


def type_words(schema: Schema) -> str:
    """A type in words: "text", "number from 1 to 100", "list of Run", "“dev” or “prod”"."""
    if name := _named(schema):
        return f'<a href="#type-{escape(name)}">{escape(_readable(name))}</a>'
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return " or ".join(dict.fromkeys(type_words(option) for option in options))
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    if values := schema.get("enum"):
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in values)
    return _plain_words(schema)


def _plain_words(schema: Schema) -> str:
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {type_words(schema.get('items', {}))}"
    if kind == "object":
        return "object"
    words = {
        "string": _TEXTS.get(schema.get("format", ""), "text"),
        "integer": "whole number",
        "null": "null",
    }
    return words.get(kind, escape(str(kind))) + _limits(schema)


def _limits(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" from {least:,} to {most:,}"
    if least is not None:
        return f", {least:,} or more"
    if most is not None:
        return f", {most:,} or less"
    if pattern := schema.get("pattern"):
        return f" like <code>{escape(pattern)}</code>"
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if longest is not None:
        return f" of {shortest or 0:,} to {longest:,} characters"
    return ""


_TEXTS = {"date-time": "time", "date": "date", "uri": "URL", "uuid": "UUID", "binary": "bytes"}


def example(schema: Schema, types: Mapping[str, Schema], depth: int = 0) -> Any:
    """A short value of the type: only required fields."""
    if depth > DEPTH_MAX:
        return None
    if name := _named(schema):
        return example(types.get(name, {}), types, depth + 1)
    for key in ("example", "default", "const"):
        if key in schema:
            return schema[key]
    if values := schema.get("examples") or schema.get("enum"):
        return values[0]
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return example(options[0], types, depth + 1)
    return _plain_example(schema, types, depth)


def _plain_example(schema: Schema, types: Mapping[str, Schema], depth: int) -> Any:
    kind = schema.get("type")
    if kind == "object":
        needed = schema.get("required", ())
        fields = {
            name: inner for name, inner in schema.get("properties", {}).items() if name in needed
        }
        return {name: example(inner, types, depth + 1) for name, inner in fields.items()}
    if kind == "array":
        return [example(schema.get("items", {}), types, depth + 1)]
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return False
    return {"date-time": "2026-11-01T12:00:00Z", "date": "2026-11-01"}.get(
        schema.get("format", ""), "…"
    )


def _named(schema: Schema) -> str | None:
    reference = schema.get("$ref")
    return reference.rsplit("/", 1)[-1] if reference else None


def _readable(name: str) -> str:
    """The name of a generic type: Page_Run_ becomes "Page of Run"."""
    outer, _, inner = name.rstrip("_").partition("_")
    return f"{outer} of {inner}" if inner else outer
