"""A mail server on this machine that keeps what it receives."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class MailServer(socketserver.ThreadingTCPServer):
    """Answers the commands of SMTP that a client needs to send a message."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.messages: list[EmailMessage] = []
        self.answers: dict[str, str] = {}
        """What is answered to a recipient instead of 250."""
        self.logins: list[str] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class _Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 test")
        while line := self.rfile.readline().decode().strip():
            verb = line.upper().split()[0]
            if verb == "EHLO":
                self._say("250-test")
                self._say("250 AUTH PLAIN")
            elif verb == "AUTH":
                self.server.logins.append(line.split()[2])
                self._say("235 welcome")
            elif verb == "RCPT":
                address = line.partition("<")[2].partition(">")[0]
                self._say(self.server.answers.get(address, "250 fine"))
            elif verb == "DATA":
                self._receive()
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 fine")

    def _receive(self) -> None:
        self._say("354 go on")
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b"..") else line)
        message = message_from_bytes(b"".join(lines), EmailMessage, policy=policy.default)
        self.server.messages.append(message)
        self._say("250 kept")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A server until the end of the block."""
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(5)
