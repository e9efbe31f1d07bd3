"""Dialogs of the pages: fields, what was refused, and the buttons. And questions before something
is lost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces

Act = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Form:
    """A dialog with fields."""

    dialog: ui.dialog
    problem: ui.element

    def show(self, text: str) -> None:
        """Say why something was refused."""
        self.problem.clear()
        with self.problem:
            pieces.error_text(text)

    def buttons(self, text: str, act: Act, *, icon: str = "", is_danger: bool = False) -> None:
        """The end of the form. `act` runs on the main button; if nothing is refused, the dialog
        closes.
        """

        async def run() -> None:
            self.problem.clear()
            main.props("loading")
            try:
                await act()
            except (SortkeyError, ValidationError, ValueError) as error:
                main.props(remove="loading")
                self.show(problem_text(error))
                return
            self.dialog.close()

        self.problem.move(target_index=-1)
        with ui.element("div").classes("sk-row").style("justify-content: flex-end"):
            pieces.button("Cancel", self.dialog.close, is_main=False)
            main = pieces.button(text, run, icon=icon or None)
            if is_danger:
                main.props("color=negative")


@contextmanager
def form(heading: str, below: str = "", width: str = "34rem") -> Generator[Form]:
    """An open dialog; what is drawn inside are its fields."""
    style = f"width: min({width}, 94vw); max-width: none; gap: 0.9rem"
    with pieces.dialog(heading) as dialog, ui.card().style(style):
        pieces.heading(heading)
        if below:
            pieces.prose(below)
        problem = ui.element("div").classes("w-full")
        yield Form(dialog, problem)


def field(element: Any) -> Any:
    """The look of a field in a form."""
    element.props("outlined stack-label").classes("w-full")
    return element


def confirm(heading: str, text: str, button: str, act: Act) -> None:
    """Ask before something is lost."""
    with form(heading, width="28rem") as asked:
        ui.label(text)
        asked.buttons(button, act, is_danger=True)


def problem_text(error: Exception) -> str:
    """What was refused, for people: without the type of a library's error."""
    if isinstance(error, ValidationError):
        found = error.errors()[0]
        place = ".".join(str(step) for step in found["loc"])
        message = found["msg"].removeprefix("Value error, ")
        return f"{place}: {message}" if place else message
    return str(error)


async def attempt(act: Act, done: str = "") -> bool:
    """Run something a button asks for; says what was refused or that it is done."""
    try:
        await act()
    except (SortkeyError, ValidationError) as error:
        ui.notify(problem_text(error), type="negative", multi_line=True)
        return False
    if done:
        ui.notify(done, type="positive")
    return True
