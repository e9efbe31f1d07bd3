"""Many files, and one large file with the server killed in between: as real processes."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from sortkey.systems.host_secret import derive, host_secret
from sortkey.web import Tokens
from sortkey_systems.vams.changes import FilesArrived
from tests.systems.vams.host import ADMIN, Requests, hosted
from tests.systems.vams.upload_client import complete, listed, paths, send, start, upload

MEGABYTE = 1 << 20
SIZE, PART = 400 * MEGABYTE, 50 * MEGABYTE
PARTS = SIZE // PART
BLOCK = bytes(range(256)) * (MEGABYTE // 256)
MEMORY_KILOBYTES_MAX = 60 * 1024
"""Above an idle server."""
WAIT_SECONDS = 60


def free_port() -> int:
    """A port for several starts: links have it in their addresses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`sortkey rest vams` on one port, as often as it is started."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=WAIT_SECONDS)

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sortkey", "rest", "vams", "--port", str(self.port)],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                if self.client.get("/api/version").status_code == 200:
                    secret = derive(host_secret(str(self.folder / "data")), "tokens")
                    token = Tokens(secret).issue(ADMIN, system="vams")
                    self.client.headers["Authorization"] = f"Bearer {token}"
                    return
            time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(WAIT_SECONDS)
            self.process = None

    def kilobytes(self, name: str) -> int:
        """Of memory: `VmRSS` now, `VmHWM` at most so far."""
        assert self.process is not None
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1])

    def post(self, path: str, body: Any) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        server.client.close()


def content(number: int, blocks: int = PART // MEGABYTE) -> Iterator[bytes]:
    """A part: every megabyte of the file is another one."""
    first = (number - 1) * (PART // MEGABYTE)
    for block in range(first, first + blocks):
        yield block.to_bytes(8, "big") + BLOCK[8:]


def put(url: str, number: int) -> str:
    """Send a part without a token. Gives its ETag."""
    headers = {"Content-Length": str(PART)}
    answer = httpx.put(url, content=content(number), headers=headers, timeout=WAIT_SECONDS)
    assert answer.status_code == 200, answer.text
    return answer.headers["ETag"].strip('"')


def break_off(server: Server, url: str, number: int) -> None:
    """Kill the server in the middle of a part."""

    def interrupted() -> Iterator[bytes]:
        yield from content(number, 20)
        server.kill()
        yield from content(number)

    with pytest.raises(httpx.TransportError):
        httpx.put(url, content=interrupted(), headers={"Content-Length": str(PART)}, timeout=30)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_file_of_400_megabytes_survives_two_kills_and_is_never_whole_in_memory(
    tmp_path: Path,
) -> None:
    # The links, the parts that were sent and a completion that was begun must all be good after a
    # crash. Nobody sends 400 MB again because of one.
    with serving(tmp_path) as server:
        bucket = server.client.get("/buckets").json()["Items"][0]["bucketId"]
        database = {"databaseId": "plant", "description": "of a test", "defaultBucketId": bucket}
        server.post("/database", database)
        about = {"databaseId": "plant", "assetName": "Scan", "description": "of a test"}
        asset = server.post("/assets", {**about, "isDistributable": True})["assetId"]
        ids = {"databaseId": "plant", "assetId": asset, "uploadType": "assetFile"}
        file = {"relativeKey": "/scan.e57", "file_size": SIZE, "num_parts": PARTS}
        started = server.post("/uploads", {**ids, "files": [file]})
        links = [each["UploadUrl"] for each in started["files"][0]["partUploadUrls"]]
        etags = {number: put(links[number - 1], number) for number in (1, 2, 3)}
        break_off(server, links[3], 4)
        server.start()
        idle = server.kilobytes("VmRSS")
        etags |= {number: put(links[number - 1], number) for number in range(4, PARTS + 1)}
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in etags.items()]
        upload_id = started["files"][0]["uploadIdS3"]
        sent = [{"relativeKey": "/scan.e57", "uploadIdS3": upload_id, "parts": parts}]
        route = f"/uploads/{started['uploadId']}/complete"
        assert server.kilobytes("VmHWM") - idle <= MEMORY_KILOBYTES_MAX
        killer = threading.Timer(0.3, server.kill)
        killer.start()
        with suppress(httpx.TransportError):
            server.client.post(route, json={**ids, "files": sent})
        killer.join()
        server.start()
        idle = server.kilobytes("VmRSS")
        assert server.post(route, {**ids, "files": sent})["overallSuccess"] is True
        check_stream(server, f"/database/plant/assets/{asset}/download/stream/scan.e57")
        assert server.kilobytes("VmHWM") - idle <= MEMORY_KILOBYTES_MAX


def check_stream(server: Server, route: str) -> None:
    """The whole file and a range of it are as they were sent."""
    wanted, found = hashlib.sha256(), hashlib.sha256()
    for number in range(1, PARTS + 1):
        for block in content(number):
            wanted.update(block)
    with server.client.stream("GET", route) as answer:
        for piece in answer.iter_bytes(MEGABYTE):
            found.update(piece)
    assert found.hexdigest() == wanted.hexdigest()
    part = server.client.get(route, headers={"Range": f"bytes={PART}-{PART + 7}"})
    assert part.content == (PART // MEGABYTE).to_bytes(8, "big")


@pytest.mark.slow
def test_eleven_hundred_files_are_uploaded_and_listed(tmp_path: Path) -> None:
    # A folder of textures. One request takes a thousand files; the rest is a second one.
    files = {f"/textures/{n % 7}/{n:04}.txt": b"%d" % n for n in range(1100)}
    with hosted(tmp_path / "data") as requests:
        asset, every = requests.make_asset(), list(files)
        for some in (every[:1000], every[1000:]):
            done = upload(requests, asset, {path: files[path] for path in some})
            assert done["overallSuccess"] is True
        assert paths(listed(requests, asset, pageSize=500)) == sorted(files)
        first = requests("GET", f"/database/plant/assets/{asset}/listFiles").json()
        assert len(first["items"]) == 100


@pytest.mark.slow
def test_two_completions_at_once_both_succeed(requests: Requests) -> None:
    # A client that hears nothing for a while asks again, while the first request still works.
    requests.service.uploads.starts_per_minute = 10_000
    asset = requests.make_asset()
    files = {f"/{n}.txt": b"%d" % n for n in range(8)}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(complete, requests, asset, started["uploadId"], sent) for _ in "abc"]
        answers = [each.result(WAIT_SECONDS) for each in asked]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert all(answer.json()["overallSuccess"] for answer in answers)
    found = requests.service.assets.find("plant", asset)
    assert found is not None
    place = requests.service.assets.place_of(found)
    assert {path: place.objects.read(place.key(path)) for path in files} == files
    assert list(place.objects.versions(f"temp-uploads/{started['uploadId']}/")) == []


@pytest.mark.slow
def test_an_archive_that_meets_an_upload_leaves_no_live_file(requests: Requests) -> None:
    # No lost rows when archive meets upload: either the files are archived with their asset, or
    # the upload hears that the asset is gone. Never is there a live file that no list shows.
    requests.service.uploads.starts_per_minute = 10_000
    for turn in range(6):
        asset = requests.make_asset()
        files = {f"/{n}.txt": b"x" for n in range(4)}
        started = start(requests, asset, files).json()
        sent = send(requests, started, files)
        route = f"/database/plant/assets/{asset}/archiveAsset"
        with ThreadPoolExecutor(2) as pool:
            upload_done = pool.submit(complete, requests, asset, started["uploadId"], sent)
            time.sleep(turn * 0.01)  # the archive comes a little later in every turn
            archived = pool.submit(requests, "DELETE", route, {})
            assert archived.result(WAIT_SECONDS).status_code == 200
            assert upload_done.result(WAIT_SECONDS).status_code in (200, 404)
        requests.run_jobs()
        found = requests.service.assets.find("plant", asset, archived=True)
        assert found is not None
        assert found.in_archive
        assert list(requests.service.files.live(found)) == []


def test_a_completion_that_is_repeated_announces_nothing_and_changes_no_newer_file(
    requests: Requests,
) -> None:
    # Workflows would run once more, and an empty file would replace what came since.
    asset, files = requests.make_asset(), {"/a.glb": b"glTF", "/b.txt": b""}
    heard: list[FilesArrived] = []
    requests.service.changes.on_files_arrived("a test", heard.append)
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    assert complete(requests, asset, started["uploadId"], sent).status_code == 200
    upload(requests, asset, {"/b.txt": b"newer"})
    requests.run_jobs()
    of_this = [each.relative_paths for each in heard if each.asset_id == asset]
    assert sorted(of_this) == [("/a.glb", "/b.txt"), ("/b.txt",)]
    requests("DELETE", f"/database/plant/assets/{asset}/archiveFile", {"filePath": "/a.glb"})
    done = complete(requests, asset, started["uploadId"], sent)
    assert (done.status_code, done.json()["overallSuccess"]) == (200, True)
    requests.run_jobs()
    assert [each.relative_paths for each in heard if each.asset_id == asset] == of_this
    (left,) = listed(requests, asset)
    assert (left["relativePath"], left["size"]) == ("/b.txt", len(b"newer"))
