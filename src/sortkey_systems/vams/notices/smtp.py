"""Notices by SMTP. Credentials are sent over an encrypted connection only."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import unquote, urlsplit

from sortkey.errors import NotConfigured
from sortkey_systems.vams.notices.delivery import Undeliverable
from sortkey_systems.vams.notices.records import Notice

SMTP_VARIABLE = "SORTKEY_VAMS_SMTP"
TIMEOUT_SECONDS = 20.0
PORTS = {"smtp": 25, "smtps": 465}
_LOCAL = ("localhost", "127.0.0.1", "::1")


class SmtpChannel:
    """E-mails through a server, one connection each."""

    def __init__(
        self, address: str, sender: str, *, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in PORTS or not parts.hostname:
            raise NotConfigured(f"{SMTP_VARIABLE} must be smtp://host:port or smtps://host:port")
        self._is_encrypted = parts.scheme == "smtps"
        self._host, self._port = parts.hostname, parts.port or PORTS[parts.scheme]
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._sender, self._timeout = " ".join(sender.split()), timeout_seconds

    def send(self, notice: Notice) -> None:
        """Send a notice. Its id is that of the message, so that a copy can be recognised."""
        message = EmailMessage()
        message["To"] = " ".join(notice.address.split())
        message["Subject"] = " ".join(notice.subject.split())
        message["Date"] = format_datetime(notice.created_at)
        message["Message-ID"] = f"<{notice.notice_id}@vams>"
        message.set_content(notice.text)
        self.send_message(message)

    def send_message(self, message: EmailMessage) -> None:
        """Send an e-mail that has its recipient."""
        if "From" not in message:
            message["From"] = self._sender
        try:
            with self._connection() as server:
                server.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            if all(code >= 500 for code in codes):
                raise Undeliverable(f"the server refuses the recipient: {codes}") from None
            raise

    def _connection(self) -> smtplib.SMTP:
        if self._is_encrypted:
            context = ssl.create_default_context()
            server = smtplib.SMTP_SSL(
                self._host, self._port, timeout=self._timeout, context=context
            )
        else:
            server = smtplib.SMTP(self._host, self._port, timeout=self._timeout)
        try:
            self._prepare(server)
        except BaseException:
            server.close()
            raise
        return server

    def _prepare(self, server: smtplib.SMTP) -> None:
        is_safe = self._is_encrypted or self._host in _LOCAL
        server.ehlo()
        if not is_safe and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
            is_safe = True
        if self._user:
            if not is_safe:
                raise NotConfigured(f"{self._host} offers no encryption: use smtps:// or no user")
            server.login(self._user, self._password)
