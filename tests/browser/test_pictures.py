"""The pictures of README and docs: `make pictures` lets these tests write them there."""

import re
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from browserbase import Browserbase
from playwright.sync_api import Page, expect

from tests.browser.conftest import PICTURES, Up

SHOWN = {
    "Prices of espresso machines": """<title>Café Nord</title>
      <body style="margin: 0; font: 20px Georgia, serif; background: #faf6f0; color: #3a2a1a">
      <div style="background: #3a2a1a; color: #faf6f0; padding: 24px 48px; font-size: 30px">
      Café Nord</div><div style="display: flex; gap: 24px; padding: 40px 48px">
      <p style="flex: 1; background: #fff; border-radius: 12px; padding: 24px">
      <b style="font-size: 28px">Lever 1961</b><br>€ 1,290</p>
      <p style="flex: 1; background: #fff; border-radius: 12px; padding: 24px">
      <b style="font-size: 28px">Compact Due</b><br>€ 540</p>
      <p style="flex: 1; background: #fff; border-radius: 12px; padding: 24px">
      <b style="font-size: 28px">Barista Pro</b><br>€ 870</p></div>""",
    "Read the tram timetable": """<title>Line 4</title>
      <body style="margin: 0; font: 32px sans-serif; background: #0b3d2e; color: #e8fff4">
      <div style="background: #072a20; padding: 24px 48px">Line 4 → Harbour</div>
      <p style="padding: 0 48px; line-height: 1.9">08:04 Central<br>08:11 Opera<br>
      08:18 Museum<br>08:25 Central<br>08:32 Opera</p>""",
    "Book a meeting room": """<title>Rooms</title>
      <body style="margin: 0; font: 24px sans-serif; background: #f2f4fb; color: #1d2340">
      <h1 style="padding: 32px 48px 0; margin: 0">Which room?</h1>
      <div style="padding: 24px 48px; display: grid; gap: 16px">
      <div style="background: #fff; border-radius: 10px; padding: 20px">Ada, 6 people</div>
      <div style="background: #dfe6ff; border-radius: 10px; padding: 20px">Grace, 12 people</div>
      <div style="background: #fff; border-radius: 10px; padding: 20px">Linus, 3 people</div>""",
}
"""What browsers show in the picture, by what they are for."""


def test_home_for_the_docs(up: Up, wide: Page):
    wide.goto(f"{up.console}/jobengine")
    expect(wide.get_by_text("completed").first).to_be_visible(timeout=120_000)
    wide.goto(f"{up.console}/")
    expect(wide.get_by_role("heading", name="vams")).to_be_visible()
    _save(wide, "home")


def test_a_run_with_its_exposed_ways_for_the_readme(up: Up, wide: Page):
    # The sample of AppLens has ways from the internet to data: that is what the picture shows, to
    # the legend.
    wide.set_viewport_size({"width": 1280, "height": 1000})
    wide.goto(f"{up.console}/applens")
    wide.locator("tr").filter(has_text="COMPLETE").last.locator(
        "a"
    ).click()  # the oldest, before it was fixed
    expect(wide.locator("canvas").first).to_be_visible()
    expect(wide.get_by_text("internet →").first).to_be_visible()
    wide.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )  # the canvas
    _save(wide, "console")


def test_a_journey_for_the_docs(up: Up, wide: Page):
    wide.goto(f"{up.console}/jobengine")
    wide.get_by_role("link", name="The sample shop").last.click()
    expect(wide.get_by_text("100 %").first).to_be_visible(timeout=120_000)
    _save(wide, "journey")


def test_browsers_for_the_docs(up: Up, wide: Page):
    # Two browsers at work, with what they show: the page that somebody looks at first.
    said = re.search(r"API key (\S+), base URL (\S+)", up.said)
    assert said is not None
    client = Browserbase(api_key=said[1], base_url=said[2])
    with _site() as site:
        sessions = [_opened(client, task, f"{site}/{n}") for n, task in enumerate(SHOWN)]
    wide.goto(f"{up.console}/wallcrawler")
    expect(wide.locator(".wc-session img[src]")).to_have_count(len(sessions))
    wide.wait_for_timeout(2500)  # the pictures are fetched again every two seconds
    _save(wide, "browsers")
    for each in sessions:
        client.sessions.update(each, status="REQUEST_RELEASE")


@contextmanager
def _site() -> Generator[str]:
    pages = ["<!doctype html><meta charset=utf-8>" + text for text in SHOWN.values()]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = self.path.strip("/")
            self.send_response(200 if number.isdecimal() else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            if number.isdecimal():
                self.wfile.write(pages[int(number)].encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()


def _opened(client: Browserbase, task: str, address: str) -> str:
    """A session that shows a page, without a client: it stays until it is released."""
    session = client.sessions.create(keep_alive=True, user_metadata={"task": task})
    script = (
        "import sys\n"
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright:\n"
        "    browser = playwright.chromium.connect_over_cdp(sys.argv[1])\n"
        "    page = browser.contexts[0].pages[0]\n"
        "    page.goto(sys.argv[2])\n"
        "    page.wait_for_timeout(1000)\n"
    )
    # In a process of its own: this one has an event loop of Playwright already.
    subprocess.run([sys.executable, "-c", script, session.connect_url, address], check=True)
    return session.id


def _save(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")
    assert (PICTURES / f"{name}.png").stat().st_size > 10_000
