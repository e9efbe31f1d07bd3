"""`sortkey.open_objects(address)`: a bucket for an address. The rest of a program does not know
where its objects are stored.

`data/buckets/reports`                              a folder
`s3://reports?region=eu-west-1&profile=name`        a bucket on AWS
`s3://reports?endpoint=http://localhost:9000`       one on anything that speaks S3
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Union

from sortkey.connect.addresses import address_parts
from sortkey.errors import ModelError, NotConfigured
from sortkey.runtime.owned_buckets import OwnedBuckets

if TYPE_CHECKING:
    from sortkey.runtime.objects import Objects

Address = str | os.PathLike[str]
# Union, because a name in quotes is not allowed in X | Y.
BucketAddresses = Union[Address, Mapping[str, "Objects | Address"]]  # noqa: UP007
"""One address with `{bucket}` in it for all buckets, or an address per bucket name."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")


def open_objects(address: Address, **settings: Any) -> Objects:
    """Open a bucket. Settings are those of the adapter: for a folder `name`, `url` and `clock`."""
    text = os.fspath(address)
    if "://" not in text:
        from sortkey.connect.files import FileObjects

        return FileObjects(text, **settings)
    forms = " of a bucket: a folder, or s3://<bucket>?region=…&endpoint=…"
    url, options = address_parts(text, ("s3",), ("region", "endpoint", "profile"), forms)
    if not url.netloc:
        raise ModelError(f"{text!r} is not an address{forms}")
    from sortkey.connect.s3 import S3Objects

    return S3Objects(url.netloc, **options, **settings)


class Buckets(OwnedBuckets):
    """The buckets of a program by name, each opened when it is first used."""

    def __init__(
        self,
        addresses: BucketAddresses,
        clock: Callable[[], float] | None = None,
        *,
        url: str | None = None,
    ) -> None:
        """`clock` and `url` are for buckets in folders: S3 has its own."""
        self._addresses = addresses if isinstance(addresses, Mapping) else os.fspath(addresses)
        if isinstance(self._addresses, str) and "{bucket}" not in self._addresses:
            raise ModelError(
                f"{self._addresses!r} must contain {{bucket}}, as in data/buckets/{{bucket}}: "
                "there may be several buckets"
            )
        self._settings = {
            name: value for name, value in (("clock", clock), ("url", url)) if value is not None
        }
        self._buckets: dict[str, Objects] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Objects:
        with self._lock:
            if name not in self._buckets:
                self._buckets[name] = self._open(name)
            return self._buckets[name]

    def _open(self, name: str) -> Objects:
        if isinstance(self._addresses, str) and (not _NAME.fullmatch(name) or name in (".", "..")):
            # It becomes part of a path, and may come from an item that anyone could write.
            raise NotConfigured(
                f"{name!r} is not a bucket name: use letters, digits, dots, hyphens and underscores"
            )
        address = (
            self._addresses.replace("{bucket}", name)
            if isinstance(self._addresses, str)
            else self._addresses[name]
        )
        if not isinstance(address, (str, os.PathLike)):
            return address
        return open_objects(address, **({} if "://" in os.fspath(address) else self._settings))

    def close(self) -> None:
        """Close the buckets that were opened here."""
        for name, bucket in self._buckets.items():
            if isinstance(self._addresses, str) or isinstance(
                self._addresses[name], (str, os.PathLike)
            ):
                bucket.close()
        self._buckets.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._buckets if isinstance(self._addresses, str) else self._addresses)

    def __len__(self) -> int:
        return len(list(iter(self)))
