"""Wallcrawler in the console: a browser that is started, driven, watched, released and replayed."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import Up, picture, watched
from tests.browser.looking import frame_shuts_nobody_out, shuts_nobody_out

FORM = b"""<!doctype html><meta charset="utf-8"><title>Visa form</title>
<body style="margin: 0; font: 40px sans-serif; background: #eef">
<input style="position: fixed; inset: 0 0 50% 0; width: 100%; font: inherit"
  onkeydown="if (event.key === 'Enter') location = '/sent?name=' + this.value">
<p style="position: fixed; bottom: 0">Your name, then Enter</p>"""


class Site:
    """A page with a form, and the names that were sent."""

    def __init__(self) -> None:
        self.names: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = urlsplit(self.path)
                if address.path == "/sent":
                    site.names += parse_qs(address.query).get("name", [])
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(FORM)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def site() -> Iterator[Site]:
    running = Site()
    yield running
    running.server.shutdown()


def _started(up: Up, page: Page, address: str) -> FrameLocator:
    """A session that was started in the console, with its live view open."""
    page.goto(f"{up.console}/wallcrawler")
    page.get_by_role("button", name="New session").click()
    page.get_by_label("Address to open").fill(address)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("tab", name="Live")).to_be_visible(timeout=60_000)
    view = page.frame_locator("iframe")
    expect(view.locator("#screen.shown")).to_be_visible(timeout=60_000)
    expect(view.get_by_role("tab", name="Visa form")).to_be_visible()
    return view


def _typed(page: Page, view: FrameLocator, name: str) -> None:
    screen = view.locator("#screen")
    box = screen.bounding_box()
    assert box is not None
    screen.click(position={"x": box["width"] / 2, "y": box["height"] / 4})
    page.keyboard.type(name)
    page.keyboard.press("Enter")


def _picture(page: Page, name: str) -> None:
    assert page.viewport_size is not None
    picture(page, f"wallcrawler {name} {page.viewport_size['width']}")


def test_a_browser_is_started_driven_watched_released_and_replayed(
    up: Up, page: Page, site: Site
) -> None:
    # All that somebody does with a browser of a colleague's program, in one way through the pages.
    view = _started(up, page, site.address)
    _picture(page, "live")
    _typed(page, view, "Ada")
    page.wait_for_timeout(100)
    expect(view.get_by_label("Address")).to_have_value(re.compile("name=Ada"))
    assert site.names == ["Ada"]

    page.get_by_role("button", name="only watch").click()
    expect(view.get_by_text("view only")).to_be_visible()
    _typed(page, view, "Eve")

    page.goto(f"{up.console}/wallcrawler")
    card = page.get_by_role("link", name=re.compile("Started in the console")).first
    expect(card.locator("img")).to_be_visible()
    _picture(page, "sessions")
    card.click()
    page.get_by_role("button", name="Release").click()
    expect(page.get_by_role("tab", name="Replay", selected=True)).to_be_visible()
    replay = page.frame_locator("iframe")
    expect(replay.locator("#screen.shown")).to_be_visible()
    replay.get_by_role("slider", name="Position").press("End")
    expect(replay.locator("#address")).to_have_text(re.compile("name=Ada"))
    _picture(page, "replay")
    assert site.names == ["Ada"]  # nothing of what was typed while only watching
    assert page.get_by_text("completed").first.is_visible()


def test_the_frames_are_readable_by_day_and_by_night(up: Up, wide: Page, site: Site) -> None:
    # They have a style of their own, which the pages around them do not see.
    with watched(wide):
        view = _started(up, wide, site.address)
        for scheme in ("light", "dark"):
            wide.emulate_media(color_scheme=scheme)
            wide.reload()  # colours that are fading are readable only at the end
            expect(view.get_by_text("live", exact=True)).to_be_visible()
            shuts_nobody_out(wide)
            frame_shuts_nobody_out(wide.frames[-1])
            picture(wide, f"wallcrawler live {scheme}")
        wide.get_by_role("button", name="Release").click()
        expect(wide.get_by_role("tab", name="Replay", selected=True)).to_be_visible()
        replay = wide.frame_locator("iframe")
        expect(replay.locator("#screen.shown")).to_be_visible()
        frame_shuts_nobody_out(wide.frames[-1])


def test_a_new_key_is_shown_once_and_can_be_revoked(up: Up, page: Page) -> None:
    # Whoever looks over somebody's shoulder later, or reads the page again, finds no key.
    page.goto(f"{up.console}/wallcrawler/projects")
    page.get_by_role("button", name="New key").first.click()
    page.get_by_label("Name").fill("Grace's tablet")
    page.get_by_role("button", name="Create").click()
    shown = page.get_by_text(re.compile(r"^wc_[0-9a-f]{48}$"))
    expect(shown).to_be_visible()
    raw = shown.inner_text()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Grace's tablet").first).to_be_visible()
    page.reload()
    expect(page.get_by_text("Grace's tablet").first).to_be_visible()
    assert raw not in page.content()
    revoked = page.get_by_text("revoked").count()
    page.get_by_role("button", name="Revoke").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("revoked")).to_have_count(revoked + 1)


def test_snippets_are_whole_and_name_this_server(up: Up, page: Page) -> None:
    # Somebody copies them and runs them: the address must be the one that answers.
    page.goto(f"{up.console}/wallcrawler/connect")
    address = f"http://127.0.0.1:{up.port}/wallcrawler"
    marks = {
        "Python": "connect_over_cdp",
        "Node": "connectOverCDP",
        "Puppeteer": "browserWSEndpoint",
        "Selenium": "selenium_remote_url",
        "curl": "REQUEST_RELEASE",
    }
    for name, mark in marks.items():
        page.get_by_role("tab", name=name, exact=True).click()
        panel = page.locator(".sk-snippet").filter(has_text=mark)
        expect(panel.locator("pre")).to_contain_text(address)
        copied = panel.locator("[data-copy]").get_attribute("data-copy") or ""
        assert copied.strip() == panel.locator("pre").inner_text().strip()
