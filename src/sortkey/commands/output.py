"""What commands print: JSON for programs, and a bar while something takes long. Tables are in
`tabling`.

Results go to stdout. The bar goes to stderr, and only to a terminal: a file or a pipe gets nothing
of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.transfer.progress import OnProgress, TransferProgress

Advance = Callable[[int], None]


def print_json(value: Any) -> None:
    from json import dumps

    print(dumps(value, indent=2, ensure_ascii=False, default=str))


def console(**settings: Any) -> Any:
    """rich's console, which leaves a reader that has seen enough to `main`, as `print` does."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Plain(highlight=False, **settings)


@contextmanager
def progress(title: str, total: int | None, unit: str = "items") -> Generator[Advance]:
    """A bar while the block runs; the block calls what it is given with how much more is done."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
    )
    with Progress(
        *columns, TimeRemainingColumn(), console=console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def progress_bars() -> Generator[OnProgress]:
    """Bars for a transfer, one for each of its parts, while the block runs; the block passes on
    what it is given.
    """
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
    )
    with Progress(
        *columns, TimeRemainingColumn(), console=console(stderr=True), transient=True
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def show(progress: TransferProgress) -> None:
            task = tasks.get(progress.title)
            if task is None:
                task = tasks[progress.title] = bars.add_task(
                    progress.title, total=progress.total, unit=progress.unit
                )
            bars.update(task, completed=progress.done, total=progress.total)

        yield show
