"""The progress of an import, stored beside the imported files, so that an interrupted one can
continue.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from sortkey.transfer.table_files import write_whole

SAVE_SECONDS = 1.0


class ImportState:
    """How many items of each table are imported."""

    def __init__(self, path: Path, destination: str) -> None:
        folder = path if path.is_dir() else path.parent
        mark = sha256(f"{destination}\n{path.absolute()}".encode()).hexdigest()[:12]
        self._file = folder / f"import-{mark}.json"
        self._saved = 0.0
        self.items: dict[str, int] = self._read()

    def note(self, table: str, items: int) -> None:
        self.items[table] = items
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        self._saved = time.monotonic()
        with suppress(OSError):  # a folder that cannot be written to: the next run starts over
            write_whole(self._file, {"items": self.items})

    def forget(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, int]:
        try:
            return dict(json.loads(self._file.read_text(encoding="utf-8"))["items"])
        except (OSError, ValueError, KeyError, TypeError):
            return {}
