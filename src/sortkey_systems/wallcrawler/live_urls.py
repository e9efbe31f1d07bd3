"""The live URLs of a session: of the whole browser and of each of its pages, with tokens that end
with the session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sortkey_systems.wallcrawler.addresses import Addresses
from sortkey_systems.wallcrawler.answers import LiveAnswer, PageAnswer
from sortkey_systems.wallcrawler.model import Session

if TYPE_CHECKING:
    from sortkey_systems.wallcrawler.service import Wallcrawler


async def live_urls(
    service: Wallcrawler,
    session: Session,
    seconds: int | None = None,
    *,
    is_interactive: bool = True,
    addresses: Addresses | None = None,
) -> LiveAnswer:
    """URLs of the live view, good until the session's window ends, or for fewer `seconds`."""
    status, addresses = await service.status(session.session_id), addresses or service.addresses

    def token(page_id: str | None = None) -> str:
        return service.tokens.issue_view(
            session.session_id,
            session.project_id,
            session.expires_at,
            seconds=seconds,
            is_interactive=is_interactive,
            page_id=page_id,
        )

    pages = [
        PageAnswer(
            id=page.id,
            url=page.url,
            title=page.title,
            favicon_url=_favicon(page.url),
            debugger_url=addresses.live_page(session.session_id, token(page.id), page.id),
            debugger_fullscreen_url=addresses.live_page(
                session.session_id, token(page.id), page.id, fullscreen=True
            ),
        )
        for page in (status.pages if status else ())
    ]
    whole = token()
    return LiveAnswer(
        debugger_url=addresses.live_page(session.session_id, whole),
        debugger_fullscreen_url=addresses.live_page(session.session_id, whole, fullscreen=True),
        ws_url=addresses.live_socket(session.session_id, whole),
        pages=pages,
    )


def _favicon(url: str) -> str:
    parts = urlsplit(url)
    return (
        f"{parts.scheme}://{parts.netloc}/favicon.ico" if parts.scheme in ("http", "https") else ""
    )
