"""A part of a page that is read and drawn again and again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces

T = TypeVar("T")


class Area(Generic[T]):
    """Draws what `load` gives. If it is asked for again meanwhile, only the last is drawn: what
    somebody types does not arrive in order.
    """

    def __init__(self, load: Callable[[], Awaitable[T]], draw: Callable[[T], None]) -> None:
        self._load, self._draw = load, draw
        self._place = ui.element("div").classes("sk-stack")
        self._asked = 0

    async def update(self) -> None:
        """Read and draw. What is refused is said in its place."""
        self._asked += 1
        asked = self._asked
        problem, found = "", None
        try:
            found = await self._load()
        except SortkeyError as error:
            problem = str(error)
        if asked != self._asked or self._place.is_deleted:
            return
        self._place.clear()
        with self._place:
            if problem:
                pieces.error_text(problem)
            elif found is not None:
                self._draw(found)
