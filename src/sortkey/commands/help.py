"""The examples under the help of a command. Typer prints the rest of the help."""

from __future__ import annotations

_AS_IT_IS = "\b\n"
"""Before a paragraph, keeps Typer from filling its lines."""


def examples(*lines: str) -> str:
    """The epilog of a command: lines to type, at most 76 characters wide."""
    return f"{_AS_IT_IS}Examples:\n" + "".join(f"  {line}\n" for line in lines)
