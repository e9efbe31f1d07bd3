"""Keeps the main frames of a session inside its allowed domains, whatever leads elsewhere: links,
scripts, redirects.

It attaches to every page before the page's first request and looks at documents only. Frames inside
a page, images and scripts may come from anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, Params
from sortkey_systems.wallcrawler.browsers.local.navigation import is_allowed_domain

_DOCUMENTS: Params = {
    "patterns": [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]
}
_AUTO_ATTACH: Params = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "page", "exclude": False}, {"exclude": True}],
}


class DomainGuard:
    """Fails every request for a main document outside `domains`. `on_ready` is called when it
    watches."""

    def __init__(
        self, pipe: CdpPipe, domains: tuple[str, ...], on_ready: Callable[[], None]
    ) -> None:
        self._pipe, self._domains, self._on_ready = pipe, domains, on_ready
        self._main_frames: dict[str, str] = {}
        pipe.call("Target.attachToBrowserTarget", on_result=self._begin)

    def on_event(self, method: str, message: bytes, session: str) -> None:
        if method == "Fetch.requestPaused":
            self._decide(json.loads(message)["params"], session)
        elif method == "Target.attachedToTarget":
            self._attached(json.loads(message)["params"])
        elif method == "Target.detachedFromTarget":
            self._detached(json.loads(message)["params"]["sessionId"])

    def _begin(self, result: Params | None) -> None:
        if result is None:
            return  # Chromium is gone, which ends the session
        session: str = result["sessionId"]
        self._pipe.owners[session] = self
        self._pipe.call(
            "Target.setAutoAttach",
            _AUTO_ATTACH,
            session=session,
            on_result=lambda _: self._on_ready(),
        )

    def _attached(self, event: Params) -> None:
        session: str = event["sessionId"]
        # The id of a page's main frame is the id of its target.
        self._main_frames[session] = event["targetInfo"]["targetId"]
        self._pipe.owners[session] = self
        self._pipe.call("Fetch.enable", _DOCUMENTS, session=session)
        self._pipe.call("Runtime.runIfWaitingForDebugger", session=session)

    def _detached(self, session: str) -> None:
        if self._main_frames.pop(session, None) is not None:
            self._pipe.forget(session)

    def _decide(self, request: Params, session: str) -> None:
        is_main_frame = request.get("frameId") == self._main_frames.get(session)
        answer: Params = {"requestId": request["requestId"]}
        if is_main_frame and not is_allowed_domain(request["request"]["url"], self._domains):
            self._pipe.call(
                "Fetch.failRequest", answer | {"errorReason": "BlockedByClient"}, session=session
            )
        else:
            self._pipe.call("Fetch.continueRequest", answer, session=session)
