"""Where the local adapter keeps browsers in its data folder: running sessions, ended ones, and warm
browsers."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.port import BrowserGone

_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


class Folders:
    """The three folders, closed to other users."""

    def __init__(self, root: Path) -> None:
        self._sessions, self._ended, self._pool = root / "sessions", root / "ended", root / "pool"

    def create(self) -> None:
        for folder in (self._sessions, self._ended, self._pool):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def running(self, session_id: str) -> Path:
        """The folder of a session while it runs. Raises BrowserGone for what cannot be a session
        id."""
        return self._sessions / _checked(session_id)

    def ended(self, session_id: str) -> Path:
        return self._ended / _checked(session_id)

    def of(self, session_id: str) -> Path:
        """The folder of a session, running or ended."""
        running = self.running(session_id)
        return running if running.exists() else self.ended(session_id)

    def new_session(self, session_id: str) -> Path:
        folder = self.running(session_id)
        folder.mkdir(mode=0o700)
        return folder

    def new_warm(self) -> Path:
        folder = self._pool / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        return folder

    def claim(self, warm: Path, session_id: str) -> Path:
        """Make a warm browser's folder that of a session. Raises OSError if another has claimed
        it."""
        folder = self.running(session_id)
        os.rename(warm, folder)
        return folder

    def move_to_ended(self, session_id: str) -> Path:
        """The folder of a session that has ended; moving it twice is fine."""
        running, ended = self.running(session_id), self.ended(session_id)
        if running.exists():
            remove(ended)
            os.rename(running, ended)
        return ended

    def session_ids(self) -> list[str]:
        """The sessions that run, or did when their holder died."""
        return sorted(
            entry.name
            for entry in os.scandir(self._sessions)
            if entry.is_dir(follow_symlinks=False)
        )

    def warm(self) -> list[Path]:
        return [Path(entry.path) for entry in os.scandir(self._pool)]


def remove(folder: Path) -> None:
    """Delete a folder, if it is there."""
    shutil.rmtree(folder, ignore_errors=True)


def _checked(session_id: str) -> str:
    if _SESSION_ID.fullmatch(session_id) is None:
        raise BrowserGone("unknown session")
    return session_id
