"""Downloads of a session: one folder, and names as clients of Browserbase expect them,
`report-1700000000000.pdf`.

Chromium writes each under the id of the download, so that two of one name do not collide. A
complete one is renamed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, Params

BYTES_MAX = 2 * 1024**3
"""All downloads of a session. What would go beyond it is cancelled."""
NAME_BYTES_MAX = 180
NUMBER_MAX = 10_000

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


class Downloads:
    """Sends the downloads of every browser context into one folder and names them."""

    def __init__(
        self,
        pipe: CdpPipe,
        folder: str,
        folder_for_chromium: str,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._pipe, self._folder, self._folder_for_chromium = pipe, folder, folder_for_chromium
        self._clock = clock
        self._names: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._last_ms = 0
        pipe.listeners["Browser.downloadWillBegin"] = self._began
        pipe.listeners["Browser.downloadProgress"] = self._progressed
        self.watch()

    def watch(self, browser_context: str | None = None) -> None:
        """Take the downloads of a context. A client that leaves resets this, so it is called again
        then."""
        params: Params = {
            "behavior": "allowAndName",
            "downloadPath": self._folder_for_chromium,
            "eventsEnabled": True,
        }
        if browser_context is not None:
            params["browserContextId"] = browser_context
        self._pipe.call("Browser.setDownloadBehavior", params)

    def _began(self, event: Params) -> None:
        if len(self._names) >= NUMBER_MAX:
            self._pipe.call("Browser.cancelDownload", {"guid": event["guid"]})
            return
        self._names[event["guid"]] = str(event.get("suggestedFilename") or "download")

    def _progressed(self, event: Params) -> None:
        guid: str = event["guid"]
        self._sizes[guid] = int(max(event.get("receivedBytes", 0), 0))
        if event.get("state") == "completed":
            self._rename(guid)
        elif event.get("state") == "inProgress" and sum(self._sizes.values()) > BYTES_MAX:
            self._sizes.pop(guid)
            self._pipe.call("Browser.cancelDownload", {"guid": guid})

    def _rename(self, guid: str) -> None:
        suggested = self._names.pop(guid, "download")
        self._last_ms = max(self._last_ms + 1, round(self._clock() * 1000))
        name = download_name(suggested, self._last_ms)
        for written in (
            guid,
            suggested,
        ):  # the old way of allowing downloads keeps the suggested name
            if os.sep in written or written in {"", ".", ".."}:
                continue
            try:
                os.rename(os.path.join(self._folder, written), os.path.join(self._folder, name))
                return
            except OSError:
                continue


def download_name(suggested: str, ms: int) -> str:
    """A file name that is safe anywhere and unique in its session: the stem, the time in
    milliseconds, the suffix."""
    plain = _UNSAFE.sub("_", re.split(r"[/\\]", suggested)[-1]).strip(". ")
    stem, suffix = os.path.splitext(plain or "download")
    if len(suffix.encode()) > 20:
        stem, suffix = stem + suffix, ""
    stem = stem.encode()[:NAME_BYTES_MAX].decode("utf-8", "ignore") or "download"
    return f"{stem}-{ms:013d}{suffix}"
