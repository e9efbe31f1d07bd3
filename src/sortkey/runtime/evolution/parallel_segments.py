"""Several segments of a backfill at once: in threads, or in tasks of a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

from sortkey.runtime.evolution.tasks import Task


def in_threads(task: Task, work: Callable[[int], None]) -> None:
    """Work on the open segments. If one fails, the others finish their current page."""
    at_once = task.settings.at_once
    if at_once == 1:
        for number in task.open_segments:
            work(number)
        return
    with ThreadPoolExecutor(at_once, thread_name_prefix="sortkey-backfill") as threads:
        try:
            for done in as_completed(
                [threads.submit(work, number) for number in task.open_segments]
            ):
                done.result()
        except BaseException:
            task.is_stopped = True
            threads.shutdown(wait=False, cancel_futures=True)
            raise


async def in_tasks(task: Task, work: Callable[[int], Awaitable[None]]) -> None:
    """The same in the loop of the caller."""
    free = asyncio.Semaphore(task.settings.at_once)

    async def one(number: int) -> None:
        async with free:
            try:
                await work(number)
            except BaseException:
                task.is_stopped = True
                raise

    results = await asyncio.gather(*map(one, task.open_segments), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
