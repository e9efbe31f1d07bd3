"""From anywhere to anywhere: Ctrl-K or / opens a box in which one types the beginning of a page, a model or a table."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from sortkey.web.console.pieces import dialog

FILTERED_MS = 60
"""After a letter is typed, when the list has become shorter."""
Places = dict[str, str]
"""Paths, without the console's base, and what each is called."""

# In the browser, so that typing asks the server nothing. A slash that is typed into a field is a slash.
KEYS = """<script>
document.addEventListener('keydown', event => {
  const typing = event.target.closest('input, textarea, select, [contenteditable]');
  const isWanted = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing);
  const button = document.querySelector('[data-jump]');
  if (isWanted && button && !document.querySelector('.q-dialog')) { event.preventDefault(); button.click(); }
});
</script>"""


def jump_button(places: Callable[[], Places]) -> None:
    """In the header; the keys press it."""
    ui.add_head_html(KEYS)
    made = (
        ui.button(on_click=lambda: _ask(places())).props("outline no-caps dense data-jump").classes("sk-second sk-jump")
    )
    made.props["aria-label"] = "Jump to a page, a model or a table"
    with made:
        ui.icon("search", size="1.1rem").props('aria-hidden="true"')
        ui.label("Jump to …").classes("sk-wide")
        ui.html("<kbd>Ctrl K</kbd>", sanitize=False).classes("sk-wide")


def _ask(places: Places) -> None:
    def go(event: ValueChangeEventArguments[str]) -> None:
        shown.close()
        ui.navigate.to(event.value)

    with dialog("Jump").props("position=top") as shown, ui.card().classes("sk-jump-card"):
        box = ui.select(places, label="Page, model or table", with_input=True, on_change=go)
        box.props("outlined autofocus behavior=menu hide-dropdown-icon").classes("w-full")
        shown.on("show", lambda: box.run_method("showPopup"))
        # Enter goes to the first that fits, without an arrow key before it.
        first = f"() => setTimeout(() => getElement({box.id}).$refs.qRef.setOptionIndex(0), {FILTERED_MS})"
        box.on("input-value", js_handler=first)
