"""Texts of the command line as plain values: texts, numbers, switches, choices, paths, and lists of them.

Typer would load pydantic for it, which takes longer than `sortkey serve` needs to start. What is not plain is left
to Typer, and so is everything when another version of it keeps its ways of reading values elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin

import typer

HELP_NAMES = ["-h", "--help"]
_SWITCH = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


class PlainValue:
    """Reads the texts of one parameter; stands in for Typer's own reader, whose method it has."""

    def __init__(self, read: Callable[[str], Any], is_list: bool) -> None:
        self._read = read
        self._is_list = is_list

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if self._is_list else None
        try:
            return [self._read(each) for each in value] if self._is_list else self._read(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None


def use_plain_values(command: Any) -> None:
    """Let the parameters of a command, and of the commands under it, be read without pydantic."""
    for param in command.get_params(typer.Context(command, help_option_names=HELP_NAMES)):
        described = getattr(param, "type_descriptor", None)
        if described is not None and getattr(param, "_runtime_param", param) is None:
            param._runtime_param = _reader(described)
    for each in getattr(command, "commands", {}).values():
        use_plain_values(each)


def _reader(described: Any) -> PlainValue | None:
    info, annotation = described.parameter_info, described.annotation
    if info.parser is not None or described.is_file or described.is_tuple or described.is_datetime:
        return None
    is_list = get_origin(annotation) is list
    read = _read_of(get_args(annotation)[0] if is_list else annotation, described)
    return None if read is None else PlainValue(read, is_list)


def _read_of(kind: Any, described: Any) -> Callable[[Any], Any] | None:
    info = described.parameter_info
    if described.choices is not None:
        return _choice(described.choices) if all(isinstance(each, str) for each in described.choices) else None
    if kind is str:
        return str
    if kind is bool:
        return _switch
    if kind is Path:
        return None if info.exists or info.resolve_path else Path
    return _number(kind, info.min, info.max) if kind is int or kind is float else None


def _choice(choices: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"{text!r} is not one of {', '.join(choices)}")
        return text

    return read


def _switch(text: str | bool) -> bool:
    if isinstance(text, str) and text.lower() not in _SWITCH:
        raise ValueError(f"{text!r} is neither yes nor no")
    return _SWITCH[text.lower()] if isinstance(text, str) else text


def _number(kind: type, low: float | None, high: float | None) -> Callable[[Any], Any]:
    def read(text: Any) -> Any:
        try:
            number = kind(text)
        except ValueError:
            raise ValueError(f"{text!r} is no {'whole ' if kind is int else ''}number") from None
        if (low is not None and number < low) or (high is not None and number > high):
            limits = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
            raise ValueError(f"{text} is not {' and '.join(limits)}")
        return number

    return read
