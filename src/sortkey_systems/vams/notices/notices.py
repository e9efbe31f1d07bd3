"""`Notices`: when an asset changes, a notice to each subscriber who may see it.

A notice is a row of the outbox and a job that delivers it. Both follow from the change, so that a
change that is handled again after a crash is announced once. A notice whose delivery was cut off
may arrive twice.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sortkey import Backoff, ItemKey, JobContext, job
from sortkey.errors import AlreadyExists, ConditionFailed
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.assets import asset_object
from sortkey_systems.vams.changes import AssetChanged
from sortkey_systems.vams.model import Asset, User
from sortkey_systems.vams.notices.channels import open_channel
from sortkey_systems.vams.notices.delivery import Undeliverable
from sortkey_systems.vams.notices.records import Notice, Status, notices_table
from sortkey_systems.vams.notices.smtp import SmtpChannel

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

ATTEMPTS_MAX = 8
BACKOFF = Backoff(first_seconds=30, factor=3, max_seconds=6 * 3600)
KEPT = timedelta(days=30)
ERROR_CHARACTERS_MAX = 300
HAPPENED = {
    "version": "has a new version",
    "revert": "was reverted to an earlier version",
    "upload": "has new files",
    "archive": "was archived",
    "unarchive": "was brought back from the archive",
    "update": "was changed",
    "delete": "was deleted",
}


class Notices:
    """The notices of an installation."""

    def __init__(self, service: Vams) -> None:
        self._service = service
        self._store, self._access, self._jobs = service.store, service.access, service.jobs
        self.channel = open_channel(os.environ, service.outbox)
        self._store.ensure(notices_table)
        self._deliver_job = job(
            "vams.deliver-notice", timeout=120, retries=ATTEMPTS_MAX, backoff=BACKOFF
        )(self._deliver)
        self._file_job = job(
            "vams.deliver-file", timeout=120, retries=ATTEMPTS_MAX, backoff=BACKOFF
        )(self._deliver_file)
        service.jobs.add(self._deliver_job, self._file_job)
        service.changes.on_asset_changed("notices", self._on_change)
        service.outbox.on_written = self._on_file

    def by_status(self, status: Status, limit: int = 100) -> list[Notice]:
        """Notices with a status, the latest first: for operators."""
        query = Notice.by_status(status=status).descending().limit(limit)
        return self._store.query(query)

    def announce_removal(self, asset: Asset) -> None:
        """Notify the subscribers of an asset that is being deleted for good, before its
        subscriptions go. Earlier notices about it go too, and this one when it was delivered.
        """
        self._remove_others(asset)
        created = asset.created_at.isoformat() if asset.created_at else ""
        change_id = f"delete {asset.database_id}:{asset.asset_id} {created}"
        self._announce(asset, "delete", None, now_text(self._service.now()), change_id)

    # -- from changes to notices

    def _on_change(self, change: AssetChanged) -> None:
        asset = self._service.assets.find(change.database_id, change.asset_id, archived=True)
        if asset is None or change.kind == "delete":  # `announce_removal` has the deletion
            return
        self._announce(asset, change.kind, change.user_id, change.at, change.change_id)

    def _announce(
        self, asset: Asset, kind: str, user_id: str | None, at: str, change_id: str
    ) -> None:
        now = self._service.now()
        subject = f"{asset.asset_name} {HAPPENED.get(kind, 'was changed')}"
        by = f" by {user_id}" if user_id else ""
        text = (
            f"The asset {asset.asset_name} ({asset.asset_id}) in the database "
            f"{asset.database_id} {HAPPENED.get(kind, 'was changed')}.\n\n"
            f"Changed at {at}{by}.\n"
            "You receive this notice because you are subscribed to changes of this asset.\n"
        )
        for user in self._recipients(asset):
            notice = Notice(
                notice_id=sha256(repr((change_id, user.user_id)).encode()).hexdigest()[:32],
                user_id=user.user_id,
                address=user.email or user.user_id,
                database_id=asset.database_id,
                asset_id=asset.asset_id,
                change=kind,
                subject=subject,
                text=text,
                created_at=now,
                expires_at=now + KEPT,
            )
            self._enqueue(notice)

    def _enqueue(self, notice: Notice) -> None:
        with suppress(AlreadyExists):
            self._store.create(notice)
        task = self._jobs.queue.enqueue(
            self._deliver_job,
            {"notice_id": notice.notice_id},
            idempotency_key=notice.notice_id,
        )
        if task.is_ended and notice.change == "delete":  # delivered before a crash
            self._store.delete(notice)

    def _remove_others(self, asset: Asset) -> None:
        ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        notices = self._store.query(Notice.of_asset(**ids).hydrated())
        others = [each for each in notices if each.change != "delete"]
        self._store.batch_write(deletes=[ItemKey.of_entity(each) for each in others])

    def _recipients(self, asset: Asset) -> list[User]:
        """Subscribers who can be reached and may see the asset, at least in a session with MFA."""
        user_ids = list(self._service.subscriptions.of(asset))
        found = self._store.batch_get([User.key(user_id=each) for each in user_ids])
        return [
            user
            for user in found
            if user is not None
            and user.email
            and self._access.allowed(
                self._access.caller(user.user_id, has_mfa=True), "GET", asset_object(asset)
            )
        ]

    # -- delivery

    def _deliver(self, context: JobContext, notice_id: str) -> None:
        notice = self._store.find(Notice.key(notice_id=notice_id), consistent=True)
        if notice is None or notice.status != "pending":
            return
        try:
            self.channel.send(notice)
        except Exception as error:
            is_last = isinstance(error, Undeliverable) or notice.attempts + 1 >= ATTEMPTS_MAX
            message = f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS_MAX]
            self._tried(notice, "failed" if is_last else "pending", message)
            if not is_last:
                raise
        else:
            self._tried(notice, "sent", None)

    def _tried(self, notice: Notice, status: Status, error: str | None) -> None:
        """Store the outcome. Of an asset that is gone nothing stays but what is not delivered."""
        key = Notice.key(notice_id=notice.notice_id)
        if notice.change == "delete" and status != "pending":
            self._store.delete(key)
            return
        values = {
            "status": status,
            "attempts": notice.attempts + 1,
            "last_error": error,
            "sent_at": self._service.now() if status == "sent" else None,
        }
        with suppress(ConditionFailed):  # removed meanwhile, with its asset
            self._store.update(key, set=values)

    # -- messages with temporary passwords, which are in no table

    def _on_file(self, path: Path) -> None:
        """Send a message of the outbox, where there is a mail server; otherwise it stays there."""
        if isinstance(self.channel, SmtpChannel):
            self._jobs.enqueue(self._file_job, {"name": path.name})

    def _deliver_file(self, context: JobContext, name: str) -> None:
        path = self._service.outbox.folder / Path(name).name
        if isinstance(self.channel, SmtpChannel) and path.exists():
            message = message_from_bytes(path.read_bytes(), EmailMessage, policy=policy.default)
            self.channel.send_message(message)
            path.unlink(missing_ok=True)
