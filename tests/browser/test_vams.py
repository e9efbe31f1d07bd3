"""VAMS in the console."""

import re
import time

import httpx
from playwright.sync_api import Page, expect

from tests.browser.conftest import Up, picture, watched


def _dialog(page: Page, button: str, **values: str) -> None:
    """Fill the open dialog and press a button, which closes it."""
    dialog = page.get_by_role("dialog")
    for name, value in values.items():
        dialog.get_by_label(name.replace("_", " "), exact=True).fill(value)
    dialog.get_by_role("button", name=button, exact=True).click()
    expect(dialog).to_have_count(0)


def test_a_constraint_is_written_explained_and_removed(up: Up, page: Page) -> None:
    # "Why can she not open it?" is answered on the page, by the constraint's name.
    name = f"no-secrets-{int(time.time() * 1000)}"
    page.goto(f"{up.console}/vams/permissions")
    page.get_by_role("button", name="New constraint").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add a criterion").first.click()
    dialog.get_by_label("Value").fill("secret-lab")
    dialog.get_by_role("button", name="Add a role or user").click()
    dialog.get_by_label("Effect").click()
    page.get_by_role("option", name="deny").click()
    _dialog(page, "Save", Name=name, Description="Nobody reads the laboratory")
    expect(page.get_by_text(name, exact=True)).to_be_visible()
    picture(page, "vams permissions")

    page.get_by_role("tab", name="Why").click()
    expect(page.get_by_text("Yes", exact=True)).to_be_visible()
    page.get_by_label("databaseId").fill("secret-lab")
    expect(page.get_by_text("No", exact=True)).to_be_visible()
    expect(page.get_by_text(name, exact=True).last).to_be_visible()
    picture(page, "vams why")

    page.get_by_role("tab", name="Constraints").click()
    page.get_by_role("button", name=f"Actions on {name}").click()
    page.get_by_role("menu").get_by_text("Delete").click()
    _dialog(page, "Delete")
    expect(page.get_by_text(name, exact=True)).to_have_count(0)


def test_a_key_is_shown_once_and_opens_the_interface(up: Up, wide: Page) -> None:
    # Whoever reads the page later finds no key.
    name = f"Farm {int(time.time() * 1000)}"
    with watched(wide):
        wide.goto(f"{up.console}/vams/users?tab=Keys")
        wide.get_by_role("button", name="New key").click()
        wide.get_by_role("dialog").get_by_label("Name", exact=True).fill(name)
        wide.get_by_role("dialog").get_by_role("button", name="Create").click()
        shown = wide.get_by_text(re.compile(r"^vams_\S{64}$"))
        expect(shown).to_be_visible()
        raw = shown.inner_text()
        wide.get_by_role("button", name="Done").click()
        wide.reload()
        expect(wide.get_by_text(name)).to_be_visible()
        assert raw not in wide.content()
    answer = httpx.get(
        f"http://127.0.0.1:{up.port}/vams/roles", headers={"Authorization": f"Bearer {raw}"}
    )
    assert answer.status_code == 200
