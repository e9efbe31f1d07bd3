"""The frame of every page: header, menu, light or dark."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

from nicegui import ElementFilter, ui

from sortkey.web.console.jump_box import Places, jump_button
from sortkey.web.console.pieces import heading, prose
from sortkey.web.console.theme import COLOURS, CSS

# A form without a referrer would look like one of another site.
REFERRER = '<meta name="referrer" content="same-origin">'
SCRIPT = """<script>
document.documentElement.lang = "en";
document.addEventListener('click', async event => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const message = button.dataset.copied ?? `Copied ${button.dataset.copy}`;
  Quasar.Notify.create({message, timeout: 1500});
});
</script>"""


DARK = "sortkey_dark"
"""The cookie with the chosen theme: 1 is dark, 0 is light."""
TURN = f"""(() => {{
  const isDark = !document.body.classList.contains('body--dark');
  document.cookie = `{DARK}=${{+isDark}}; path=/; max-age=31536000; samesite=strict`;
  return isDark;
}})()"""


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """A page with its menu entry. `show` draws it, with the parts of its path as arguments."""

    path: str
    title: str
    icon: str
    show: Callable[..., Any]
    group: str = ""
    in_menu: bool = True


@dataclass(frozen=True, slots=True)
class Shell:
    """Draws the frame. `base` is the path of the console, which NiceGUI's links omit."""

    pages: Sequence[ConsolePage]
    base: str
    places: Callable[[], Places]
    """Places to jump to besides the pages."""
    logout: str | None = None
    """The path of the sign-out form, or None without a password."""

    @contextmanager
    def frame(self, page: ConsolePage) -> Generator[None]:
        dark = style()
        drawer = self._drawer(page)
        with ui.header().classes("items-center q-px-md q-py-sm").style("min-height: 3.25rem"):
            ui.button(icon="menu", on_click=drawer.toggle).props(
                'flat round dense aria-label="Menu"'
            ).classes("sk-second")
            ui.link("Sortkey", "/").style(
                "font-weight: 700; text-decoration: none; font-size: 1.05rem"
            )
            ui.space()
            jump_button(self.base)
            turn = ui.button(icon="contrast", on_click=lambda: _turn(dark)).classes("sk-second")
            turn.props('flat round dense aria-label="Light or dark"')
            if self.logout is not None:
                _sign_out_button(self.logout)
        ui.page_title(f"{page.title} · Sortkey")
        yield

    def all_places(self) -> Places:
        """All places to jump to: the pages of the menu, the models, the tables."""
        own = {
            page.path: " · ".join(filter(None, (page.group, page.title)))
            for page in self.pages
            if page.in_menu
        }
        return own | self.places()

    def _drawer(self, current: ConsolePage) -> ui.left_drawer:
        drawer = (
            ui.left_drawer(value=False, bordered=False)
            .props("show-if-above breakpoint=900 width=232")
            .classes("q-pa-sm")
        )
        with drawer, ui.element("nav").props('aria-label="Pages"').classes("w-full"):
            group = ""
            for page in self.pages:
                if not page.in_menu:
                    continue
                if page.group != group:
                    group = page.group
                    ui.label(group).classes("sk-caption")
                self._entry(
                    page,
                    page is current or (page.group == current.group and page.icon == current.icon),
                )
        return drawer

    def _entry(self, page: ConsolePage, is_current: bool) -> None:
        with ui.link(target=page.path).classes("sk-nav") as entry:
            ui.icon(page.icon).props('aria-hidden="true"')
            ui.label(page.title)
        if is_current:
            entry.props('aria-current="page"')


def title(text: str, below: str = "", above: tuple[str, str] | None = None) -> None:
    """The heading of a page. `above` is the title and path of its parent page."""
    ui.page_title(f"{text} · Sortkey")
    with ui.element("div").classes("sk-stack"):
        if above is not None:
            with ui.element("nav").props('aria-label="Where this is"').classes("sk-small"):
                ui.link(f"← {above[0]}", above[1]).style("text-decoration: none")
        heading(text, 1)
        if below:
            prose(below)


def style() -> ui.dark_mode:
    """Apply the console's style, light or dark as the user chose, by default as the browser
    prefers.
    """
    ui.add_head_html(REFERRER + SCRIPT)
    ui.add_css(CSS)
    ui.colors(**COLOURS)
    return ui.dark_mode(value=_is_dark())


def _sign_out_button(action: str) -> None:
    """The sign-out form. Its response deletes the cookie."""
    form = ui.element("form")
    form.props["method"], form.props["action"] = "post", action
    with form, ui.button(icon="logout").classes("sk-second") as button:
        button.props('flat round dense type=submit aria-label="Sign out"')
        ui.tooltip("Sign out")


def chosen_theme() -> Literal["", "light", "dark"]:
    """The theme that the user chose in the header, or empty. For pages in frames."""
    is_dark = _is_dark()
    if is_dark is None:
        return ""
    return "dark" if is_dark else "light"


def _is_dark() -> bool | None:
    chosen = ui.context.client.request.cookies.get(DARK)
    return None if chosen is None else chosen == "1"


async def _turn(dark: ui.dark_mode) -> None:
    """Switch the theme. The browser stores the choice in a cookie."""
    dark.value = cast(bool, await ui.run_javascript(TURN))
    for chart in ElementFilter(kind=ui.echart):
        chart.update()  # it took the colours of the page when it was drawn
