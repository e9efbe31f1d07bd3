"""The holder of one browser: owns Chromium's pipe, serves a Unix socket, and outlives the server.

It runs in a process of its own, with the folder of its session as working directory, so that the
folder can be renamed. The server that started it may die: clients are cut off, and the browser
waits for the next server for a while.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.local import kernel
from sortkey_systems.wallcrawler.browsers.local.browser import Browser
from sortkey_systems.wallcrawler.browsers.local.cdp_client import CdpClient
from sortkey_systems.wallcrawler.browsers.local.clients import Clients
from sortkey_systems.wallcrawler.browsers.local.command_filter import Permissions
from sortkey_systems.wallcrawler.browsers.local.control import Answer, Control
from sortkey_systems.wallcrawler.browsers.local.cookies import saved_cookies
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.local.home import (
    DOWNLOADS,
    UPLOADS,
    StartFailed,
    prepare_home,
    remove_home,
)
from sortkey_systems.wallcrawler.browsers.local.launch import Launch, spec_from_json
from sortkey_systems.wallcrawler.browsers.local.listener import Listener
from sortkey_systems.wallcrawler.browsers.local.memory_limit import (
    create_control_group,
    watch_memory,
)
from sortkey_systems.wallcrawler.browsers.local.page_view import PageView
from sortkey_systems.wallcrawler.browsers.local.peer import Peer
from sortkey_systems.wallcrawler.browsers.local.process import kill_descendants
from sortkey_systems.wallcrawler.browsers.local.process_tree import (
    cpu_seconds,
    descendants,
    memory_bytes,
)
from sortkey_systems.wallcrawler.browsers.local.session_features import SessionFeatures
from sortkey_systems.wallcrawler.browsers.local.session_folder import (
    LAST_SEEN,
    State,
    link_home,
    settle,
)
from sortkey_systems.wallcrawler.browsers.local.shutdown import Shutdown
from sortkey_systems.wallcrawler.browsers.port import Role
from sortkey_systems.wallcrawler.browsers.protocol import CONTROL, Event, Method

FOLDER = Path(".")
LOOK_SECONDS = 1.0
EXPIRY_GRACE_SECONDS = 60.0
"""The server ends sessions at their expiry; a holder does so only if the server has not."""
LINGER_SECONDS = 5.0
"""How long a holder that could not start waits for a server to tell."""


def run_holder(folder: str, listener: socket.socket) -> None:
    """Hold the browser that the folder's launch file describes, until it has ended."""
    os.chdir(folder)
    kernel.adopt_orphans()
    kernel.hide_memory()
    launch = Launch.read(FOLDER)
    loop = EventLoop()
    try:
        _begin(loop, launch, listener)
    except (StartFailed, OSError) as error:
        loop = EventLoop()  # without what the failed start has left in the other
        _report_failure(loop, listener, str(error))
    loop.run()


def _begin(loop: EventLoop, launch: Launch, listener: socket.socket) -> None:
    """Start the browser and its holder. If that fails, nothing is left of it."""
    home = prepare_home(launch.settings.homes, launch.spec)
    limit = launch.settings.memory_bytes_max
    group = create_control_group(os.path.basename(home.path), limit)
    try:
        browser = Browser(loop, launch.settings, launch.spec, home, group)
        Holder(loop, launch, browser, listener)
    except BaseException:
        kill_descendants()
        remove_home(home.path)
        if group is not None:
            group.remove()
        raise


def _report_failure(loop: EventLoop, listener: socket.socket, reason: str) -> None:
    """Say why the browser did not start, to a server that may still be about to connect."""
    control = Control({})
    control.emit(Event.FAILED, reason=reason)
    Listener(
        loop, listener, lambda peer, role, _: control.add(peer) if role == CONTROL else peer.close()
    )
    loop.after(LINGER_SECONDS, loop.stop)
    loop.every(LOOK_SECONDS, lambda: loop.stop() if control.has_server else None)


class Holder:
    """Serves one browser from its start to its end."""

    def __init__(
        self, loop: EventLoop, launch: Launch, browser: Browser, listener: socket.socket
    ) -> None:
        self._loop, self._browser = loop, browser
        self._settings, self._spec = launch.settings, launch.spec
        self._started_at = time.time()
        self._is_ready = False
        self._end_reason: str | None = None
        self._end_answers: list[Answer] = []
        self._control = Control(
            {Method.STATUS: self._status, Method.CONFIGURE: self._configure, Method.END: self._end}
        )
        self._clients = Clients(
            loop,
            browser.pipe,
            browser.downloads,
            on_changed=lambda count: self._control.emit(Event.CLIENTS, count=count),
            on_close_requested=self._close_requested,
        )
        self._features = SessionFeatures(loop, browser)
        self._shutdown = Shutdown(loop, browser.pipe, browser.process, self._ended)
        self._listener = Listener(loop, listener, self._on_hello)
        browser.on_ready, browser.on_exited = self._browser_ready, self._browser_exited
        browser.on_hung_up, browser.on_drained = self._shutdown.pipe_closed, self._clients.relieve
        self._state().write(FOLDER)
        link_home(FOLDER, browser.home.path)
        self._watch()

    def _watch(self) -> None:
        if self._browser.control_group is None:
            watch_memory(self._loop, self._settings.memory_bytes_max, self._memory_exceeded)
        self._loop.after(self._settings.start_seconds, self._check_started)
        self._loop.every(LOOK_SECONDS, self._look)
        self._loop.on_signal(signal.SIGTERM, lambda: self._begin_end("the holder was terminated"))

    # -- start

    def _browser_ready(self) -> None:
        if self._spec is None:
            self._announce()
        else:
            self._features.apply(self._spec, on_done=self._announce)

    def _announce(self) -> None:
        self._is_ready = True
        self._control.emit(Event.READY, **self._version())

    def _check_started(self) -> None:
        if not self._is_ready:
            self._begin_end(
                f"Chromium was not ready after {self._settings.start_seconds:g} seconds"
            )

    def _version(self) -> dict[str, Any]:
        return {
            name: self._browser.version.get(name, "")
            for name in ("product", "userAgent", "protocolVersion")
        }

    def _state(self) -> State:
        spec, group = self._spec, self._browser.control_group
        return State(
            session_id=spec.session_id if spec else None,
            project_id=spec.project_id if spec else None,
            holder_pid=os.getpid(),
            home=self._browser.home.path,
            uid=self._browser.home.uid,
            control_group=group.folder if group else None,
            persist=spec.persist if spec else False,
            started_at=self._started_at,
        )

    # -- requests

    def _on_hello(self, peer: Peer, role: str, page_id: str | None) -> None:
        if role == CONTROL:
            self._control.add(peer)
        elif role in set(Role) and self._takes_clients():
            self._add_client(peer, Role(role), page_id)
        else:
            peer.close()

    def _takes_clients(self) -> bool:
        return self._is_ready and self._end_reason is None and not self._clients.is_full

    def _add_client(self, peer: Peer, role: Role, page_id: str | None) -> None:
        client = CdpClient(
            peer,
            role,
            host=self._clients,
            pipe=self._browser.pipe,
            pages=self._browser.pages,
            permissions=Permissions(
                downloads=self._browser.path(DOWNLOADS),
                uploads=self._browser.path(UPLOADS),
                allowed_domains=self._spec.allowed_domains if self._spec else (),
            ),
            log=self._features.log if role is Role.CLIENT else None,
            view=None if page_id is None else PageView(page_id),
        )
        self._clients.add(client)

    def _status(self, _params: dict[str, Any], answer: Answer) -> None:
        """Answers at once, also for a browser that is stuck: titles are those of the last time."""
        self._browser.pages.refresh()
        processes = descendants(os.getpid())
        group = self._browser.control_group
        answer(
            {
                **self._version(),
                "clients": self._clients.count,
                "hasHadClients": self._clients.has_had_any,
                "lastClientLeftAt": self._clients.last_left_at,
                "pages": self._browser.pages.to_json(),
                "memoryBytes": group.memory_bytes() if group else memory_bytes(processes),
                "cpuSeconds": cpu_seconds(processes),
                "proxyBytes": self._browser.proxy_bytes,
            }
        )

    def _configure(self, params: dict[str, Any], answer: Answer) -> None:
        self._spec = spec_from_json(params["spec"])
        self._started_at = time.time()
        self._state().write(FOLDER)
        self._features.apply(self._spec, on_done=lambda: answer(self._version()))

    def _end(self, params: dict[str, Any], answer: Answer) -> None:
        self._end_answers.append(answer)
        self._begin_end(str(params.get("reason", "released")))

    def _close_requested(self, client: CdpClient) -> None:
        if self._spec is None or self._spec.keep_alive:
            client.leave()
        else:
            self._control.emit(Event.CLOSE_REQUESTED)

    # -- while it runs

    def _look(self) -> None:
        """Once a second: note that the browser runs, and end it if nobody else will."""
        with contextlib.suppress(OSError):  # a full disk
            (FOLDER / LAST_SEEN).touch()
        if self._control.seconds_alone() > self._settings.orphan_seconds:
            self._begin_end("no server has been connected for too long")
        if self._spec is not None and time.time() > self._spec.expires_at + EXPIRY_GRACE_SECONDS:
            self._begin_end("the session has expired")

    def _memory_exceeded(self, used: int) -> None:
        limit = self._settings.memory_bytes_max
        self._begin_end(f"the browser used {used >> 20} MB of memory; {limit >> 20} MB are allowed")

    # -- end

    def _begin_end(self, reason: str) -> None:
        if self._end_reason is None:
            self._end_reason = reason
            self._clients.leave_all()
            self._shutdown.begin(self._features.cookies)

    def _browser_exited(self) -> None:
        if self._end_reason is None:
            self._end_reason = f"Chromium ended: {self._browser.process.exit_reason()}"
        self._shutdown.process_exited()

    def _ended(self) -> None:
        """No process is left: keep what the session wants kept, tell the server, and leave."""
        self._clients.leave_all()
        self._features.close()
        if self._browser.control_group is not None:
            self._browser.control_group.remove()
        reason = self._end_reason or "Chromium hung up"
        if not self._is_ready:
            remove_home(self._browser.home.path)
            self._control.emit(Event.FAILED, reason=f"{reason}. {self._browser.errors()}".strip())
        elif self._spec is None:
            remove_home(self._browser.home.path)
            shutil.rmtree(os.getcwd(), ignore_errors=True)
        else:
            settle(
                FOLDER,
                self._state(),
                reason,
                time.time(),
                saved_cookies(),
                proxy_bytes=self._browser.proxy_bytes,
            )
        for answer in self._end_answers:
            answer({})
        if not self._end_answers and self._is_ready:
            self._control.emit(Event.STOPPED, reason=reason)
        self._loop.stop()
