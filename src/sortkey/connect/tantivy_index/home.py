"""The folder of an index: which inner folder is live, which is being built, and who may write.

`live.json` and `building.json` name them. A rename, which is atomic, makes the built one live.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from sortkey.connect.tantivy_index.columns import FORMAT
from sortkey.errors import SearchIndexInUse
from sortkey.model.document_fields import DocumentFields

Role = Literal["live", "building"]
LOCK = "writer.lock"


@dataclass(frozen=True, slots=True)
class State:
    """An inner folder, and the declaration that its index was built for."""

    folder: str
    declaration: dict[str, Any] = field(default_factory=dict[str, Any])
    """The signature of the fields that the index was built for."""
    format: int = FORMAT
    progress: Any = None

    def fits(self, fields: DocumentFields) -> bool:
        """Whether the index was built for this declaration."""
        return self.format == FORMAT and self.declaration == fields.signature

    def serves(self, fields: DocumentFields) -> bool:
        """Whether the index has all columns of this declaration, so that it can be used."""
        if self.format != FORMAT or self.declaration["rules"] != fields.signature["rules"]:
            return False
        return fields.signature["fields"].items() <= self.declaration["fields"].items()


class Home:
    """The folder of one index."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def state(self, role: Role) -> State | None:
        try:
            return _state(orjson.loads(self._file(role).read_bytes()))
        except FileNotFoundError:
            return None

    def stamp(self, role: Role) -> tuple[int, int] | None:
        """Changes whenever the state changes."""
        try:
            status = os.stat(self._file(role))
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_ino

    def keep(self, role: Role, state: State) -> None:
        """Save the state so that it is complete after any crash."""
        path = self._file(role)
        temporary = path.with_suffix(".new")
        with temporary.open("wb") as file:
            file.write(orjson.dumps(asdict(state)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        self._sync()

    def make_live(self) -> None:
        """Make the built index live, and remove the folder of the old one."""
        os.replace(self._file("building"), self._file("live"))
        self._sync()
        self.tidy()

    def new_folder(self) -> str:
        """The name of a folder that does not exist yet."""
        numbers = [int(entry.name) for entry in self.path.iterdir() if entry.name.isdigit()]
        return f"{max(numbers, default=0) + 1:06d}"

    def tidy(self) -> None:
        """Remove unused inner folders: those left by crashes, and the one that was replaced."""
        in_use = {state.folder for role in ("live", "building") if (state := self.state(role))}
        for entry in self.path.iterdir():
            if entry.is_dir() and entry.name.isdigit() and entry.name not in in_use:
                shutil.rmtree(entry, ignore_errors=True)

    # -- who writes

    def own(self) -> None:
        """Become the only writer, until `release` or the end of the process. Raises
        SearchIndexInUse.
        """
        if self._lock is not None:
            return
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(lock, 0)
            os.pwrite(lock, str(os.getpid()).encode(), 0)
        except BlockingIOError:
            owner = os.pread(lock, 32, 0).decode(errors="replace")
            os.close(lock)
            raise SearchIndexInUse(str(self.path), int(owner) if owner.isdigit() else 0) from None
        except OSError:  # a full disk: a later attempt must not find the index locked
            os.close(lock)
            raise
        self._lock = lock
        self.tidy()

    def release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _file(self, role: Role) -> Path:
        return self.path / f"{role}.json"

    def _sync(self) -> None:
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _state(record: dict[str, Any]) -> State:
    """For an index of an earlier format, only the folder and the format are read."""
    if record["format"] != FORMAT:
        return State(record["folder"], format=record["format"])
    return State(**record)
