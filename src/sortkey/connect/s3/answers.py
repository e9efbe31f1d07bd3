"""Converts S3's answers to the port's types, and lifecycle rules to S3's."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import groupby
from typing import Any

from sortkey.runtime.objects import BINARY, Lifecycle, ObjectInfo, ObjectVersion, Tier, clean_etag

UNVERSIONED = "null"
"""The id that S3 gives to objects written while versioning is off."""

ARCHIVE_CLASS = "GLACIER_IR"
"""Readable at once, like everything else. Colder classes must be restored hours before."""

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
    """S3 does not say when it wrote an object. The date of its answer is that, by its own clock."""
    date: str | None = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    return parsedate_to_datetime(date).astimezone(UTC) if date else datetime.now(UTC)


def tier_of(description: Mapping[str, Any]) -> Tier:
    return "archive" if description.get("StorageClass") in _ARCHIVES else "standard"


def versions_of(page: Mapping[str, Any]) -> Iterator[ObjectVersion]:
    """Versions and delete markers of a page, by key and newest first. S3 lists them separately."""
    entries: list[tuple[bool, dict[str, Any]]] = [
        (False, entry) for entry in page.get("Versions", ())
    ]
    entries += [(True, entry) for entry in page.get("DeleteMarkers", ())]
    for key, group in groupby(
        sorted(entries, key=lambda entry: _order(entry[1])), key=lambda entry: entry[1]["Key"]
    ):
        for is_marker, entry in group:
            yield ObjectVersion(
                key,
                entry["VersionId"],
                entry.get("Size", 0),
                clean_etag(entry.get("ETag", "")),
                entry["LastModified"].astimezone(UTC),
                tier_of(entry),
                entry["IsLatest"],
                is_marker,
            )


def _order(version: Mapping[str, Any]) -> tuple[bytes, bool, float]:
    return version["Key"].encode(), not version["IsLatest"], -version["LastModified"].timestamp()


def _whole_sha256(answer: Mapping[str, Any]) -> str | None:
    """The SHA-256 of the object. None for a multipart upload: its checksum is of its parts'
    hashes.
    """
    checksum: str = answer.get("ChecksumSHA256") or ""
    if (
        not checksum
        or "-" in checksum
        or answer.get("ChecksumType", "FULL_OBJECT") != "FULL_OBJECT"
    ):
        return None
    return b64decode(checksum).hex()


def base64_of(sha256: str) -> str:
    return b64encode(bytes.fromhex(sha256)).decode()


def rules_for_s3(rules: Sequence[Lifecycle]) -> list[dict[str, Any]]:
    return [_rule_for_s3(f"sortkey-{number}", rule) for number, rule in enumerate(rules, start=1)]


def _rule_for_s3(id: str, rule: Lifecycle) -> dict[str, Any]:
    configuration: dict[str, Any] = {
        "ID": id,
        "Status": "Enabled",
        "Filter": {"Prefix": rule.prefix},
    }
    if rule.expire_after_days is not None:
        configuration["Expiration"] = {"Days": rule.expire_after_days}
    elif rule.old_versions_after_days is not None:
        configuration["Expiration"] = {"ExpiredObjectDeleteMarker": True}
    if rule.archive_after_days is not None:
        configuration["Transitions"] = [
            {"Days": rule.archive_after_days, "StorageClass": ARCHIVE_CLASS}
        ]
    if rule.old_versions_after_days is not None:
        configuration["NoncurrentVersionExpiration"] = {
            "NoncurrentDays": rule.old_versions_after_days
        }
    if rule.uploads_after_days is not None:
        configuration["AbortIncompleteMultipartUpload"] = {
            "DaysAfterInitiation": rule.uploads_after_days
        }
    return configuration


def rules_of_s3(configurations: Sequence[Mapping[str, Any]]) -> list[Lifecycle]:
    """The rules that the port can express. Others in the bucket (by tag, by size) are left out."""
    rules: list[Lifecycle] = []
    for rule in configurations:
        days = {
            "expire_after_days": rule.get("Expiration", {}).get("Days"),
            "archive_after_days": next(
                (transition.get("Days") for transition in rule.get("Transitions", ())), None
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
            rules.append(Lifecycle(where.get("Prefix", ""), **days))
    return rules
