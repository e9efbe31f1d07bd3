"""Uploads in parts: what begins one, and what completes it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart upload. The object is not visible before it is complete."""

    key: str
    upload_id: str
    begun_at: datetime


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an upload, needed to complete it. The response to an upload through a link has
    the ETag.
    """

    number: int
    etag: str
    size: int


ObjectUpload = Upload
ObjectPart = Part
"""Uploads and parts under the names that the package exports."""
