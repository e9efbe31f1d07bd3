"""The credentials that `sortkey up` asks for at its DynamoDB endpoint, where the console asks for a
password.

They are derived from the secret of the data folder, so they stay the same. A file in the folder,
which only its owner can read, has them in the form that AWS's tools and SDKs take.
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
"""How AWS's tools and SDKs are pointed to the file."""
_ACCESS_KEY_LENGTH = 20  # as those of AWS, which some tools check


def derive_credentials(secret: bytes) -> Credentials:
    """The key pair of a server with this secret."""
    from sortkey.systems.host_secret import derive
    from sortkey.wire.access import Credentials

    key = derive(secret, "dynamodb")
    access_key = ("SORTKEY" + sha256(key).hexdigest().upper())[:_ACCESS_KEY_LENGTH]
    return Credentials(access_key, base64.urlsafe_b64encode(key).decode().rstrip("="))


def write_credentials(folder: str, credentials: Credentials, region: str) -> Path:
    """Write the file and give its path."""
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
