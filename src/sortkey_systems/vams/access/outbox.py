"""Messages to users, as files of e-mail in a private folder of the server. Only the owner of the
folder can read them: some carry a temporary password.

They are sent from there where there is a mail server. Otherwise they stay, for an operator or a
mail program.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path


def _stay(path: Path) -> None:
    """No-op callback."""


class Outbox:
    """Writes messages into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.on_written: Callable[[Path], object] = _stay
        """Called with each file that should be sent."""

    def send(self, address: str, subject: str, text: str) -> None:
        """Write a message, and send it where that is possible."""
        self.on_written(self.write(address, subject, text))

    def write(self, address: str, subject: str, text: str) -> Path:
        """Write a message. It appears under its name only when it is complete."""
        message = EmailMessage()
        message["To"] = " ".join(address.split())
        message["Subject"] = " ".join(subject.split())
        message.set_content(text)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = self.folder / f"{secrets.token_hex(8)}.eml"
        temporary = name.with_suffix(".part")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(message.as_bytes())
        temporary.rename(name)
        return name
