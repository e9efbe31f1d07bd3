"""Cookies of a running browser, kept beside its profile: a crash loses seconds of them, not the
login.

Chromium writes cookies to disk twice a minute, and those without an expiry never.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, Params
from sortkey_systems.wallcrawler.browsers.local.launch import write_json

FILE = Path("cookies.json")
CHECKPOINT_SECONDS = 3.0
_SETTABLE = (
    "name",
    "value",
    "domain",
    "path",
    "secure",
    "httpOnly",
    "sameSite",
    "priority",
    "sourceScheme",
    "sourcePort",
    "partitionKey",
)


class CookieCheckpoint:
    """Writes the cookies of the default context to a file whenever they have changed."""

    def __init__(self, pipe: CdpPipe) -> None:
        self._pipe = pipe
        self._last: list[Any] | None = None

    def save(self, on_done: Callable[[], None] | None = None) -> None:
        """Ask for the cookies and write them. `on_done` is called in any case, as long as Chromium
        answers."""

        def write(result: Params | None) -> None:
            cookies = result.get("cookies") if result else None
            if cookies is not None and cookies != self._last:
                try:
                    write_json(FILE, {"cookies": cookies})
                    self._last = cookies
                except OSError:
                    pass  # the disk is full; the next time it may not be
            if on_done is not None:
                on_done()

        self._pipe.call("Storage.getCookies", on_result=write)


def saved_cookies() -> bytes | None:
    """What was written last."""
    return FILE.read_bytes() if FILE.exists() else None


def restore_cookies(pipe: CdpPipe, saved: bytes, on_done: Callable[[], None]) -> None:
    """Give cookies to a browser. One that Chromium refuses does not keep the others out."""
    cookies = _settable_cookies(saved)

    def one_by_one(result: Params | None) -> None:
        if result is None:
            for cookie in cookies:
                pipe.call("Storage.setCookies", {"cookies": [cookie]})
        on_done()

    pipe.call("Storage.setCookies", {"cookies": cookies}, on_result=one_by_one)


def _settable_cookies(saved: bytes) -> list[Params]:
    try:
        cookies = json.loads(saved)["cookies"]
        return [_settable(cookie) for cookie in cookies]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []  # of an archive that was made elsewhere


def _settable(cookie: Params) -> Params:
    """What can be set of what was read. A negative expiry means: until the browser ends."""
    settable = {name: cookie[name] for name in _SETTABLE if name in cookie}
    if cookie.get("expires", -1) > 0:
        settable["expires"] = cookie["expires"]
    return settable
