"""Serves the presigned links of buckets in folders: GET and HEAD with ranges, and PUT. S3 serves
its own links.

Bytes stream in both directions, a megabyte at a time, whatever the size of the object. A link is
checked first, so that nobody can find out what exists without one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping

import anyio.from_thread
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from sortkey.connect.files import FileObjects
from sortkey.errors import LinkRefused, ModelError
from sortkey.runtime.objects import Objects
from sortkey.runtime.objects.data import CHUNK_BYTES
from sortkey.runtime.objects.links import Link
from sortkey.web.object_answers import object_answer
from sortkey.web.refusals import Refused

UPLOADS_MAX = 64
"""Uploads at the same time. Each uses a thread, separate from those of other requests."""


def object_router(objects: Mapping[str, Objects]) -> APIRouter:
    """The routes /{bucket}/{key} of buckets in folders."""
    router = APIRouter(include_in_schema=False)
    uploads = CapacityLimiter(UPLOADS_MAX)

    @router.get("/{bucket}/{key:path}")
    @router.head("/{bucket}/{key:path}")
    async def read(bucket: str, key: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        files = _files(objects, bucket)
        link = _checked(files, request, key)
        return await run_in_threadpool(
            object_answer, files, link.key, request, version_id=link.version_id or None
        )

    @router.put("/{bucket}/{key:path}")
    async def write(bucket: str, key: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        files = _files(objects, bucket)
        link = _checked(files, request, key)
        return await run_sync(_write, files, link, request, limiter=uploads)

    return router


def _files(objects: Mapping[str, Objects], bucket: str) -> FileObjects:
    """An open bucket. A request for another must not create a folder."""
    files = objects[bucket] if bucket in set(objects) else None
    if not isinstance(files, FileObjects):
        raise LinkRefused("the link is not valid for this object and method: request a new one")
    return files


def _checked(files: FileObjects, request: Request, key: str) -> Link:
    declared = request.headers.get("content-length", "")
    size = int(declared) if declared.isdecimal() else None
    kind = request.headers.get("content-type", "")
    return files.check_link(request.method, key, request.query_params, size=size, content_type=kind)


def _write(files: FileObjects, link: Link, request: Request) -> Response:
    """Write in a thread that requests each chunk from the event loop: the disk sets the pace, and
    no data piles up.
    """
    try:
        stored = files.receive(link, _chunks(request))
    except ModelError as error:  # the size differs from the declared one
        raise Refused(400, "WrongSize", str(error)) from None
    except ClientDisconnect:
        raise Refused(
            400,
            "Disconnected",
            "the connection closed before the upload was complete: send it again",
        ) from None
    return Response(status_code=200, headers={"ETag": f'"{stored.etag}"'})


def _chunks(request: Request) -> Iterator[bytes]:
    collected = _collected(request.stream())
    while chunk := anyio.from_thread.run(_next, collected):
        yield chunk


async def _collected(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Chunks of a megabyte: those of a socket are small, and each costs a switch of threads."""
    buffer = bytearray()
    async for chunk in chunks:
        buffer += chunk
        if len(buffer) >= CHUNK_BYTES:
            yield bytes(buffer)
            buffer.clear()
    if buffer:
        yield bytes(buffer)


async def _next(chunks: AsyncIterator[bytes]) -> bytes:
    return await anext(chunks, b"")
