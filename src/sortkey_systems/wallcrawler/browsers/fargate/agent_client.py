"""The server's connections to the agent of a task: each begins with the secret and a role."""

from __future__ import annotations

import asyncio
import json
import tarfile
import tempfile
import time
from pathlib import Path
from typing import IO, Any

from sortkey_systems.wallcrawler.browsers.fargate.agent import FILES, PIECE_BYTES, START
from sortkey_systems.wallcrawler.browsers.local.frame_connection import FrameConnection
from sortkey_systems.wallcrawler.browsers.local.launch import spec_to_json
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserDidNotStart,
    BrowserGone,
    BrowserSpec,
    StartedBrowser,
)

CONNECT_SECONDS = 5.0
START_SECONDS = 40.0
FILES_BYTES_MAX = 4 << 30


async def open_agent_connection(
    address: tuple[str, int], secret: str, role: str, page_id: str | None = None
) -> FrameConnection:
    """Connect to the agent of a task. Raises BrowserGone if none answers."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, connection = await loop.create_connection(FrameConnection, *address)
    except (OSError, TimeoutError):
        raise BrowserGone("the task of the session does not answer") from None
    hello = {"role": role, "secret": secret, "page": page_id}
    await connection.send(json.dumps(hello).encode())
    return connection


async def start_browser(
    address: tuple[str, int], secret: str, spec: BrowserSpec, task_arn: str
) -> StartedBrowser:
    """Have a task start its browser. Raises BrowserDidNotStart, and BrowserGone."""
    connection = await open_agent_connection(address, secret, START)
    try:
        await connection.send(json.dumps({"spec": spec_to_json(spec)}).encode())
        if spec.profile_archive is not None:
            with spec.profile_archive.open("rb") as file:
                await _send(connection, file)
        if spec.extension is not None:
            with tempfile.TemporaryFile() as file:
                await asyncio.to_thread(_pack, spec.extension, file)
                await _send(connection, file)
        async with asyncio.timeout(START_SECONDS):
            answer: dict[str, Any] = json.loads(await connection.receive())
    except TimeoutError:
        raise BrowserDidNotStart("its task was not ready in time") from None
    finally:
        connection.close()
    if "error" in answer:
        raise BrowserDidNotStart(answer["error"])
    return StartedBrowser(
        session_id=spec.session_id,
        product=answer["product"],
        user_agent=answer["userAgent"],
        protocol_version=answer["protocolVersion"],
        started_at=time.time(),
        public_ip=address[0],
        task_arn=task_arn,
    )


async def fetch_files(address: tuple[str, int], secret: str, target: Path) -> None:
    """Copy what a session has left into a folder. Raises BrowserGone if its task is gone."""
    connection = await open_agent_connection(address, secret, FILES)
    try:
        with tempfile.TemporaryFile() as file:
            size = 0
            while piece := await connection.receive():
                size += len(piece)
                if size > FILES_BYTES_MAX:
                    raise BrowserGone("the session has left more than can be taken")
                file.write(piece)
            file.seek(0)
            await asyncio.to_thread(_unpack, file, target)
    finally:
        connection.close()


async def _send(connection: FrameConnection, file: IO[bytes]) -> None:
    file.seek(0)
    while piece := file.read(PIECE_BYTES):
        await connection.send(piece)
    await connection.send(b"")


def _pack(folder: Path, file: IO[bytes]) -> None:
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.add(folder, ".")


def _unpack(file: IO[bytes], target: Path) -> None:
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tarfile.open(fileobj=file) as archive:
        archive.extractall(target, filter="data")
