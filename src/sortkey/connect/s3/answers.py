"""S3's answers as values of the port, and rules of the port as S3 wants them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import groupby
from typing import Any

from sortkey.runtime.objects import BINARY, Lifecycle, ObjectInfo, ObjectVersion, Tier, clean_etag

UNVERSIONED = "null"
"""The id that S3 itself gives to what is written while versions are switched off."""

ARCHIVE_CLASS = "GLACIER_IR"
"""Read at once, as everything else: the classes below it must be asked for hours before."""

_ARCHIVES = {"GLACIER", "GLACIER_IR", "DEEP_ARCHIVE"}


def info_of(key: str, answer: Mapping[str, Any]) -> ObjectInfo:
    """From the answer to a GET or HEAD."""
    ranged = answer.get("ContentRange")
    return ObjectInfo(
        key,
        answer.get("VersionId") or UNVERSIONED,
        int(str(ranged).rpartition("/")[2]) if ranged else answer["ContentLength"],
        _whole_sha256(answer),
        clean_etag(answer["ETag"]),
        answer.get("ContentType") or BINARY,
        dict(answer.get("Metadata") or {}),
        answer["LastModified"].astimezone(UTC),
        tier_of(answer),
        answer.get("ContentEncoding") or None,
    )


def written_at(answer: Mapping[str, Any]) -> datetime:
    """S3 does not say when it has written something; the date of its answer is that, by its own
    clock.
    """
    told: str | None = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    return parsedate_to_datetime(told).astimezone(UTC) if told else datetime.now(UTC)


def tier_of(told: Mapping[str, Any]) -> Tier:
    return "archive" if told.get("StorageClass") in _ARCHIVES else "standard"


def versions_of(page: Mapping[str, Any]) -> Iterator[ObjectVersion]:
    """Versions and markers of a page, which come in two lists, by key and the newest first."""
    told: list[tuple[bool, dict[str, Any]]] = [(False, each) for each in page.get("Versions", ())]
    told += [(True, each) for each in page.get("DeleteMarkers", ())]
    for key, group in groupby(
        sorted(told, key=lambda each: _order(each[1])), key=lambda each: each[1]["Key"]
    ):
        for is_marker, each in group:
            yield ObjectVersion(
                key,
                each["VersionId"],
                each.get("Size", 0),
                clean_etag(each.get("ETag", "")),
                each["LastModified"].astimezone(UTC),
                tier_of(each),
                each["IsLatest"],
                is_marker,
            )


def _order(version: Mapping[str, Any]) -> tuple[bytes, bool, float]:
    return version["Key"].encode(), not version["IsLatest"], -version["LastModified"].timestamp()


def _whole_sha256(answer: Mapping[str, Any]) -> str | None:
    """The SHA-256 of the object. That of a multipart upload is one of its parts' hashes, which says
    nothing here.
    """
    told: str = answer.get("ChecksumSHA256") or ""
    if not told or "-" in told or answer.get("ChecksumType", "FULL_OBJECT") != "FULL_OBJECT":
        return None
    return b64decode(told).hex()


def base64_of(sha256: str) -> str:
    return b64encode(bytes.fromhex(sha256)).decode()


def rules_for_s3(rules: Sequence[Lifecycle]) -> list[dict[str, Any]]:
    return [_rule_for_s3(f"sortkey-{number}", rule) for number, rule in enumerate(rules, start=1)]


def _rule_for_s3(id: str, rule: Lifecycle) -> dict[str, Any]:
    told: dict[str, Any] = {"ID": id, "Status": "Enabled", "Filter": {"Prefix": rule.prefix}}
    if rule.expire_after_days is not None:
        told["Expiration"] = {"Days": rule.expire_after_days}
    elif rule.old_versions_after_days is not None:
        told["Expiration"] = {"ExpiredObjectDeleteMarker": True}
    if rule.archive_after_days is not None:
        told["Transitions"] = [{"Days": rule.archive_after_days, "StorageClass": ARCHIVE_CLASS}]
    if rule.old_versions_after_days is not None:
        told["NoncurrentVersionExpiration"] = {"NoncurrentDays": rule.old_versions_after_days}
    if rule.uploads_after_days is not None:
        told["AbortIncompleteMultipartUpload"] = {"DaysAfterInitiation": rule.uploads_after_days}
    return told


def rules_of_s3(told: Sequence[Mapping[str, Any]]) -> list[Lifecycle]:
    """The rules that this port can say. Others in the bucket (by tag, by size) are left out."""
    found: list[Lifecycle] = []
    for rule in told:
        days = {
            "expire_after_days": rule.get("Expiration", {}).get("Days"),
            "archive_after_days": next(
                (each.get("Days") for each in rule.get("Transitions", ())), None
            ),
            "old_versions_after_days": rule.get("NoncurrentVersionExpiration", {}).get(
                "NoncurrentDays"
            ),
            "uploads_after_days": rule.get("AbortIncompleteMultipartUpload", {}).get(
                "DaysAfterInitiation"
            ),
        }
        where = rule.get("Filter", rule)
        if any(days.values()) and not where.keys() & {
            "Tag",
            "And",
            "ObjectSizeGreaterThan",
            "ObjectSizeLessThan",
        }:
            found.append(Lifecycle(where.get("Prefix", ""), **days))
    return found
