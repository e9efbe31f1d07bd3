"""`sortkey wallcrawler run`: one page in a browser of its own, without a server."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sortkey.commands import USAGE, CommandFailed, Json, examples, print_json
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserDidNotStart,
    BrowserGone,
    Browsers,
    BrowserSpec,
    Role,
    Viewport,
)
from sortkey_systems.wallcrawler.page_driver import PageDriver, PageFailed, with_scheme

PROJECT = "command-line"
EXAMPLES = examples(
    "sortkey wallcrawler run https://example.com",
    "sortkey wallcrawler run https://example.com --screenshot page.png --full",
    "sortkey wallcrawler run https://example.com --evaluate 'document.links.length'",
)


def run(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to open.")],
    screenshot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save a picture of it, as PNG.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All of the page, not only what is seen.")
    ] = False,
    evaluate: Annotated[
        str | None, typer.Option(metavar="SCRIPT", help="A JavaScript expression to print.")
    ] = None,
    width: Annotated[int, typer.Option(min=100, max=4000, help="Of the page, in pixels.")] = 1280,
    height: Annotated[int, typer.Option(min=100, max=4000, help="Of the page, in pixels.")] = 720,
    seconds: Annotated[
        float, typer.Option(min=1, max=600, help="How long the page may take to load.")
    ] = 30,
    json: Json = False,
) -> None:
    """Open a page in a browser of its own and print its title.

    It needs no server and no key. The browser is isolated as that of a session is, and nothing of
    it is left afterwards.
    """
    address = with_scheme(url)
    if screenshot is not None and not screenshot.absolute().parent.is_dir():
        raise CommandFailed(f"{screenshot.parent} is not a folder: name another FILE", USAGE)
    visit = Visit(address, Viewport(width, height), seconds, script=evaluate)
    try:
        found, picture = asyncio.run(
            _visit(visit, has_picture=screenshot is not None, is_full=full)
        )
    except (BrowserDidNotStart, BrowserGone, PageFailed, TimeoutError) as error:
        raise CommandFailed(str(error) or "the browser does not answer") from None
    if screenshot is not None:
        screenshot.write_bytes(picture)
        found["screenshot"] = str(screenshot)
    _print(found, is_json=json)


@dataclass(frozen=True, slots=True)
class Visit:
    """A page to open, and what to ask of it."""

    url: str
    viewport: Viewport
    seconds: float
    script: str | None = None


async def _visit(visit: Visit, *, has_picture: bool, is_full: bool) -> tuple[dict[str, Any], bytes]:
    async with _browser(visit.viewport) as (driver, found):
        began = time.perf_counter()
        await driver.go(visit.url, visit.seconds)
        found["loadedMs"] = round(1000 * (time.perf_counter() - began))
        found["url"] = await driver.evaluate("location.href")
        found["title"] = await driver.evaluate("document.title")
        if visit.script is not None:
            found["value"] = await driver.evaluate(visit.script)
        return found, await driver.screenshot(is_full=is_full) if has_picture else b""


class _browser:
    """A browser for one page: its folder and its processes end with the block."""

    def __init__(self, viewport: Viewport) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="wallcrawler-")
        self._browsers = one_browser(Path(self._folder.name))
        self._spec = BrowserSpec(
            session_id=f"sess_{secrets.token_hex(6)}",
            project_id=PROJECT,
            expires_at=time.time() + 900,
            viewport=viewport,
            record=False,
            log=False,
        )

    async def __aenter__(self) -> tuple[PageDriver, dict[str, Any]]:
        began = time.perf_counter()
        await self._browsers.open()
        try:
            started = await self._browsers.start(self._spec)
            connection = await self._browsers.connect(self._spec.session_id, Role.OBSERVER)
            driver = await PageDriver.attach(connection)
        except BaseException:
            await self.__aexit__()
            raise
        took = round(1000 * (time.perf_counter() - began))
        return driver, {"browser": started.product, "startedMs": took}

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._browsers.end(self._spec.session_id, "done")
        except BrowserGone:
            pass  # it did not start
        finally:
            await self._browsers.close()
            self._folder.cleanup()


def one_browser(folder: Path) -> Browsers:
    """Browsers of this machine, none of them started in advance."""
    from sortkey_systems.wallcrawler.browsers.choice import local_settings
    from sortkey_systems.wallcrawler.browsers.local.adapter import LocalBrowsers

    return LocalBrowsers(folder, replace(local_settings(), warm=0))


def _print(found: dict[str, Any], *, is_json: bool) -> None:
    if is_json:
        print_json(found)
        return
    print(found["title"] or found["url"])
    if "value" in found:
        print(found["value"])
    if "screenshot" in found:
        print(f"saved {found['screenshot']}")
