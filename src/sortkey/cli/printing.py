"""What commands print: tables for people, JSON for programs, and a bar while something takes long.

Results go to stdout. The bar goes to stderr, and only to a terminal: a file or a pipe gets nothing of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any

CELL_MAX = 60
"""Characters of a value in a table; --json has all of it."""
PIPE_COLUMNS = 240

Advance = Callable[[int], None]


def print_json(value: Any) -> None:
    from json import dumps

    print(dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """Rows under the names of their columns, as wide as the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text(shown(value)) for value in row))
    Console(width=None if sys.stdout.isatty() else PIPE_COLUMNS).print(table)


def shown(value: Any) -> str:
    """A value in a cell: short, in one line."""
    if value is None:
        return ""
    if isinstance(value, (dict, list)):
        from json import dumps

        value = dumps(value, ensure_ascii=False, default=str)
    text = " ".join(str(value).split())
    return text if len(text) <= CELL_MAX else f"{text[: CELL_MAX - 1]}…"


@contextmanager
def progress(title: str, total: int | None, unit: str = "items") -> Generator[Advance]:
    """A bar while the block runs; the block calls what it is given with how much more is done."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda count: bar.advance(task, count)
