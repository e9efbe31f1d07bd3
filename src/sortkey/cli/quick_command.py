"""A command whose arguments are read without pydantic, which Typer would load to convert them.

For `sortkey serve`: pydantic alone would make its start half as long again, and cost 9 MB for as
long as it runs. It converts texts, lists of them, whole numbers and choices; other types, and every
error, are left to Typer.
"""

from __future__ import annotations

from typing import Any, get_args, get_origin

from typer.core import TyperCommand


class QuickCommand(TyperCommand):
    """Reads plain arguments itself."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        values = self._plain_values(ctx, list(args))
        if values is None:
            return super().parse_args(ctx, args)
        ctx.params.update(values)
        ctx.args = []
        return []

    def _plain_values(self, ctx: Any, args: list[str]) -> dict[str, Any] | None:
        """The arguments by name; None where Typer has to look at them: for help, an error, or
        another type.
        """
        if any(not each.isascii() or each in ctx.help_option_names for each in args):
            return None
        try:
            given, rest, _ = self.make_parser(ctx).parse_args(args=list(args))
            if rest:
                return None
            values: dict[str, Any] = {}
            for param in self.get_params(ctx):
                raw, _source = param.consume_value(ctx, given)
                if param.expose_value:
                    values[str(param.name)] = _converted(param, raw)
            return values
        except Exception:  # Typer finds the same fault, and has the words for it
            return None


def _converted(param: Any, raw: Any) -> Any:
    """A value as its parameter has it. Raises ValueError where it is not plain."""
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
