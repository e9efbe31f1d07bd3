"""VAMS on one machine: lists, permissions, search, uploads, and how fast its indexes are built.

`python -m bench.vams` prints the section of the report. The server is a process of its own on a
folder; its clients are a plain HTTP client, and boto3 for the S3 server that uploads are compared
with. A million files are rows of versions: their bytes would measure the disk.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx

from bench.processes import cpu_seconds, resident_mb
from bench.vams_data import DATABASES, FILES_EACH, KEYS, WORDS, add_assets, add_people
from bench.wallcrawler import Row
from sortkey.systems import Addresses, SharedResources, open_resources
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.criteria import Criterion
from sortkey_systems.vams.access.decisions import Permission, Rule, Rules, of_group
from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.model import model
from sortkey_systems.vams.service import make_service
from tools.s3_server import ACCESS_KEY, SECRET_KEY, S3Server

ASSETS_SMALL, ASSETS = 10_000, 100_000
PAGES, PAGE_SIZE, SEARCHES = 50, 100, 200
CONSTRAINTS, CHECKS = 500, 20_000
SMALL_FILES, SMALL_BYTES = 1100, 2000
LARGE_PARTS, PART_BYTES = 40, 10 << 20
BUILD_SECONDS_MAX = 1800.0


def measure() -> list[Row]:
    """Everything, on folders of its own."""
    with tempfile.TemporaryDirectory(prefix="sortkey-vams-") as name:
        folder = Path(name)
        with _opened(folder) as shared:
            add_people(shared.store)
            add_assets(shared.store, 0, ASSETS_SMALL)
            built = _build(shared)
        with _served(folder) as server:
            small = _page_ms(server)
            rows = [*_uploads(server)]
        with _opened(folder) as shared:
            add_assets(shared.store, ASSETS_SMALL, ASSETS)
            shared.searches.start()
            _wait_until_ready(shared)
        with _served(folder) as server:
            large, search = _page_ms(server), _search_ms(server)
    return [
        Row(f"a page of {PAGE_SIZE} of {ASSETS:,} assets, CPU of the server", large, 15),
        Row(f"the same, of what it takes with {ASSETS_SMALL:,}", large / small, 1.3, "×"),
        Row(f"a permission check with {CONSTRAINTS} constraints", _check_us(), 50, "µs"),
        Row("search with the permission filter, p95", quantiles(search, n=20)[-1], 60),
        Row("the same, p50", median(search), 60),
        *rows,
        built,
    ]


# -- what is measured


def _page_ms(server: _Server) -> float:
    """Processor time of the server for a page of a database's assets, from page to page."""
    with server.client("admin@bench.example") as client:
        path, token = "/database/bench-0/assets", None
        client.get(path, params={"pageSize": PAGE_SIZE}).raise_for_status()
        began = cpu_seconds(server.pid)
        for _ in range(PAGES):
            parameters = {"pageSize": PAGE_SIZE, **({"startingToken": token} if token else {})}
            token = client.get(path, params=parameters).raise_for_status().json()["NextToken"]
        return (cpu_seconds(server.pid) - began) / PAGES * 1000


def _search_ms(server: _Server) -> list[float]:
    """Words, filters and browsing, by somebody who may see a part and not what is secret."""
    chance = random.Random(3)
    bodies: list[dict[str, Any]] = []
    for _ in range(SEARCHES // 4):
        word = chance.choice(WORDS)
        bodies += [
            {"query": word},
            {"query": f"{word} pump", "entityTypes": ["asset"]},
            {"filters": [{"term": {"list_tags": f"t{chance.randrange(50)}"}}], "size": 20},
            {"sort": [{"field": "str_assetname", "order": "asc"}], "from": 50, "size": 50},
        ]
    with server.client("reader@bench.example") as client:
        for body in bodies[:8]:
            client.post("/search", json=body).raise_for_status()
        return [_timed_ms(client, body) for body in bodies]


def _timed_ms(client: httpx.Client, body: dict[str, Any]) -> float:
    began = time.perf_counter()
    client.post("/search", json=body).raise_for_status()
    return (time.perf_counter() - began) * 1000


def _check_us() -> float:
    """Objects that were never asked about, so that no decision is remembered."""
    caller = Caller("reader@bench.example", ("readers",))
    permission = (Permission(of_group("readers"), "GET", "allow"),)
    operators = ("equals", "contains", "starts_with", "ends_with")
    rules = Rules(
        Rule(
            f"c{n}",
            "asset",
            (
                Criterion("databaseId", "equals" if n % 2 else "contains", f"bench-{n}"),
                Criterion("assetName", operators[n % 4], f"Asset {n}"),
            ),
            (),
            permission,
        )
        for n in range(CONSTRAINTS)
    )
    objects = [AssetObject(f"bench-{n % 600}", f"Asset {n}", ".glb") for n in range(CHECKS)]
    began = time.process_time()
    for each in objects:
        rules.allows(caller, "GET", each)
    return (time.process_time() - began) / CHECKS * 1e6


def _build(shared: SharedResources) -> Row:
    """Both indexes, from the tables until they answer. The comparison after that goes on."""
    began = time.perf_counter()
    shared.searches.start()
    _wait_until_ready(shared)
    seconds = time.perf_counter() - began
    count = sum(each.written for each in shared.searches.values())
    assert shared.searches.wait(BUILD_SECONDS_MAX)
    return Row("building both indexes", count / seconds, 5000, "documents a second", True)


def _uploads(server: _Server) -> list[Row]:
    with server.client("admin@bench.example") as client:
        files = {f"/small/{n:04d}.txt": os.urandom(SMALL_BYTES) for n in range(SMALL_FILES)}
        began = time.perf_counter()
        for start in range(0, SMALL_FILES, 1000):  # more files than one upload may have
            names = list(files)[start : start + 1000]
            _upload(client, "x00000001", {name: [files[name]] for name in names})
        small = time.perf_counter() - began
        part = os.urandom(PART_BYTES)
        idle, peak = resident_mb(server.pid), _Peak(server.pid)
        began = time.perf_counter()
        with peak:
            _upload(client, "x00000002", {"/large.bin": [part] * LARGE_PARTS})
        ours = time.perf_counter() - began
    theirs = _s3_seconds(part)
    megabytes = LARGE_PARTS * PART_BYTES >> 20
    return [
        Row(f"upload of {SMALL_FILES:,} small files", small, 20, "s"),
        Row(f"upload of {megabytes} MB, of the S3 server's speed", theirs / ours, 0.5, "×", True),
        Row("memory above idle meanwhile", max(0.0, peak.megabytes - idle), 60, "MB"),
    ]


def _upload(client: httpx.Client, asset_id: str, files: dict[str, list[bytes]]) -> None:
    about = {"databaseId": "bench-0", "assetId": asset_id, "uploadType": "assetFile"}
    sizes = [
        {"relativeKey": name, "file_size": sum(map(len, parts)), "num_parts": len(parts)}
        for name, parts in files.items()
    ]
    begun = client.post("/uploads", json={**about, "files": sizes}).raise_for_status().json()
    done: list[dict[str, Any]] = []
    for file in begun["files"]:
        tags = [
            client.put(url["UploadUrl"], content=data).raise_for_status().headers["ETag"]
            for url, data in zip(file["partUploadUrls"], files[file["relativeKey"]], strict=True)
        ]
        parts = [{"PartNumber": n, "ETag": tag.strip('"')} for n, tag in enumerate(tags, 1)]
        done.append({**{k: file[k] for k in ("relativeKey", "uploadIdS3")}, "parts": parts})
    answer = client.post(f"/uploads/{begun['uploadId']}/complete", json={**about, "files": done})
    assert answer.raise_for_status().json()["overallSuccess"], answer.text


def _s3_seconds(part: bytes) -> float:
    """The same parts to the S3 server of the tests."""
    import boto3  # pyright: ignore[reportMissingTypeStubs]

    with tempfile.TemporaryDirectory(prefix="sortkey-s3-") as name, S3Server(Path(name)) as s3:
        client: Any = boto3.client(  # pyright: ignore[reportUnknownMemberType]
            "s3",
            endpoint_url=s3.endpoint,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            region_name="us-east-1",
        )
        client.create_bucket(Bucket="bench")
        began = time.perf_counter()
        where = {"Bucket": "bench", "Key": "large.bin"}
        upload = {**where, "UploadId": client.create_multipart_upload(**where)["UploadId"]}
        parts = [
            {"PartNumber": n, "ETag": client.upload_part(**upload, PartNumber=n, Body=part)["ETag"]}
            for n in range(1, LARGE_PARTS + 1)
        ]
        client.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
        return time.perf_counter() - began


class _Peak:
    """The most memory of a process while the block runs."""

    def __init__(self, pid: int) -> None:
        self.megabytes = 0.0
        self._pid, self._is_over = pid, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._is_over.wait(0.02):
            self.megabytes = max(self.megabytes, resident_mb(self._pid))

    def __enter__(self) -> _Peak:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._is_over.set()
        self._thread.join()


# -- what it runs on


@contextmanager
def _opened(folder: Path) -> Generator[SharedResources]:
    """The folder in this process, with its tables."""
    addresses = Addresses(str(folder))
    with open_resources(addresses, [model], url="http://127.0.0.1:1") as shared:
        shared.store.ensure(model)
        make_service(shared.of("vams", at_root=True))
        try:
            yield shared
        finally:
            shared.searches.stop()


def _wait_until_ready(shared: SharedResources) -> None:
    end = time.monotonic() + BUILD_SECONDS_MAX
    while [each.state for each in shared.searches.values()] != ["ready", "ready"]:
        if time.monotonic() > end:
            raise TimeoutError("the indexes were not built in time")
        time.sleep(0.02)


class _Server:
    """`sortkey rest vams` on a folder."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "sortkey", "rest", "vams", "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--data", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.pid = self._process.pid
        self._address = self._read_address()

    @contextmanager
    def client(self, user_id: str) -> Generator[httpx.Client]:
        """A client in the name of a user, once the search has opened its indexes."""
        headers = {"Authorization": f"Bearer {KEYS[user_id]}"}
        end = time.monotonic() + 60
        with httpx.Client(base_url=self._address, headers=headers, timeout=120) as client:
            while client.post("/search", json={"size": 1}).status_code == 503:
                if time.monotonic() > end:
                    raise TimeoutError("the search did not open its indexes")
                time.sleep(0.1)
            yield client

    def _read_address(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://[\d.]+:\d+", line):
                threading.Thread(target=self._process.stdout.read, daemon=True).start()
                return found[0]
        raise RuntimeError("the server ended before it said where it answers")

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self._process.kill()


@contextmanager
def _served(folder: Path) -> Generator[_Server]:
    server = _Server(folder)
    try:
        yield server
    finally:
        server.stop()


def markdown(rows: list[Row] | None = None) -> str:
    """The section of a report."""
    load = os.getloadavg()[0]
    rows = rows or measure()
    lines = [
        "## VAMS",
        "",
        f"{ASSETS:,} assets with {ASSETS * FILES_EACH:,} files in {DATABASES} databases, on a folder,",
        "and a server in a process of its own. Indexes are built when there are",
        f"{ASSETS_SMALL:,} assets. The load of the machine was {load:.1f} before.",
        "",
        "| | measured | limit | |",
        "|" + "---|" * 4,
        *(row.line() for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown())
