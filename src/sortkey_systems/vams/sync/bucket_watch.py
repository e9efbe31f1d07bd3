"""`BucketWatch`: looks for what others have put into the asset buckets.

A bucket in a folder tells what was added after a position, which is stored with the bucket's
record: what came while no server ran is found at the next start. S3 sends events (`s3_events`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sortkey import ItemKey, ObjectChange, WatchedObjects, attr
from sortkey.errors import ConditionFailed
from sortkey_systems.vams.model import S3AssetBucket
from sortkey_systems.vams.sync.mapping import Mapping, ObjectEvent

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

LOOK_SECONDS = 2.0
CHANGES_AT_ONCE = 500
LOOKS_MAX = 1000
"""At one bucket in a row: the rest waits for the next time."""


class EventSource(Protocol):
    """Where events of buckets on S3 come from."""

    def handle(self, mapping: Mapping, buckets: list[S3AssetBucket]) -> int:
        """Map the events that are there. Returns how many files of others were found."""
        ...


class BucketWatch:
    """Called at intervals by the upkeep of a server, and once by commands and tests."""

    def __init__(self, service: Vams, events: EventSource | None = None) -> None:
        self._service, self._events = service, events
        self._mapping = Mapping(service)

    def look(self) -> int:
        """Map everything that is new. Returns how many files of others were found."""
        buckets = self._service.store.scan(S3AssetBucket)
        found = sum(self._look_at(bucket) for bucket in buckets)
        if self._events is not None:
            found += self._events.handle(self._mapping, buckets)
        return found

    def _look_at(self, bucket: S3AssetBucket) -> int:
        objects = self._service.buckets.objects_of(bucket)
        if not isinstance(objects, WatchedObjects):
            return 0
        found, position = 0, bucket.watched_position or 0
        for _ in range(LOOKS_MAX):
            changes = objects.changes(position, CHANGES_AT_ONCE)
            if not changes:
                break
            found += self._mapping.map(bucket, [_event(change) for change in changes])
            position = changes[-1].position
            self._store_position(bucket, position)
        return found

    def _store_position(self, bucket: S3AssetBucket, position: int) -> None:
        """Another server may have looked further: its position stays."""
        field = attr(S3AssetBucket.watched_position)
        is_behind = field.missing() | (field < position)
        try:
            self._service.store.update(
                ItemKey.of_entity(bucket),
                set={"watched_position": position},
                when=attr(S3AssetBucket.bucket_name).exists() & is_behind,
            )
        except ConditionFailed:
            return


def _event(change: ObjectChange) -> ObjectEvent:
    version = change.version
    return ObjectEvent(version.key, version.version_id, version.is_marker, version.modified_at)
