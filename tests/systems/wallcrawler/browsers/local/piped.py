"""A CDP client of a holder on a real socket and a real pipe, with the test in Chromium's place."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.cdp_client import CdpClient
from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe
from sortkey_systems.wallcrawler.browsers.local.command_filter import Permissions
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.local.pages import Pages
from sortkey_systems.wallcrawler.browsers.local.peer import Peer
from sortkey_systems.wallcrawler.browsers.port import Role
from sortkey_systems.wallcrawler.browsers.protocol import FrameReader, json_frame

ROOT = "R" * 32
SECONDS_MAX = 5.0


class Host:
    """Looks after one client. Its answer to `Browser.close` can be a failure."""

    failure: Exception | None = None

    def close_requested(self, client: CdpClient) -> None:
        if self.failure is not None:
            raise self.failure

    def context_created(self, browser_context: str) -> None: ...
    def press(self) -> None: ...
    def remove(self, client: CdpClient) -> None: ...


class Piped:
    """One client, and what Chromium has been asked."""

    def __init__(self, role: Role, **options: Any) -> None:
        self.loop, self.host = EventLoop(), Host()
        self._commands, commands_fd = os.pipe()
        answers_fd, self._answers = os.pipe()
        pipe = CdpPipe(
            self.loop,
            commands_fd=commands_fd,
            answers_fd=answers_fd,
            on_closed=lambda: None,
            on_drained=lambda: None,
        )
        os.set_blocking(self._commands, False)
        self._near, far = socket.socketpair()
        self._near.setblocking(False)
        self._reader, self._received = FrameReader(), list[dict[str, Any]]()
        self.asked: list[dict[str, Any]] = []
        pages = Pages(pipe)
        self.pipe, peer = pipe, Peer(self.loop, far)
        self.client = CdpClient(
            peer,
            role,
            host=self.host,
            pipe=pipe,
            pages=pages,
            permissions=Permissions(downloads="/d", uploads="/u"),
            log=None,
            **options,
        )
        self._wait(lambda: any("attachToBrowser" in each["method"] for each in self.asked))
        self.answer({"sessionId": ROOT})

    def say(self, message: dict[str, Any], session: str | None = None) -> None:
        """Something from Chromium."""
        tail = {"sessionId": session} if session else {}
        text = json.dumps(message | tail, separators=(",", ":"))
        os.write(self._answers, text.encode() + b"\0")

    def answer(self, result: dict[str, Any], session: str | None = None) -> None:
        """Chromium's answer to the latest command."""
        self.say({"id": self.asked[-1]["id"], "result": result}, session)

    def targets(self, event: str, target: str, url: str, kind: str = "page") -> None:
        """What Chromium says to the holder of a target."""
        info = {"targetId": target, "type": kind, "url": url, "title": ""}
        self.say({"method": f"Target.{event}", "params": {"targetInfo": info}})

    def attach(self, session: str, target: str, url: str, kind: str = "page") -> None:
        """Let the client be attached to a target."""
        info = {"targetId": target, "type": kind, "url": url}
        params = {"sessionId": session, "targetInfo": info, "waitingForDebugger": False}
        self.say({"method": "Target.attachedToTarget", "params": params}, ROOT)
        self.received()

    def send(self, method: str, params: Any = None, session: str | None = None) -> None:
        """A command of the client."""
        command: dict[str, Any] = {"id": 7, "method": method, "params": params or {}}
        self._near.sendall(json_frame(command | ({"sessionId": session} if session else {})))

    def refusal(self, method: str, params: Any = None, session: str | None = None) -> str | None:
        """Why a command was refused, or None if Chromium was asked."""
        count = len(self.asked)
        self.send(method, params, session)
        self._wait(lambda: len(self.asked) > count or bool(self._received))
        return None if len(self.asked) > count else self.received()["error"]["message"]

    def received(self) -> dict[str, Any]:
        """The next message to the client."""
        self._wait(lambda: bool(self._received))
        return self._received.pop(0)

    def settle(self) -> None:
        """Have what Chromium has said arrive."""
        looks = iter(range(3))
        self._wait(lambda: next(looks) == 2)

    def close(self) -> None:
        self.pipe.close()
        self._near.close()
        os.close(self._commands)
        os.close(self._answers)

    def _wait(self, is_done: Callable[[], bool]) -> None:
        """Run the loop of the holder until something holds."""
        timers = [self.loop.after(SECONDS_MAX, self._give_up)]

        def look() -> None:
            self._read()
            if is_done():
                self.loop.stop()
            else:
                timers.append(self.loop.after(0.001, look))

        timers.append(self.loop.after(0, look))
        self.loop.run()
        for timer in timers:
            timer.cancel()

    def _give_up(self) -> None:
        raise AssertionError("it did not happen in time")

    def _read(self) -> None:
        try:
            for message in os.read(self._commands, 1 << 20).split(b"\0")[:-1]:
                self.asked.append(json.loads(message))
        except BlockingIOError:
            pass
        try:
            for payload in self._reader.feed(self._near.recv(1 << 20)):
                self._received.append(json.loads(payload))
        except BlockingIOError:
            pass


@contextmanager
def piped(role: Role = Role.CLIENT, **options: Any) -> Iterator[Piped]:
    """A client in a role."""
    made = Piped(role, **options)
    try:
        yield made
    finally:
        made.close()
