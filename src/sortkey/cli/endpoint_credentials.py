"""The credentials that the DynamoDB endpoint of `sortkey up` requires when the console requires a
password.

They are derived from the secret of the data folder, so they stay the same. A file in the folder,
readable only by its owner, holds them in the format of AWS's tools and SDKs.
"""

from __future__ import annotations

import base64
import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortkey.wire.access import Credentials

FILE = "aws-credentials"
VARIABLE = "AWS_SHARED_CREDENTIALS_FILE"
"""The environment variable that points AWS's tools and SDKs to the file."""
_ACCESS_KEY_LENGTH = 20  # as on AWS; some tools check it


def derive_credentials(secret: bytes) -> Credentials:
    """Derive the key pair of a server from its secret."""
    from sortkey.systems.host_secret import derive
    from sortkey.wire.access import Credentials

    key = derive(secret, "dynamodb")
    access_key = ("SORTKEY" + sha256(key).hexdigest().upper())[:_ACCESS_KEY_LENGTH]
    return Credentials(access_key, base64.urlsafe_b64encode(key).decode().rstrip("="))


def write_credentials(folder: str, credentials: Credentials, region: str) -> Path:
    """Write the file and return its path."""
    path = Path(folder).absolute() / FILE
    draft = path.with_name(f"{FILE}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(
            "# For the DynamoDB endpoint of `sortkey up` on this folder, which writes this file "
            "when it starts.\n"
            f"[default]\n"
            f"aws_access_key_id = {credentials.access_key}\n"
            f"aws_secret_access_key = {credentials.secret_key}\n"
            f"region = {region}\n"
        )
    os.replace(draft, path)
    return path
