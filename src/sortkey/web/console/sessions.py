"""Sessions of signed-in users: a random token, which the browser keeps in a cookie, and its expiry.

The server stores a hash of each token, keyed with its secret and the password. The file is useless
to whoever reads it, and changing the password ends all sessions. Sessions survive a restart.
"""

from __future__ import annotations

import hmac
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, cast

SECONDS = 12 * 3600
SESSIONS_MAX = 1000
"""Beyond this number, the oldest sessions end."""


class Sessions:
    """Sessions in a folder that only its owner can read."""

    def __init__(
        self, folder: Path, secret: str, password: str, clock: Callable[[], float] = time.time
    ) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self._path = folder / "sessions.json"
        self._key = hmac.digest(secret.encode(), password.encode(), "sha256")
        self._clock = clock
        self._ends: dict[str, float] = _read(self._path)

    def start(self) -> str:
        """Start a session. Returns its token, which is not stored."""
        token = token_urlsafe(32)
        self._ends[self._hash(token)] = self._clock() + SECONDS
        self._write()
        return token

    def seconds_left(self, token: str) -> float:
        """The remaining time of a session, 0 if it has ended or does not exist."""
        return max(0.0, self._ends.get(self._hash(token), 0.0) - self._clock())

    def end(self, token: str) -> None:
        """End a session. Ending it twice is fine."""
        if self._ends.pop(self._hash(token), None) is not None:
            self._write()

    def _hash(self, token: str) -> str:
        return hmac.digest(self._key, token.encode(), "sha256").hex()

    def _write(self) -> None:
        now = self._clock()
        lasting = sorted((end, hashed) for hashed, end in self._ends.items() if end > now)
        self._ends = {hashed: end for end, hashed in lasting[-SESSIONS_MAX:]}
        draft = self._path.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(self._ends, file)
        draft.replace(self._path)


def _read(path: Path) -> dict[str, float]:
    """The stored sessions. None if the file is missing or damaged: everyone signs in again."""
    try:
        stored: Any = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {
        hashed: end
        for hashed, end in cast(dict[str, Any], stored).items()
        if isinstance(end, float | int)
    }
