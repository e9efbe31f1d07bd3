"""Serves the presigned links of buckets in folders: GET and HEAD with ranges, PUT. S3 serves its
own.

Bytes stream both ways, a megabyte at a time, whatever the size of the object. A link is checked
before anything else is looked at, so that nobody learns what there is without one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from email.utils import format_datetime

import anyio.from_thread
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from sortkey.connect.files import FileObjects
from sortkey.errors import LinkRefused, ModelError
from sortkey.runtime.objects import ObjectInfo, Objects
from sortkey.runtime.objects.data import CHUNK_BYTES, ObjectReader
from sortkey.runtime.objects.links import Link
from sortkey.web.byte_ranges import ByteRange, Unsatisfiable, range_in
from sortkey.web.refusals import Refused

UPLOADS_MAX = 64
"""At the same time. Each has a thread while it comes in, and those are not the threads of other
requests.
"""

SANDBOX = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, no-cache",
}
"""What somebody uploaded is shown by a browser as if it came from nowhere: it can do nothing in our
name.
"""


def object_router(objects: Mapping[str, Objects]) -> APIRouter:
    """The routes /{bucket}/{key} of the buckets that lie in folders."""
    router = APIRouter(include_in_schema=False)
    uploads = CapacityLimiter(UPLOADS_MAX)

    @router.get("/{bucket}/{key:path}")
    @router.head("/{bucket}/{key:path}")
    async def read(bucket: str, key: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        files = _files(objects, bucket)
        link = _checked(files, request, key)
        return await run_in_threadpool(_read, files, link, request)

    @router.put("/{bucket}/{key:path}")
    async def write(bucket: str, key: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        files = _files(objects, bucket)
        link = _checked(files, request, key)
        return await run_sync(_write, files, link, request, limiter=uploads)

    return router


def _files(objects: Mapping[str, Objects], bucket: str) -> FileObjects:
    """A bucket that is open already: asking for another must not make a folder."""
    found = objects[bucket] if bucket in set(objects) else None
    if not isinstance(found, FileObjects):
        raise LinkRefused(
            "the URL is not one of ours, or was made for another object or method: ask for a new "
            "one"
        )
    return found


def _checked(files: FileObjects, request: Request, key: str) -> Link:
    announced = request.headers.get("content-length", "")
    size = int(announced) if announced.isdecimal() else None
    kind = request.headers.get("content-type", "")
    return files.check_link(request.method, key, request.query_params, size=size, content_type=kind)


# -- reading


def _read(files: FileObjects, link: Link, request: Request) -> Response:
    info = files.head(link.key, link.version_id or None)
    headers = _headers(info)
    if _knows(request, info):
        return Response(status_code=304, headers=headers)
    asked = request.headers.get("range") if _may_be_part(request, info) else None
    try:
        wanted = range_in(asked, info.size)
    except Unsatisfiable:
        outside = Refused(
            416, "RangeNotSatisfiable", f"the object has {info.size:,} bytes", size=info.size
        )
        outside.headers = {"Content-Range": f"bytes */{info.size}"}
        raise outside from None
    status = 206 if wanted else 200
    if wanted:
        headers["Content-Range"] = f"bytes {wanted.start}-{wanted.end - 1}/{info.size}"
    part = wanted or ByteRange(0, info.size)
    headers["Content-Length"] = str(part.end - part.start)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    reader = files.open(link.key, version_id=info.version_id, start=part.start, end=part.end)
    return StreamingResponse(_closing(reader), status, headers)


def _headers(info: ObjectInfo) -> dict[str, str]:
    told = {
        "Content-Type": info.content_type,
        "ETag": f'"{info.etag}"',
        "Last-Modified": format_datetime(info.modified_at, usegmt=True),
        "Accept-Ranges": "bytes",
    }
    if info.content_encoding:
        told["Content-Encoding"] = info.content_encoding
    return told | SANDBOX


def _knows(request: Request, info: ObjectInfo) -> bool:
    known = request.headers.get("if-none-match", "")
    return known == "*" or f'"{info.etag}"' in [
        each.strip().removeprefix("W/") for each in known.split(",")
    ]


def _may_be_part(request: Request, info: ObjectInfo) -> bool:
    """A range counts only if the object is still the one that the caller has the rest of."""
    return request.headers.get("if-range", f'"{info.etag}"') == f'"{info.etag}"'


def _closing(reader: ObjectReader) -> Iterator[bytes]:
    with reader:
        yield from reader


# -- writing


def _write(files: FileObjects, link: Link, request: Request) -> Response:
    """In a thread, which asks the event loop for each piece: the disk sets the pace, and nothing
    piles up.
    """
    try:
        stored = files.receive(link, _pieces(request))
    except ModelError as error:  # not as many bytes as were announced
        raise Refused(400, "WrongSize", str(error)) from None
    except ClientDisconnect:
        raise Refused(
            400, "Disconnected", "the connection ended before the object did: send it again"
        ) from None
    return Response(status_code=200, headers={"ETag": f'"{stored.etag}"'})


def _pieces(request: Request) -> Iterator[bytes]:
    collected = _collected(request.stream())
    while piece := anyio.from_thread.run(_next, collected):
        yield piece


async def _collected(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Pieces of a megabyte: a socket's are small, and each one costs a change of threads."""
    waiting = bytearray()
    async for piece in pieces:
        waiting += piece
        if len(waiting) >= CHUNK_BYTES:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)


async def _next(pieces: AsyncIterator[bytes]) -> bytes:
    return await anext(pieces, b"")
