"""Files that clients send as multipart: streamed to disk with a limit, whatever their size."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.types import Message

from sortkey.web import Refused

FIELD = "file"
OVERHEAD_BYTES = 64 << 10
"""Of the multipart around a file."""


class TooLarge(Refused):
    """A file that is larger than it may be."""

    status = 413


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that has arrived. It is deleted afterwards, unless somebody moves it."""

    name: str
    path: Path


@asynccontextmanager
async def incoming_file(request: Request, bytes_max: int) -> AsyncGenerator[IncomingFile]:
    """The file of a multipart request. Raises Refused if there is none, and TooLarge."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > bytes_max + OVERHEAD_BYTES:
        raise TooLarge(f"a file has at most {bytes_max >> 20} MB")
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise Refused(
            400, "NotMultipart", f"send the file as multipart/form-data, in the field {FIELD!r}"
        )
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="wallcrawler-file-"))
    try:
        try:
            form = await _limited(request, bytes_max).form(max_files=1, max_fields=20)
        except HTTPException as error:
            raise Refused(400, "BadMultipart", str(error.detail)) from None
        async with _closing(form.get(FIELD)) as sent:
            path = folder / "file"
            await asyncio.to_thread(_copy, sent, path, bytes_max)
            yield IncomingFile(sent.filename or "", path)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _limited(request: Request, bytes_max: int) -> Request:
    """The request, which ends with TooLarge when more comes: not all say before how much it is."""
    seen = 0

    async def receive() -> Message:
        nonlocal seen
        message = await request.receive()
        seen += len(message.get("body", b""))
        if seen > bytes_max + OVERHEAD_BYTES:
            raise TooLarge(f"a file has at most {bytes_max >> 20} MB")
        return message

    return Request(request.scope, receive)


@asynccontextmanager
async def _closing(sent: object) -> AsyncGenerator[UploadFile]:
    if not isinstance(sent, UploadFile):
        raise Refused(
            400, "NoFile", f"send the file as multipart/form-data, in the field {FIELD!r}"
        )
    try:
        yield sent
    finally:
        await sent.close()


def _copy(sent: UploadFile, path: Path, bytes_max: int) -> None:
    size = 0
    with path.open("xb") as target:
        while piece := sent.file.read(1 << 20):
            size += len(piece)
            if size > bytes_max:
                raise TooLarge(f"a file has at most {bytes_max >> 20} MB")
            target.write(piece)


async def stream_to(request: Request, path: Path, bytes_max: int) -> None:
    """Write the body of a request into a new file. Raises TooLarge."""
    size = 0
    with path.open("xb") as target:
        async for piece in request.stream():
            size += len(piece)
            if size > bytes_max:
                raise TooLarge(f"a file has at most {bytes_max >> 20} MB")
            await asyncio.to_thread(target.write, piece)
