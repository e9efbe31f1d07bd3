"""Objects as answers to GET and HEAD: ranges, conditions, and a megabyte in memory at a time,
whatever the size of the object. Whoever calls has checked that the caller may read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime

from fastapi import Request
from starlette.responses import Response, StreamingResponse

from sortkey.runtime.objects import ObjectInfo, Objects
from sortkey.runtime.objects.data import ObjectReader
from sortkey.web.byte_ranges import ByteRange, Unsatisfiable, range_in
from sortkey.web.refusals import Refused

SANDBOX = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, no-cache",
}
"""Keeps browsers from running uploaded content with the permissions of our site."""


def object_answer(
    objects: Objects, key: str, request: Request, *, version_id: str | None = None
) -> Response:
    """The answer to a request for an object, or for the range of it that the request names. It
    blocks until the object is open. Raises ObjectNotFound, and Refused with 416.
    """
    info = objects.head(key, version_id)
    headers = _headers(info)
    if _knows(request, info):
        return Response(status_code=304, headers=headers)
    header = request.headers.get("range") if _may_be_part(request, info) else None
    try:
        requested = range_in(header, info.size)
    except Unsatisfiable:
        refusal = Refused(
            416, "RangeNotSatisfiable", f"the object has only {info.size:,} bytes", size=info.size
        )
        refusal.headers = {"Content-Range": f"bytes */{info.size}"}
        raise refusal from None
    status = 206 if requested else 200
    if requested:
        headers["Content-Range"] = f"bytes {requested.start}-{requested.end - 1}/{info.size}"
    part = requested or ByteRange(0, info.size)
    headers["Content-Length"] = str(part.end - part.start)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    reader = objects.open(key, version_id=info.version_id, start=part.start, end=part.end)
    return StreamingResponse(_closing(reader), status, headers)


def _headers(info: ObjectInfo) -> dict[str, str]:
    headers = {
        "Content-Type": info.content_type,
        "ETag": f'"{info.etag}"',
        "Last-Modified": format_datetime(info.modified_at, usegmt=True),
        "Accept-Ranges": "bytes",
    }
    if info.content_encoding:
        headers["Content-Encoding"] = info.content_encoding
    return headers | SANDBOX


def _knows(request: Request, info: ObjectInfo) -> bool:
    known = request.headers.get("if-none-match", "")
    etags = [etag.strip().removeprefix("W/") for etag in known.split(",")]
    return known == "*" or f'"{info.etag}"' in etags


def _may_be_part(request: Request, info: ObjectInfo) -> bool:
    """With If-Range, a range applies only if the object has not changed."""
    return request.headers.get("if-range", f'"{info.etag}"') == f'"{info.etag}"'


def _closing(reader: ObjectReader) -> Iterator[bytes]:
    with reader:
        yield from reader
