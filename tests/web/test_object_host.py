"""Presigned links of buckets in folders, served: what a browser or curl does with those of S3 works
here too.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from sortkey import Objects
from sortkey.connect.buckets import Buckets
from sortkey.connect.files import FileObjects
from sortkey.runtime.objects import Part
from sortkey.testing import FrozenClock
from sortkey.web import make_app
from tests.web.running import running
from tests.web.test_errors import error_of

TEXT = "text/plain"
ALPHABET = b"abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, dict[str, Objects]]]:
    """The address of a real server, and the buckets that it serves at the moment."""
    buckets: dict[str, Objects] = {}
    with running(make_app([], objects=buckets)) as address:
        yield address, buckets


@pytest.fixture
def files(
    tmp_path: Path, clock: FrozenClock, served: tuple[str, dict[str, Objects]]
) -> Iterator[FileObjects]:
    """A bucket whose links lead there."""
    address, buckets = served
    with FileObjects(tmp_path / "uploads", clock=clock, url=f"{address}/objects") as opened:
        buckets["uploads"] = opened
        yield opened


def test_what_is_put_over_a_link_is_got_over_another(files: FileObjects) -> None:
    # The whole way of an upload from a browser: no byte passes a system's routes.
    link = files.presign_put("a b/%2e%2e/ü#?.txt", size=26, content_type=TEXT)
    put = httpx.put(link, content=ALPHABET, headers={"Content-Type": TEXT})
    assert (put.status_code, put.headers["ETag"]) == (
        200,
        f'"{files.head("a b/%2e%2e/ü#?.txt").etag}"',
    )
    got = httpx.get(files.presign_get("a b/%2e%2e/ü#?.txt"))
    assert (got.status_code, got.content, got.headers["Content-Type"]) == (200, ALPHABET, TEXT)
    assert got.headers["ETag"] == put.headers["ETag"]


def test_a_link_can_name_an_older_version(files: FileObjects) -> None:
    # A run shows what was uploaded for it, whatever was uploaded since.
    first = files.put("a", b"first")
    files.put("a", b"second")
    assert httpx.get(files.presign_get("a", version_id=first.version_id)).content == b"first"
    assert httpx.get(files.presign_get("a")).content == b"second"


def test_parts_of_an_upload_come_over_links(files: FileObjects) -> None:
    # How large files are sent: each part again, if it must be, and not the whole.
    upload = files.begin_upload("large", content_type=TEXT)
    assert httpx.put(files.presign_part(upload, 1, size=26), content=ALPHABET).status_code == 200
    etag = httpx.put(files.presign_part(upload, 1, size=5), content=b"again").headers["ETag"]
    files.complete_upload(upload, [Part(1, etag.strip('"'), 5)])
    assert files.read("large") == b"again"


def test_a_head_tells_all_but_the_bytes(files: FileObjects) -> None:
    # Who may read an object may ask how large it is.
    files.put("a", ALPHABET, content_type=TEXT)
    head = httpx.head(files.presign_get("a"))
    assert (head.status_code, head.headers["Content-Length"], head.content) == (200, "26", b"")
    assert head.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    ("asked", "status", "body", "place"),
    [
        ("bytes=0-4", 206, b"abcde", "bytes 0-4/26"),
        ("bytes=20-", 206, b"uvwxyz", "bytes 20-25/26"),
        ("bytes=-3", 206, b"xyz", "bytes 23-25/26"),
        ("bytes=-100", 206, ALPHABET, "bytes 0-25/26"),
        ("bytes=25-99", 206, b"z", "bytes 25-25/26"),
        ("bytes=0-0", 206, b"a", "bytes 0-0/26"),
        ("bytes=0-1,5-6", 200, ALPHABET, None),
        ("bytes=5-4", 200, ALPHABET, None),
        ("lines=1-2", 200, ALPHABET, None),
        ("bytes=-", 200, ALPHABET, None),
    ],
)
def test_a_range_is_a_part_of_the_object(
    files: FileObjects, asked: str, status: int, body: bytes, place: str | None
) -> None:
    # Downloads that go on where they broke off, and players that jump.
    files.put("a", ALPHABET)
    got = httpx.get(files.presign_get("a"), headers={"Range": asked})
    assert (got.status_code, got.content, got.headers.get("Content-Range")) == (status, body, place)


@pytest.mark.parametrize("asked", ["bytes=26-", "bytes=30-40", "bytes=-0"])
def test_a_range_behind_the_end_is_416(files: FileObjects, asked: str) -> None:
    # The caller learns the size, and can ask again.
    files.put("a", ALPHABET)
    refused = httpx.get(files.presign_get("a"), headers={"Range": asked})
    assert error_of(refused, 416)["details"] == {"size": 26}
    assert refused.headers["Content-Range"] == "bytes */26"


def test_the_rest_of_another_version_is_not_sent(files: FileObjects) -> None:
    # Half of the old and half of the new would be a file that nobody ever wrote.
    etag = files.put("a", ALPHABET).etag
    same = httpx.get(
        files.presign_get("a"), headers={"Range": "bytes=20-", "If-Range": f'"{etag}"'}
    )
    assert same.status_code == 206
    files.put("a", ALPHABET.upper())
    other = httpx.get(
        files.presign_get("a"), headers={"Range": "bytes=20-", "If-Range": f'"{etag}"'}
    )
    assert (other.status_code, other.content) == (200, ALPHABET.upper())


def test_what_the_caller_has_already_is_not_sent_again(files: FileObjects) -> None:
    # A browser that shows the same report again loads it once.
    etag = files.put("a", ALPHABET).etag
    got = httpx.get(files.presign_get("a"), headers={"If-None-Match": f'"other", W/"{etag}"'})
    assert (got.status_code, got.content) == (304, b"")


def test_a_link_for_one_thing_does_no_other(files: FileObjects, clock: FrozenClock) -> None:
    # All that a link allows is signed with it.
    files.put("a", b"a")
    link = files.presign_get("a", seconds=60)
    assert error_of(httpx.get(link.replace("/a?", "/b?")), 403)["code"] == "LinkRefused"
    assert error_of(httpx.put(link, content=b"b"), 403)["code"] == "LinkRefused"
    assert error_of(httpx.get(link + "%C3%BC"), 403)["code"] == "LinkRefused"
    assert error_of(httpx.get(link.replace("/uploads/", "/other/")), 403)["code"] == "LinkRefused"
    assert error_of(httpx.get(link.partition("?")[0]), 403)["code"] == "LinkRefused"
    assert httpx.get(link).status_code == 200
    clock.advance(60)
    assert "expired" in error_of(httpx.get(link), 403)["message"]


def test_a_link_that_is_good_for_nothing_that_is_there_is_404(files: FileObjects) -> None:
    # The link is ours; the object was deleted, or never came.
    assert error_of(httpx.get(files.presign_get("never")), 404)["code"] == "NotFound"


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"12", TEXT), (b"1234", TEXT), (b"123", "text/html"), (iter([b"123"]), TEXT)],
)
def test_a_link_limits_what_is_put(files: FileObjects, content: bytes, kind: str) -> None:
    # Three bytes of text were agreed upon; a page with a script was not, nor anything without a
    # size.
    link = files.presign_put("a", size=3, content_type=TEXT)
    assert (
        error_of(httpx.put(link, content=content, headers={"Content-Type": kind}), 403)["code"]
        == "LinkRefused"
    )
    assert list(files.versions()) == []


def test_an_upload_that_breaks_off_leaves_nothing(files: FileObjects) -> None:
    # The phone goes into a tunnel.
    link = urlsplit(files.presign_put("a", size=1000, content_type=TEXT))
    with socket.create_connection((link.hostname, link.port)) as connection:
        head = (
            f"PUT {link.path}?{link.query} HTTP/1.1\r\nHost: x\r\nContent-Type: "
            f"{TEXT}\r\nContent-Length: 1000\r\n\r\n"
        )
        connection.sendall(head.encode() + b"x" * 500)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1000):
            pass
    assert list(files.versions()) == []


def test_what_was_uploaded_can_do_nothing_in_a_browser(files: FileObjects) -> None:
    # A page that somebody uploaded must not act as this server.
    files.put("page.html", b"<script>alert(1)</script>", content_type="text/html")
    headers = httpx.get(files.presign_get("page.html")).headers
    assert "sandbox" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_asking_for_a_bucket_does_not_make_one(tmp_path: Path) -> None:
    # Strangers could fill the disk with folders.
    buckets = Buckets(f"{tmp_path}/{{bucket}}")
    with running(make_app([], objects=buckets)) as address:
        assert (
            error_of(httpx.get(f"{address}/objects/new/a?signature=x"), 403)["code"]
            == "LinkRefused"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_half_a_gigabyte_goes_through_in_little_memory(tmp_path: Path) -> None:
    # Server and client together, Python and all: nothing of the object piles up on its way.
    command = [sys.executable, "-m", "tests.web.half_a_gigabyte", str(tmp_path / "uploads")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    grown = json.loads(done.stdout)
    assert grown["up"] < 24 * 1024, grown
    assert grown["down"] < 24 * 1024, grown
