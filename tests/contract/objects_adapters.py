"""The adapters of objects for the contract suite: a folder, and S3 as a real server does it.

Presigned URLs of a folder are served by a host of thirty lines, which shows all that such a host
has to do.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from sortkey.connect.files import FileObjects
from sortkey.connect.s3 import S3Objects
from sortkey.errors import LinkRefused, SortkeyError
from sortkey.runtime.objects import Objects
from sortkey.runtime.objects.data import exactly
from tools.downloads import Missing
from tools.s3_server import ACCESS_KEY, SECRET_KEY, S3Server

S3_MARKS = (pytest.mark.slow, pytest.mark.xdist_group("s3"))
ADAPTERS = (pytest.param("files"), pytest.param("s3", marks=S3_MARKS))


@cache
def _server() -> S3Server:
    """A real S3 server for all tests of this worker, with which it ends."""
    folder = Path(tempfile.mkdtemp(prefix="sortkey-s3-"))
    server = S3Server(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.stop)
    return server


@pytest.fixture
def s3_endpoint(monkeypatch: pytest.MonkeyPatch) -> str:
    """The server's address, with the credentials for it in the environment."""
    try:
        server = _server()
    except Missing as missing:
        pytest.skip(f"no S3 server to test with: {missing}")
    settings = {
        "ACCESS_KEY_ID": ACCESS_KEY,
        "SECRET_ACCESS_KEY": SECRET_KEY,
        "DEFAULT_REGION": "us-east-1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    return server.endpoint


def new_s3_bucket(
    endpoint: str, *, name: str = "bucket", versions: bool = True, **settings: Any
) -> S3Objects:
    """A fresh bucket on the server, whose name ends so."""
    bucket = S3Objects(f"tests-{secrets.token_hex(6)}-{name}", endpoint=endpoint, **settings)
    bucket.client.create_bucket(Bucket=bucket.name)
    if versions:
        bucket.client.put_bucket_versioning(
            Bucket=bucket.name, VersioningConfiguration={"Status": "Enabled"}
        )
    return bucket


@pytest.fixture(params=ADAPTERS)
def bucket(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Objects]:
    """A bucket that is empty, and has versions."""
    if request.param == "s3":
        with new_s3_bucket(request.getfixturevalue("s3_endpoint")) as s3:
            yield s3
    else:
        with FileObjects(tmp_path / "bucket") as files, Host(files):
            yield files


class Host:
    """Serves the presigned URLs of a folder."""

    def __init__(self, files: FileObjects) -> None:
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"files": files})
        )
        files.url = f"http://127.0.0.1:{self._server.server_port}/objects"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )

    def __enter__(self) -> Host:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    files: FileObjects

    def do_GET(self) -> None:
        link = self._link()
        if link is not None:
            with self.files.open(link.key, version_id=link.version_id or None) as reader:
                self.send_response(200)
                self.send_header("Content-Type", reader.info.content_type)
                self.send_header("Content-Length", str(reader.info.size))
                self.end_headers()
                for piece in reader:
                    self.wfile.write(piece)

    def do_PUT(self) -> None:
        link = self._link()
        if link is not None:
            pieces = iter(lambda: self.rfile.read1(65536), b"")
            size = int(self.headers["Content-Length"])
            stored = self.files.receive(link, exactly(_up_to(pieces, size), size))
            self.send_response(200)
            self.send_header("ETag", f'"{stored.etag}"')
            self.send_header("Content-Length", "0")
            self.end_headers()

    def _link(self) -> Any:
        url = urlsplit(self.path)
        key = unquote(url.path).split("/", 3)[3]
        size = self.headers["Content-Length"]
        about = {
            "size": int(size) if size else None,
            "content_type": self.headers["Content-Type"] or "",
        }
        try:
            return self.files.check_link(self.command, key, dict(parse_qsl(url.query)), **about)
        except LinkRefused as refused:
            self.send_error(403, str(refused))
        except SortkeyError as error:
            self.send_error(400, str(error))

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _up_to(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The body of a request on a connection that stays open behind it."""
    while size > 0:
        piece = next(pieces)
        size -= len(piece)
        yield piece


def megabytes(count: int) -> Iterator[bytes]:
    """So many megabytes that do not compress, one at a time."""
    seed = os.urandom(1 << 20)
    for number in range(count):
        yield seed[number:] + seed[:number]
