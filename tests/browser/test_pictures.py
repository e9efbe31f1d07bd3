"""The pictures of README and docs: `make pictures` lets these tests write them there."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import PICTURES, Up


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
    ).click()  # the oldest, before it was mended
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


def _save(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")
    assert (PICTURES / f"{name}.png").stat().st_size > 10_000
