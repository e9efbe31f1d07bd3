"""Whether a regular expression could take exponential time on a text that almost matches.

`(a+)+` and `(a|aa)*` do. A group that is repeated may hold neither a repetition nor a choice.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<open>\((?:\?(?:[:=!>]|<[=!]|P<\w+>|[a-zA-Z-]+[:)])?)?)
    |(?P<close>\))|(?P<choice>\|)|(?P<repeat>[*+?]|\{\d*,?\d*\})|.""",
    re.DOTALL | re.VERBOSE,
)
_ONCE = {"?", "{0}", "{1}", "{0,1}", "{,1}", "{1,1}", "{}"}
_HIDING = re.compile(r"\(\?#|\(\?[a-zA-Z]*x")
"""Comments, and the flag that allows spaces: they can stand between a group and its repetition."""


def has_nested_repetition(expression: str) -> bool:
    """Whether a group that is repeated holds a repetition or a choice, at any depth."""
    if _HIDING.search(expression):
        return True
    open_groups = [False]  # whether each holds a repetition or a choice so far
    is_closed_variable = False  # whether the piece before was such a group
    for piece in _PIECE.finditer(expression):
        was_variable, is_closed_variable = is_closed_variable, False
        if piece["open"]:
            if not piece["open"].endswith(")"):  # `(?i)` is not a group
                open_groups.append(False)
        elif piece["close"] and len(open_groups) > 1:
            is_closed_variable = open_groups.pop()
            open_groups[-1] = open_groups[-1] or is_closed_variable
        elif piece["repeat"]:
            if was_variable and piece["repeat"] not in _ONCE:
                return True
            open_groups[-1] = True
        elif piece["choice"]:
            open_groups[-1] = True
    return False
