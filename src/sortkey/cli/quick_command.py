"""A command that parses its arguments without pydantic, which Typer loads to convert them.

For `sortkey serve`: pydantic would add half to its start time, and 9 MB for as long as it runs.
This class converts strings, lists of strings, integers and choices. Typer handles other types and
reports every error.
"""

from __future__ import annotations

from typing import Any, get_args, get_origin

from typer.core import TyperCommand


class QuickCommand(TyperCommand):
    """Converts plain arguments itself."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        values = self._plain_values(ctx, list(args))
        if values is None:
            return super().parse_args(ctx, args)
        ctx.params.update(values)
        ctx.args = []
        return []

    def _plain_values(self, ctx: Any, args: list[str]) -> dict[str, Any] | None:
        """The arguments by name, or None for help, errors and types that Typer must handle."""
        if any(not word.isascii() or word in ctx.help_option_names for word in args):
            return None
        try:
            options, rest, _ = self.make_parser(ctx).parse_args(args=list(args))
            if rest:
                return None
            values: dict[str, Any] = {}
            for param in self.get_params(ctx):
                raw, _source = param.consume_value(ctx, options)
                if param.expose_value:
                    values[str(param.name)] = _converted(param, raw)
            return values
        except Exception:  # Typer finds and reports the same error
            return None


def _converted(param: Any, raw: Any) -> Any:
    """A value with the type of its parameter. ValueError leaves it to Typer."""
    kind: Any = param.type_descriptor.annotation
    if get_origin(kind) is list:
        if get_args(kind) != (str,):
            raise ValueError(kind)
        return [*map(str, raw or ())]
    if raw is None or isinstance(raw, bool):
        return raw
    choices = param.type_descriptor.choices
    if choices is not None:
        if raw not in choices:
            raise ValueError(raw)
        return raw
    if kind is str:
        return str(raw)
    if kind is not int:
        raise ValueError(kind)
    number = int(raw)
    info = param.type_descriptor.parameter_info
    if (info.min is not None and number < info.min) or (info.max is not None and number > info.max):
        raise ValueError(number)
    return number
