"""The control connections to the sessions of an adapter, and what is heard over them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.control_link import ControlLink
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserEvent,
    BrowserStatus,
    BrowserStopped,
    ClientsChanged,
    CloseRequested,
    EndedBrowser,
    Page,
)
from sortkey_systems.wallcrawler.browsers.protocol import Event, Method

STATUS_SECONDS = 3.0


class Links:
    """One link per session, opened when it is first needed. `loss` says why a session has ended
    whose link was lost without a reason.
    """

    def __init__(self, open_link: Callable[[str], Awaitable[ControlLink]], *, loss: str) -> None:
        self._open_link, self._loss = open_link, loss
        self._links: dict[str, ControlLink] = {}
        self._endings: dict[str, asyncio.Task[EndedBrowser]] = {}
        self._callbacks: list[Callable[[BrowserEvent], None]] = []

    def subscribe(self, callback: Callable[[BrowserEvent], None]) -> None:
        """Hear of clients that come and go, and of browsers that end."""
        self._callbacks.append(callback)

    async def of(self, session_id: str) -> ControlLink:
        """The link of a session, opened again where it is missing. Raises BrowserGone."""
        link = self._links.get(session_id)
        if link is None or link.is_closed:
            link = await self._open_link(session_id)
            self.follow(session_id, link)
        return link

    def follow(self, session_id: str, link: ControlLink) -> None:
        """Keep a link, and pass on what is heard over it."""
        self._links[session_id] = link
        link.on_event = lambda event, content: self._heard(session_id, event, content)
        link.on_closed = lambda: self._closed(session_id, link)

    async def end(
        self, session_id: str, ending: Callable[[], Coroutine[Any, Any, EndedBrowser]]
    ) -> EndedBrowser:
        """End a session; whoever asks a second time gets the same answer."""
        task = self._endings.get(session_id)
        if task is None:
            task = self._endings[session_id] = asyncio.create_task(ending())
            task.add_done_callback(lambda _: self._endings.pop(session_id, None))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Stop listening; the sessions go on."""
        links, self._links = self._links, {}
        await asyncio.gather(*(link.close() for link in links.values()))

    def _heard(self, session_id: str, event: Event, content: dict[str, Any]) -> None:
        if event is Event.CLIENTS:
            self._emit(ClientsChanged(session_id, content["count"]))
        elif event is Event.CLOSE_REQUESTED:
            self._emit(CloseRequested(session_id))

    def _closed(self, session_id: str, link: ControlLink) -> None:
        if self._links.get(session_id) is not link:
            return
        del self._links[session_id]
        if session_id not in self._endings:
            self._emit(BrowserStopped(session_id, link.end_reason or self._loss))

    def _emit(self, event: BrowserEvent) -> None:
        for callback in self._callbacks:
            callback(event)


async def ask_status(session_id: str, link: ControlLink) -> BrowserStatus:
    """How the browser of a session is. Raises BrowserGone or TimeoutError."""
    answer = await link.request(Method.STATUS, timeout=STATUS_SECONDS)
    return BrowserStatus(
        session_id=session_id,
        product=answer["product"],
        user_agent=answer["userAgent"],
        protocol_version=answer["protocolVersion"],
        clients=answer["clients"],
        has_had_clients=answer["hasHadClients"],
        last_client_left_at=answer["lastClientLeftAt"],
        pages=tuple(Page(**page) for page in answer["pages"]),
        memory_bytes=answer["memoryBytes"],
        cpu_seconds=answer["cpuSeconds"],
        proxy_bytes=answer["proxyBytes"],
    )
