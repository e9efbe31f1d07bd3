"""Presigned URLs of a folder: good for exactly one request, for some time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from sortkey.connect.files import FileObjects
from sortkey.errors import LinkRefused, ModelError, ObjectNotFound
from sortkey.runtime.objects import ObjectInfo, Part
from sortkey.runtime.objects.data import at_most
from sortkey.testing import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(1_800_000_000.0)


@pytest.fixture
def files(tmp_path: Path, clock: FrozenClock) -> Iterator[FileObjects]:
    with FileObjects(
        tmp_path / "uploads", url="https://example.test/objects/", clock=clock
    ) as opened:
        yield opened


def split(url: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc) == ("https", "example.test")
    bucket, _, key = unquote(parts.path.removeprefix("/objects/")).partition("/")
    assert bucket == "uploads"
    return key, dict(parse_qsl(parts.query))


def test_a_link_opens_its_object_until_it_expires(files: FileObjects, clock: FrozenClock) -> None:
    # A link that is forwarded is good for minutes, not for ever.
    key, query = split(files.presign_get("a b/ü#?.txt", seconds=60))
    assert key == "a b/ü#?.txt"
    assert files.check_link("GET", key, query).key == key
    assert files.check_link("HEAD", key, query).method == "GET"
    clock.advance(59.9)
    assert files.check_link("GET", key, query).expires == 1_800_000_060
    clock.advance(0.1)
    with pytest.raises(LinkRefused, match="expired"):
        files.check_link("GET", key, query)


@pytest.mark.parametrize(
    "change",
    [
        {"expires": "1900000000"},
        {"version": "0" * 32},
        {"size": "4"},
        {"type": "text/html"},
        {"upload": "0" * 32, "part": "1"},
        {"signature": ""},
        {"signature": "0" * 64},
        {"expires": "soon"},
        {"size": "1e3"},
    ],
)
def test_whatever_is_changed_in_a_link_makes_it_void(
    files: FileObjects, change: dict[str, str]
) -> None:
    # Everything that it says is signed.
    key, query = split(files.presign_put("a", size=3, content_type="text/plain"))
    about: dict[str, Any] = {"size": 3, "content_type": "text/plain"}
    assert files.check_link("PUT", key, query, **about).size == 3
    with pytest.raises(LinkRefused):
        files.check_link("PUT", key, {**query, **change}, **about)
    without = {name: text for name, text in query.items() if name not in change}
    if without != query:
        with pytest.raises(LinkRefused):
            files.check_link("PUT", key, without, **about)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "put", ""])
def test_a_link_is_for_one_method(files: FileObjects, method: str) -> None:
    key, query = split(files.presign_put("a", size=3))
    with pytest.raises(LinkRefused):
        files.check_link(method, key, query, size=3, content_type="application/octet-stream")


def test_a_link_is_for_one_key_of_one_bucket(
    files: FileObjects, tmp_path: Path, clock: FrozenClock
) -> None:
    # Also not for a key that begins or ends in the same way, nor for a bucket with the same secret.
    key, query = split(files.presign_get("a/b"))
    for other in ("a/bc", "a", "a/b/", "A/b"):
        with pytest.raises(LinkRefused):
            files.check_link("GET", other, query)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret").write_bytes((files.folder / "secret").read_bytes())
    with FileObjects(tmp_path / "other", clock=clock) as another, pytest.raises(LinkRefused):
        another.check_link("GET", key, query)


def test_what_is_announced_is_what_must_come(files: FileObjects) -> None:
    # A client can announce 3 bytes and send a terabyte.
    key, query = split(files.presign_put("a", size=3, content_type="text/plain"))
    for about in (
        {"size": 4},
        {"size": None},
        {"size": 3, "content_type": "text/html"},
        {"size": 3},
    ):
        with pytest.raises(LinkRefused, match="the URL is for"):
            files.check_link("PUT", key, query, **about)  # type: ignore[arg-type]
    link = files.check_link("PUT", key, query, size=3, content_type="text/plain")

    def endless() -> Iterator[bytes]:
        while True:
            yield b"x"

    for data in (endless(), b"12", b"1234", b""):
        with pytest.raises(ModelError, match="3 bytes were announced"):
            files.receive(link, data)
    assert list(files.versions()) == []
    stored = files.receive(link, iter([b"1", b"23"]))
    assert isinstance(stored, ObjectInfo)
    assert (stored.key, stored.content_type) == ("a", "text/plain")
    with pytest.raises(ModelError, match="for reading"):
        files.receive(files.check_link("GET", *split(files.presign_get("a"))), b"")


def test_a_part_without_a_size_has_a_limit_all_the_same(files: FileObjects) -> None:
    # A link without a size is for a part only, and nobody fills the disk through one.
    upload = files.begin_upload("a")
    key, query = split(files.presign_part(upload, 1))
    with pytest.raises(LinkRefused, match="at most 5,368,709,120 bytes"):
        files.check_link("PUT", key, query, size=(5 << 30) + 1)
    assert files.check_link("PUT", key, query, size=5 << 30).part == 1
    link = files.check_link("PUT", key, query)
    piece = bytes(1 << 20)

    def endless() -> Iterator[bytes]:
        while True:
            yield piece

    with pytest.raises(ModelError, match="at most 1,000,000 bytes"):
        for _ in at_most(endless(), 1_000_000):
            pass
    stored = files.receive(link, iter([b"1", b"23"]))
    assert isinstance(stored, Part)
    key, query = split(files.presign_part(upload, 1, size=3))
    del query["size"]
    with pytest.raises(LinkRefused):
        files.check_link("PUT", key, query, size=4)


def test_a_single_part_becomes_the_object_without_a_copy(files: FileObjects) -> None:
    # Most files are small: writing their bytes twice would double the time of an upload.
    upload = files.begin_upload("a", content_type="text/plain")
    part = files.put_part(upload, 1, b"one part")
    (before,) = (
        path.stat().st_ino for path in (files.folder / "objects").rglob("*") if path.is_file()
    )
    info = files.complete_upload(upload, [part])
    (after,) = (
        path.stat().st_ino for path in (files.folder / "objects").rglob("*") if path.is_file()
    )
    assert before == after
    assert files.read("a") == b"one part"
    assert (info.size, info.content_type) == (8, "text/plain")
    with pytest.raises(ObjectNotFound):
        files.complete_upload(upload, [part])


def test_changes_are_read_in_order_and_by_whoever_they_were_made(
    files: FileObjects, tmp_path: Path
) -> None:
    # A program that watches a bucket must miss nothing that another one puts into it.
    assert files.changes() == []
    files.put("b", b"1")
    with FileObjects(tmp_path / "uploads") as other:
        other.put("a", b"2")
    files.delete("b")
    removed = files.put("c", b"3")
    files.delete("c", removed.version_id)
    files.put("a", b"4")
    found = files.changes()
    assert [(each.version.key, each.version.is_marker) for each in found] == [
        ("b", False),
        ("a", False),
        ("b", True),
        ("a", False),
    ]
    assert [each.version.is_latest for each in found] == [False, False, True, True]
    assert files.changes(found[1].position) == found[2:]
    assert files.changes(limit=1) == found[:1]
    assert files.changes(found[-1].position) == []
