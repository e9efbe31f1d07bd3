"""The lifecycle rules of a folder of objects. S3 applies them once a day, here a call does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime

import orjson

from sortkey.connect.files.index import Index
from sortkey.connect.files.rows import Version
from sortkey.runtime.objects import Lifecycle, LifecycleReport

DAY_MS = 24 * 3600 * 1000


def dumped(rules: Sequence[Lifecycle]) -> str:
    return orjson.dumps([asdict(rule) for rule in rules]).decode()


def load_rules(text: str | None) -> list[Lifecycle]:
    return [Lifecycle(**rule) for rule in orjson.loads(text or "[]")]


def apply(
    index: Index,
    rules: Sequence[Lifecycle],
    now: datetime,
    marker: Callable[[str], Version],
    remove: Callable[[Sequence[str]], None],
) -> LifecycleReport:
    """Apply the rules as of an instant. Each step is a transaction, and repeating it is fine."""
    report, now_ms = LifecycleReport(), int(now.timestamp() * 1000)
    for rule in rules:
        if rule.archive_after_days is not None:
            report.archived += index.archive(rule.prefix, now_ms - rule.archive_after_days * DAY_MS)
        if rule.expire_after_days is not None:
            for version in index.due_for_expiry(
                rule.prefix, now_ms - rule.expire_after_days * DAY_MS
            ):
                if index.mark_deleted(marker(version.key), only=version.id):
                    report.expired.append(version.key)
        if rule.old_versions_after_days is not None:
            for version in index.due_for_removal(
                rule.prefix, now_ms - rule.old_versions_after_days * DAY_MS
            ):
                remove(index.remove(version.key, version.id))
                report.removed_versions.append(version.key)
        if rule.uploads_after_days is not None:
            for upload in index.uploads(rule.prefix):
                if upload.begun_ms <= now_ms - rule.uploads_after_days * DAY_MS:
                    remove(index.abort(upload.id))
                    report.aborted_uploads.append(upload.key)
    return report
