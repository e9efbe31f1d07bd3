"""What a WebDriver client may ask for."""

from typing import Any

import pytest

from sortkey_systems.wallcrawler.connections.webdriver.capabilities import answer_for, request_for

ADDRESS = "127.0.0.1:4567"
HOSTILE = {
    "browserName": "chrome",
    "pageLoadStrategy": "eager",
    "webSocketUrl": True,
    "goog:chromeOptions": {
        "binary": "/bin/sh",
        "args": ["--no-sandbox"],
        "prefs": {},
        "debuggerAddress": "evil:1",
    },
}


@pytest.mark.parametrize(
    "body",
    [
        {"capabilities": {"alwaysMatch": HOSTILE}},
        {"capabilities": {"firstMatch": [HOSTILE]}},
        {"capabilities": {"alwaysMatch": HOSTILE, "firstMatch": [HOSTILE, 7]}},
        {"desiredCapabilities": HOSTILE},
        {"capabilities": [HOSTILE]},
        {},
    ],
)
def test_nobody_chooses_a_program_or_another_browser(body: dict[str, Any]) -> None:
    # `binary` would run any program of the server; another address would reach another tenant.
    asked = request_for(body, ADDRESS)["capabilities"]
    assert asked["alwaysMatch"]["goog:chromeOptions"] == {"debuggerAddress": ADDRESS}
    assert all("goog:chromeOptions" not in each for each in asked["firstMatch"])
    assert "webSocketUrl" not in str(asked)
    assert asked["firstMatch"]


def test_how_pages_load_is_up_to_the_client() -> None:
    # Selenium's own options: without them `eager` would wait for every picture.
    asked = request_for({"capabilities": {"firstMatch": [HOSTILE]}}, ADDRESS)["capabilities"]
    assert asked["firstMatch"] == [{"pageLoadStrategy": "eager"}]


def test_the_private_address_stays_private() -> None:
    # It is of no use to the client, and a hint for everybody else.
    value = {
        "sessionId": "1",
        "capabilities": {"browserName": "chrome", "goog:chromeOptions": {"debuggerAddress": "x"}},
    }
    assert answer_for(value) == {"sessionId": "1", "capabilities": {"browserName": "chrome"}}
