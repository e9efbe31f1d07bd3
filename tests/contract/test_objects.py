"""What every store of objects does: a folder and S3 are the same to a program."""

from __future__ import annotations

import io
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from sortkey.errors import KeyValueError, ModelError, ObjectNotFound, PreconditionFailed
from sortkey.runtime.objects import PART_BYTES_MIN, Lifecycle, ObjectInfo, Objects, Part
from tests.contract.objects_adapters import bucket, megabytes, s3_endpoint

__all__ = ["bucket", "s3_endpoint"]


def keys(found: Objects, prefix: str = "", limit: int = 1000) -> list[str]:
    """All keys, page by page."""
    gathered: list[str] = []
    page = found.list(prefix, limit=limit)
    while True:
        assert len(page.objects) <= limit
        gathered += [info.key for info in page.objects]
        if page.after is None:
            return gathered
        page = found.list(prefix, after=page.after, limit=limit)


def test_what_was_put_is_read_with_all_that_is_known_of_it(bucket: Objects) -> None:
    # The pointer in an item is made of what put() answers; head() and open() must say the same of
    # it later.
    began = datetime.now(UTC)
    about: dict[str, Any] = {
        "content_type": "application/json",
        "content_encoding": "zstd",
        "metadata": {"run": "c8a91e"},
    }
    put = bucket.put("graphs/prod/1/graph.json", b"{}", **about)
    assert (put.key, put.size, put.sha256) == (
        "graphs/prod/1/graph.json",
        2,
        sha256(b"{}").hexdigest(),
    )
    assert (put.content_type, put.content_encoding, put.metadata) == tuple(about.values())
    assert put.tier == "standard"
    assert put.version_id
    assert put.etag
    assert abs(put.modified_at - began) < timedelta(minutes=1)
    head = bucket.head(put.key)
    assert abs(head.modified_at - put.modified_at) < timedelta(seconds=5)
    assert head == _at(put, head.modified_at)
    assert bucket.head(put.key, put.version_id) == head
    with bucket.open(put.key) as reader:
        assert reader.info == head
        assert reader.read() == b"{}"
    assert bucket.read(put.key) == b"{}"


def _at(info: ObjectInfo, modified_at: datetime) -> ObjectInfo:
    return ObjectInfo(
        info.key,
        info.version_id,
        info.size,
        info.sha256,
        info.etag,
        info.content_type,
        info.metadata,
        modified_at,
        info.tier,
        info.content_encoding,
    )


def test_an_object_can_be_empty_and_can_come_in_pieces(bucket: Objects) -> None:
    # A stream does not know how long it will be, and a file of nothing is a file.
    assert bucket.put("empty", b"").size == 0
    assert bucket.read("empty") == b""
    assert bucket.put("pieces", iter([b"ab", b"", bytearray(b"cd"), b"e"])).size == 5
    assert bucket.read("pieces") == b"abcde"
    assert (
        bucket.put("file", io.BytesIO(b"from a file")).sha256 == sha256(b"from a file").hexdigest()
    )
    assert bucket.read("file") == b"from a file"
    with pytest.raises(ModelError, match="rb"):
        bucket.put("text", io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(ObjectNotFound):
        bucket.head("text")


def test_a_stream_of_many_chunks_is_stored_whole(bucket: Objects) -> None:
    # It goes through other code than small objects: through parts, and through the thread that
    # hashes.
    hash = sha256()

    def stream() -> Any:
        for piece in megabytes(19):
            hash.update(piece)
            yield piece

    put = bucket.put("large", stream(), content_type="model/gltf-binary", metadata={"a": "b"})
    assert (put.size, put.sha256) == (19 << 20, hash.hexdigest())
    assert (bucket.head("large").content_type, bucket.head("large").metadata) == (
        "model/gltf-binary",
        {"a": "b"},
    )
    read = sha256()
    with bucket.open("large", version_id=put.version_id) as reader:
        reader.expect_sha256(hash.hexdigest())
        for piece in reader:
            read.update(piece)
    assert read.hexdigest() == hash.hexdigest()


def test_a_stream_that_fails_leaves_nothing(bucket: Objects) -> None:
    # Whoever reads must never see half an upload.
    def broken(count: int) -> Any:
        yield from megabytes(count)
        raise ConnectionResetError("the browser was closed")

    for count in (1, 17):
        with pytest.raises(ConnectionResetError):
            bucket.put("upload", broken(count))
    assert list(bucket.versions()) == []
    assert bucket.uploads() == []


def test_every_put_is_a_version_and_the_old_ones_stay(bucket: Objects) -> None:
    # A pointer names a version, so a later upload under the same key does not change what an item
    # shows.
    first = bucket.put("uploads/main.tf", b"one")
    second = bucket.put("uploads/main.tf", b"two")
    assert first.version_id != second.version_id
    assert bucket.read("uploads/main.tf") == b"two"
    assert bucket.read("uploads/main.tf", first.version_id) == b"one"
    assert bucket.head("uploads/main.tf", first.version_id).etag == first.etag


def test_put_if_absent_never_replaces(bucket: Objects) -> None:
    # "Graph JSON is immutable per run."
    first = bucket.put("graph.json", b"one", if_absent=True)
    with pytest.raises(PreconditionFailed):
        bucket.put("graph.json", b"two", if_absent=True)
    with pytest.raises(PreconditionFailed):
        bucket.put("graph.json", megabytes(17), if_absent=True)
    assert bucket.read("graph.json") == b"one"
    assert [version.version_id for version in bucket.versions()] == [first.version_id]
    assert bucket.uploads() == []


def test_what_is_deleted_is_absent(bucket: Objects) -> None:
    # After a delete the key is free again, though its versions are still there.
    bucket.put("graph.json", b"one")
    bucket.delete("graph.json")
    assert bucket.put("graph.json", b"two", if_absent=True).size == 3
    assert bucket.read("graph.json") == b"two"


def test_if_match_replaces_only_what_was_read(bucket: Objects) -> None:
    # Two controllers that write back one profile must not lose one of the two silently.
    first = bucket.put("profile.tar.gz", b"one")
    second = bucket.put("profile.tar.gz", b"two", if_match=first.etag)
    for data in (b"three", megabytes(17)):
        with pytest.raises(PreconditionFailed):
            bucket.put("profile.tar.gz", data, if_match=first.etag)
    assert bucket.head("profile.tar.gz").version_id == second.version_id
    bucket.delete("profile.tar.gz")
    with pytest.raises(PreconditionFailed):
        bucket.put("profile.tar.gz", b"four", if_match=second.etag)
    with pytest.raises(PreconditionFailed):
        bucket.put("never", b"", if_match=second.etag)


def winners(bucket: Objects, write: Callable[[int], ObjectInfo]) -> list[int]:
    """Which of several writers at the same moment were not refused."""
    won: list[int] = []
    failures: list[Exception] = []
    barrier = threading.Barrier(6)

    def run(number: int) -> None:
        barrier.wait()
        try:
            write(number)
            won.append(number)
        except PreconditionFailed:
            pass
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    return won


def test_of_several_writers_at_once_one_wins(bucket: Objects) -> None:
    # A check before the write would let all of them through.
    for round in range(5):
        key = f"once/{round}"
        won = winners(
            bucket, lambda number, key=key: bucket.put(key, f"{number}".encode(), if_absent=True)
        )
        assert len(won) == 1
        assert bucket.read(key) == f"{won[0]}".encode()
        assert len(list(bucket.versions(key))) == 1
        etag = bucket.head(key).etag
        won = winners(
            bucket,
            lambda number, key=key, etag=etag: bucket.put(
                key, f"-{number}".encode(), if_match=etag
            ),
        )
        assert len(won) == 1
        assert bucket.read(key) == f"-{won[0]}".encode()


def test_a_delete_hides_and_a_delete_of_a_version_removes(bucket: Objects) -> None:
    # Archiving a file is a delete marker; unarchiving removes the marker.
    first, second = bucket.put("file.glb", b"one"), bucket.put("file.glb", b"two")
    bucket.delete("file.glb")
    with pytest.raises(ObjectNotFound):
        bucket.read("file.glb")
    with pytest.raises(ObjectNotFound):
        bucket.head("file.glb")
    assert keys(bucket) == []
    marker, *versions = bucket.versions("file.glb")
    assert (marker.is_marker, marker.is_latest) == (True, True)
    assert [version.version_id for version in versions] == [second.version_id, first.version_id]
    assert bucket.read("file.glb", first.version_id) == b"one"
    with pytest.raises(ObjectNotFound):
        bucket.read("file.glb", marker.version_id)
    bucket.delete("file.glb", marker.version_id)
    assert bucket.read("file.glb") == b"two"
    bucket.delete("file.glb", second.version_id)
    assert bucket.read("file.glb") == b"one"
    bucket.delete("file.glb", first.version_id)
    assert list(bucket.versions()) == []


def test_deleting_what_is_not_there_is_fine(bucket: Objects) -> None:
    # Whoever cleans up after a crash does it twice.
    put = bucket.put("a", b"")
    bucket.delete("a", put.version_id)
    bucket.delete("a", put.version_id)
    bucket.delete("never")
    assert keys(bucket) == []


def test_a_range_is_read_without_the_rest(bucket: Objects) -> None:
    # A viewer reads pieces of files of many GB.
    put = bucket.put("points.las", b"0123456789")

    def part(**range: Any) -> bytes:
        with bucket.open("points.las", **range) as reader:
            assert reader.info.size == 10
            return reader.read()

    assert part(start=2, end=5) == b"234"
    assert part(start=7) == b"789"
    assert part(end=3, version_id=put.version_id) == b"012"
    assert part(start=8, end=100) == b"89"
    assert part(start=4, end=4) == b""
    assert part(start=10) == b""
    assert part(start=100, end=200) == b""
    with pytest.raises(ModelError, match="begin at 0 or more"):
        part(start=-3)
    with bucket.open("points.las", start=1) as reader:
        assert (reader.read(3), reader.read(0), reader.read(100), reader.read(1)) == (
            b"123",
            b"",
            b"456789",
            b"",
        )


def test_a_list_comes_in_the_order_of_keys_page_by_page(bucket: Objects) -> None:
    # Of bytes, as S3 sorts: capital letters first, `-` before `/` before `0`.
    names = ["a-b", "a/b", "a/c/d", "a0", "A", "b/é", "b/z", "日本"]
    for name in names:
        bucket.put(name, name.encode())
    bucket.put("gone", b"")
    bucket.delete("gone")
    in_order = sorted(names, key=str.encode)
    assert keys(bucket) == keys(bucket, limit=3) == keys(bucket, limit=1) == in_order
    assert keys(bucket, "a/") == ["a/b", "a/c/d"]
    assert keys(bucket, "b", limit=1) == ["b/z", "b/é"]
    assert keys(bucket, "nothing") == []
    (only,) = bucket.list("日").objects
    assert (only.size, only.etag, only.tier) == (6, bucket.head("日本").etag, "standard")
    with pytest.raises(ModelError):
        bucket.list(limit=0)


def test_versions_come_by_key_and_the_newest_first(bucket: Objects) -> None:
    # Collecting leftovers walks them, and must know which one a reader without a version would get.
    ids = {
        name: [bucket.put(name, f"{number}".encode()).version_id for number in range(3)]
        for name in ("b", "a")
    }
    found = [(version.key, version.version_id) for version in bucket.versions()]
    assert [key for key, _ in found] == ["a", "a", "a", "b", "b", "b"]
    latest = [
        (version.key, version.version_id) for version in bucket.versions() if version.is_latest
    ]
    assert latest == [("a", ids["a"][-1]), ("b", ids["b"][-1])]
    assert {id for key, id in found if key == "a"} == set(ids["a"])
    assert [version.key for version in bucket.versions("b")] == ["b"] * 3


def test_versions_go_on_after_a_key(bucket: Objects) -> None:
    # Whoever shows a page of files must not read all that come before it.
    for key in ("a", "a.b", "b", "ä", "a"):
        bucket.put(key, b"1")
    assert [each.key for each in bucket.versions(after="a")] == ["a.b", "b", "ä"]
    assert [each.key for each in bucket.versions("a", after="a")] == ["a.b"]
    assert list(bucket.versions(after="ä")) == []


def test_a_copy_is_an_object_of_its_own(bucket: Objects) -> None:
    # Moving a file is a copy and a delete; the copy must not go with what it was made of.
    first = bucket.put(
        "from", b"one", content_type="text/plain", metadata={"by": "me"}, content_encoding="zstd"
    )
    second = bucket.put("from", b"two")
    copy = bucket.copy("from", "to/old", version_id=first.version_id)
    assert (copy.key, copy.size, copy.content_type, copy.metadata) == (
        "to/old",
        3,
        "text/plain",
        {"by": "me"},
    )
    assert copy.content_encoding == "zstd"
    assert copy.sha256 in (sha256(b"one").hexdigest(), None)
    assert bucket.copy("from", "to/new", metadata={"by": "you"}).metadata == {"by": "you"}
    for version in (first, second):
        bucket.delete("from", version.version_id)
    assert (bucket.read("to/old"), bucket.read("to/new")) == (b"one", b"two")
    assert bucket.copy("to/new", "to/new").version_id != bucket.head("to/old").version_id
    assert len(list(bucket.versions("to/new"))) == 2
    with pytest.raises(ObjectNotFound):
        bucket.copy("from", "to/nowhere")


FIVE = b"5" * PART_BYTES_MIN


def test_parts_in_any_order_become_one_object(bucket: Objects) -> None:
    # A browser sends parts side by side, and again when one was lost.
    upload = bucket.begin_upload(
        "assets/tower.e57", content_type="model/e57", metadata={"by": "me"}
    )
    last = bucket.put_part(upload, 3, b"end")
    bucket.put_part(upload, 1, b"wrong" + FIVE)
    parts = [bucket.put_part(upload, 1, FIVE), bucket.put_part(upload, 2, iter([FIVE, b"+"])), last]
    assert [part.size for part in parts] == [PART_BYTES_MIN, PART_BYTES_MIN + 1, 3]
    assert keys(bucket) == []
    assert [(upload.key, upload.upload_id) for upload in bucket.uploads("assets/tower.e57")] == [
        ("assets/tower.e57", upload.upload_id)
    ]
    done = bucket.complete_upload(upload, parts)
    assert (done.size, done.content_type, done.metadata) == (
        2 * PART_BYTES_MIN + 4,
        "model/e57",
        {"by": "me"},
    )
    assert (
        sha256(bucket.read("assets/tower.e57")).hexdigest()
        == sha256(FIVE + FIVE + b"+end").hexdigest()
    )
    assert bucket.uploads() == []
    with pytest.raises(ObjectNotFound):
        bucket.put_part(upload, 4, b"too late")
    with pytest.raises(ObjectNotFound):
        bucket.complete_upload(upload, parts)


def test_parts_are_refused_where_s3_refuses_them(bucket: Objects) -> None:
    # What works in a folder works on S3.
    upload = bucket.begin_upload("a")
    small, last = bucket.put_part(upload, 1, b"small"), bucket.put_part(upload, 2, b"last")
    with pytest.raises(ModelError, match="all but the last need"):
        bucket.complete_upload(upload, [small, last])
    for number in (0, 10_001):
        with pytest.raises(ModelError, match="1 to 10000"):
            bucket.put_part(upload, number, b"")
    for parts in ([], [last, small], [last, last]):
        with pytest.raises(ModelError, match="in the order"):
            bucket.complete_upload(upload, parts)
    assert bucket.complete_upload(upload, [last]).size == 4


def test_an_upload_that_is_aborted_leaves_nothing(bucket: Objects) -> None:
    # Parts that nobody will ever complete are kept, and paid for, by nobody.
    upload = bucket.begin_upload("a/b")
    bucket.put_part(upload, 1, FIVE)
    bucket.abort_upload(upload)
    bucket.abort_upload(upload)
    assert bucket.uploads() == []
    assert list(bucket.versions()) == []


def test_an_upload_is_completed_under_the_same_conditions_as_a_put(bucket: Objects) -> None:
    # Else an upload in parts could replace what is written once.
    def uploaded(**when: Any) -> ObjectInfo:
        upload = bucket.begin_upload("once")
        parts: list[Part] = [bucket.put_part(upload, 1, b"parts")]
        try:
            return bucket.complete_upload(upload, parts, **when)
        finally:
            bucket.abort_upload(upload)

    first = uploaded(if_absent=True)
    with pytest.raises(PreconditionFailed):
        uploaded(if_absent=True)
    assert uploaded(if_match=first.etag).version_id != first.version_id
    with pytest.raises(PreconditionFailed):
        uploaded(if_match="0" * 32)


def test_what_is_not_there_is_not_found(bucket: Objects) -> None:
    # And not as a fault of the network or of the program.
    put = bucket.put("a", b"")
    for key, version in (("b", None), ("b", put.version_id), ("a", "0" * 32), ("a", "no such id")):
        for read in (bucket.read, bucket.head):
            with pytest.raises(ObjectNotFound):
                read(key, version)


BAD_KEYS = [
    "\ud800",
    "\uffff",
    "",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/../../b",
    "a/./b",
    "a\0b",
    "a\nb",
    "a\\..\\b",
    "é" * 513,
]


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_key_that_could_lead_out_of_a_folder_is_refused(bucket: Objects, key: str) -> None:
    # Names of files come from users. Whoever writes objects into a folder must be able to trust
    # their keys.
    uses: list[Callable[[], Any]] = [
        lambda: bucket.put(key, b""),
        lambda: bucket.read(key),
        lambda: bucket.delete(key),
        lambda: bucket.copy("a", key),
        lambda: bucket.begin_upload(key),
        lambda: bucket.presign_put(key, size=1),
    ]
    bucket.put("a", b"")
    for use in uses:
        with pytest.raises(KeyValueError):
            use()
    assert keys(bucket) == ["a"]


def test_metadata_that_headers_cannot_carry_are_refused(bucket: Objects) -> None:
    # S3 would refuse them, or change them on the way.
    for metadata in (
        {"Upper": "a"},
        {"a b": "a"},
        {"": "a"},
        {"a": "é"},
        {"a": " b"},
        {"a": "b\n"},
        {"a": "b" * 2048},
    ):
        with pytest.raises(KeyValueError):
            bucket.put("a", b"", metadata=metadata)
    assert keys(bucket) == []


def request(method: str, url: str, data: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    asked = urllib.request.Request(
        url, data, {name.replace("_", "-"): text for name, text in headers.items()}
    )
    asked.method = method
    try:
        with urllib.request.urlopen(asked) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_link_for_reading_reads_one_version(bucket: Objects) -> None:
    # A browser downloads without passing the data through the program.
    first = bucket.put("a b/é.txt", b"one", content_type="text/plain")
    bucket.put("a b/é.txt", b"two")
    link = bucket.presign_get("a b/é.txt")
    assert request("GET", link) == (200, b"two")
    old = bucket.presign_get("a b/é.txt", version_id=first.version_id, seconds=60)
    assert request("GET", old) == (200, b"one")
    assert request("PUT", link, b"!!!", Content_Type="text/plain")[0] == 403
    assert request("GET", link.replace("a%20b", "c"))[0] == 403
    assert request("GET", link[:-1] + ("0" if link[-1] != "0" else "1"))[0] == 403
    for seconds in (0, 8 * 24 * 3600):
        with pytest.raises(ModelError, match="a link is valid for"):
            bucket.presign_get("a", seconds=seconds)


def test_a_link_for_writing_takes_what_was_agreed_and_nothing_else(bucket: Objects) -> None:
    # Whoever may upload a file of 5 bytes may not fill the disk, nor upload a page that runs in a
    # browser.
    link = bucket.presign_put("uploads/main.tf", size=5, content_type="text/plain")
    assert request("PUT", link, b"12345", Content_Type="text/html")[0] == 403
    assert request("PUT", link, b"123456", Content_Type="text/plain")[0] == 403
    assert request("PUT", link, b"1234", Content_Type="text/plain")[0] == 403
    assert request("GET", link)[0] in (400, 403)
    assert keys(bucket) == []
    assert request("PUT", link, b"12345", Content_Type="text/plain")[0] == 200
    assert bucket.read("uploads/main.tf") == b"12345"
    assert bucket.head("uploads/main.tf").content_type == "text/plain"


def test_parts_are_sent_through_links(bucket: Objects) -> None:
    # How large assets are uploaded: the program begins and completes, the browser sends the parts.
    upload = bucket.begin_upload("assets/a.glb")
    link = bucket.presign_part(upload, 1, size=3)
    assert request("PUT", link, b"1234")[0] == 403
    assert (
        request(
            "PUT", link.replace("art=1", "art=2").replace("artNumber=1", "artNumber=2"), b"123"
        )[0]
        == 403
    )
    asked = urllib.request.Request(link, b"123", method="PUT")
    with urllib.request.urlopen(asked) as answer:
        part = Part(1, answer.headers["ETag"].strip('"'), 3)
    assert bucket.complete_upload(upload, [part]).size == 3
    assert bucket.read("assets/a.glb") == b"123"


def test_a_link_for_a_part_may_leave_its_size_open(bucket: Objects) -> None:
    # Clients of other systems cut files as they like, and say only how many parts there are.
    upload = bucket.begin_upload("assets/a.glb")
    link = bucket.presign_part(upload, 1)
    for data in (b"too much at first", b"123"):
        asked = urllib.request.Request(link, data, method="PUT")
        with urllib.request.urlopen(asked) as answer:
            part = Part(1, answer.headers["ETag"].strip('"'), len(data))
    assert request("PUT", link.replace("a.glb", "b.glb"), b"123")[0] == 403
    assert bucket.complete_upload(upload, [part]).size == 3
    assert bucket.read("assets/a.glb") == b"123"


def test_rules_of_the_lifecycle_are_kept(bucket: Objects) -> None:
    # They are the bucket's own, so that every program and S3 itself go by the same.
    assert bucket.lifecycle() == []
    rules = [
        Lifecycle("asset-bucket-logs/", expire_after_days=90),
        Lifecycle("graphs/", expire_after_days=365, old_versions_after_days=30),
        Lifecycle("uploads/", old_versions_after_days=1),
    ]
    bucket.set_lifecycle(rules)
    assert bucket.lifecycle() == rules
    bucket.set_lifecycle([])
    assert bucket.lifecycle() == []
    for wrong in ({}, {"expire_after_days": 0}):
        with pytest.raises(ModelError, match="days"):
            Lifecycle(**wrong)
