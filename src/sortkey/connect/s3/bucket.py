"""A bucket on S3: the operations of `Objects` as requests."""

from __future__ import annotations

import random
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import md5, sha256
from io import BytesIO
from typing import Any

from sortkey.connect.s3 import calls
from sortkey.connect.s3.answers import (
    UNVERSIONED,
    base64_of,
    info_of,
    rules_for_s3,
    rules_of_s3,
    tier_of,
    versions_of,
    written_at,
)
from sortkey.connect.s3.body import Body
from sortkey.connect.s3.calls import Conflict
from sortkey.connect.s3.parts import PART_BYTES, copied_in_parts, cut, sent_in_parts
from sortkey.connect.s3.requests import conditions, new_object, next_page
from sortkey.errors import ModelError, ObjectNotFound, StoreError
from sortkey.runtime.objects import (
    BINARY,
    LINK_SECONDS,
    PAGE_SIZE,
    Lifecycle,
    LifecycleReport,
    ListedObject,
    ObjectInfo,
    ObjectPage,
    ObjectVersion,
    Part,
    Upload,
    check_key,
    check_part,
    check_parts,
    check_range,
    clean_etag,
    links,
    refuse_other,
)
from sortkey.runtime.objects.data import Data, ObjectReader, chunks

AT_ONCE_BYTES_MAX = 64 << 20
"""Bytes in memory are sent in one request up to this size, so that S3 knows the SHA-256 of the
whole.
"""

COPY_BYTES_MAX = 5 << 30
"""Larger objects are copied in parts."""

CONFLICT_TRIES = 5


class S3Objects:
    """A bucket. `client` is a boto3 client. Without one, it is made from the other arguments."""

    def __init__(
        self,
        bucket: str,
        *,
        region: str | None = None,
        endpoint: str | None = None,
        profile: str | None = None,
        client: Any = None,
        part_bytes: int = PART_BYTES,
        copy_bytes_max: int = COPY_BYTES_MAX,
        page_size: int = PAGE_SIZE,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = bucket
        self.client: Any = client or calls.client(region, endpoint, profile)
        self._has_own_client = client is None
        self._part_bytes, self._copy_bytes_max = part_bytes, copy_bytes_max
        self._page_size, self._sleep = page_size, sleep

    # -- whole objects

    def put(
        self,
        key: str,
        data: Data,
        *,
        content_type: str = BINARY,
        content_encoding: str | None = None,
        metadata: Mapping[str, str] | None = None,
        if_absent: bool = False,
        if_match: str | None = None,
    ) -> ObjectInfo:
        about = new_object(self.name, key, content_type, content_encoding, metadata)
        condition = conditions(if_absent, if_match)
        if isinstance(data, (bytes, bytearray)) and len(data) <= AT_ONCE_BYTES_MAX:
            return self._put_at_once(about, data, condition)
        parts = cut(data, self._part_bytes)
        first = next(parts, b"")
        second = next(parts, None)
        if second is None:
            return self._put_at_once(about, first, condition)
        try:
            answer, size, hash = sent_in_parts(self._call, about, first, second, parts, condition)
        except ObjectNotFound as error:
            raise self._refusal(error, key, condition) from error
        return self._info(about, answer, size, hash)

    def open(
        self, key: str, *, version_id: str | None = None, start: int = 0, end: int | None = None
    ) -> ObjectReader:
        check_range(start, end)
        if end is not None and end <= start:
            return self._nothing(key, version_id)
        request = self._at(key, version_id) | {"ChecksumMode": "ENABLED"}
        is_whole = start == 0 and end is None
        if not is_whole:
            request["Range"] = f"bytes={start}-{'' if end is None else end - 1}"
        try:
            answer = self._call("get_object", **request)
        except StoreError as error:
            if calls.code_of(error) == "InvalidRange":
                return self._nothing(key, version_id)
            raise
        info = info_of(key, answer)
        whole = is_whole or answer["ContentLength"] == info.size
        return ObjectReader(info, Body(key, answer["Body"]), answer["ContentLength"], whole=whole)

    def read(self, key: str, version_id: str | None = None) -> bytes:
        with self.open(key, version_id=version_id) as reader:
            return reader.read()

    def head(self, key: str, version_id: str | None = None) -> ObjectInfo:
        return info_of(
            key, self._call("head_object", **self._at(key, version_id), ChecksumMode="ENABLED")
        )

    def delete(self, key: str, version_id: str | None = None) -> None:
        with suppress(ObjectNotFound):
            self._call("delete_object", **self._at(key, version_id))

    def copy(
        self,
        source: str,
        target: str,
        *,
        version_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        old = self.head(source, version_id)
        new_metadata = old.metadata if metadata is None else metadata
        about = new_object(self.name, target, old.content_type, old.content_encoding, new_metadata)
        origin: dict[str, Any] = {"Bucket": self.name, "Key": source}
        if old.version_id != UNVERSIONED:
            origin["VersionId"] = old.version_id
        if old.size > self._copy_bytes_max:
            answer = copied_in_parts(self._call, about, origin, old.size, self._copy_bytes_max)
        else:
            how = {"MetadataDirective": "REPLACE", "ChecksumAlgorithm": "SHA256"}
            answer = self._call("copy_object", CopySource=origin, **about, **how)
        return self.head(target, answer.get("VersionId"))

    # -- lists

    def list(
        self, prefix: str = "", *, after: str | None = None, limit: int = PAGE_SIZE
    ) -> ObjectPage:
        if not 1 <= limit <= PAGE_SIZE:
            raise ModelError(f"a page has 1 to {PAGE_SIZE} objects, not {limit}")
        request: dict[str, Any] = {"Bucket": self.name, "Prefix": prefix, "MaxKeys": limit}
        if after is not None:
            request["StartAfter"] = after
        answer = self._call("list_objects_v2", **request)
        objects = tuple(
            ListedObject(
                o["Key"],
                o["Size"],
                clean_etag(o["ETag"]),
                o["LastModified"].astimezone(UTC),
                tier_of(o),
            )
            for o in answer.get("Contents", ())
        )
        return ObjectPage(
            objects, objects[-1].key if objects and answer.get("IsTruncated") else None
        )

    def versions(self, prefix: str = "", *, after: str | None = None) -> Iterator[ObjectVersion]:
        request: dict[str, Any] = {
            "Bucket": self.name,
            "Prefix": prefix,
            "MaxKeys": self._page_size,
        }
        if after is not None:
            request["KeyMarker"] = after
        while True:
            page = self._call("list_object_versions", **request)
            yield from versions_of(page)
            if not page.get("IsTruncated"):
                return
            request |= next_page(
                page, KeyMarker="NextKeyMarker", VersionIdMarker="NextVersionIdMarker"
            )

    # -- uploads in parts

    def begin_upload(
        self,
        key: str,
        *,
        content_type: str = BINARY,
        content_encoding: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Upload:
        about = new_object(self.name, key, content_type, content_encoding, metadata)
        # No checksum per part: browsers, which upload parts through links, do not compute one.
        answer = self._call("create_multipart_upload", **about)
        return Upload(key, answer["UploadId"], written_at(answer))

    def put_part(self, upload: Upload, number: int, data: Data) -> Part:
        check_part(number)
        body = b"".join(chunks(data))
        checksum = b64encode(md5(body, usedforsecurity=False).digest()).decode()
        about = {"PartNumber": number, "Body": body, "ContentMD5": checksum}
        answer = self._call("upload_part", **self._of(upload), **about)
        return Part(number, clean_etag(answer["ETag"]), len(body))

    def complete_upload(
        self,
        upload: Upload,
        parts: Sequence[Part],
        *,
        if_absent: bool = False,
        if_match: str | None = None,
    ) -> ObjectInfo:
        check_parts(parts)
        manifest = [{"PartNumber": part.number, "ETag": part.etag} for part in parts]
        request = {**self._of(upload), "MultipartUpload": {"Parts": manifest}}
        condition = conditions(if_absent, if_match)
        try:
            answer = self._call("complete_multipart_upload", **request, **condition)
        except ObjectNotFound as error:
            raise self._refusal(error, upload.key, condition) from error
        return self.head(upload.key, answer.get("VersionId"))

    def abort_upload(self, upload: Upload) -> None:
        with suppress(ObjectNotFound):
            self._call("abort_multipart_upload", **self._of(upload))

    def uploads(self, prefix: str = "") -> Sequence[Upload]:
        uploads: list[Upload] = []
        request: dict[str, Any] = {
            "Bucket": self.name,
            "Prefix": prefix,
            "MaxUploads": self._page_size,
        }
        while True:
            page = self._call("list_multipart_uploads", **request)
            for upload in page.get("Uploads", ()):
                uploads.append(
                    Upload(upload["Key"], upload["UploadId"], upload["Initiated"].astimezone(UTC))
                )
            if not page.get("IsTruncated"):
                return uploads
            request |= next_page(
                page, KeyMarker="NextKeyMarker", UploadIdMarker="NextUploadIdMarker"
            )

    # -- links

    def presign_get(
        self, key: str, *, version_id: str | None = None, seconds: int = LINK_SECONDS
    ) -> str:
        return self._link("get_object", seconds, self._at(key, version_id))

    def presign_put(
        self, key: str, *, size: int, content_type: str = BINARY, seconds: int = LINK_SECONDS
    ) -> str:
        bound = {"ContentLength": size, "ContentType": content_type}
        return self._link("put_object", seconds, self._at(key, None) | bound)

    def presign_part(
        self, upload: Upload, number: int, *, size: int | None = None, seconds: int = LINK_SECONDS
    ) -> str:
        check_part(number)
        bound = {} if size is None else {"ContentLength": size}
        return self._link(
            "upload_part", seconds, {**self._of(upload), "PartNumber": number, **bound}
        )

    # -- the lifecycle

    def set_lifecycle(self, rules: Sequence[Lifecycle]) -> None:
        if not rules:
            self._call("delete_bucket_lifecycle", Bucket=self.name)
            return
        configuration = {"Rules": rules_for_s3(rules)}
        self._call(
            "put_bucket_lifecycle_configuration",
            Bucket=self.name,
            LifecycleConfiguration=configuration,
        )

    def lifecycle(self) -> Sequence[Lifecycle]:
        try:
            answer = self._call("get_bucket_lifecycle_configuration", Bucket=self.name)
        except StoreError as error:
            if calls.code_of(error) == "NoSuchLifecycleConfiguration":
                return []
            raise
        return rules_of_s3(answer["Rules"])

    def apply_lifecycle(self, now: datetime) -> LifecycleReport:
        return LifecycleReport()

    def close(self) -> None:
        if self._has_own_client:
            self.client.close()

    def __enter__(self) -> S3Objects:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- requests

    def _call(self, operation: str, **request: Any) -> Any:
        what = f"s3://{self.name}/{request.get('Key', '')}"
        return calls.call(what, getattr(self.client, operation), **request)

    def _refusal(self, error: ObjectNotFound, key: str, condition: dict[str, str]) -> StoreError:
        """S3 answers NoSuchKey if if_match meets no object. Here that is a failed condition."""
        if "IfMatch" in condition and calls.code_of(error) == "NoSuchKey":
            return refuse_other(key, clean_etag(condition["IfMatch"]))
        return error

    def _put_at_once(
        self, about: dict[str, Any], body: bytes | bytearray, condition: dict[str, str]
    ) -> ObjectInfo:
        hash = sha256(body).hexdigest()
        request = {**about, "Body": bytes(body), "ChecksumSHA256": base64_of(hash)}
        for attempt in range(CONFLICT_TRIES):
            try:
                answer = self._call("put_object", **request, **condition)
            except ObjectNotFound as error:
                raise self._refusal(error, about["Key"], condition) from error
            except Conflict:  # another write of the key is in progress, and may still fail
                if attempt == CONFLICT_TRIES - 1:
                    raise
                self._sleep(random.random() * 0.05 * 2**attempt)
            else:
                return self._info(about, answer, len(body), hash)
        raise AssertionError("the last attempt returns or raises")

    def _info(
        self, about: dict[str, Any], answer: Mapping[str, Any], size: int, hash: str
    ) -> ObjectInfo:
        version, etag, at = (
            answer.get("VersionId") or UNVERSIONED,
            clean_etag(answer["ETag"]),
            written_at(answer),
        )
        kind, encoding = about["ContentType"], about.get("ContentEncoding")
        return ObjectInfo(
            about["Key"],
            version,
            size,
            hash,
            etag,
            kind,
            about["Metadata"],
            at,
            content_encoding=encoding,
        )

    def _nothing(self, key: str, version_id: str | None) -> ObjectReader:
        return ObjectReader(self.head(key, version_id), BytesIO(), 0, whole=False)

    def _at(self, key: str, version_id: str | None) -> dict[str, Any]:
        at: dict[str, Any] = {"Bucket": self.name, "Key": check_key(key)}
        return at if version_id is None else at | {"VersionId": version_id}

    def _of(self, upload: Upload) -> dict[str, Any]:
        return {"Bucket": self.name, "Key": upload.key, "UploadId": upload.upload_id}

    def _link(self, operation: str, seconds: int, request: dict[str, Any]) -> str:
        links.expiry(0, seconds)
        sign: Any = self.client.generate_presigned_url
        return calls.call(self.name, lambda: sign(operation, Params=request, ExpiresIn=seconds))
