"""Tables: the columns that fit in a terminal, or all columns separated by tabs in a pipe.

rich draws the table; this module chooses its columns. A note on stderr says what was left out and
how to see it, so that stdout has rows only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from sortkey.commands.output import console

SHORT_MIN = 12
"""A column that would be narrower is left out."""
USEFUL_MIN = 30
"""The same for columns in order of usefulness: more of a message is better than another column."""
CELL_MAX = 60
GAP = 2
Room = tuple[int, Sequence[int]]
"""How many columns are never shortened, and the order in which columns get room."""
JSON_SHOWS_ALL = "--json shows everything"


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    title: str | None = None,
    *,
    whole: int = 1,
    order: Sequence[int] = (),
    more: str = "",
) -> None:
    """Print rows under the names of their columns.

    The first `whole` columns are not shortened. Columns get room from left to right, or in the
    order of the column numbers in `order`. `more` says how to see everything.
    """
    cells = [[flat(value) for value in row] for row in rows]
    if sys.stdout.isatty():
        _draw(columns, cells, title, more, (whole, order))
    else:
        for line in ([title] if title else None, columns, *cells):
            if line is not None:
                print("\t".join(line))


def print_records(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None
) -> None:
    """Print every value in full: a block of lines for each row."""
    width = max(map(len, columns), default=0)
    for number, row in enumerate(rows, 1):
        print(f"-- {title or ''} {number}".replace("  ", " "))
        for name, value in zip(columns, row, strict=True):
            if value is not None:
                print(f"{name:<{width}}  {flat(value)}")


def flat(value: Any) -> str:
    """A value in one line, as JSON if it is not a string."""
    if value is None:
        return ""
    if isinstance(value, (dict, list, bool)):
        from json import dumps

        value = dumps(value, ensure_ascii=False, default=str)
    return " ".join(str(value).split())


def fitting(
    widths: Sequence[int], room: int, whole: int, order: Sequence[int] = ()
) -> dict[int, int]:
    """The numbers of the columns that fit next to each other, with their widths."""
    chosen: dict[int, int] = {}
    for number in order or range(len(widths)):
        width = widths[number]
        least = width if number < whole else min(width, USEFUL_MIN if order else SHORT_MIN)
        if not chosen or sum(chosen.values()) + GAP * len(chosen) + least <= room:
            chosen[number] = min(least, room)
    spare = room - sum(chosen.values()) - GAP * (len(chosen) - 1)
    for number in chosen:
        grown = min(spare, widths[number] - chosen[number])
        chosen[number], spare = chosen[number] + grown, spare - grown
    return dict(sorted(chosen.items()))


def _draw(
    columns: Sequence[str], cells: list[list[str]], title: str | None, more: str, room: Room
) -> None:
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    screen = console()
    widest = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
    chosen = fitting([min(width, CELL_MAX) for width in widest], screen.width, *room)
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for number, width in chosen.items():
        table.add_column(Text(columns[number]), width=width, no_wrap=True, overflow="ellipsis")
    for row in cells:
        table.add_row(*(Text(row[number]) for number in chosen))
    screen.print(table)
    left_out = [name for number, name in enumerate(columns) if number not in chosen]
    _note_omissions(left_out, any(widest[number] > width for number, width in chosen.items()), more)


def _note_omissions(left_out: Sequence[str], is_shortened: bool, more: str) -> None:
    notes = [f"left out: {', '.join(left_out)}"] if left_out else []
    notes += ["some values are shortened"] if is_shortened else []
    if notes:
        print("; ".join(notes) + (f" ({more})" if more else ""), file=sys.stderr)
