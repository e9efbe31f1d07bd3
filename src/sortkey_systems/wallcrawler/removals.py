"""What follows when the item of a session is deleted, by TTL or by hand: its browser is ended, its
files go.

An item that is deleted while its session runs gives its place back too, once, however often the
stream says so.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sortkey import Change, apply_once, on_change
from sortkey.errors import TransactionFailed
from sortkey_systems.wallcrawler.browsers.port import BrowserGone
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.records import failed_conditions, now_of

if TYPE_CHECKING:
    from sortkey_systems.wallcrawler.service import Wallcrawler

log = logging.getLogger("sortkey.wallcrawler")

END_SECONDS = 30.0


def removal_handler(service: Wallcrawler) -> Any:
    """The handler of deleted items."""

    @on_change(Session, kinds=("deleted",), name="session-removed")
    def clean_up(change: Change[Session]) -> None:
        session = change.old
        assert session is not None
        if session.status == "RUNNING":
            log.warning(
                "%s: its item was deleted while it ran; its browser is ended", session.session_id
            )
            _give_place_back(service, change, session)
        _remove_files(service, session)

    return clean_up


def _give_place_back(service: Wallcrawler, change: Change[Session], session: Session) -> None:
    service.records.release_context(session)
    write = service.records.give_place_back(session, now_of(service.clock))
    try:
        apply_once(service.store, change, "place given back", write)
    except TransactionFailed as failed:
        if not failed_conditions(failed):
            raise  # others wrote the project at the same time: the change is handled again


def _remove_files(service: Wallcrawler, session: Session) -> None:
    service.events.delete(session.project_id, session.session_id)
    loop = service.loop
    if loop is not None:
        removing = asyncio.run_coroutine_threadsafe(
            _end_and_discard(service, session.session_id), loop
        )
        removing.result(END_SECONDS)


async def _end_and_discard(service: Wallcrawler, session_id: str) -> None:
    with suppress(BrowserGone):
        await service.browsers.end(session_id, "its item was deleted")
    await service.browsers.discard(session_id)
