"""A list of names to choose from by mouse or by typing.

Quasar's own list accepts typed text only if an option was highlighted with the arrow keys. Enter
would show the new name but keep the old choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

# Enter and Tab choose the typed name, or the first that contains the typed text. Clicking elsewhere
# chooses a complete name only. Quasar handles the key after this, and chooses what is highlighted.
SCRIPT = """event => {
  const isKey = event?.type === 'keydown';
  if (isKey ? event.key !== 'Enter' && event.key !== 'Tab' : !event?.type) return;
  const choice = getElement(ID), list = choice.$refs.qRef;
  const typed = choice.$el.querySelector('input')?.value.trim().toLowerCase();
  if (!typed) return;
  const named = choice.options.find(option => option.label.toLowerCase() === typed);
  const option = named ?? (isKey ? list.options.find(option => option.label.toLowerCase().includes(typed)) : null);
  if (!option && event.key === 'Enter') {
    list.updateInputValue(list.modelValue?.label ?? '', true);  // what the page shows
    Quasar.Notify.create({message: `No LABEL contains “${typed}”`, type: 'warning'});
  }
  if (!option || option.value === list.modelValue?.value) return;
  if (!isKey) return list.toggleOption(option);
  list.setOptionIndex(list.options.findIndex(other => other.value === option.value));
  setTimeout(() => list.hidePopup());  // the search for the last typed letter would open it again
}"""


def name_choice(
    names: Sequence[str],
    value: str,
    label: str,
    on_change: Callable[[ValueChangeEventArguments[str]], Any] | None = None,
) -> ui.select:
    choice = ui.select(list(names), value=value, label=label, with_input=True, on_change=on_change)
    choice.props("outlined dense")
    script = SCRIPT.replace("ID", str(choice.id)).replace("LABEL", label.lower())
    for event in ("keydown", "popup-hide", "blur"):
        choice.on(event, js_handler=script)
    with choice.add_slot("no-option"), ui.item():
        ui.item_label(f"No matching {label.lower()}").classes("sk-quiet")
    return choice
