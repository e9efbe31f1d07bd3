"""How notices leave: as files of e-mail in a private folder, by SMTP, or to a topic of SNS.

    SORTKEY_VAMS_SMTP        smtp://user:password@mail.example.com:587, or smtps://
    SORTKEY_VAMS_MAIL_FROM   the sender of e-mails
    SORTKEY_VAMS_SNS_TOPIC   the ARN of a topic

Without any of them, the folder.
"""

from __future__ import annotations

from collections.abc import Mapping

from sortkey.errors import NotConfigured
from sortkey_systems.vams.access.outbox import Outbox
from sortkey_systems.vams.notices.delivery import Channel
from sortkey_systems.vams.notices.records import Notice
from sortkey_systems.vams.notices.smtp import SMTP_VARIABLE, SmtpChannel
from sortkey_systems.vams.notices.sns import SNS_VARIABLE, SnsChannel

SENDER_VARIABLE = "SORTKEY_VAMS_MAIL_FROM"
SENDER_DEFAULT = "vams@localhost"


class FolderChannel:
    """Files of e-mail in the outbox of the server."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def send(self, notice: Notice) -> None:
        self._outbox.write(notice.address, notice.subject, notice.text)


def open_channel(environment: Mapping[str, str], outbox: Outbox) -> Channel:
    """The channel that environment variables ask for."""
    smtp, topic = environment.get(SMTP_VARIABLE), environment.get(SNS_VARIABLE)
    if smtp and topic:
        raise NotConfigured(f"set {SMTP_VARIABLE} or {SNS_VARIABLE}, not both")
    if smtp:
        return SmtpChannel(smtp, environment.get(SENDER_VARIABLE) or SENDER_DEFAULT)
    if topic:
        return SnsChannel(topic)
    return FolderChannel(outbox)
