"""Chromium itself: where it is installed, and the flags it is started with."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass

PATHS = (
    "/usr/lib/chromium/chromium",  # Debian: the program itself, without the script around it
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
)
COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

HEADLESS_WIDTH, HEADLESS_HEIGHT = 1288, 711
"""The size of a page unless a session asks for another."""
WINDOW_DECORATION_HEIGHT = 87
"""What the window of a headless browser is higher than its page."""

_FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-infobars",  # one that appears late makes the page smaller than was asked for
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-dev-shm-usage",
    "--password-store=basic",
    "--disk-cache-size=104857600",
    "--lang=en-US",
    # Where clouds hand out the credentials of the machine.
    "--host-resolver-rules=MAP 169.254.* ~NOTFOUND, MAP metadata.google.internal ~NOTFOUND",
)
_DISABLED_FEATURES: tuple[str, ...] = (
    # Pages for the list under the address bar, which nobody sees: a third of the memory of a blank
    # browser and half of the processor time of its start.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "HttpsUpgrades",  # a site without https would first be tried with it
    "MediaRouter",
    "OptimizationHints",
    "Translate",
)


class ChromiumMissing(Exception):
    """No Chromium on this machine."""

    def __init__(self) -> None:
        super().__init__(
            "Chromium is not installed: run `apt install chromium`, "
            "or set the path to it in the settings"
        )


def find_chromium(configured: str | None = None) -> str:
    """The path of the program. Raises ChromiumMissing."""
    candidates = (
        (configured,) if configured else (*PATHS, *filter(None, map(shutil.which, COMMANDS)))
    )
    for path in candidates:
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise ChromiumMissing


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """What differs between browsers. Paths are as Chromium sees them."""

    profile: str
    extension: str | None = None
    proxy_server: str | None = None
    user_agent: str | None = None
    ignore_certificate_errors: bool = False
    confines_navigation: bool = False
    is_sandboxed: bool = True
    width: int = HEADLESS_WIDTH
    height: int = HEADLESS_HEIGHT


def command_line(program: str, flags: Flags) -> list[str]:
    """The program with its arguments."""
    arguments = [
        program,
        *_FLAGS,
        f"--user-data-dir={flags.profile}",
        f"--window-size={flags.width},{flags.height + WINDOW_DECORATION_HEIGHT}",
    ]
    disabled_features = list(_DISABLED_FEATURES)
    if flags.extension:
        disabled_features.append("DisableLoadExtensionCommandLineSwitch")
        arguments += [f"--load-extension={flags.extension}", "--enable-unsafe-extension-debugging"]
    if flags.confines_navigation:
        # The guard sees pages; one that is prepared in advance does not count as a page yet.
        disabled_features.append("Prerender2")
    if flags.proxy_server:
        arguments.append(f"--proxy-server={flags.proxy_server}")
    if flags.user_agent:
        arguments.append(f"--user-agent={flags.user_agent}")
    if flags.ignore_certificate_errors:
        arguments.append("--ignore-certificate-errors")
    if not flags.is_sandboxed:
        arguments.append("--no-sandbox")
    return [*arguments, f"--disable-features={','.join(disabled_features)}", "about:blank"]
