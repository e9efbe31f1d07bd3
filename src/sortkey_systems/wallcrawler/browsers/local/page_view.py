"""A connection that is for one page: what it may ask of targets, and what it learns of them.

The link to one page is given to people who must neither drive nor read the others.
"""

from __future__ import annotations

import json

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import Params
from sortkey_systems.wallcrawler.browsers.local.command_filter import CommandRefused

_OF_A_TARGET = frozenset(
    {
        "Target.activateTarget",
        "Target.attachToTarget",
        "Target.closeTarget",
        "Target.getTargetInfo",
    }
)
_EVENTS = frozenset(
    {
        "Target.targetCreated",
        "Target.targetInfoChanged",
        "Target.targetDestroyed",
        "Target.targetCrashed",
    }
)


class PageView:
    """The limits of a connection to one page."""

    def __init__(self, target_id: str) -> None:
        self._target_id = target_id

    def check(self, method: str, params: Params) -> None:
        """Raises CommandRefused for what concerns another page."""
        is_of_a_target = method in _OF_A_TARGET or "targetId" in params
        is_other = is_of_a_target and params.get("targetId") != self._target_id
        if is_other or method == "Target.createTarget":
            raise CommandRefused(
                f"{method} is only available for the page {self._target_id}: "
                "use a link to the whole browser"
            )

    def is_shown(self, method: str, message: bytes) -> bool:
        """Whether an event is one of this page, or does not tell of targets."""
        if method not in _EVENTS:
            return True
        params: Params = json.loads(message)["params"]
        info: Params = params.get("targetInfo", params)
        return info.get("targetId") == self._target_id

    def shown_answer(self, method: str, rest: bytes) -> bytes:
        """An answer from its first comma on, without other targets."""
        if method != "Target.getTargets" or not rest:
            return rest
        answer: Params = json.loads(b"{" + rest[1:])
        result: Params = answer.get("result", {})
        if "targetInfos" in result:
            infos: list[Params] = result["targetInfos"]
            result["targetInfos"] = [
                info for info in infos if info.get("targetId") == self._target_id
            ]
        return b"," + json.dumps(answer, separators=(",", ":")).encode()[1:]
