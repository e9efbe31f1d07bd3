"""The buckets that hold assets, and the auxiliary bucket for what viewers and pipelines make."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from sortkey import Objects, Store
from sortkey.errors import SortkeyError
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.model import S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of

log = logging.getLogger("sortkey.vams")

AUXILIARY = "vams-auxiliary"
"""The name of the auxiliary bucket. Its objects have no versions that anybody reads."""


class Buckets:
    """The asset buckets of an installation. Every caller of the route may see their names."""

    def __init__(self, store: Store, objects: Mapping[str, Objects]) -> None:
        self._store, self._objects = store, objects

    def all(self, caller: Caller) -> list[S3AssetBucket]:
        """Every asset bucket. Tier 1 alone decides who may see them."""
        return self._store.scan(S3AssetBucket)

    def find(self, bucket_id: str) -> S3AssetBucket:
        """A bucket by its id. Raises NotThere."""
        found = self.lookup(bucket_id)
        if found is None:
            raise NotThere("Bucket not found")
        return found

    def lookup(self, bucket_id: str | None) -> S3AssetBucket | None:
        """A bucket by its id, or None."""
        if not bucket_id:
            return None
        return self._store.first(S3AssetBucket.by_id(bucket_id=bucket_id).consistent())

    def by_ids(self, bucket_ids: Iterable[str | None]) -> dict[str, S3AssetBucket]:
        """Several buckets by their ids, each read once; unknown ones are left out."""
        wanted = sorted({each for each in bucket_ids if each})
        buckets = {bucket_id: self.lookup(bucket_id) for bucket_id in wanted}
        return {name: bucket for name, bucket in buckets.items() if bucket is not None}

    def objects_of(self, bucket: S3AssetBucket) -> Objects:
        """The objects of a bucket."""
        return self._objects[bucket.bucket_name]

    def inner_prefixes(self, bucket: S3AssetBucket) -> list[str]:
        """Prefixes below that of a bucket which are asset buckets themselves: what is there is
        theirs, and belongs to no asset of this one.
        """
        here = prefix_of(bucket)
        rows = self._store.scan(S3AssetBucket)
        prefixes = {prefix_of(row) for row in rows if row.bucket_name == bucket.bucket_name}
        return sorted(each for each in prefixes if each != here and each.startswith(here))

    def open_all(self) -> None:
        """Open every bucket, so that links that were given out before a restart work after it."""
        _ = self.auxiliary
        for bucket in self._store.scan(S3AssetBucket):
            try:
                self.objects_of(bucket)
            except SortkeyError:
                log.exception("the bucket %s cannot be opened", bucket.bucket_name)

    @property
    def auxiliary(self) -> Objects:
        """The auxiliary bucket."""
        return self._objects[AUXILIARY]


def bucket_answer(bucket: S3AssetBucket) -> dict[str, Any]:
    """A bucket as lists show it."""
    return {
        "bucketId": bucket.bucket_id,
        "bucketName": bucket.bucket_name,
        "baseAssetsPrefix": bucket.base_assets_prefix,
    }
