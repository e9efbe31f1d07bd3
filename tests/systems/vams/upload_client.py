"""Uploads as clients make them: start, parts by their links, completion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
from httpx import Response

from tests.systems.vams.host import ADMIN, URL, Requests


def start(
    requests: Requests,
    asset_id: str,
    files: Mapping[str, bytes],
    *,
    database_id: str = "plant",
    upload_type: str = "assetFile",
    user: str = ADMIN,
) -> Response:
    """Start an upload with one part for each file."""
    body = {
        "databaseId": database_id,
        "assetId": asset_id,
        "uploadType": upload_type,
        "files": [
            {"relativeKey": path, "file_size": len(data), "num_parts": 1 if data else 0}
            for path, data in files.items()
        ],
    }
    return requests("POST", "/uploads", body, user=user)


def send(requests: Requests, started: Mapping[str, Any], files: Mapping[str, bytes]) -> list[Any]:
    """Send every part. Gives the files as the completion names them."""
    sent: list[Any] = []
    for file in started["files"]:
        parts: list[Any] = []
        for link in file["partUploadUrls"]:
            url, data = link["UploadUrl"], files[file["relativeKey"]]
            put = requests.client.put if url.startswith(URL) else httpx.put  # S3 has its own
            answer = put(url, content=data)
            assert answer.status_code == 200, answer.text
            etag = answer.headers["ETag"].strip('"')
            parts.append({"PartNumber": link["PartNumber"], "ETag": etag})
        sent.append(
            {
                "relativeKey": file["relativeKey"],
                "uploadIdS3": file["uploadIdS3"],
                "parts": parts,
            }
        )
    return sent


def complete(
    requests: Requests,
    asset_id: str,
    upload_id: str,
    sent: list[Any],
    *,
    database_id: str = "plant",
    upload_type: str = "assetFile",
    user: str = ADMIN,
) -> Response:
    body = {
        "databaseId": database_id,
        "assetId": asset_id,
        "uploadType": upload_type,
        "files": sent,
    }
    return requests("POST", f"/uploads/{upload_id}/complete", body, user=user)


def upload(
    requests: Requests, asset_id: str, files: Mapping[str, bytes], **about: Any
) -> dict[str, Any]:
    """The whole way. Gives the answer of the completion."""
    started = start(requests, asset_id, files, **about)
    assert started.status_code == 200, started.text
    sent = send(requests, started.json(), files)
    done = complete(requests, asset_id, started.json()["uploadId"], sent, **about)
    assert done.status_code == 200, done.text
    return done.json()


def listed(
    requests: Requests, asset_id: str, *, database_id: str = "plant", **query: Any
) -> list[dict[str, Any]]:
    """All files of an asset, page by page."""
    found: list[dict[str, Any]] = []
    token = None
    for _ in range(1000):
        parameters = {**query, **({"startingToken": token} if token else {})}
        text = "&".join(f"{name}={value}" for name, value in parameters.items())
        answer = requests("GET", f"/database/{database_id}/assets/{asset_id}/listFiles?{text}")
        assert answer.status_code == 200, answer.text
        found += answer.json()["items"]
        token = answer.json()["NextToken"]
        if token is None:
            return found
    raise AssertionError("the list does not end")


def paths(files: list[dict[str, Any]]) -> list[str]:
    return [file["relativePath"] for file in files]
