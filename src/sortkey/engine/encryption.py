"""SSESpecification: the key of a table's encryption. It is stored and described, but nothing is
encrypted.
"""

from __future__ import annotations

import uuid
from typing import Any

from sortkey.engine.catalog import ACCOUNT
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

ALREADY_OWN = INVALID + "Table is already encrypted by default"
ALREADY_THIS = (
    INVALID
    + "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to "
    "change Master Key"
)


def read(specification: dict[str, Any] | None, region: str) -> dict[str, Any]:
    """The settings of an SSESpecification: the key's ARN, or none for the key that AWS owns."""
    if specification is None:
        return {}
    kind, key = specification.get("SSEType"), specification.get("KMSMasterKeyId")
    if specification.get("Enabled") is False:
        for member in ("SSEType", "KMSMasterKeyId"):
            if member in specification:
                raise ValidationException(
                    f"{INVALID}{member} can not be specified if Enabled is false"
                )
    if kind not in (None, "KMS"):
        raise ValidationException(f"{INVALID}SSEType {kind} is not supported")
    if key is not None and kind is None:
        raise ValidationException(
            INVALID + "SSEType KMS is required if KMSMasterKeyId is specified"
        )
    if not specification.get("Enabled", kind is not None):  # SSEType alone is enough
        return {}
    return {"EncryptionKey": _arn(key or "alias/aws/dynamodb", region)}


def change(settings: dict[str, Any], specification: dict[str, Any], region: str) -> dict[str, Any]:
    """The settings of a table with another key. AWS refuses an obvious no-op."""
    new, old = read(specification, region), settings.get("EncryptionKey")
    if not new and old is None:
        raise ValidationException(ALREADY_OWN)
    if old is not None and specification.get("KMSMasterKeyId") == old:
        raise ValidationException(ALREADY_THIS)
    return {**{name: value for name, value in settings.items() if name != "EncryptionKey"}, **new}


def describe(settings: dict[str, Any]) -> dict[str, Any]:
    """Empty for a table under AWS's own key, as on AWS."""
    arn = settings.get("EncryptionKey")
    if arn is None:
        return {}
    return {"SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": arn}}


def _arn(key: str, region: str) -> str:
    """The key of an alias. The same alias always means the same key."""
    start, key = (
        key.rsplit(":", 1) if key.startswith("arn:") else (f"arn:aws:kms:{region}:{ACCOUNT}", key)
    )
    if key.startswith("alias/"):
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, key))
    return f"{start}:key/{key.removeprefix('key/')}"
