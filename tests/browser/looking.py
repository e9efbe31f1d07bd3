"""What every page of the console is looked at for, light and dark."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page

PAGES = [
    "/",
    "/models",
    "/models/jobengine",
    "/models/vams",
    "/data",
    "/search",
    "/changes",
    "/objects",
    "/partiql",
    "/requests",
    "/applens",
    "/applens/compare",
    "/jobengine",
    "/vams",
    "/vams/assets",
    "/vams/databases/plant-rotterdam/assets/pump-p101?tab=Versions",
    "/vams/databases/plant-rotterdam/assets/pump-p101?tab=Metadata",
    "/vams/databases/plant-rotterdam/assets/pump-p101?tab=Links",
    "/vams/workflows",
    "/vams/schemas",
    "/vams/permissions",
    "/vams/permissions?tab=Why",
    "/vams/users",
    "/vams/audit",
    "/wallcrawler",
    "/wallcrawler/contexts",
    "/wallcrawler/projects",
    "/wallcrawler/connect",
    "/wallcrawler/sessions/sess_4f2a?tab=Details",
]


def shuts_nobody_out(page: Page) -> None:
    """Nothing serious for people who do not see, hear or point as others do; and nothing beside the
    window.
    """
    _with_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    problems = page.evaluate(_WHAT_SHUTS_OUT)
    assert problems == [], problems


def frame_shuts_nobody_out(frame: Frame) -> None:
    """The same for a page in a frame: axe does not look into it from outside."""
    frame.evaluate(Axe().axe_script)
    problems = frame.evaluate(_WHAT_SHUTS_OUT)
    assert problems == [], problems


def is_readable(page: Page, where: str) -> None:
    """The texts in a part of the page stand out from what is behind them."""
    _with_axe(page)
    page.wait_for_function(_IS_STILL, arg=where)  # what fades in is pale for a moment
    pale = page.evaluate(_WHAT_IS_PALE, where)
    assert pale == [], pale


def _with_axe(page: Page) -> None:
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)


_WHAT_SHUTS_OUT = """async () => {
  // What lies under a dialog has colours that axe does not see. To preload would be to ask the server again.
  const rules = {'color-contrast': {enabled: !document.querySelector('.q-dialog')}};
  const found = await axe.run({resultTypes: ['violations'], preload: false, rules});
  const serious = found.violations.filter(each => ['serious', 'critical'].includes(each.impact));
  return serious.map(each => [each.id, each.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]);
}"""

_IS_STILL = "where => document.querySelector(where).getAnimations({subtree: true}).length === 0"

_WHAT_IS_PALE = """async where => {
  const found = await axe.run(where, {runOnly: ['color-contrast'], preload: false});
  if (!found.passes.length && !found.violations.length) return ['there is no text'];
  return found.violations.flatMap(each => each.nodes.map(node => [node.html.slice(0, 200), node.any[0].message]));
}"""
