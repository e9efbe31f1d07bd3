"""Signing in to the console and out of it, in a real browser: in several tabs, and over
restarts.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE_MS, WIDE, Up, picture
from tests.browser.looking import shuts_nobody_out

PASSWORD = "correct horse"


class Served:
    """A console with a password, which can be started again at the same address on the
    same data.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.up = self._start(PASSWORD, None)

    def _start(self, password: str, port: int | None) -> Up:
        options = ("--no-sample", "--systems", "applens", "--password", password)
        up = Up(self.folder / "data", *options, cwd=self.folder, port=port)
        up.wait_for("Ctrl-C stops it")
        return up

    def restart(self, password: str) -> None:
        assert self.up.stop() == 0
        self.up = self._start(password, self.up.port)

    def kill(self) -> None:
        self.up.process.kill()
        self.up.process.wait()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path)
    yield served
    served.kill()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser of somebody who was never there."""
    with browser.new_context(viewport=WIDE) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context


def sign_in(page: Page, up: Up, password: str = PASSWORD) -> None:
    page.goto(up.console)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Your data models, running")).to_be_visible()


def is_asked(page: Page) -> None:
    expect(page.get_by_label("Password")).to_be_visible()


def test_signing_out_ends_the_session_in_every_tab_and_for_every_copy_of_its_cookie(
    served: Served, context: BrowserContext, browser: Browser
):
    # Who signs out on a machine that others use leaves nothing open there.
    first, second = context.new_page(), context.new_page()
    sign_in(first, served.up)
    second.goto(f"{served.up.console}/data?table=applens-graph-metadata")
    expect(second.get_by_role("button", name="New item")).to_be_visible()
    cookies = context.cookies()
    first.get_by_role("button", name="Sign out").click()
    is_asked(first)
    is_asked(second)  # by itself
    first.go_back()
    is_asked(first)
    with browser.new_context() as thief:
        thief.add_cookies([{**each} for each in cookies])  # pyright: ignore[reportArgumentType]
        page = thief.new_page()
        page.goto(f"{served.up.console}/data")
        is_asked(page)


def test_a_restart_leaves_people_signed_in_and_another_password_does_not(
    served: Served, context: BrowserContext
):
    page = context.new_page()
    sign_in(page, served.up)
    served.restart(PASSWORD)
    page.goto(f"{served.up.console}/data")
    expect(page.get_by_role("heading", name="Data")).to_be_visible()
    served.restart("another password")
    page.goto(f"{served.up.console}/data")
    is_asked(page)
    sign_in(page, served.up, "another password")


def test_what_is_kept_of_people_lies_in_the_data_folder_for_its_owner_alone(
    served: Served, context: BrowserContext
):
    # The folder in which a program was started may be anybody's, or a repository's.
    page = context.new_page()
    sign_in(page, served.up)
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body.body--dark")).to_be_visible()
    assert served.up.stop() == 0  # what is written at the end has been written
    assert [each.name for each in served.folder.iterdir()] == ["data"]
    folder = served.folder / "data" / "console"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()} == {
        "sessions.json": 0o600
    }


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_way_in_and_out_shuts_nobody_out(
    served: Served, browser: Browser, width: int, scheme: str
):
    with browser.new_context(
        viewport={"width": width, "height": 860}, color_scheme=scheme
    ) as context:  # pyright: ignore
        page = context.new_page()
        page.goto(served.up.console)
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("Wrong password.")
        shuts_nobody_out(page)
        picture(page, f"sign-in-{width}-{scheme}")
        sign_in(page, served.up)
        shuts_nobody_out(page)
        picture(page, f"signed-in-{width}-{scheme}")
