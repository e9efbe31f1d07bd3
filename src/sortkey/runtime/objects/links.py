"""Presigned URLs of objects that our own host serves, signed with HMAC-SHA-256 for exactly one
request.

S3 signs its own URLs. The host verifies these with `check` before anything else.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal
from urllib.parse import quote, urlencode

import orjson

from sortkey.errors import LinkRefused, ModelError

SECONDS_MAX = 7 * 24 * 3600
"""As on S3."""

PART_BYTES_MAX = 5 << 30
"""Of a part whose size is not in its URL, as on S3."""

Method = Literal["GET", "PUT"]


@dataclass(frozen=True, slots=True)
class Link:
    """What a URL allows: one method on one object until an instant. For writing, size and type are
    fixed too; a part may be without a size, and then takes what S3 takes.
    """

    method: Method
    bucket: str
    key: str
    expires: int
    version_id: str = ""
    size: int | None = None
    content_type: str = ""
    upload_id: str = ""
    part: int | None = None

    def query(self) -> dict[str, str]:
        """The query string of the URL without the signature."""
        values = {
            "expires": str(self.expires),
            "version": self.version_id,
            "size": "" if self.size is None else str(self.size),
            "type": self.content_type,
            "upload": self.upload_id,
            "part": "" if self.part is None else str(self.part),
        }
        return {name: value for name, value in values.items() if value}


def expiry(now: float, seconds: int) -> int:
    if not 1 <= seconds <= SECONDS_MAX:
        raise ModelError(f"a link is valid for 1 to {SECONDS_MAX:,} seconds, not {seconds}")
    return int(now) + seconds


def url(base: str, link: Link, secret: bytes) -> str:
    """The URL of a link: base/bucket/key?expires=…&signature=…"""
    query = urlencode({**link.query(), "signature": _signature(link, secret)}, quote_via=quote)
    return f"{base.rstrip('/')}/{quote(link.bucket)}/{quote(link.key)}?{query}"


def check(
    secret: bytes,
    method: str,
    bucket: str,
    key: str,
    query: Mapping[str, str],
    *,
    now: float,
    size: int | None = None,
    content_type: str = "",
) -> Link:
    """The link of a request. Raises LinkRefused if it is forged, expired, or for another request.

    `size` and `content_type` are those of the request, compared if it writes.
    """
    link = _read(method, bucket, key, query)
    received = query.get("signature", "").encode(
        errors="replace"
    )  # a text that is not ASCII cannot be compared
    if not hmac.compare_digest(_signature(link, secret).encode(), received):
        raise LinkRefused(
            "the URL is not one of ours, or was made for another object or method: ask for a new "
            "one"
        )
    if now >= link.expires:
        raise LinkRefused("the URL has expired: ask for a new one")
    if link.method == "PUT" and not _takes(link, size):
        raise LinkRefused(f"the URL is for {_size_text(link)}, not for {size} bytes")
    if link.method == "PUT" and link.content_type and content_type != link.content_type:
        raise LinkRefused(
            f"the URL is for {link.content_type}, not for {content_type or 'no type'}"
        )
    return link


def _takes(link: Link, size: int | None) -> bool:
    """Whether a link for writing takes so many bytes. None: the request does not declare them."""
    if link.size is not None:
        return size == link.size
    return link.part is not None and (size is None or size <= PART_BYTES_MAX)


def _size_text(link: Link) -> str:
    return f"at most {PART_BYTES_MAX:,} bytes" if link.size is None else f"{link.size} bytes"


def _read(method: str, bucket: str, key: str, query: Mapping[str, str]) -> Link:
    if method == "HEAD":
        method = "GET"  # a link for reading also allows HEAD
    if method not in ("GET", "PUT"):
        raise LinkRefused(f"{method} is not a method that a URL can be signed for")
    try:
        numbers = {name: int(query[name]) if name in query else None for name in ("size", "part")}
        expires = int(query.get("expires", "0"))
    except ValueError:
        raise LinkRefused("the URL is not one of ours: ask for a new one") from None
    version, kind, upload = (query.get(name, "") for name in ("version", "type", "upload"))
    return Link(
        method, bucket, key, expires, version, numbers["size"], kind, upload, numbers["part"]
    )


def _signature(link: Link, secret: bytes) -> str:
    about = orjson.dumps(
        ["sortkey-link-1", link.method, link.bucket, link.key, link.query()], option=_SORTED
    )
    return hmac.new(secret, about, sha256).hexdigest()


_SORTED = orjson.OPT_SORT_KEYS
