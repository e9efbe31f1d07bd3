"""Requests that wait for something to happen. They use no thread, and their number per caller is
limited.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from starlette.requests import Request

from sortkey.web.api_keys import Access
from sortkey.web.refusals import Refused

T = TypeVar("T")

WAITS_PER_CALLER_MAX = 20


class TooManyWaits(Refused):
    """The caller has too many waiting requests."""

    status = 429


class CallerLeft(Refused):
    """The caller has closed the connection. Nobody reads this response."""

    status = 499


class Waits:
    """The waiting requests of one system, in one event loop."""

    def __init__(self, per_caller_max: int = WAITS_PER_CALLER_MAX) -> None:
        self._max = per_caller_max
        self._waiting: Counter[str] = Counter()

    async def run(
        self, request: Request, access: Access, wait: Callable[[], Coroutine[Any, Any, T]]
    ) -> T:
        """Await something for a caller, until it leaves. Raises TooManyWaits."""
        with self._counted(access.caller_id):
            waiting, leaving = (
                asyncio.ensure_future(wait()),
                asyncio.ensure_future(_disconnected(request)),
            )
            try:
                await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    raise CallerLeft("the caller has closed the connection")
                return waiting.result()
            finally:
                waiting.cancel()
                leaving.cancel()

    @contextmanager
    def _counted(self, caller_id: str) -> Generator[None]:
        if self._waiting[caller_id] >= self._max:
            raise TooManyWaits(
                f"{self._max} requests of this caller are already waiting: try again when one of "
                "them has ended"
            )
        self._waiting[caller_id] += 1
        try:
            yield
        finally:
            self._waiting[caller_id] -= 1
            self._waiting += Counter()  # forget callers that have none


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
