"""What is a secret, by its name or by its look; and values without them, since graphs are stored and shown."""

from __future__ import annotations

import json
import re
from typing import Any, cast

HIDDEN = "(sensitive)"
KEY_MATERIAL = re.compile(r"\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----")

_NAME = re.compile(r"(passw(or)?d|secret|token|api_?key|private_?key|credential)", re.IGNORECASE)
_NO_SECRET = re.compile(
    r"(_?arn|_?names?|_?ids?|_?path|_?url|_?file|_?enabled|_?ttl|_?bucket|_?table|_?policy|expir\w*|length|http_tokens)$",
    re.IGNORECASE,
)


def names_a_secret(name: str) -> bool:
    """DB_PASSWORD does, DB_PASSWORD_ARN and TOKEN_TTL do not."""
    return bool(_NAME.search(name)) and not _NO_SECRET.search(name)


def is_literal(value: Any) -> bool:
    """A text that stands in the source itself."""
    return isinstance(value, str) and bool(value) and "${" not in value


def is_secret(name: str, value: Any) -> bool:
    """Whether an environment variable holds a secret in plain text."""
    if not is_literal(value) or value.startswith(("arn:", "/", "http", "ssm:")):
        return False
    return bool(KEY_MATERIAL.search(value)) or (names_a_secret(name) and value.lower() not in ("true", "false"))


def hide_secrets(value: Any, name: str = "") -> Any:
    """A copy with `(sensitive)` for each secret, also in the JSON of containers."""
    if isinstance(value, dict):
        return _hide_in_object(cast(dict[str, Any], value))
    if isinstance(value, list):
        return [hide_secrets(each, name) for each in cast(list[Any], value)]
    if not is_literal(value):
        return _hide_in_json(value) if isinstance(value, str) else value
    if KEY_MATERIAL.search(value) or (names_a_secret(name) and value.lower() not in ("true", "false")):
        return HIDDEN
    return _hide_in_json(value)


def _hide_in_object(value: dict[str, Any]) -> dict[str, Any]:
    plain = {key: hide_secrets(each, key) for key, each in value.items()}
    if "value" in value and is_literal(value["value"]) and names_a_secret(str(value.get("name", ""))):
        plain["value"] = HIDDEN
    return plain


def _hide_in_json(text: str) -> str:
    if not text.lstrip().startswith(("[", "{")) or not _NAME.search(text):
        return text
    try:
        return json.dumps(hide_secrets(json.loads(text)))
    except (ValueError, RecursionError):
        return text
