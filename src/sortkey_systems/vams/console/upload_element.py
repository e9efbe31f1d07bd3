"""A place to drop files and folders onto an asset. Uploads are started and completed through the
interface; the browser sends the bytes to the links that it names.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from nicegui import ui
from nicegui.events import GenericEventArguments

from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.json_values import Json

PART_BYTES = 32 * 1024 * 1024
PARTS_PER_FILE_MAX = 2_000
BATCH_FILES_MAX = 300
BATCH_PARTS_MAX = 2_000
TOO_MANY = 429
WAITS_MAX = 30
WAIT_SECONDS = 3.0
PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file in the browser: its number there, its path in the asset and its size."""

    at: int
    path: str
    size: int

    @property
    def part_bytes(self) -> int:
        return max(PART_BYTES, math.ceil(self.size / PARTS_PER_FILE_MAX))

    @property
    def parts(self) -> int:
        return math.ceil(self.size / self.part_bytes)


@dataclass(slots=True)
class _Batch:
    """Files of one upload, with what the interface named for them."""

    files: list[LocalFile]
    upload_id: str = ""
    started: dict[str, Json] = field(default_factory=dict[str, Json])


@dataclass(slots=True)
class Result:
    """What became of the files."""

    done: int = 0
    problems: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """A sentence for people."""
        files = "1 file is" if self.done == 1 else f"{self.done} files are"
        shown = "; ".join(self.problems[:PROBLEMS_SHOWN])
        more = len(self.problems) - PROBLEMS_SHOWN
        shown += f" (and {more} more)" if more > 0 else ""
        return f"{files} uploaded." + (f" Refused: {shown}" if shown else "")


Done = Callable[[Result], Awaitable[None]]


class DropZone(ui.element, component="upload_element.js"):
    """Takes files for an asset. `folder` is where they go; `on_done` is called at the end."""

    def __init__(self, session: Session, database_id: str, asset_id: str, on_done: Done) -> None:
        super().__init__()
        self.folder = "/"
        self.upload_type = "assetFile"
        self._session, self._on_done = session, on_done
        self._ids: Json = {"databaseId": database_id, "assetId": asset_id}
        self._batches: dict[int, _Batch] = {}
        self._result = Result()
        self.on("chosen", self._chosen)
        self.on("sent", self._sent)

    async def _chosen(self, event: GenericEventArguments) -> None:
        rows: list[Any] = event.args
        files = [
            LocalFile(at, f"{self.folder.rstrip('/')}/{path}", int(size))
            for at, (path, size) in enumerate(rows)
        ]
        self._result = Result()
        self._batches = dict(enumerate(map(_Batch, batches_of(files))))
        await self._next()

    async def _next(self) -> None:
        """Start the next batch, or end."""
        while self._batches:
            number = min(self._batches)
            batch = self._batches[number]
            try:
                await self._start(batch)
            except Refusal as refusal:
                self._refuse(batch.files, str(refusal))
                del self._batches[number]
                continue
            self.run_method("send", number, [_plan(each, batch) for each in batch.files])
            return
        self.run_method("finish")
        await self._on_done(self._result)

    async def _start(self, batch: _Batch) -> None:
        body = {
            **self._ids,
            "uploadType": self.upload_type,
            "files": [
                {"relativeKey": each.path, "file_size": each.size, "num_parts": each.parts}
                for each in batch.files
            ],
        }
        for _ in range(WAITS_MAX):
            try:
                answer = await self._session.post("/uploads", body)
                break
            except Refusal as refusal:
                if refusal.status != TOO_MANY:
                    raise
            await asyncio.sleep(WAIT_SECONDS)
        else:
            raise Refusal("Too many uploads were started: try again in a minute.", TOO_MANY)
        batch.upload_id = answer["uploadId"]
        origin = _origin(self._session.service.resources.url)
        for each in answer["files"]:
            links = [part["UploadUrl"] for part in each.get("partUploadUrls") or ()]
            each["urls"] = [link.removeprefix(origin) for link in links]
            batch.started[each["relativeKey"]] = each

    async def _sent(self, event: GenericEventArguments) -> None:
        batch = self._batches.pop(int(event.args["batch"]), None)
        if batch is None:
            return
        by_number = {each.at: each for each in batch.files}
        finished: list[Json] = []
        for each in event.args["files"]:
            file = by_number[each["at"]]
            if each["problem"]:
                self._refuse([file], each["problem"])
                continue
            started = batch.started[file.path]
            finished.append(
                {
                    "relativeKey": file.path,
                    "uploadIdS3": started["uploadIdS3"],
                    "parts": each["parts"],
                }
            )
        if finished:
            await self._complete(batch, finished)
        await self._next()

    async def _complete(self, batch: _Batch, finished: list[Json]) -> None:
        body = {**self._ids, "uploadType": self.upload_type, "files": finished}
        try:
            answer = await self._session.post(f"/uploads/{batch.upload_id}/complete", body)
        except Refusal as refusal:
            self._refuse(batch.files, str(refusal))
            return
        for result in answer.get("fileResults") or ():
            if result.get("success"):
                self._result.done += 1
            else:
                reason = result.get("error") or "refused"
                self._result.problems.append(f"{result.get('relativeKey')}: {reason}")

    def _refuse(self, files: list[LocalFile], reason: str) -> None:
        first = files[0].path
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        self._result.problems.append(f"{first}{more}: {reason}")


def batches_of(files: list[LocalFile]) -> Iterator[list[LocalFile]]:
    """Files in groups that one upload takes."""
    batch: list[LocalFile] = []
    parts = 0
    for file in files:
        is_full = len(batch) == BATCH_FILES_MAX or parts + file.parts > BATCH_PARTS_MAX
        if batch and is_full:
            yield batch
            batch, parts = [], 0
        batch.append(file)
        parts += file.parts
    if batch:
        yield batch


def _plan(file: LocalFile, batch: _Batch) -> Json:
    urls: list[str] = batch.started[file.path]["urls"] if file.size else []
    return {"at": file.at, "partBytes": file.part_bytes, "urls": urls}


def _origin(url: str) -> str:
    """The scheme and host of our own links: the browser may know the server by another name."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
