"""The command filter, rule by rule: what is refused, and what is changed on the way."""

from typing import Any

import pytest

from sortkey_systems.wallcrawler.browsers.local.command_filter import (
    CommandRefused,
    Permissions,
    checked,
    checked_for_browser_page,
)

PERMISSIONS = Permissions(
    downloads="/session/downloads",
    uploads="/session/uploads",
    allowed_domains=(),
    browser_contexts={"MINE"},
)
CONFINED = Permissions("/session/downloads", "/session/uploads", ("example.com",))


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.navigate", {"url": "file:///etc/passwd"}),
        ("Page.navigate", {"url": "chrome://settings"}),
        ("Page.navigate", {"url": ["file:///etc/passwd"]}),
        ("Target.createTarget", {"url": "view-source:file:///etc/passwd"}),
        ("Fetch.continueRequest", {"requestId": "1", "url": "file:///etc/passwd"}),
        ("Network.loadNetworkResource", {"url": "file:///etc/passwd"}),
        ("DOM.setFileInputFiles", {"files": ["/etc/passwd"]}),
        ("DOM.setFileInputFiles", {"files": ["/session/uploads/../profile/Cookies"]}),
        ("DOM.setFileInputFiles", {"files": ["/session/uploads/.."]}),
        ("DOM.setFileInputFiles", {"files": ["a\0b"]}),
        ("DOM.setFileInputFiles", {"files": "/etc/passwd"}),
        ("Page.handleFileChooser", {"action": "accept", "files": ["/etc/passwd"]}),
        ("Input.dispatchDragEvent", {"type": "drop", "data": {"files": ["/etc/passwd"]}}),
        ("Browser.crash", {}),
        ("Browser.crashGpuProcess", {}),
        ("Extensions.loadUnpacked", {"path": "/etc"}),
        ("SystemInfo.getProcessInfo", {}),
        ("Tethering.bind", {"port": 80}),
        ("Target.exposeDevToolsProtocol", {"targetId": "1"}),
        ("Target.setRemoteLocations", {"locations": [{"host": "10.0.0.1", "port": 1}]}),
        ("Target.sendMessageToTarget", {"message": "{}"}),
        ("Target.attachToTarget", {"targetId": "1"}),
        ("Target.attachToTarget", {"targetId": "1", "flatten": False}),
        ("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True}),
        ("Target.attachToTarget", {"targetId": "1", "autoAttach": False}),
        ("Target.setAutoAttach", {"autoAttach": 0, "waitForDebuggerOnStart": True}),
        ("Target.disposeBrowserContext", {"browserContextId": "OTHERS"}),
        ("Target.createBrowserContext", {"proxyServer": "127.0.0.1:8080"}),
        ("Target.createBrowserContext", {"proxyServer": "http://LOCALHOST:8080"}),
        ("Target.createBrowserContext", {"proxyServer": "http=far.example;https=127.1:80"}),
        ("Target.createBrowserContext", {"proxyServer": "socks5://[::1]:80"}),
        ("Target.createBrowserContext", {"proxyServer": "http://0.0.0.0:80"}),
        ("Target.createBrowserContext", {"proxyServer": ["127.0.0.1:80"]}),
        ("Target.disposeBrowserContext", {"browserContextId": []}),
        ("Target.disposeBrowserContext", {"browserContextId": {"id": "MINE"}}),
        ("Target.disposeBrowserContext", {}),
    ],
)
def test_what_reaches_beyond_the_session_is_refused(method: str, params: dict[str, Any]) -> None:
    # Each of these reads the machine, ends the session for others, or passes by this filter.
    with pytest.raises(CommandRefused):
        checked(method, params, PERMISSIONS)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.navigate", {"url": "https://example.com"}),
        ("Target.createTarget", {"url": ""}),
        ("Target.attachToTarget", {"targetId": "1", "flatten": True}),
        ("Target.setAutoAttach", {"autoAttach": False, "waitForDebuggerOnStart": False}),
        ("Target.disposeBrowserContext", {"browserContextId": "MINE"}),
        ("Target.createBrowserContext", {"proxyServer": "http=10.0.0.1:80;https=far.example:80"}),
        ("Target.createBrowserContext", {"disposeOnDetach": True}),
        ("Browser.setDownloadBehavior", {"behavior": "deny"}),
        ("Page.handleFileChooser", {"action": "cancel"}),
        ("Input.dispatchDragEvent", {"type": "drop", "data": {"items": []}}),
        ("Fetch.continueRequest", {"requestId": "1"}),
        ("Runtime.evaluate", {"expression": "1"}),
    ],
)
def test_what_clients_need_passes_unchanged(method: str, params: dict[str, Any]) -> None:
    # A filter that refuses too much breaks the clients that people have.
    assert checked(method, params, PERMISSIONS) == params


@pytest.mark.parametrize("behavior", ["allow", "allowAndName", "default"])
def test_downloads_go_into_the_folder_of_the_session(behavior: str) -> None:
    # Clients name a folder of their own machine, which would be a folder of ours.
    params = {"behavior": behavior, "downloadPath": "/etc", "browserContextId": "MINE"}
    assert checked("Browser.setDownloadBehavior", params, PERMISSIONS) == {
        "behavior": "allowAndName",
        "downloadPath": "/session/downloads",
        "eventsEnabled": True,
        "browserContextId": "MINE",
    }


@pytest.mark.parametrize(
    "name", ["report.pdf", "/tmp/.uploads/report.pdf", "/session/uploads/report.pdf"]
)
def test_files_are_those_that_were_uploaded_to_the_session(name: str) -> None:
    # Clients know an uploaded file by its name, or by the path that Browserbase documents.
    params = {"files": [name], "nodeId": 7}
    mapped = {"files": ["/session/uploads/report.pdf"], "nodeId": 7}
    assert checked("DOM.setFileInputFiles", params, PERMISSIONS) == mapped


def test_pages_outside_the_allowed_domains_are_refused_by_name() -> None:
    # The client learns why, instead of seeing a page that does not load.
    with pytest.raises(CommandRefused, match="allowedDomains"):
        checked("Page.navigate", {"url": "https://evil.test/"}, CONFINED)
    for url in ("https://shop.example.com/", "about:blank"):
        assert checked("Target.createTarget", {"url": url}, CONFINED) == {"url": url}


def test_pages_of_the_browser_itself_cannot_be_driven() -> None:
    # Chromium shows its own pages among the targets; their scripts may do what tenants may not.
    checked_for_browser_page("Runtime.runIfWaitingForDebugger")
    checked_for_browser_page("Target.detachFromTarget")
    with pytest.raises(CommandRefused):
        checked_for_browser_page("Runtime.evaluate")
