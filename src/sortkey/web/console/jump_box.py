"""The jump box: Ctrl-K or / opens it, and typing part of a name finds a page, model or table.

It runs in the browser, so that no keystroke is lost while the server answers.
"""

from __future__ import annotations

import json

from nicegui import ui

PLACES = "/places.json"
"""The path, below the console's base, that returns all `Places`."""
Places = dict[str, str]
"""Names of places by path, without the console's base."""

# In a text field, / types a slash. Enter waits until the places are loaded.
SCRIPT = """<script>
(() => {
  const base = BASE;
  let box, input, list, status, places = null, fitting = [], chosen = 0, isEntered = false;

  function make() {
    box = document.createElement('dialog');
    box.className = 'sk-jump-box';
    box.setAttribute('aria-label', 'Jump');
    box.innerHTML = `<input type="text" role="combobox" aria-label="Page, model or table" aria-expanded="true"
      aria-controls="sk-jump-list" aria-autocomplete="list" autocomplete="off" spellcheck="false"
      placeholder="Page, model or table"><ul id="sk-jump-list" role="listbox" aria-label="Places"></ul>
      <p role="status"></p>`;
    [input, list, status] = box.children;
    input.addEventListener('input', () => { chosen = 0; isEntered = false; draw(); });
    box.addEventListener('keydown', pressed);
    box.addEventListener('click', event => {
      if (event.target === box) shut();
      const option = event.target.closest('[role=option]');
      if (option) go(option.dataset.path);
    });
    document.body.append(box);
  }

  function open() {
    if (!box) make();
    if (box.open || document.querySelector('.q-dialog')) return;
    input.value = ''; chosen = 0; isEntered = false;
    box.showModal(); input.focus(); draw();
    fetch(base + 'PLACES').then(response => response.json()).then(names => {
      places = Object.entries(names);
      draw();
      if (isEntered && fitting.length) go(fitting[0][0]);
    }).catch(() => { status.textContent = 'The server does not answer: reload the page.'; });
  }

  function pressed(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step && fitting.length) { chosen = (chosen + step + fitting.length) % fitting.length; draw(); }
    if (event.key === 'Enter' && !places) isEntered = true;
    else if (event.key === 'Enter' && fitting.length) go(fitting[chosen][0]);
    if (event.key === 'Escape') shut();
    if (step || event.key === 'Enter' || event.key === 'Escape') event.preventDefault();
  }

  function shut() { box.close(); input.blur(); }  // otherwise the next key would go into the input

  function go(path) { shut(); location.href = base + path; }

  function rank(name) {  // names that begin with the text come first
    const typed = input.value.trim().toLowerCase(), parts = name.toLowerCase().split(' · ');
    if (!typed.split(/\\s+/).every(word => parts.join(' ').includes(word))) return -1;
    return parts.at(-1).startsWith(typed) ? 0 : 1;
  }

  function draw() {
    const ranked = (places || []).map(place => [...place, rank(place[1])]).filter(place => place[2] >= 0);
    fitting = ranked.sort((one, other) => one[2] - other[2]);
    list.replaceChildren(...fitting.map(([path, name], at) => {
      const option = document.createElement('li');
      Object.assign(option, {id: `sk-jump-${at}`, role: 'option', textContent: name, ariaSelected: at === chosen});
      option.dataset.path = path;
      return option;
    }));
    list.hidden = !fitting.length;  // an empty list box is not valid
    status.textContent = places && !fitting.length ? 'No matches.' : '';
    input.setAttribute('aria-activedescendant', fitting.length ? `sk-jump-${chosen}` : '');
    list.children[chosen]?.scrollIntoView({block: 'nearest'});
  }

  document.addEventListener('keydown', event => {
    const typing = event.target.closest('input, textarea, select, [contenteditable]');
    const isWanted = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing);
    if (isWanted) { event.preventDefault(); open(); }
  });
  document.addEventListener('click', event => { if (event.target.closest('[data-jump]')) open(); });
})();
</script>"""


def jump_button(base: str) -> None:
    """The button in the header, which does the same as the keys."""
    ui.add_head_html(SCRIPT.replace("BASE", json.dumps(base)).replace("PLACES", PLACES))
    button = ui.button().props("outline no-caps dense data-jump").classes("sk-second sk-jump")
    button.props["aria-label"] = "Jump to a page, a model or a table"
    with button:
        ui.icon("search", size="1.1rem").props('aria-hidden="true"')
        ui.label("Jump to …").classes("sk-wide")
        ui.html("<kbd>Ctrl K</kbd>", sanitize=False).classes("sk-wide")
