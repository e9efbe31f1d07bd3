"""Builds and starts MinIO, the S3 server that the tests of objects run against. A tool of the
tests: never shipped.

Why MinIO: of the servers that `go install` builds, it is the one that does what S3 does with
versions, delete markers, conditional writes, SHA-256 checksums and lifecycle rules. versitygw 1.8.0
refuses put-if-absent of a key that was deleted, answers an error when a version is deleted twice,
and has no lifecycle rules. SeaweedFS 4.48 is a download of seconds, but lists keys in an order that
is not S3's, and completes an upload twice. What MinIO lacks is held by tests of the requests
themselves: archive classes (it needs a second server for them) and rules for unfinished uploads.
"""

import os
import shutil
import subprocess
from pathlib import Path

from tools.downloads import cache_folder, once, run, say
from tools.dynamodb_local import free_port, wait_until_it_answers
from tools.go import go

MINIO = "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"
ACCESS_KEY, SECRET_KEY = (
    "sortkeytests",
    "sortkey-tests-secret",
)  # DynamoDB Local takes no other signs in the first


def binary() -> Path:
    """The server, built now if it is not in the cache yet. Raises Missing."""
    folder = cache_folder() / "go" / MINIO.replace("/", "_")
    once(folder / "minio", lambda: _build(folder))
    return folder / "minio"


def _build(folder: Path) -> None:
    compiler = go()
    say(f"building {MINIO}, once: two cores take two to five minutes …")
    drafts = folder / "draft"
    drafts.mkdir(parents=True, exist_ok=True)
    places = {name: str(drafts / name.lower()) for name in ("GOBIN", "GOCACHE", "GOMODCACHE")}
    # The compiler's time is all that counts: not optimised it takes a quarter less, and the tests
    # do not tell the difference; it also collects less garbage, for more memory.
    quick = ["-trimpath", "-ldflags=-s -w", "-gcflags=all=-N -l -dwarf=false", "-modcacherw"]
    run([compiler, "install", *quick, MINIO], drafts, **places, CGO_ENABLED="0", GOGC="400")
    Path(places["GOBIN"], "minio").rename(folder / "minio")
    shutil.rmtree(
        drafts, ignore_errors=True
    )  # gigabytes of sources and objects that nobody needs again


class S3Server:
    """A server on loopback with its data in a folder. It ends with this process, however
    that ends.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        environment = {
            **os.environ,
            "MINIO_ROOT_USER": ACCESS_KEY,
            "MINIO_ROOT_PASSWORD": SECRET_KEY,
        }
        environment |= {"MINIO_BROWSER": "off", "MINIO_UPDATE": "off"}
        # The shell reads its standard input, which nobody writes to: it ends when our end of the
        # pipe is closed.
        script = '"$@" & server=$!; cat > /dev/null; kill $server; wait $server'
        command = [
            str(binary()),
            "server",
            str(folder),
            "--address",
            f"127.0.0.1:{self.port}",
            "--quiet",
        ]
        self._process = subprocess.Popen(
            ["sh", "-c", script, "sh", *command],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_until_it_answers(self.port, self._process)

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def __enter__(self) -> "S3Server":
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()


if __name__ == "__main__":
    print(binary())
