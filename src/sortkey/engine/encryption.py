"""SSESpecification: the key that a table says it is encrypted with. Kept and described; nothing is encrypted."""

from __future__ import annotations

import uuid
from typing import Any

from sortkey.engine.catalog import ACCOUNT
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID


def read(specification: dict[str, Any] | None, region: str) -> dict[str, Any]:
    """The settings that an SSESpecification makes: the key's ARN, or none for the key that AWS owns."""
    if specification is None:
        return {}
    enabled = bool(specification.get("Enabled"))
    key = specification.get("KMSMasterKeyId")
    if not enabled:
        if key is not None or specification.get("SSEType") is not None:
            raise ValidationException(INVALID + "SSEType or KMSMasterKeyId can only be specified when SSE is enabled")
        return {}
    if specification.get("SSEType", "KMS") != "KMS":
        raise ValidationException(f"{INVALID}SSEType {specification['SSEType']} is not supported")
    return {"EncryptionKey": _arn(key or "alias/aws/dynamodb", region)}


def describe(settings: dict[str, Any]) -> dict[str, Any]:
    """AWS says nothing of a table under its own key."""
    arn = settings.get("EncryptionKey")
    if arn is None:
        return {}
    return {"SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": arn}}


def _arn(key: str, region: str) -> str:
    """An alias stands for a key; the same alias always for the same one."""
    if key.startswith("arn:"):
        return key
    if key.startswith("alias/"):
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, key))
    return f"arn:aws:kms:{region}:{ACCOUNT}:key/{key}"
