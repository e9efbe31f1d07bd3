"""What the console shows only when one does something, in the dark. Its pages are in test_console,
light and dark.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Up, watched
from tests.browser.looking import is_readable


@pytest.fixture
def dark(wide: Page) -> Iterator[Page]:
    wide.emulate_media(color_scheme="dark")
    with watched(wide):
        yield wide


def test_what_is_chosen_and_what_explains_it_is_readable(up: Up, dark: Page):
    dark.goto(f"{up.console}/search?q=pump")
    dark.get_by_role("combobox", name="Order").click()
    expect(dark.get_by_role("option", selected=True)).to_be_visible()
    is_readable(dark, ".q-menu")
    dark.keyboard.press("Escape")
    dark.get_by_role("checkbox").first.hover()
    expect(dark.get_by_role("tooltip")).to_be_visible()
    is_readable(dark, ".q-tooltip")


def test_what_has_the_focus_is_seen(up: Up, dark: Page):
    # Who goes by keys must see where they are.
    dark.goto(f"{up.console}/models/applens")
    for each in (dark.get_by_role("button", name="Menu"), dark.get_by_role("tab", selected=True)):
        expect(each).to_be_visible()
        dark.keyboard.press("Tab")  # what is focused by a script alone has no ring
        each.focus()
        expect(each).to_have_css("outline-style", "solid")
    dark.get_by_label("Find a pattern").focus()
    dark.wait_for_function(_HAS_THE_BORDER_OF_LINKS)


_HAS_THE_BORDER_OF_LINKS = """() => {
  const field = document.activeElement.closest('.q-field__control');
  return getComputedStyle(field, '::after').borderTopColor === getComputedStyle(document.querySelector('a')).color;
}"""


def test_a_graph_has_the_colours_of_the_page_also_when_they_turn(up: Up, dark: Page):
    # A canvas keeps the colours that it was drawn with, and a box that is white by day is white at
    # night.
    dark.goto(f"{up.console}/applens")
    dark.locator("tr").filter(has_text="COMPLETE").last.locator("a").click()
    expect(dark.locator("canvas").first).to_be_visible()
    dark.wait_for_function(_HAS_THE_COLOURS_OF_THE_PAGE)
    dark.get_by_role("button", name="Light or dark").click()
    expect(dark.locator("body")).to_have_class(re.compile("body--light"))
    dark.wait_for_function(_HAS_THE_COLOURS_OF_THE_PAGE)


_HAS_THE_COLOURS_OF_THE_PAGE = """() => {
  const drawn = getElement(Number(document.querySelector('canvas').closest('[id^=c]').id.slice(1))).chart?.getOption();
  const page = getComputedStyle(document.body);
  return drawn && drawn.series[0].label.color === page.getPropertyValue('--quiet')
    && drawn.tooltip[0].backgroundColor === page.getPropertyValue('--sunken');
}"""
