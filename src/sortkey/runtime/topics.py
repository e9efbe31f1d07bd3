"""Topics: a message goes to everyone who is subscribed when it is published. Messages are not
stored: what must not be lost belongs in a table and its stream, or in a job.

`Topics` is the port; `topic_hub` has what its adapters share.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol, cast

import orjson

from sortkey.errors import MessageTooLarge, ModelError

log = logging.getLogger("sortkey.topics")

MESSAGE_BYTES_MAX = 256 * 1024
"""The limit of SNS. Embedded topics have the same, so that programs work on both."""
WAITING_MAX = 10_000
"""The limit of waiting messages in a subscription. A slow subscriber loses the oldest, with a
warning.
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `body` is any JSON value."""

    topic: str
    id: str
    body: Any
    at: datetime
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])


Match = Callable[[Message], bool] | Mapping[str, Any] | None
"""A test of the message, or members that its body must have, as {"sessionId": "sess_1"}. None
matches all.
"""


class Topics(Protocol):
    """Publishes messages to subscribers in this and other processes. Messages of one publisher
    arrive in order if the service keeps it. Threads may share one.
    """

    def publish(self, topic: str, body: Any, *, attributes: Mapping[str, str] | None = None) -> str:
        """Send a message and return its id. Raises MessageTooLarge."""
        ...

    def subscribe(
        self,
        topic: str,
        callback: Callable[[Message], object] | None = None,
        *,
        match: Match = None,
    ) -> Subscription:
        """Subscribe: messages published after this returns are not missed.

        A callback is called with each message, in a thread. Without one, iterate over the
        subscription.
        """
        ...

    def wait_for(
        self,
        topic: str,
        match: Match = None,
        timeout: float = 30.0,
        *,
        since: datetime | None = None,
    ) -> Message | None:
        """The next message that matches, or None after the timeout. With `since`, also an earlier
        one that came after it.
        """
        ...

    async def wait_for_async(
        self,
        topic: str,
        match: Match = None,
        timeout: float = 30.0,
        *,
        since: datetime | None = None,
    ) -> Message | None:
        """The same, awaited."""
        ...

    def close(self) -> None:
        """End all subscriptions, and stop receiving. Closing twice is fine."""
        ...


class Subscription:
    """A subscription to a topic. Use it as a context manager, or close it."""

    def __init__(self, topic: str, match: Match, on_close: Callable[[Subscription], None]) -> None:
        self.topic = topic
        self._on_close = on_close
        self._test = matcher(match)
        self._waiting: deque[Message] = deque(maxlen=WAITING_MAX)
        self._changed = threading.Condition()
        self._loops: dict[asyncio.AbstractEventLoop, asyncio.Event] = {}
        self._is_closed = False

    def wait_for(self, match: Match = None, timeout: float = 30.0) -> Message | None:
        """The first message that matches, or None after the timeout or when this is closed. Other
        messages stay.
        """
        test, deadline = matcher(match), time.monotonic() + timeout
        with self._changed:
            while True:
                message = self._next(test)
                left = deadline - time.monotonic()
                if message is not None or self._is_closed or left <= 0:
                    return message
                self._changed.wait(left)

    async def wait_for_async(self, match: Match = None, timeout: float = 30.0) -> Message | None:
        """The same, awaited. It does not block a thread."""
        test, loop = matcher(match), asyncio.get_running_loop()
        arrived = self._loops.setdefault(loop, asyncio.Event())
        try:
            async with asyncio.timeout(timeout):
                while True:
                    arrived.clear()
                    with self._changed:
                        message = self._next(test)
                        if message is not None or self._is_closed:
                            return message
                    await arrived.wait()
        except TimeoutError:
            return None

    def __iter__(self) -> Iterator[Message]:
        """Messages as they come, until this is closed."""
        while (message := self._take()) is not None:
            yield message

    def offer(self, message: Message) -> None:
        """Offer a message of the topic. Called by the hub."""
        try:
            if not self._test(message):
                return
        except Exception:  # runs in the thread that serves all subscriptions
            log.exception(
                "the match of a subscriber of %s failed with message %s", self.topic, message.id
            )
            return
        with self._changed:
            if self._is_closed:
                return
            if len(self._waiting) == WAITING_MAX:
                log.warning("a subscriber of %s does not keep up: a message is dropped", self.topic)
            self._waiting.append(message)
            self._wake()

    def close(self) -> None:
        self._on_close(self)
        with self._changed:
            self._is_closed = True
            self._wake()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _take(self) -> Message | None:
        with self._changed:
            while not self._waiting:
                if self._is_closed:
                    return None
                self._changed.wait()
            return self._waiting.popleft()

    def _next(self, test: Callable[[Message], bool]) -> Message | None:
        for message in self._waiting:
            if test(message):
                self._waiting.remove(message)
                return message
        return None

    def _wake(self) -> None:
        self._changed.notify_all()
        for loop, arrived in list(self._loops.items()):
            try:
                loop.call_soon_threadsafe(arrived.set)
            except RuntimeError:
                del self._loops[loop]  # it has ended


def encode_body(topic: str, body: Any) -> bytes:
    """The body as JSON. Raises MessageTooLarge, and ModelError if it is not JSON."""
    try:
        text = orjson.dumps(body)
    except TypeError as error:
        raise ModelError(f"a message to {topic} must be JSON: {error}") from None
    if len(text) > MESSAGE_BYTES_MAX:
        raise MessageTooLarge(
            f"a message to {topic} has {len(text):,} bytes, but at most {MESSAGE_BYTES_MAX:,} "
            "are allowed"
        )
    return text


def matcher(match: Match) -> Callable[[Message], bool]:
    """The test for a match."""
    if match is None:
        return lambda message: True
    if callable(match):
        return match
    wanted = dict(match)

    def holds(message: Message) -> bool:
        body: Any = message.body
        if not isinstance(body, dict):
            return False
        members = cast(dict[str, Any], body)
        return all(name in members and members[name] == value for name, value in wanted.items())

    return holds


def instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
