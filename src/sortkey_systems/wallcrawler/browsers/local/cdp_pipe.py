"""Chromium's debugging pipe: one CDP connection that many share.

It numbers commands, hands each answer to who asked, and each event to who owns the session. Large
messages are cut and joined as bytes: only what the holder itself asked for is parsed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import count
from typing import Any, Protocol

from sortkey_systems.wallcrawler.browsers.local.event_loop import Channel, EventLoop
from sortkey_systems.wallcrawler.browsers.protocol import FRAME_BYTES_MAX

Params = dict[str, Any]
OnResult = Callable[[Params | None], None]
"""Called with the result of a command, or None if it failed or Chromium is gone."""
OnAnswer = Callable[[bytes], None]
"""Called with an answer from its first comma on, without session id; empty if none will come."""

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_ANSWER = re.compile(rb'\{"id":(\d+)(?=,)')
_EVENT = re.compile(rb'\{"method":"([\w.]+)"')
_SESSION_START = b',"sessionId":"'
_SESSION_ID_BYTES = 32
_TAIL_BYTES = len(_SESSION_START) + _SESSION_ID_BYTES + len(b'"}')


class MessageTooLarge(Exception):
    """A command that Chromium would answer by closing its pipe."""


class SessionOwner(Protocol):
    """Who hears of the events of a CDP session."""

    def on_event(self, method: str, message: bytes, session: str) -> None:
        """An event, as it came except that the session id is cut off."""
        ...


class CdpPipe:
    """Sends commands to Chromium and distributes what it says."""

    def __init__(
        self,
        loop: EventLoop,
        *,
        commands_fd: int,
        answers_fd: int,
        on_closed: Callable[[], None],
        on_drained: Callable[[], None],
    ) -> None:
        self.owners: dict[str, SessionOwner] = {}
        """By session id. Events of a session without an owner are dropped."""
        self.listeners: dict[str, Callable[[Params], None]] = {}
        """By method: the events of the browser itself, for the holder."""
        self._numbers = count(1)
        self._waiting: dict[int, tuple[str | None, OnAnswer]] = {}
        self._parts: list[bytes] = []
        self._on_closed = on_closed
        self._output = Channel(
            loop, commands_fd, on_data=None, on_closed=self._close, on_drained=on_drained
        )
        self._input = Channel(loop, answers_fd, on_data=self._on_data, on_closed=self._close)
        self.is_closed = False

    @property
    def pending_bytes(self) -> int:
        """What Chromium has not read yet."""
        return self._output.pending_bytes

    def pause(self) -> None:
        """Read nothing until `resume`: Chromium then waits."""
        self._input.pause()

    def resume(self) -> None:
        self._input.resume()

    def call(
        self,
        method: str,
        params: Params | None = None,
        *,
        session: str | None = None,
        on_result: OnResult | None = None,
    ) -> None:
        """Send a command of the holder itself."""

        def on_answer(rest: bytes) -> None:
            if on_result is not None:
                on_result(json.loads(b"{" + rest[1:]).get("result") if rest else None)

        self.send(method, params or {}, session, on_answer)

    def send(self, method: str, params: Params, session: str | None, on_answer: OnAnswer) -> str:
        """Send a command and return its parameters as they were sent. Raises MessageTooLarge, or
        ValueError for what JSON cannot say. Without a pipe the answer is empty, and comes at once.
        """
        text = _encode(params)
        number = next(self._numbers)
        target = f',"sessionId":"{session}"' if session else ""
        message = f'{{"id":{number},"method":{_encode(method)},"params":{text}{target}}}\0'.encode()
        if len(message) > FRAME_BYTES_MAX:
            raise MessageTooLarge(
                f"a message of {len(message)} bytes is above the limit of {FRAME_BYTES_MAX}"
            )
        if self.is_closed:
            on_answer(b"")
        else:
            self._waiting[number] = (session, on_answer)
            self._output.write(message)
        return text

    def forget(self, session: str) -> None:
        """A session has ended: Chromium sends no events of it, and no answers to its commands."""
        self.owners.pop(session, None)
        lost = [number for number, (other, _) in self._waiting.items() if other == session]
        for number in lost:
            self._waiting.pop(number)[1](b"")

    def close(self) -> None:
        """Close both ends; Chromium exits when it notices."""
        self._output.close()
        self._input.close()

    def _close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self.close()
        waiting, self._waiting = self._waiting, {}
        for _, on_answer in waiting.values():
            on_answer(b"")
        self._on_closed()

    def _on_data(self, data: bytes) -> None:
        first, *others = data.split(b"\0")
        self._parts.append(first)
        for part in others:
            message = b"".join(self._parts) if len(self._parts) > 1 else self._parts[0]
            self._parts = [part]
            self._distribute(message)

    def _distribute(self, message: bytes) -> None:
        session = _session_of(message)
        if session is not None:
            message = message[:-_TAIL_BYTES] + b"}"
        if match := _ANSWER.match(message):
            _, on_answer = self._waiting.pop(int(match[1]), (None, None))
            if on_answer is not None:
                on_answer(message[match.end() :])
        elif match := _EVENT.match(message):
            self._distribute_event(match[1].decode(), message, session)

    def _distribute_event(self, method: str, message: bytes, session: str | None) -> None:
        if session is None:
            listener = self.listeners.get(method)
            if listener is not None:
                listener(json.loads(message).get("params", {}))
        elif owner := self.owners.get(session):
            owner.on_event(method, message, session)


def _session_of(message: bytes) -> str | None:
    """The session id at the end of a message. A page cannot forge it: quotes inside its strings are
    escaped."""
    if message.startswith(_SESSION_START, len(message) - _TAIL_BYTES) and message.endswith(b'"}'):
        return message[-_SESSION_ID_BYTES - 2 : -2].decode("ascii", "replace")
    return None
