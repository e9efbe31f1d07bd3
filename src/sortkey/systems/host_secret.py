"""The secret of a host: from SORTKEY_SECRET, or created once in the data folder, where only its
owner can read it.

What is signed for one purpose must not be accepted for another, so each purpose has a key derived
from the secret.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from sortkey.errors import NotConfigured

VARIABLE = "SORTKEY_SECRET"
LENGTH_MIN = 32


def host_secret(
    folder: str | os.PathLike[str], environment: Mapping[str, str] = os.environ
) -> bytes:
    """The secret, the same for every process on the folder. Raises NotConfigured if it is too
    short.
    """
    if value := environment.get(VARIABLE):
        if len(value) < LENGTH_MIN:
            raise NotConfigured(f"{VARIABLE} has {len(value)} characters: use {LENGTH_MIN} or more")
        return value.encode()
    from sortkey.connect.files.secret import secret_in  # here: importing a System must stay cheap

    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    return secret_in(Path(folder), os.urandom)


def derive(secret: bytes, purpose: str) -> bytes:
    """The key for one purpose."""
    return hmac.new(secret, f"sortkey {purpose}".encode(), sha256).digest()


def derive_for(secret: bytes, system: str, purpose: str) -> bytes:
    """The key for one purpose of a system."""
    return derive(secret, f"system {system} {purpose}")


def system_secret(folder: str | os.PathLike[str], system: str, purpose: str) -> bytes:
    """What `derive_secret` gives to a system on this folder: for commands, which have no host."""
    return derive_for(host_secret(folder), system, purpose)
