"""Notices by SMTP: addresses of servers, and what is sent to them."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest

from sortkey.errors import NotConfigured
from sortkey_systems.vams.notices.records import Notice
from sortkey_systems.vams.notices.smtp import SmtpChannel
from tests.systems.vams.notices.mail_server import mail_server

NOW = datetime(2026, 11, 1, tzinfo=UTC)
NOTICE = Notice(
    notice_id="n1",
    user_id="ada",
    address="ada@example.com",
    database_id="plant",
    asset_id="pump",
    change="version",
    subject="Pümpe has a new version",
    text="It is there.\n.\nSincerely",
    created_at=NOW,
    expires_at=NOW,
)


def test_a_server_with_a_user_gets_the_login_and_the_message() -> None:
    # Characters of a password that a URL cannot have are percent-encoded.
    with mail_server() as server:
        host = server.url.removeprefix("smtp://")
        SmtpChannel(f"smtp://mailer:p%40ss@{host}", "vams@example.com").send(NOTICE)
    (message,) = server.messages
    assert message["Subject"] == "Pümpe has a new version"
    assert message.get_content().replace("\r\n", "\n") == "It is there.\n.\nSincerely\n"
    assert base64.b64decode(server.logins[0]) == b"\0mailer\0p@ss"


@pytest.mark.parametrize("address", ["mail.example.com", "http://mail.example.com", "smtp://"])
def test_an_address_that_is_not_one_of_a_mail_server_is_refused(address: str) -> None:
    # At the start, not at the first notice.
    with pytest.raises(NotConfigured, match="smtp://host"):
        SmtpChannel(address, "vams@example.com")


def test_an_error_does_not_show_the_password() -> None:
    # Errors are stored with the notice.
    with mail_server() as server:
        port = server.server_address[1]
    channel = SmtpChannel(f"smtp://mailer:secret@127.0.0.1:{port}", "vams@example.com")
    with pytest.raises(OSError) as refused:  # noqa: PT011
        channel.send(NOTICE)
    assert "secret" not in repr(refused.value)
