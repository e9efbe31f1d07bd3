"""A Chromium that a holder has started: its home, its process, its pipe and its pages."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, Params
from sortkey_systems.wallcrawler.browsers.local.chromium import Flags, command_line
from sortkey_systems.wallcrawler.browsers.local.downloads import Downloads
from sortkey_systems.wallcrawler.browsers.local.event_loop import Channel, EventLoop
from sortkey_systems.wallcrawler.browsers.local.home import (
    DOWNLOADS,
    EXTENSION,
    PROFILE,
    TEMPORARY,
    Home,
    StartFailed,
)
from sortkey_systems.wallcrawler.browsers.local.isolation import Isolation
from sortkey_systems.wallcrawler.browsers.local.launch import HolderSettings
from sortkey_systems.wallcrawler.browsers.local.memory_limit import ControlGroup
from sortkey_systems.wallcrawler.browsers.local.pages import Pages
from sortkey_systems.wallcrawler.browsers.local.process import start_process
from sortkey_systems.wallcrawler.browsers.port import BrowserSpec, Viewport

if TYPE_CHECKING:
    from sortkey_systems.wallcrawler.proxies.forward_proxy import ForwardProxy

ERRORS_BYTES = 4000
"""The end of what Chromium has printed, for the reason of a failed start."""


class Browser:
    """Starts Chromium. Its owner sets the callbacks before the loop runs. Raises StartFailed."""

    def __init__(
        self,
        loop: EventLoop,
        settings: HolderSettings,
        spec: BrowserSpec | None,
        home: Home,
        control_group: ControlGroup | None,
    ) -> None:
        self._loop, self.home, self.control_group = loop, home, control_group
        self.on_ready: Callable[[], None] = _nothing
        """Called once, when Chromium has answered and has a page."""
        self.on_exited: Callable[[], None] = _nothing
        """Called once, when its main process has ended."""
        self.on_hung_up: Callable[[], None] = _nothing
        """Called when it has closed its pipe."""
        self.on_drained: Callable[[], None] = _nothing
        """Called when it has taken all commands."""
        self._isolation = Isolation(settings.bwrap, settings.is_sandboxed)
        self.proxy = _started_proxy(spec, home.uid)
        self.version: Params = {}
        command = command_line(settings.chromium, self._flags(spec))
        self.process = start_process(
            self._isolation.wrapped(command, home.path),
            uid=home.uid,
            environment=self._environment(),
            before_exec=control_group.join if control_group else _nothing,
        )
        self._pid_fd = os.pidfd_open(self.process.pid)
        loop.watch(self._pid_fd, self._exited)
        self._errors = b""
        self._errors_channel = Channel(
            loop, self.process.errors_fd, on_data=self._note_errors, on_closed=_nothing
        )
        self.pipe = CdpPipe(
            loop,
            commands_fd=self.process.commands_fd,
            answers_fd=self.process.answers_fd,
            on_closed=lambda: self.on_hung_up(),
            on_drained=lambda: self.on_drained(),
        )
        self.pages = Pages(self.pipe)
        self.pages.on_opened.append(lambda _: self._check_ready())
        self.downloads = Downloads(
            self.pipe, os.path.join(home.path, DOWNLOADS), self.path(DOWNLOADS)
        )
        self.pipe.call("Browser.getVersion", on_result=self._note_version)

    def path(self, name: str) -> str:
        """A part of the home, where Chromium sees it."""
        return os.path.join(self._isolation.home_for_chromium(self.home.path), name)

    @property
    def proxy_bytes(self) -> int:
        """What went through its proxies, both ways."""
        return self.proxy.byte_count if self.proxy else 0

    def errors(self) -> str:
        """The last lines that Chromium has printed."""
        return self._errors.decode("utf-8", "replace").strip()

    def _flags(self, spec: BrowserSpec | None) -> Flags:
        flags = Flags(profile=self.path(PROFILE), is_sandboxed=self._isolation.is_sandboxed)
        if spec is None:
            return flags
        size = spec.viewport or Viewport(flags.width, flags.height)
        return replace(
            flags,
            extension=self.path(EXTENSION) if spec.extension else None,
            proxy_server=self.proxy.url if self.proxy else None,
            user_agent=spec.user_agent,
            ignore_certificate_errors=spec.ignore_certificate_errors,
            confines_navigation=bool(spec.allowed_domains),
            width=size.width,
            height=size.height,
        )

    def _environment(self) -> dict[str, str]:
        """Nothing of the server's: its environment may hold secrets."""
        temporary = self.path(TEMPORARY)
        return {
            "HOME": temporary,
            "TMPDIR": temporary,
            "LANG": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
            "TZ": "UTC",
        }

    def _note_version(self, result: Params | None) -> None:
        self.version = result or {}
        self._check_ready()

    def _check_ready(self) -> None:
        if self.version and self.pages.open:
            on_ready, self.on_ready = self.on_ready, _nothing
            on_ready()

    def _note_errors(self, data: bytes) -> None:
        self._errors = (self._errors + data)[-ERRORS_BYTES:]

    def _exited(self) -> None:
        self._loop.watch(self._pid_fd, None)
        os.close(self._pid_fd)
        self.on_exited()


def _nothing() -> None:
    """No-op callback."""


def _started_proxy(spec: BrowserSpec | None, uid: int | None) -> ForwardProxy | None:
    """The forward proxy of a session that has proxies. Others do not pay for it."""
    if spec is None or not spec.proxies:
        return None
    from sortkey_systems.wallcrawler.proxies.forward_proxy import ForwardProxy
    from sortkey_systems.wallcrawler.proxies.rules import InvalidProxy, read_rules

    try:
        proxy = ForwardProxy(read_rules(spec.proxies), uid=os.geteuid() if uid is None else uid)
        proxy.start()
    except (InvalidProxy, OSError) as error:
        raise StartFailed(f"its proxy cannot be started: {error}") from None
    return proxy
