"""The secret of a host: from SORTKEY_SECRET, or made once and kept in the data folder, readable by its owner alone.

What is signed for one purpose must not pass for another, so each purpose has a key of its own, made from the secret.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sortkey.connect.files.secret import secret_in
from sortkey.errors import NotConfigured

VARIABLE = "SORTKEY_SECRET"
LENGTH_MIN = 32

Purpose = Literal["tokens", "cursors", "console", "dynamodb", "keys"]


def server_secret(folder: str | os.PathLike[str], environment: Mapping[str, str] = os.environ) -> bytes:
    """The secret, the same for every process on the folder. Raises NotConfigured for one that is too short."""
    if given := environment.get(VARIABLE):
        if len(given) < LENGTH_MIN:
            raise NotConfigured(f"{VARIABLE} has {len(given)} characters: a secret has {LENGTH_MIN} or more")
        return given.encode()
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    return secret_in(Path(folder), os.urandom)


def secret_for(purpose: Purpose, secret: bytes) -> bytes:
    """The key that signs for one purpose."""
    return hmac.new(secret, f"sortkey {purpose}".encode(), sha256).digest()
