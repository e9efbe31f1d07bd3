"""Uploads: which files are accepted, their object keys, and links bound to one file, its size and
type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from sortkey import Objects
from sortkey_systems.applens import archives, sources
from sortkey_systems.applens.model import IAC_KEY, Environment
from sortkey_systems.applens.refusals import UploadRefused

LINK_SECONDS = 900
NAME_CHARACTERS_MAX = 200

TYPES = {
    ".json": "application/json",
    ".zip": "application/zip",
    ".tar": "application/x-tar",
    ".tgz": "application/gzip",
    ".gz": "application/gzip",
}
"""By the suffix of the name; everything else is text."""
TEXT = "text/plain"
ACCEPTED_TYPES = frozenset(
    {*TYPES.values(), TEXT, "application/octet-stream", "application/x-zip-compressed"}
)
"""No HTML and nothing else that a browser would run, because files are served again."""

_USER = re.compile(r"[^#/\\\x00-\x1f]+")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. ()+@=,-]*")


@dataclass(frozen=True, slots=True)
class UploadLink:
    """Where and how to upload a file, and until when. The headers are part of the signature."""

    url: str
    method: str
    headers: dict[str, str]
    key: str
    environment: Environment
    filename: str
    expires_at: datetime


def key_of(user_id: str, environment: Environment, filename: str) -> str:
    """The object's key: `uploads/prod/12345/main.tf.json`. Raises UploadRefused for an invalid
    name.
    """
    if not _USER.fullmatch(user_id) or user_id in (".", ".."):
        raise UploadRefused(
            f"{user_id!r} cannot be a user id: leave out #, /, backslashes and control characters"
        )
    if not _NAME.fullmatch(filename) or len(filename) > NAME_CHARACTERS_MAX or ".." in filename:
        raise UploadRefused(
            f"{filename!r} is not a valid file name: use letters, digits, and . _ - ( ) + @ = , "
            "between them"
        )
    if not filename.lower().endswith((*sources.READABLE, *archives.SUFFIXES)):
        raise UploadRefused(f"{filename} is not a file that AppLens reads: give {sources.ACCEPTED}")
    key = IAC_KEY.render({"environment": environment, "userId": user_id, "filename": filename})
    assert key is not None
    return key


def check_size(filename: str, size: int) -> None:
    if not 1 <= size <= sources.BYTES_MAX:
        raise UploadRefused(f"{filename} has {size:,} bytes: 1 to {sources.BYTES_MAX:,} are taken")


def type_of(filename: str, content_type: str | None) -> str:
    """The content type that an upload is bound to: the given one, or the one of the name."""
    suggested = next((kind for end, kind in TYPES.items() if filename.lower().endswith(end)), TEXT)
    type_name = content_type or suggested
    if type_name not in ACCEPTED_TYPES:
        raise UploadRefused(
            f"{type_name} is not a content type of Terraform: send {filename} as {suggested}"
        )
    return type_name


def link(
    bucket: Objects,
    user_id: str,
    environment: Environment,
    filename: str,
    size: int,
    kind: str | None,
    now: datetime,
) -> UploadLink:
    """A link for one upload. `now` is the current time."""
    key = key_of(user_id, environment, filename)
    check_size(filename, size)
    kind = type_of(filename, kind)
    url = bucket.presign_put(key, size=size, content_type=kind, seconds=LINK_SECONDS)
    headers = {"Content-Type": kind, "Content-Length": str(size)}
    return UploadLink(
        url, "PUT", headers, key, environment, filename, now + timedelta(seconds=LINK_SECONDS)
    )
