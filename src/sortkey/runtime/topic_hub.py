"""Shared by the adapters of topics: the subscriptions of this process, and the messages of the last
minute.

An adapter receives each message once per process and hands it to the hub.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Self

import orjson

from sortkey.runtime.topics import Match, Message, Subscription, encode_body, instant

log = logging.getLogger("sortkey.topics")

KEPT_SECONDS = 60.0
KEPT_MAX = 10_000


class HubTopics:
    """A `Topics` with a hub. Adapters add `publish`, and receive between `_listen` and `_end`."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.hub = Hub(clock)

    def subscribe(
        self,
        topic: str,
        callback: Callable[[Message], object] | None = None,
        *,
        match: Match = None,
    ) -> Subscription:
        self._listen(topic)
        return self.hub.subscribe(topic, callback, match)

    def wait_for(
        self,
        topic: str,
        match: Match = None,
        timeout: float = 30.0,
        *,
        since: datetime | None = None,
    ) -> Message | None:
        self._listen(topic)
        with self.hub.subscribe(topic, None, match, since) as subscription:
            return subscription.wait_for(timeout=timeout)

    async def wait_for_async(
        self,
        topic: str,
        match: Match = None,
        timeout: float = 30.0,
        *,
        since: datetime | None = None,
    ) -> Message | None:
        self._listen(topic)
        with self.hub.subscribe(topic, None, match, since) as subscription:
            return await subscription.wait_for_async(timeout=timeout)

    def close(self) -> None:
        self.hub.close()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _listen(self, topic: str) -> None:
        """Receive the messages of a topic from now on."""

    def _end(self) -> None:
        """Receive no more."""


class MemoryTopics(HubTopics):
    """Topics within one process, for tests and for programs of one process."""

    def publish(self, topic: str, body: Any, *, attributes: Mapping[str, str] | None = None) -> str:
        text, id = encode_body(topic, body), secrets.token_hex(16)
        self.hub.deliver(
            Message(topic, id, orjson.loads(text), instant(self.clock()), dict(attributes or {}))
        )
        return id


class Hub:
    """Passes messages to the subscriptions of one process, and keeps those of the last minute for
    `since`.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._subscriptions: list[Subscription] = []
        self._recent: deque[Message] = deque(maxlen=KEPT_MAX)
        self._ids: set[str] = set()

    def deliver(self, message: Message) -> None:
        """Pass a message to the subscriptions. Duplicates, which queues may deliver, are
        dropped.
        """
        with self._lock:
            self._forget()
            if message.id in self._ids:
                return
            if len(self._recent) == KEPT_MAX:
                self._ids.discard(self._recent.popleft().id)
            self._recent.append(message)
            self._ids.add(message.id)
            listening = [other for other in self._subscriptions if other.topic == message.topic]
        for subscription in listening:
            subscription.offer(message)

    def subscribe(
        self,
        topic: str,
        callback: Callable[[Message], object] | None,
        match: Match,
        since: datetime | None = None,
    ) -> Subscription:
        subscription = Subscription(topic, match, self.remove)
        with self._lock:
            self._subscriptions.append(subscription)
            earlier = [
                message
                for message in self._recent
                if since is not None and message.topic == topic and message.at >= since
            ]
        for message in earlier:
            subscription.offer(message)
        if callback is not None:
            name = f"sortkey-topic-{topic}"
            threading.Thread(
                target=_call, args=(subscription, callback), name=name, daemon=True
            ).start()
        return subscription

    def remove(self, subscription: Subscription) -> None:
        with self._lock:
            self._subscriptions = [
                other for other in self._subscriptions if other is not subscription
            ]

    def close(self) -> None:
        for subscription in list(self._subscriptions):
            subscription.close()

    def _forget(self) -> None:
        oldest = self._clock() - KEPT_SECONDS
        while self._recent and self._recent[0].at.timestamp() < oldest:
            self._ids.discard(self._recent.popleft().id)


def _call(subscription: Subscription, callback: Callable[[Message], object]) -> None:
    for message in subscription:
        try:
            callback(message)
        except Exception:
            log.exception(
                "a subscriber of %s failed with message %s", subscription.topic, message.id
            )
