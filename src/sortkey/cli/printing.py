"""What commands print: JSON for programs, and a bar while something takes long. Tables are in `tabling`.

Results go to stdout. The bar goes to stderr, and only to a terminal: a file or a pipe gets nothing of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

Advance = Callable[[int], None]


def print_json(value: Any) -> None:
    from json import dumps

    print(dumps(value, indent=2, ensure_ascii=False, default=str))


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
