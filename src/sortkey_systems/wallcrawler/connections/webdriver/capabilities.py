"""What a WebDriver client may ask for. The browser runs already: nothing may say how to start one.

`goog:chromeOptions` names programs, arguments and folders of the server: all of it is replaced.
"""

from __future__ import annotations

from typing import Any, cast

STANDARD = (
    "acceptInsecureCerts",
    "pageLoadStrategy",
    "timeouts",
    "strictFileInteractability",
    "unhandledPromptBehavior",
    "goog:loggingPrefs",
)
"""What is handed on. The name of the browser and the platform are those of the server."""
OPTIONS = "goog:chromeOptions"
FIRST_MATCHES_MAX = 10


def request_for(body: dict[str, Any], address: str) -> dict[str, Any]:
    """The body of a New Session command that attaches to the browser at `address`."""
    wanted = _object(body.get("capabilities"))
    always = {**_standard(wanted.get("alwaysMatch")), OPTIONS: {"debuggerAddress": address}}
    given: Any = wanted.get("firstMatch")
    choices = cast("list[Any]", given)[:FIRST_MATCHES_MAX] if isinstance(given, list) else []
    first = [_without(_standard(each), always) for each in choices]
    return {"capabilities": {"alwaysMatch": always, "firstMatch": first or [{}]}}


def answer_for(value: dict[str, Any]) -> dict[str, Any]:
    """The answer of a New Session command without the private address of the browser."""
    capabilities = _without(_object(value.get("capabilities")), {OPTIONS: None})
    return {**value, "capabilities": capabilities}


def _standard(capabilities: Any) -> dict[str, Any]:
    known = _object(capabilities)
    return {name: known[name] for name in STANDARD if name in known}


def _without(capabilities: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in capabilities.items() if name not in others}


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
