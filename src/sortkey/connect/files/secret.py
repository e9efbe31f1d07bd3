"""The secret of a folder of objects: made once, the same for every process, readable by its owner
alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

SECRET_BYTES = 32


def secret_in(folder: Path, random_bytes: Callable[[int], bytes]) -> bytes:
    """The secret, created if there is none. If two processes create one at the same time, one
    wins.
    """
    path = folder / "secret"
    if not path.exists():
        draft = folder / f"secret-{os.getpid()}-{random_bytes(4).hex()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, random_bytes(SECRET_BYTES))
            os.fsync(descriptor)
            os.close(descriptor)
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_bytes()
