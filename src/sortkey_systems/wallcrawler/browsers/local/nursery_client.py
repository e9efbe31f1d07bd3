"""The server's side of the nursery: starts it when it is needed and asks it for holders."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.port import BrowserDidNotStart
from sortkey_systems.wallcrawler.browsers.protocol import FrameReader, json_frame

MODULE = "sortkey_systems.wallcrawler.browsers.local.nursery"
ANSWER_SECONDS = 15.0
_READ_BYTES = 64 * 1024
_EXIT_SECONDS = 5.0
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    # glibc would keep the memory of large messages; with fixed limits it gives it back.
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "MALLOC_ARENA_MAX": "1",
}
"""Nothing of the server's: holders need none of it, and it may hold secrets."""


class NurseryClient:
    """One nursery for the process. If it dies, the next request starts another."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[int]] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    async def fork_holder(self, folder: Path) -> int:
        """Start a holder for a folder; its socket is there on return. Raises BrowserDidNotStart.

        Who is cancelled in between waits for `settled`, to see whether there is a holder.
        """
        task = asyncio.create_task(self._fork_holder(folder))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def settled(self) -> None:
        """Wait until no request is under way."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """End the nursery; holders go on."""
        async with self._lock:
            await asyncio.to_thread(self._stop)

    async def _fork_holder(self, folder: Path) -> int:
        async with self._lock:
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    answer = await self._ask(folder)
            except (OSError, EOFError, TimeoutError) as error:
                # A late answer must not be taken for that of the next request.
                await asyncio.to_thread(self._stop)
                reason = f"the nursery of browsers does not answer: {error}"
                raise BrowserDidNotStart(reason) from None
        if "error" in answer:
            raise BrowserDidNotStart(str(answer["error"]))
        return int(answer["pid"])

    async def _ask(self, folder: Path) -> dict[str, int | str]:
        loop = asyncio.get_running_loop()
        connection = self._started()
        await loop.sock_sendall(connection, json_frame({"folder": str(folder)}))
        reader = FrameReader()
        while data := await loop.sock_recv(connection, _READ_BYTES):
            for payload in reader.feed(data):
                return json.loads(payload)
        raise EOFError("it has ended")

    def _started(self) -> socket.socket:
        if self._socket is not None and self._process is not None and self._process.poll() is None:
            return self._socket
        self._stop()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", MODULE],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=_ENVIRONMENT,
                start_new_session=True,
            )
        ours.setblocking(False)
        self._socket = ours
        return ours

    def _stop(self) -> None:
        connection, process = self._socket, self._process
        self._socket = self._process = None
        if connection is not None:
            connection.close()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_EXIT_SECONDS)
