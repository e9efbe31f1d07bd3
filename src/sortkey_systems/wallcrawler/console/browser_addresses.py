"""Where the console's frames and pictures of a session are: paths on the console's own host."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from sortkey.web.console import chosen_theme
from sortkey_systems.wallcrawler.addresses import LIVE_PATH
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.recording.frames import FRAMES_FILE
from sortkey_systems.wallcrawler.replay.routes import REPLAY_PATH, replay_token
from sortkey_systems.wallcrawler.service import Wallcrawler


def live_address(service: Wallcrawler, session: Session, *, is_interactive: bool) -> str:
    """The live view of a session, with a token that ends with it."""
    token = service.tokens.issue_view(
        session.session_id, session.project_id, session.expires_at, is_interactive=is_interactive
    )
    query = urlencode({"token": token, "theme": chosen_theme()})
    return f"{_base(service)}{LIVE_PATH}/{session.session_id}?{query}"


def replay_address(service: Wallcrawler, session: Session) -> str:
    """The replay of a session, for some hours."""
    token = replay_token(service.tokens, session.session_id, session.project_id)
    query = urlencode({"token": token, "theme": chosen_theme()})
    return f"{_base(service)}{REPLAY_PATH}/{session.session_id}?{query}"


def picture_address(service: Wallcrawler, session: Session) -> str:
    """The newest picture of a session; what is added to it makes a browser ask again."""
    token = replay_token(service.tokens, session.session_id, session.project_id)
    query = urlencode({"token": token})
    return f"{_base(service)}{REPLAY_PATH}/{session.session_id}/newest.jpg?{query}"


def picture_stamp(service: Wallcrawler, session_id: str) -> int:
    """Changes when there is a newer picture; 0 while there is none."""
    folder = service.browsers.folder(session_id) / "recording"
    files = (path.stat() for path in folder.glob(f"*/{FRAMES_FILE}"))
    return max((stat.st_mtime_ns for stat in files if stat.st_size), default=0)


def _base(service: Wallcrawler) -> str:
    """The path of the routes: the host is the one that the console was opened at."""
    return urlsplit(service.addresses.url).path.rstrip("/")
