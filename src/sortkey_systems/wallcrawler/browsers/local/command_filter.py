"""The command filter: which CDP commands a connection may send, and how some are changed on the
way.

Guards of the operating system come first; these rules are the second line. A rule is a function
from parameters to parameters. It raises CommandRefused, and its message is what the client reads.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey_systems.wallcrawler.browsers.local.navigation import (
    is_allowed_domain,
    is_allowed_url,
    is_script_url,
)

Params = dict[str, Any]

CLIENT_UPLOADS = "/tmp/.uploads/"
"""Where clients of Browserbase expect the files that were uploaded to their session."""


class CommandRefused(Exception):
    """A command that this connection may not send."""


@dataclass(slots=True)
class Permissions:
    """What the rules need to know about a session, with the folders as Chromium sees them."""

    downloads: str
    uploads: str
    allowed_domains: tuple[str, ...] = ()
    browser_contexts: set[str] = field(default_factory=set[str])
    """The browser contexts that this connection has created."""


Rule = Callable[[Params, Permissions], Params]


def checked(method: str, params: Params, permissions: Permissions) -> Params:
    """The parameters to send to Chromium. Raises CommandRefused."""
    if method in REFUSED or method.startswith(REFUSED_DOMAINS):
        raise CommandRefused(
            f"{method} is not available: {REFUSED.get(method, 'it would reach beyond the session')}"
        )
    rule = RULES.get(method)
    return params if rule is None else rule(params, permissions)


def checked_for_viewer(method: str, params: Params, *, is_interactive: bool) -> None:
    """Refuse what a live view does not need, and scripts, which would read the page."""
    if method not in VIEWER_METHODS and not (is_interactive and method in INTERACTIVE_METHODS):
        raise CommandRefused(
            f"{method} is not available in {'a' if is_interactive else 'a read-only'} live view"
        )
    if is_script_url(str(params.get("url", ""))):
        raise CommandRefused("A live view cannot run scripts: use http, https or about:blank")


def checked_for_browser_page(method: str) -> None:
    """Refuse to drive the browser's own pages: their scripts may do what the rules here forbid."""
    if not method.startswith("Target.") and method != "Runtime.runIfWaitingForDebugger":
        raise CommandRefused(
            f"{method} is not available on a page of the browser or of the machine"
        )


# -- rules


def _download_behavior(params: Params, permissions: Permissions) -> Params:
    """Downloads go into the session's folder, under names that cannot collide; the holder renames
    them."""
    if params.get("behavior") == "deny":
        return params
    return {
        **params,
        "behavior": "allowAndName",
        "downloadPath": permissions.downloads,
        "eventsEnabled": True,
    }


def _page_download_behavior(params: Params, permissions: Permissions) -> Params:
    """The old form of the same. It keeps the names of files; the holder renames those too."""
    if params.get("behavior") == "deny":
        return params
    return {**params, "behavior": "allow", "downloadPath": permissions.downloads}


def _url(params: Params, permissions: Permissions) -> Params:
    """A page may be opened unless it is of the machine, of the browser, or outside the allowed
    domains."""
    url = params.get("url")
    if url is None:
        return params
    if not isinstance(url, str):
        raise CommandRefused("url must be a string")
    if not is_allowed_url(url):
        raise CommandRefused(
            f"Cannot navigate to {url[:200]!r}: use http, https, data or about:blank"
        )
    if permissions.allowed_domains and not is_allowed_domain(url, permissions.allowed_domains):
        raise CommandRefused(
            f"Cannot navigate to {url[:200]!r}: it is not in the session's allowedDomains"
        )
    return params


def _resource_url(params: Params, _permissions: Permissions) -> Params:
    """A resource may come from any domain: only main frames are confined."""
    url = params.get("url")
    if url is not None and not (isinstance(url, str) and is_allowed_url(url)):
        raise CommandRefused(f"Cannot load {str(url)[:200]!r}: use http, https or data")
    return params


def _files(params: Params, permissions: Permissions) -> Params:
    """Files to choose in a page are those that were uploaded to the session."""
    if "files" not in params:
        return params
    return {**params, "files": _uploaded(params["files"], permissions)}


def _dragged_files(params: Params, permissions: Permissions) -> Params:
    """Files can also be dropped on a page."""
    data = params.get("data")
    if not isinstance(data, dict) or "files" not in data:
        return params
    dragged = cast(Params, data)
    return {**params, "data": {**dragged, "files": _uploaded(dragged["files"], permissions)}}


def _uploaded(files: Any, permissions: Permissions) -> list[str]:
    names = cast(list[Any], files) if isinstance(files, list) else [None]
    return [_upload_path(name, permissions) for name in names]


def _upload_path(file: Any, permissions: Permissions) -> str:
    if not isinstance(file, str):
        raise CommandRefused("files must be a list of names")
    name = file.removeprefix(CLIENT_UPLOADS).removeprefix(permissions.uploads + os.sep)
    if not name or name in {".", ".."} or os.sep in name or "\0" in name:
        raise CommandRefused(
            f"{file[:200]!r} is not a file of this session: upload it first, "
            f"then name it {CLIENT_UPLOADS}NAME"
        )
    return os.path.join(permissions.uploads, name)


def _flattened(params: Params, _permissions: Permissions) -> Params:
    """Sessions inside messages of other sessions would pass these rules unseen."""
    if params.get("flatten") is not True:
        raise CommandRefused("attaching needs flatten: true")
    return params


def _flattened_if_attaching(params: Params, permissions: Permissions) -> Params:
    """Without autoAttach the command only ends what an earlier one has begun."""
    return params if params.get("autoAttach") is False else _flattened(params, permissions)


def _own_context(params: Params, permissions: Permissions) -> Params:
    context = params.get("browserContextId")
    if not isinstance(context, str) or context not in permissions.browser_contexts:
        raise CommandRefused(
            "Cannot dispose of a browser context that this connection has not created"
        )
    return params


def _far_proxy(params: Params, _permissions: Permissions) -> Params:
    """A proxy on this machine would be that of another session, with its credentials."""
    server = params.get("proxyServer")
    if server is None or server == "":
        return params
    if not isinstance(server, str) or any(map(_is_on_this_machine, re.split("[;,]", server))):
        raise CommandRefused("proxyServer cannot be on this machine: use a proxy elsewhere")
    return params


def _is_on_this_machine(server: str) -> bool:
    """Whether an entry of a list of proxies, as `https=http://host:80`, names loopback."""
    place = server.rpartition("=")[2].rpartition("://")[2].rpartition("@")[2].strip().lower()
    if place.startswith("["):
        host = place[1:].partition("]")[0]
    else:
        host = place.partition("/")[0].partition(":")[0].rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        if ":" in host:
            address = socket.inet_pton(socket.AF_INET6, host)
            return not any(address[:10])  # ::1, :: and all that stand for an IPv4 address
        return socket.inet_aton(host)[0] in (0, 127)  # also 127.1 and 0x7f000001
    except OSError:
        return False  # a name


REFUSED_DOMAINS = ("SystemInfo.", "Tethering.", "PWA.", "Cast.", "DeviceAccess.")
REFUSED: Mapping[str, str] = {
    "Browser.crash": "it ends the session for everybody; release the session instead",
    "Browser.crashGpuProcess": "it ends the session for everybody; release the session instead",
    "Browser.executeBrowserCommand": "it commands the browser's own windows",
    "Extensions.loadUnpacked": "upload the extension and create a session with its extensionId",
    "Target.exposeDevToolsProtocol": "a page would speak CDP past the rules of the session",
    "Target.openDevTools": "it opens pages of the browser itself",
    "Target.sendMessageToTarget": "attach with flatten: true and use the session id",
    "Target.setRemoteLocations": "it reaches beyond the session",
}

RULES: Mapping[str, Rule] = {
    "Browser.setDownloadBehavior": _download_behavior,
    "Page.setDownloadBehavior": _page_download_behavior,
    "Page.navigate": _url,
    "Target.createTarget": _url,
    "Fetch.continueRequest": _resource_url,
    "Network.continueInterceptedRequest": _resource_url,
    "Network.loadNetworkResource": _resource_url,
    "DOM.setFileInputFiles": _files,
    "Page.handleFileChooser": _files,
    "Input.dispatchDragEvent": _dragged_files,
    "Target.attachToTarget": _flattened,
    "Target.setAutoAttach": _flattened_if_attaching,
    "Target.disposeBrowserContext": _own_context,
    "Target.createBrowserContext": _far_proxy,
}

VIEWER_METHODS = frozenset(
    {
        "Browser.getVersion",
        "Target.getTargets",
        "Target.getTargetInfo",
        "Target.setDiscoverTargets",
        "Target.attachToTarget",
        "Target.detachFromTarget",
        "Page.enable",
        "Page.disable",
        "Page.getLayoutMetrics",
        "Page.startScreencast",
        "Page.stopScreencast",
        "Page.screencastFrameAck",
        "Page.captureScreenshot",
    }
)
INTERACTIVE_METHODS = frozenset(
    {
        "Input.dispatchKeyEvent",
        "Input.dispatchMouseEvent",
        "Input.dispatchTouchEvent",
        "Input.emulateTouchFromMouseEvent",
        "Input.insertText",
        "Page.navigate",
        "Page.reload",
        "Page.bringToFront",
        "Page.getNavigationHistory",
        "Page.navigateToHistoryEntry",
        "Page.handleJavaScriptDialog",
        "Target.activateTarget",
        "Target.createTarget",
        "Target.closeTarget",
    }
)
