"""Members of requests to S3: what describes a new object, conditions, and where a page begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortkey.runtime.objects import check_key, check_metadata


def new_object(
    bucket: str,
    key: str,
    content_type: str,
    content_encoding: str | None,
    metadata: Mapping[str, str] | None,
) -> dict[str, Any]:
    """The members that describe an object that is about to be written."""
    request: dict[str, Any] = {
        "Bucket": bucket,
        "Key": check_key(key),
        "ContentType": content_type,
    }
    if content_encoding is not None:
        request["ContentEncoding"] = content_encoding
    return request | {"Metadata": check_metadata(metadata)}


def conditions(if_absent: bool, if_match: str | None) -> dict[str, str]:
    """The headers that make S3 refuse a write unless the key is absent or has this ETag."""
    headers = {"IfNoneMatch": "*"} if if_absent else {}
    return headers if if_match is None else headers | {"IfMatch": f'"{if_match}"'}


def next_page(page: Mapping[str, Any], **markers: str) -> dict[str, Any]:
    """Where the next page begins. Empty markers are left out because S3 refuses them."""
    return {name: page[marker] for name, marker in markers.items() if page.get(marker)}
