"""A list to choose a name from, by pointing or by typing it.

Quasar's own list takes what was typed only when an option was marked with the arrow keys: Enter
would leave the new name in the field and the old one chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

# Enter and Tab take the name that was typed, or the first that contains the typed text. Pointing
# elsewhere takes a whole name only. Quasar handles the key after this, and takes the option that is
# marked then.
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
    Quasar.Notify.create({message: `No LABEL has “${typed}” in its name`, type: 'warning'});
  }
  if (!option || option.value === list.modelValue?.value) return;
  if (!isKey) return list.toggleOption(option);
  list.setOptionIndex(list.options.findIndex(each => each.value === option.value));
  setTimeout(() => list.hidePopup());  // which looking for the last letter that was typed would open again
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
        ui.item_label(f"No {label.lower()} has this in its name").classes("sk-quiet")
    return choice
