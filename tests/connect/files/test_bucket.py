"""Presigned URLs of a folder: good for exactly one request, for some time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from sortkey.connect.files import FileObjects
from sortkey.errors import LinkRefused, ModelError
from sortkey.runtime.objects import ObjectInfo
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
