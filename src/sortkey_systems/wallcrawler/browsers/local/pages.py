"""The open pages of a browser, as its own target events tell; each page has a number for logs and
recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, Params

BROWSER_SCHEMES = ("chrome:", "chrome-untrusted:", "devtools:", "file:")
"""Pages of the browser itself and of the machine's files. `chrome-extension:` and `chrome-error:`
are not among them."""


def is_browser_page(target: Params) -> bool:
    """Whether a target is part of the browser itself, such as the list under its address bar."""
    url = str(target.get("url", "")).removeprefix("view-source:")
    return target.get("type") == "browser_ui" or url.startswith(BROWSER_SCHEMES)


class Pages:
    """Follows the targets of type `page`, and where every target is."""

    def __init__(self, pipe: CdpPipe) -> None:
        self.open: dict[str, Params] = {}
        """By target id, in the order of their creation."""
        self.on_opened: list[Callable[[str], None]] = []
        self.on_closed: list[Callable[[str], None]] = []
        self._numbers: dict[str, int] = {}
        self._targets: dict[str, Params] = {}
        """Of all types, as Chromium has described them last."""
        self._pipe = pipe
        pipe.listeners["Target.targetCreated"] = self._created
        pipe.listeners["Target.targetInfoChanged"] = self._changed
        pipe.listeners["Target.targetDestroyed"] = self._destroyed
        pipe.call("Target.setDiscoverTargets", {"discover": True})

    def number(self, target_id: str | None) -> int:
        """The number of a page, from 1; 0 for the browser and for everything that is not a page."""
        return self._numbers.get(target_id or "", 0)

    def is_of_browser(self, target: Params) -> bool:
        """Whether a target that was once described like this is a part of the browser now: it may
        have navigated since."""
        return is_browser_page(self._targets.get(target["targetId"], target))

    def refresh(self) -> None:
        """Ask for the titles: Chromium tells of a page's address at once, of its title not at all."""

        def update(result: Params | None) -> None:
            for info in (result or {}).get("targetInfos", ()):
                if info["targetId"] in self.open:
                    self.open[info["targetId"]] = info

        self._pipe.call("Target.getTargets", on_result=update)

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"id": target_id, "url": info.get("url", ""), "title": info.get("title", "")}
            for target_id, info in self.open.items()
        ]

    def _created(self, event: Params) -> None:
        info: Params = event["targetInfo"]
        self._targets[info["targetId"]] = info
        if info.get("type") != "page" or is_browser_page(info) or info["targetId"] in self.open:
            return
        target_id = info["targetId"]
        self._numbers.setdefault(target_id, len(self._numbers) + 1)
        self.open[target_id] = info
        for callback in self.on_opened:
            callback(target_id)

    def _changed(self, event: Params) -> None:
        info: Params = event["targetInfo"]
        self._targets[info["targetId"]] = info
        if info["targetId"] in self.open:
            self.open[info["targetId"]] = info
        else:
            self._created(event)

    def _destroyed(self, event: Params) -> None:
        target_id: str = event["targetId"]
        self._targets.pop(target_id, None)
        if self.open.pop(target_id, None) is not None:
            for callback in self.on_closed:
                callback(target_id)
