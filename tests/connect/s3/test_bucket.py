"""What only S3 has: requests in parts, rules in its own words, and the errors of a service that is
far away.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from sortkey.connect.s3 import S3Objects
from sortkey.connect.s3.answers import rules_for_s3, rules_of_s3
from sortkey.connect.s3.parts import DOUBLED_AFTER_PARTS, cut
from sortkey.errors import NotConfigured, ObjectNotFound, PreconditionFailed, Unreachable
from sortkey.runtime.objects import Lifecycle
from tests.contract.objects_adapters import megabytes, new_s3_bucket, s3_endpoint

__all__ = ["s3_endpoint"]

on_s3 = [pytest.mark.slow, pytest.mark.xdist_group("s3")]
SMALL_PART = 5 << 20


class TestOnAServer:
    pytestmark = on_s3

    def test_a_large_object_is_copied_in_parts(self, s3_endpoint: str) -> None:
        # S3 copies at most 5 GB in one request; here the limit is 5 MB.
        with new_s3_bucket(s3_endpoint, copy_bytes_max=SMALL_PART) as bucket:
            put = bucket.put("a", megabytes(11), content_type="text/plain", metadata={"a": "b"})
            copy = bucket.copy("a", "b", version_id=put.version_id)
            assert (copy.size, copy.content_type, copy.metadata) == (
                11 << 20,
                "text/plain",
                {"a": "b"},
            )
            assert sha256(bucket.read("b")).hexdigest() == put.sha256
            assert bucket.uploads() == []

    def test_a_long_history_comes_page_by_page(self, s3_endpoint: str) -> None:
        # Across the edges of pages no version, marker or upload is lost or listed twice.
        with new_s3_bucket(s3_endpoint, page_size=3) as bucket:
            ids = {
                key: [bucket.put(key, f"{n}".encode()).version_id for n in range(4)]
                for key in ("a", "b")
            }
            bucket.delete("a")
            found = [
                (version.key, version.version_id)
                for version in bucket.versions()
                if not version.is_marker
            ]
            assert [key for key, _ in found] == ["a"] * 4 + ["b"] * 4
            assert {key: {id for name, id in found if name == key} for key in ids} == {
                k: set(v) for k, v in ids.items()
            }
            assert [version.key for version in bucket.versions() if version.is_marker] == ["a"]

    def test_two_writes_at_the_same_moment_are_tried_again(self, s3_endpoint: str) -> None:
        # S3 answers 409 to a conditional write while another one of the same key is under way,
        # which may fail yet.
        pauses: list[float] = []
        with new_s3_bucket(s3_endpoint, sleep=pauses.append) as bucket:
            answers = Conflicts(2)
            bucket.client.meta.events.register("before-send.s3.PutObject", answers)
            assert bucket.put("a", b"1", if_absent=True).size == 1
            assert len(pauses) == 2
            answers.left = 100
            with pytest.raises(PreconditionFailed):
                bucket.put("b", b"1", if_absent=True)
            assert len(pauses) == 6

    def test_what_is_wrong_with_the_settings_is_reported_as_that(self, s3_endpoint: str) -> None:
        # And not as a missing object.
        with (
            S3Objects("no-such-bucket", endpoint=s3_endpoint) as missing,
            pytest.raises(NotConfigured, match="NoSuchBucket"),
        ):
            missing.put("a", b"")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
            with (
                S3Objects("some-bucket", endpoint=s3_endpoint) as wrong,
                pytest.raises(NotConfigured, match="Signature"),
            ):
                wrong.put("a", b"")

    def test_objects_without_versions_are_plain_objects(self, s3_endpoint: str) -> None:
        # A bucket may have them switched off: an auxiliary bucket, where everything can be made
        # again.
        with new_s3_bucket(s3_endpoint, versions=False) as bucket:
            assert bucket.put("a", b"1").version_id == bucket.head("a").version_id == "null"
            bucket.put("a", b"2")
            assert bucket.read("a") == b"2"
            assert bucket.copy("a", "b").size == 1
            bucket.delete("a")
            with pytest.raises(ObjectNotFound):
                bucket.read("a")


class Conflicts:
    """Answers 409 to so many requests, in the place of the server."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, request: Any, **details: Any) -> Any:
        if not self.left:
            return None
        self.left -= 1
        from botocore.awsrequest import AWSResponse
        from urllib3 import HTTPResponse

        body = b"<Error><Code>ConditionalRequestConflict</Code><Message>try again</Message></Error>"
        raw = HTTPResponse(body=iter([body]), status=409, preload_content=False)
        raw.stream = lambda **_: iter([body])  # type: ignore[method-assign]
        return AWSResponse(request.url, 409, {}, raw)


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def answering(answer: bytes) -> Iterator[str]:
    """A server that answers every request so, and then hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


HALF = (
    b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\nETag: "e"\r\n'
    b"Last-Modified: Mon, 01 Jun 2026 00:00:00 GMT\r\nx-amz-version-id: v\r\n\r\nhalf"
)


def test_a_connection_that_breaks_in_the_middle_is_no_end(credentials: None) -> None:
    # Else half an object would be taken for all of it.
    for endpoint in answering(HALF):
        with S3Objects("b", endpoint=endpoint) as bucket, bucket.open("a") as reader:
            assert reader.info.size == 100
            with pytest.raises(Unreachable, match="broke"):
                reader.read()


def test_a_service_that_is_not_there_is_unreachable(
    credentials: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (
        S3Objects("b", endpoint=f"http://127.0.0.1:{port}") as bucket,
        pytest.raises(Unreachable, match="no answer"),
    ):
        bucket.head("a")


def test_without_credentials_or_with_a_profile_that_is_none_it_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(NotConfigured, match="nobody"):
        S3Objects("b", profile="nobody")


def test_rules_in_the_words_of_s3() -> None:
    # MinIO knows neither archives nor rules for uploads, so that S3's own form is held here.
    rules = [
        Lifecycle("logs/", expire_after_days=90, archive_after_days=30, uploads_after_days=7),
        Lifecycle(old_versions_after_days=1),
    ]
    configuration = rules_for_s3(rules)
    assert configuration == [
        {
            "ID": "sortkey-1",
            "Status": "Enabled",
            "Filter": {"Prefix": "logs/"},
            "Expiration": {"Days": 90},
            "Transitions": [{"Days": 30, "StorageClass": "GLACIER_IR"}],
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
        },
        {
            "ID": "sortkey-2",
            "Status": "Enabled",
            "Filter": {"Prefix": ""},
            "Expiration": {"ExpiredObjectDeleteMarker": True},
            "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
        },
    ]
    assert rules_of_s3(configuration) == rules
    by_tag = {"Filter": {"And": {"Prefix": "a", "Tags": []}}, "Expiration": {"Days": 1}}
    assert rules_of_s3([by_tag, {"Prefix": "old/", "Expiration": {"Days": 2}}]) == [
        Lifecycle("old/", expire_after_days=2)
    ]


def test_parts_grow_so_that_ten_thousand_are_enough() -> None:
    # 10,000 parts of 8 MB are 80 GB; S3 takes 50 TB.
    sizes = [len(part) for part in cut((b"x" * 64 for _ in range(70)), 2)]
    assert sum(sizes) == 64 * 70
    assert sizes[:DOUBLED_AFTER_PARTS] == [2] * DOUBLED_AFTER_PARTS
    assert set(sizes[DOUBLED_AFTER_PARTS:-1]) == {4}
    assert list(cut([], 2)) == []
    assert list(cut(b"12345", 2)) == [b"12", b"34", b"5"]
