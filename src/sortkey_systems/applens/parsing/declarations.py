"""Variables, locals, providers and variable values as written in the files: rules look for secrets
in them.

Only literal texts are included. What is computed is stated elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sortkey_systems.applens.parsing import syntax as s
from sortkey_systems.applens.parsing.redaction import is_sensitive, redacted_declaration
from sortkey_systems.applens.resources import Resource


def declarations(blocks: list[s.Block], prefix: str = "") -> Iterator[Resource]:
    """Variables with defaults, locals and providers of a folder that state a text. `prefix`
    distinguishes folders.
    """
    yield from (declaration for declaration in _all(blocks, prefix) if declaration.attributes)


def declared(address: str, texts: dict[str, Any], file: str, line: int) -> Resource:
    """One declaration. `texts` are its literal texts by name."""
    name = address.rpartition(".")[2]
    return Resource(
        address, "declaration", name, texts, mode="declaration", provider="", file=file, line=line
    )


def _all(blocks: list[s.Block], prefix: str) -> Iterator[Resource]:
    for block in blocks:
        arguments = block.body.arguments
        if (
            block.type == "variable"
            and block.labels
            and (default := arguments.get("default")) is not None
        ):
            name = block.labels[0]
            variable = declared(
                f"{prefix}var.{name}", _texts(name, default), block.file, block.line
            )
            yield redacted_declaration(variable) if is_sensitive(block) else variable
        elif block.type == "provider" and block.labels:
            texts = {
                key: text
                for name, argument in arguments.items()
                for key, text in _texts(name, argument).items()
            }
            yield declared(f"{prefix}provider.{block.labels[0]}", texts, block.file, block.line)
        elif block.type == "locals":
            for name, argument in arguments.items():
                yield declared(
                    f"{prefix}local.{name}", _texts(name, argument), block.file, argument.line
                )


def _texts(name: str, argument: s.Argument) -> dict[str, str]:
    return dict(_inner(name, argument.expression))


def _inner(name: str, expression: s.Expression) -> Iterator[tuple[str, str]]:
    if isinstance(expression, s.Literal) and isinstance(expression.value, str):
        yield name, expression.value
    elif isinstance(expression, s.Object):
        for key, value in expression.items:
            inner = key.name if isinstance(key, s.Name) else getattr(key, "value", "")
            yield from _inner(str(inner), value)
