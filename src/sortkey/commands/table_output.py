"""Rows under the names of their columns: what fits in a terminal, and everything, with tabs, in a
pipe.

What was left out for lack of room is told on stderr, with how to see it: stdout has rows only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from sortkey.commands.output import console

SHORT_MIN = 12
"""Narrower than this a value says nothing: its column is left out instead."""
USEFUL_MIN = 30
"""The same where columns have an order of use: of a message more is worth more than a further
column.
"""
CELL_MAX = 60
GAP = 2
Room = tuple[int, Sequence[int]]
"""How many columns are not to be shortened, and the order in which they get room."""
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
    """The first `whole` columns are not shortened. Room is given in the order of the columns, or in
    `order`, which has their numbers. `more` says how to see all."""
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
    """Every value, whole: a block of lines for each row."""
    width = max(map(len, columns), default=0)
    for number, row in enumerate(rows, 1):
        print(f"-- {title or ''} {number}".replace("  ", " "))
        for name, value in zip(columns, row, strict=True):
            if value is not None:
                print(f"{name:<{width}}  {flat(value)}")


def flat(value: Any) -> str:
    """A value in one line, as JSON where it is no text."""
    if value is None:
        return ""
    if isinstance(value, (dict, list, bool)):
        from json import dumps

        value = dumps(value, ensure_ascii=False, default=str)
    return " ".join(str(value).split())


def fitting(
    widths: Sequence[int], room: int, whole: int, order: Sequence[int] = ()
) -> dict[int, int]:
    """The numbers of the columns that find room beside each other, and how wide each then is."""
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
