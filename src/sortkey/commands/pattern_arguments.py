"""An access pattern on the command line, `model:pattern` or `model pattern`, and its arguments."""

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
        help="Model and access pattern, as printed by `sortkey models`; or MODEL PATTERN.",
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
    """The access pattern, and the texts of its arguments by name."""
    if words and "=" not in words[0] and (_is_model(first) or _is_unknown(first)):
        first, words = f"{first}:{words[0]}", words[1:]
    return _find(first), dict(_split(word) for word in words)


def typed(pattern: AccessPattern, arguments: dict[str, str]) -> dict[str, Any]:
    """The texts converted to the types of the pattern's parameters. A parameter without a declared
    type gets the text.
    """
    from difflib import get_close_matches

    from pydantic import TypeAdapter, ValidationError

    from sortkey.model.description import parameters_of

    known = [parameter.name for parameter in parameters_of(pattern)]
    typed: dict[str, Any] = {}
    for name, text in arguments.items():
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = (
                f"did you mean {close[0]}?" if close else f"it takes {', '.join(known) or 'none'}"
            )
            raise CommandFailed(f"{pattern.name} has no argument {name!r}: {hint}", USAGE)
        try:
            typed[name] = TypeAdapter(pattern.parameters.get(name, Any)).validate_python(text)
        except ValidationError as error:
            raise CommandFailed(f"{name}={text}: {error.errors()[0]['msg']}", USAGE) from None
    return typed


def _is_model(name: str) -> bool:
    """Whether this names a model, not a pattern: `shop`, `shop.model:model`."""
    module, _, attribute = name.partition(":")
    return name in system_names() or (module not in system_names() and attribute.isidentifier())


def _is_unknown(name: str) -> bool:
    return ":" not in name and not _by_system(name)


def _by_system(name: str) -> dict[str, AccessPattern]:
    """The installed systems whose model has a pattern of this name."""
    return {
        system: pattern
        for system in system_names()
        for pattern in load_model(system).patterns()
        if pattern.name == name
    }


def _find(name: str) -> AccessPattern:
    """The access pattern of `model:pattern`, or of a name that only one installed system has."""
    from sortkey.errors import ModelError
    from sortkey.model.patterns import named

    if _is_model(name):
        known = ", ".join(pattern.name for pattern in load_model(name).patterns())
        raise CommandFailed(f"{name} is a model: add an access pattern, one of {known}", USAGE)
    model, colon, pattern = name.rpartition(":")
    if colon:
        try:
            return named(load_model(model).patterns(), pattern)
        except ModelError as error:
            raise CommandFailed(str(error), USAGE) from None
    patterns = _by_system(name)
    if len(patterns) == 1:
        return next(iter(patterns.values()))
    if patterns:
        choices = ", ".join(f"{system}:{name}" for system in patterns)
        raise CommandFailed(f"several models have {name}: choose from {choices}", USAGE)
    raise CommandFailed(
        f"no installed system has {name}: write model:pattern, as listed by `sortkey models`",
        USAGE,
    )


def _split(text: str) -> tuple[str, str]:
    """Split `name=value`."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise CommandFailed(f"{text!r} is not an argument: write name=value", USAGE)
    return name, value
