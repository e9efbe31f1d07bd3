"""Sends 512 MB over presigned links, there and back, and tells by how many KB the memory of the
program has grown.

python -m tests.web.half_a_gigabyte FOLDER
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import httpx

from sortkey.connect.files import FileObjects
from sortkey.web import make_app
from tests.faults.payload_stream import peak_kb, stream
from tests.web.running import running


def main(folder: str) -> None:
    with (
        FileObjects(folder, name="uploads") as files,
        running(make_app([], objects={"uploads": files})) as address,
    ):
        files.url = f"{address}/objects"
        there_and_back(files, "warm", 8)
        before = peak_kb()
        up = there_and_back(files, "large", 512) - before
        print(json.dumps({"up": up, "down": peak_kb() - before}))


def there_and_back(files: FileObjects, key: str, megabytes: int) -> int:
    """The peak after the way there."""
    sent, got = sha256(), sha256()
    size = megabytes << 20
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
    link = files.presign_put(key, size=size)
    httpx.put(
        link, content=_slices(stream(megabytes, sent)), headers=headers, timeout=120
    ).raise_for_status()
    peak = peak_kb()
    with httpx.stream("GET", files.presign_get(key), timeout=120) as answer:
        for piece in answer.iter_raw(65536):
            got.update(piece)
    assert sent.digest() == got.digest()
    return peak


def _slices(pieces: Iterator[bytes]) -> Iterator[Any]:
    for piece in pieces:
        view = memoryview(piece)
        yield from (bytes(view[at : at + 65536]) for at in range(0, len(view), 65536))


if __name__ == "__main__":
    main(sys.argv[1])
