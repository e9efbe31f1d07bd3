"""Which machine this is: a name in the system's folder, so that a server ends only sessions that it
can reach.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

NAME = "machine-id"


def machine_id(folder: Path) -> str:
    """The same for every process on the folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / NAME
    if not path.exists():
        unfinished = folder / f".{NAME}-{os.getpid()}"
        unfinished.write_text(f"machine-{secrets.token_hex(8)}", encoding="utf-8")
        try:
            os.link(unfinished, path)  # the first one stays
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
    return path.read_text(encoding="utf-8").strip()
