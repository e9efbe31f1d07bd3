"""The Go that builds the S3 server: the machine's own where it is new enough, else one from Go's
own module mirror.

Debian 12 has 1.19, and MinIO needs 1.24. The mirror's toolchain is pinned by its hash, for the
machines of CI.
"""

import hashlib
import platform
import re
import shutil
import subprocess
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

from tools.downloads import Failed, Missing, cache_folder, once, say

AT_LEAST = (1, 24)
_TOOLCHAIN = "v0.0.1-go1.24.8.linux-amd64"
_SHA256 = "6e1961728670e727d7dfa4bf03474b4d797fa81a269263cb77b30b2f6323f062"
_ADDRESS = f"https://proxy.golang.org/golang.org/toolchain/@v/{_TOOLCHAIN}.zip"
_HOW = "install Go 1.24 or later, https://go.dev/doc/install"


def go() -> str:
    """The full path of a Go that is new enough. Raises Missing."""
    path = shutil.which("go")
    if path and _version(path) >= AT_LEAST:
        return path
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Missing(f"Go is missing or too old ({_HOW})")
    folder = cache_folder() / "go" / _TOOLCHAIN
    once(folder / ".done", lambda: _fetch(folder))
    return str(folder / f"golang.org/toolchain@{_TOOLCHAIN}" / "bin" / "go")


def _version(program: str) -> tuple[int, ...]:
    output = subprocess.run(
        [program, "version"], capture_output=True, text=True, check=False
    ).stdout
    version = re.search(r"go(\d+)\.(\d+)", output)
    return (int(version[1]), int(version[2])) if version else (0,)


def _fetch(folder: Path) -> None:
    say("fetching Go from its module mirror into the cache, once …")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = folder / "toolchain.zip"
    try:
        with urllib.request.urlopen(_ADDRESS, timeout=60) as answer, archive.open("wb") as file:
            shutil.copyfileobj(answer, file, 1 << 20)
    except (urllib.error.URLError, OSError) as error:
        raise Failed(f"Go could not be fetched: {error} ({_HOW})") from None
    with archive.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != _SHA256:
            raise Failed(f"{_ADDRESS} is not what it was ({_HOW})")
    _unpack(archive, folder)
    (folder / ".done").touch()


def _unpack(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    archive.unlink()
    for program in (*folder.glob("**/bin/*"), *folder.glob("**/pkg/tool/*/*")):
        program.chmod(0o755)  # module archives have no modes
