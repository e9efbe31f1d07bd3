"""Uploads as the interface wants them: a start that gives links, the parts, and the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from sortkey_systems.vams.client.client import CallFailed, Client, path_of
from sortkey_systems.vams.client.contents import Content, part_sizes

FILES_MAX = 50
PARTS_MAX = 200
"""Files and parts of one start, as the published tool sends them."""
UploadType = Literal["assetFile", "assetPreview"]
OnFile = Callable[[str], None]


@dataclass(slots=True)
class UploadReport:
    """What became of files: their paths, and why others were refused."""

    uploaded: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])


def upload_files(
    client: Client,
    database_id: str,
    asset_id: str,
    contents: Iterable[Content],
    *,
    upload_type: UploadType = "assetFile",
    on_file: OnFile = lambda path: None,
) -> UploadReport:
    """Upload files into an asset. One that is refused does not keep the others away."""
    report = UploadReport()
    about = {"databaseId": database_id, "assetId": asset_id, "uploadType": upload_type}
    waiting = list(batches(contents))
    while waiting:
        batch = waiting.pop(0)
        try:
            _upload_batch(client, about, batch, report, on_file)
        except CallFailed as failure:
            if failure.status not in (400, 409, 413):
                raise
            if len(batch) > 1:  # a start is refused as a whole: find the file that is the reason
                middle = len(batch) // 2
                waiting[:0] = [batch[:middle], batch[middle:]]
            else:
                report.failed[batch[0].relative_path] = str(failure)
    return report


def batches(contents: Iterable[Content]) -> Iterator[list[Content]]:
    """Files in groups that one start takes."""
    batch: list[Content] = []
    parts = 0
    for content in contents:
        count = len(part_sizes(content.size))
        if batch and (len(batch) == FILES_MAX or parts + count > PARTS_MAX):
            yield batch
            batch, parts = [], 0
        batch.append(content)
        parts += count
    if batch:
        yield batch


def _upload_batch(
    client: Client,
    about: dict[str, str],
    batch: list[Content],
    report: UploadReport,
    on_file: OnFile,
) -> None:
    files = [
        {
            "relativeKey": content.relative_path,
            "file_size": content.size,
            "num_parts": len(part_sizes(content.size)),
        }
        for content in batch
    ]
    started = client.post("/uploads", {**about, "files": files})
    by_key = {content.relative_path: content for content in batch}
    done: list[dict[str, Any]] = []
    for file in started["files"]:
        parts = _send_parts(client, by_key[file["relativeKey"]], file["partUploadUrls"])
        done.append(
            {"relativeKey": file["relativeKey"], "uploadIdS3": file["uploadIdS3"], "parts": parts}
        )
        on_file(file["relativeKey"])
    path = path_of("uploads", started["uploadId"], "complete")
    _note_results(_completed(client, path, {**about, "files": done}), report)


def _completed(client: Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to the end of an upload. With 409 every file has failed, and the answer says
    why.
    """
    try:
        return client.post(path, body)
    except CallFailed as failure:
        if failure.status == 409 and "fileResults" in failure.answer:
            return failure.answer
        raise


def _note_results(answer: dict[str, Any], report: UploadReport) -> None:
    for result in answer["fileResults"]:
        if result["success"]:
            report.uploaded.append(result["relativeKey"])
        else:
            report.failed[result["relativeKey"]] = result.get("error") or "refused"


def _send_parts(
    client: Client, content: Content, links: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    begin = 0
    for link, size in zip(links, part_sizes(content.size), strict=True):
        chunks = partial(content.chunks, begin, size)
        etag = client.send_part(link["UploadUrl"], chunks, size)
        parts.append({"PartNumber": link["PartNumber"], "ETag": etag})
        begin += size
    return parts
