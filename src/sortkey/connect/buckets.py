"""`sortkey.open_objects(address)`: a bucket for an address. The rest of a program does not know
where its objects lie.

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
Given = Union[Address, Mapping[str, "Objects | Address"]]  # noqa: UP007 - a name in quotes cannot stand in X | Y
"""One address with `{bucket}` in it for all buckets, or one for each by its name."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,255}")


def open_objects(address: Address, **settings: Any) -> Objects:
    """A bucket. Settings are those of the adapter: for a folder `name`, `url` and `clock`."""
    text = os.fspath(address)
    if "://" not in text:
        from sortkey.connect.files import FileObjects

        return FileObjects(text, **settings)
    forms = " of a bucket: a folder, or s3://<bucket>?region=…&endpoint=…"
    url, options = address_parts(text, ("s3",), ("region", "endpoint", "profile"), forms)
    if not url.netloc:
        raise ModelError(f"{text!r} is no address{forms}")
    from sortkey.connect.s3 import S3Objects

    return S3Objects(url.netloc, **options, **settings)


class Buckets(OwnedBuckets):
    """The buckets of a program by name, each opened when it is first used."""

    def __init__(
        self, given: Given, clock: Callable[[], float] | None = None, *, url: str | None = None
    ) -> None:
        """`clock` and `url` are for buckets in folders: S3 has its own."""
        self._given = given if isinstance(given, Mapping) else os.fspath(given)
        if isinstance(self._given, str) and "{bucket}" not in self._given:
            raise ModelError(
                f"{self._given!r} needs a {{bucket}}, as data/buckets/{{bucket}}: there may be "
                "several"
            )
        self._settings = {
            name: each for name, each in (("clock", clock), ("url", url)) if each is not None
        }
        self._opened: dict[str, Objects] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Objects:
        with self._lock:
            if name not in self._opened:
                self._opened[name] = self._open(name)
            return self._opened[name]

    def _open(self, name: str) -> Objects:
        if isinstance(self._given, str) and (not _NAME.fullmatch(name) or name in (".", "..")):
            # It becomes a part of a path, and may stand in an item that somebody has written.
            raise NotConfigured(
                f"{name!r} is no name of a bucket: letters, digits, dots, hyphens and underscores"
            )
        found = (
            self._given.replace("{bucket}", name)
            if isinstance(self._given, str)
            else self._given[name]
        )
        if not isinstance(found, (str, os.PathLike)):
            return found
        return open_objects(found, **({} if "://" in os.fspath(found) else self._settings))

    def close(self) -> None:
        """Close what was opened here."""
        for name, each in self._opened.items():
            if isinstance(self._given, str) or isinstance(self._given[name], (str, os.PathLike)):
                each.close()
        self._opened.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._opened if isinstance(self._given, str) else self._given)

    def __len__(self) -> int:
        return len(list(iter(self)))
