"""What commands print: JSON for programs, and progress bars. Tables are in `table_output`.

Results go to stdout. Progress bars go to stderr, and only if that is a terminal.
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
    """rich's console. It leaves a closed pipe to `main`, as `print` does."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Plain(highlight=False, **settings)


@contextmanager
def progress(title: str, total: int | None, unit: str = "items") -> Generator[Advance]:
    """A progress bar while the block runs. The block calls the function with the number of new
    items.
    """
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
    """Progress bars of a transfer while the block runs, one per part. Pass the result as
    `on_progress`.
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
