"""Messages to users, as files of e-mail in a private folder of the server, which a mail program can
send. Only the owner of the folder can read them: some carry a temporary password.
"""

from __future__ import annotations

import os
import secrets
from email.message import EmailMessage
from pathlib import Path


class Outbox:
    """Writes messages into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def send(self, address: str, subject: str, text: str) -> None:
        """Write a message. It appears under its name only when it is complete."""
        message = EmailMessage()
        message["To"] = " ".join(address.split())
        message["Subject"] = subject
        message.set_content(text)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = self.folder / f"{secrets.token_hex(8)}.eml"
        temporary = name.with_suffix(".part")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(message.as_bytes())
        temporary.rename(name)
