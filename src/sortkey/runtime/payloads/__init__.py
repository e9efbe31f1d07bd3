"""Payloads and their buckets: objects are read, uploaded, copied and removed here. `writes` writes
the items.

An object belongs to one item, whose key is in the object's metadata. So it can be decided for any
object whether its item refers to it, or whether a killed writer left it over.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeVar, cast

from sortkey.errors import InvalidItem, NotConfigured, ObjectNotFound, StoreError
from sortkey.model.payloads import Payload, Pointer, StoredIn
from sortkey.runtime.objects import METADATA_BYTES_MAX, ObjectInfo, Objects, check_key
from sortkey.runtime.objects.data import ObjectReader
from sortkey.runtime.payloads.data import Encoded, PayloadReader, decoded
from sortkey.values.attributes import Item

T = TypeVar("T")
OWNER = "sortkey-item"
UNVERSIONED = "null"
log = logging.getLogger("sortkey.payloads")


@dataclass(frozen=True, slots=True)
class Owner:
    """The item that an object belongs to."""

    table: str
    key: Item

    def metadata(self) -> dict[str, str]:
        """The metadata of the object; empty if the item's key is too long for it."""
        text = json.dumps([self.table, self.key], separators=(",", ":"))
        return {OWNER: text} if len(OWNER) + len(text) <= METADATA_BYTES_MAX else {}

    @classmethod
    def of(cls, info: ObjectInfo) -> Owner | None:
        try:
            table, key = json.loads(info.metadata.get(OWNER, ""))
        except ValueError:
            return None
        return cls(table, key)


@dataclass(frozen=True, slots=True)
class Payloads:
    """The payloads of a store: its buckets by name, and what is done with their objects."""

    buckets: Mapping[str, Objects]

    def bucket(self, name: str) -> Objects:
        """A bucket by name. Raises NotConfigured if the store does not have it."""
        try:
            return self.buckets[name]
        except KeyError:
            known = ", ".join(self.buckets) or "none"
            raise NotConfigured(
                f"the store has no bucket {name!r} (it has: {known}): open it with objects=, "
                'as in sortkey.open("data", objects="data/buckets/{bucket}")'
            ) from None

    # -- reading

    def load(self, payload: Payload[T]) -> T:
        """The verified value. Raises ObjectNotFound, ObjectCorrupt, and InvalidItem if it has
        another type.
        """
        pointer = payload.pointer
        if pointer is None:
            return cast(T, payload.source)
        if pointer.inline is not None:
            data = pointer.inline
        else:
            with self.reader(pointer) as reader:
                data = decoded(reader.read(), pointer)
        try:
            return payload.content.load(data)
        except ValueError as error:
            raise InvalidItem(
                f"{pointer.key} is not a valid {payload.content.type}: {error}", pointer
            ) from error

    def open(self, payload: Payload[Any]) -> PayloadReader:
        """The bytes of a value as a stream."""
        pointer = payload.pointer
        if pointer is None:
            raise ObjectNotFound("the payload is not stored yet: write its entity first")
        if pointer.inline is not None:
            return PayloadReader(BytesIO(pointer.inline), pointer)
        return PayloadReader(self.reader(pointer), pointer)

    def reader(self, pointer: Pointer) -> ObjectReader:
        """The bytes of an object as they are stored, checked against its pointer."""
        reader = self.bucket(pointer.bucket).open(pointer.key, version_id=pointer.version_id)
        try:
            if pointer.sha256 is not None:
                reader.expect_sha256(pointer.sha256)
        except BaseException:
            reader.close()
            raise
        return reader

    # -- writing

    def upload(
        self,
        key: str,
        data: Encoded,
        payload: Payload[Any],
        declared: StoredIn,
        owner: Owner,
        match: str | None,
    ) -> Pointer:
        """Store a value; returns the pointer to publish. `match` is the ETag of a leftover object
        to replace.
        """
        if data.inline is not None:
            return Pointer(
                declared.bucket, key, size=len(data.inline), inline=data.inline, owner=owner.key
            )
        info = self.bucket(declared.bucket).put(
            key,
            data.data,
            content_type=declared.content_type or payload.content.media_type,
            content_encoding=data.encoding,
            metadata=owner.metadata(),
            if_absent=declared.once and match is None,
            if_match=match,
        )
        return self.pointer(declared.bucket, info, info.sha256, data.encoding, owner)

    def copy(self, pointer: Pointer, key: str, owner: Owner) -> Pointer:
        """A copy of an object, for an item that was made from another item."""
        bucket = self.bucket(pointer.bucket)
        info = bucket.copy(
            pointer.key, key, version_id=pointer.version_id, metadata=owner.metadata()
        )
        return self.pointer(pointer.bucket, info, pointer.sha256, pointer.encoding, owner)

    def pointer(
        self, bucket: str, info: ObjectInfo, sha256: str | None, encoding: str | None, owner: Owner
    ) -> Pointer:
        if info.version_id == UNVERSIONED:
            raise NotConfigured(
                f"the bucket {bucket!r} has no versions, so a lost race could damage what an item "
                "shows: turn "
                "versioning on"
            )
        return Pointer(
            bucket, info.key, info.version_id, info.size, sha256, encoding, owner=owner.key
        )

    def find(self, bucket: str, key: str) -> ObjectInfo | None:
        try:
            return self.bucket(bucket).head(check_key(key))
        except ObjectNotFound:
            return None

    def remove(self, pointer: Pointer) -> None:
        """Remove the version that a pointer shows. If that fails, `sweep` finds it later."""
        try:
            self.bucket(pointer.bucket).delete(pointer.key, pointer.version_id)
        except StoreError as error:
            log.warning(
                "%s (version %s) stays for the next sweep: %s",
                pointer.key,
                pointer.version_id,
                error,
            )
