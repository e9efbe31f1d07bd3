"""Sends streams in parts, or copies them inside S3, with at most two parts in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import chain
from typing import Any

from sortkey.connect.s3.answers import base64_of
from sortkey.errors import StoreError
from sortkey.runtime.objects.data import Data, chunks

PART_BYTES = 8 << 20
DOUBLED_AFTER_PARTS = 1000
"""The parts of very long streams grow, so that 10,000 of them reach S3's maximum size."""

Call = Callable[..., Any]


def cut(data: Data, part_bytes: int) -> Iterator[bytes]:
    """The data in parts, all but the last of them full."""
    part, count = bytearray(), 0
    for piece in chunks(data):
        part += piece
        while len(part) >= part_bytes:
            full, part = bytes(memoryview(part)[:part_bytes]), part[part_bytes:]
            yield full
            del full
            count += 1
            if count % DOUBLED_AFTER_PARTS == 0:
                part_bytes *= 2
    if part:
        yield bytes(part)


def sent_in_parts(
    call: Call,
    request: dict[str, Any],
    first: bytes,
    second: bytes,
    others: Iterator[bytes],
    condition: dict[str, str],
) -> tuple[Any, int, str]:
    """Send a stream whose first two parts were read. Returns the answer, and the size and SHA-256
    of the whole.
    """
    size, hash = 0, sha256()

    def send(of: dict[str, Any], number: int, part: bytes) -> dict[str, Any]:
        nonlocal size
        size += len(part)
        hash.update(part)
        checksum = base64_of(sha256(part).hexdigest())
        answer = call("upload_part", **of, PartNumber=number, Body=part, ChecksumSHA256=checksum)
        return {"PartNumber": number, "ETag": answer["ETag"], "ChecksumSHA256": checksum}

    def send_all(of: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            send(of, number, part)
            for number, part in enumerate(chain((first, second), others), start=1)
        ]

    answer = _in_parts(call, {**request, "ChecksumAlgorithm": "SHA256"}, send_all, condition)
    return answer, size, hash.hexdigest()


def copied_in_parts(
    call: Call, request: dict[str, Any], origin: dict[str, Any], size: int, part_bytes: int
) -> Any:
    """Copy an object that is too large for one request."""

    def copy_all(of: dict[str, Any]) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        for number, start in enumerate(range(0, size, part_bytes), start=1):
            part = f"bytes={start}-{min(start + part_bytes, size) - 1}"
            answer = call(
                "upload_part_copy", **of, PartNumber=number, CopySource=origin, CopySourceRange=part
            )
            parts.append({"PartNumber": number, "ETag": answer["CopyPartResult"]["ETag"]})
        return parts

    return _in_parts(call, request, copy_all, {})


def _in_parts(
    call: Call,
    request: dict[str, Any],
    send_all: Callable[[dict[str, Any]], list[dict[str, Any]]],
    condition: dict[str, str],
) -> Any:
    upload = call("create_multipart_upload", **request)
    of = {"Bucket": request["Bucket"], "Key": request["Key"], "UploadId": upload["UploadId"]}
    try:
        parts = send_all(of)
        return call(
            "complete_multipart_upload", **of, MultipartUpload={"Parts": parts}, **condition
        )
    except BaseException:  # also an interrupt: S3 would keep the parts, and charge for them
        with suppress(StoreError):  # the first error is the one to report
            call("abort_multipart_upload", **of)
        raise
