"""An access pattern as one types it, `model:pattern` or `model pattern`, and the arguments that
follow it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortkey.commands.completion import complete_call, complete_patterns
from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.models import load_model
from sortkey.systems.installed import system_names

if TYPE_CHECKING:
    from sortkey.model.patterns import AccessPattern

Called = Annotated[
    str,
    typer.Argument(
        metavar="MODEL:PATTERN",
        help="Model and access pattern, as `sortkey models` prints them; MODEL PATTERN is the same.",
        autocompletion=complete_patterns,
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME=VALUE", help="Arguments of the pattern.", autocompletion=complete_call
    ),
]


def read_call(first: str, words: Sequence[str]) -> tuple[AccessPattern, dict[str, str]]:
    """The pattern that is meant, and the texts of its arguments by name."""
    if words and "=" not in words[0] and (_is_model(first) or _is_unknown(first)):
        first, words = f"{first}:{words[0]}", words[1:]
    return _find(first), dict(_split(each) for each in words)


def typed(pattern: AccessPattern, arguments: dict[str, str]) -> dict[str, Any]:
    """Texts as the values that the pattern's parameters have. What may be left out makes its own of
    a text.
    """
    from difflib import get_close_matches

    from pydantic import TypeAdapter, ValidationError

    from sortkey.model.description import parameters_of

    known = [each.name for each in parameters_of(pattern)]
    typed: dict[str, Any] = {}
    for name, text in arguments.items():
        if name not in known:
            meant = "".join(f": did you mean {each}?" for each in get_close_matches(name, known, 1))
            raise CommandFailed(
                f"{pattern.name} takes {', '.join(known) or 'nothing'}, and no {name}{meant}", USAGE
            )
        try:
            typed[name] = TypeAdapter(pattern.parameters.get(name, Any)).validate_python(text)
        except ValidationError as error:
            raise CommandFailed(f"{name}={text}: {error.errors()[0]['msg']}", USAGE) from None
    return typed


def _is_model(name: str) -> bool:
    """Whether this is a model and no pattern: `shop`, `shop.model:model`."""
    module, _, attribute = name.partition(":")
    return name in system_names() or (module not in system_names() and attribute.isidentifier())


def _is_unknown(name: str) -> bool:
    return ":" not in name and not _shipped(name)


def _shipped(name: str) -> dict[str, AccessPattern]:
    """The installed systems whose model has a pattern of this name."""
    return {
        system: each
        for system in system_names()
        for each in load_model(system).patterns()
        if each.name == name
    }


def _find(name: str) -> AccessPattern:
    """The access pattern of `model:pattern`, or of a name that only one installed system has."""
    from sortkey.errors import ModelError
    from sortkey.model.patterns import named

    if _is_model(name):
        known = ", ".join(each.name for each in load_model(name).patterns())
        raise CommandFailed(
            f"{name} is a model: name an access pattern too; there are: {known}", USAGE
        )
    model, colon, pattern = name.rpartition(":")
    if colon:
        try:
            return named(load_model(model).patterns(), pattern)
        except ModelError as error:
            raise CommandFailed(str(error), USAGE) from None
    found = _shipped(name)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        several = ", ".join(f"{system}:{name}" for system in found)
        raise CommandFailed(f"several models have {name}: say which, {several}", USAGE)
    raise CommandFailed(
        f"no installed system has {name}: write it as model:pattern; `sortkey models` lists them",
        USAGE,
    )


def _split(text: str) -> tuple[str, str]:
    """`name=value` in two."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise CommandFailed(f"{text!r} is no argument: write it as name=value", USAGE)
    return name, value
