"""What counts as a secret, by its name or its form; and values without secrets, since graphs are
stored and shown.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, cast

from sortkey_systems.applens.json_depth import NestedTooDeep, loads
from sortkey_systems.applens.sensitive import HIDDEN, Sensitive

_REFERENCE = "${stated elsewhere}"
_TELLING = 6
"""Minimum length of a secret to be recognized inside another text."""
KEY_MATERIAL = re.compile(
    r"\b(AKIA|ASIA)[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE "
    r"KEY-----|\bgh[pousr]_[A-Za-z0-9]{36}|\bglpat-[\w-]{20}"
    r"|\bxox[abprs]-[\w-]{10,}|\b[sr]k_live_\w{10,}|\bAIza[\w-]{35}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bnpm_\w{36}"
    r"|hooks\.slack\.com/services/T\w+/B\w+/\w+"
)
"""Keys that are recognized by their form."""

_WORDS = (
    r"(passw(or)?d|passphrase|secret(_?key)?|token|api_?key|access_?key|private_?key|credential)"
)
_NAME = re.compile(_WORDS, re.IGNORECASE)
_NAMED = re.compile(rf"{_WORDS}s?(_?\d+|_(value|string|text|plain(text)?))?$", re.IGNORECASE)
_NO_SECRET = re.compile(
    r"(_?arn|_?names?|_?ids?|_?path|_?url|_?file|_?enabled|_?ttl|_?bucket|_?table|_?policy|expir\w*|length|http_tokens"
    r"|_?param(eter)?|_?field|_?provider|_?prefix|_?version|_?rotation|_?type|_?issuer|_?algorithm|_?header|_?validity)$",
    re.IGNORECASE,
)
_IN_URL = re.compile(
    r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:(?!\$\{|\(sensitive\)@)[^\s:/@]{2,}@", re.IGNORECASE
)
_USER_OF_URL = re.compile(r"(://)(?![a-z-]{1,16}@)[^\s/@]+@")
"""`ssh://git@` reveals nothing, `https://user:password@` and `https://token@` do."""
_PARAMETER = re.compile(
    rf"([?&][\w.-]*(?:sshkey|signature|{_WORDS})[\w.-]*=)[^&\s]+", re.IGNORECASE
)
_ASSIGNED = re.compile(
    r"(?:^|[\s\"';,{])([A-Za-z_][\w.-]*)[\"']?[ \t]*[=:][ \t]*[\"']?([^\s\"'`$<>(){}\[\],;]{4,})",
    re.MULTILINE,
)
_PAIRED = re.compile(r"[\"']([A-Za-z_]\w*)[\"']\s*,\s*[\"']([^\"'$\s]{4,})[\"']")
"""As programs write it: define('DB_PASSWORD', 'hunter2')."""
_ELSEWHERE = ("arn:", "/", "http", "ssm:", "file:")
_NO_VALUES = frozenset(
    {"true", "false", "none", "null", "required", "optional", "enabled", "disabled"}
)


def names_a_secret(name: str) -> bool:
    """Whether a name means a secret: DB_PASSWORD does, DB_PASSWORD_ARN and TOKEN_TTL do not."""
    return bool(_NAME.search(name)) and not _NO_SECRET.search(name)


def is_named_secret(name: str) -> bool:
    """Whether a name means the secret itself: db_password, not secret_store."""
    return bool(_NAMED.search(name)) and not _NO_SECRET.search(name)


def is_literal(value: Any) -> bool:
    """A literal text in the source that was not marked as sensitive."""
    return isinstance(value, str) and bool(value) and "${" not in value and HIDDEN not in value


def is_stated(value: Any) -> bool:
    """A literal text in the source, whether or not it was marked as sensitive."""
    return value.is_written if isinstance(value, Sensitive) else is_literal(value)


def sensitive(value: Any, *, is_written: bool) -> Sensitive:
    """The placeholder for a value that must not be stored. `is_written` says whether the source
    states it.
    """
    if isinstance(value, Sensitive):
        return value
    stated = is_written and is_literal(value) and not _is_elsewhere(value)
    return Sensitive(
        is_written=stated, is_random=stated and (_looks_random(value) or shows_a_key(value))
    )


def shows_a_key(text: str) -> bool:
    """Key material, or a password in an address, whatever the name of the attribute."""
    return bool(KEY_MATERIAL.search(text)) or bool(_IN_URL.search(text))


def is_secret(name: str, value: Any) -> bool:
    """Whether a variable holds a secret in plain text."""
    if isinstance(value, Sensitive):
        return value.is_written and (value.is_random or names_a_secret(name))
    if isinstance(value, str) and shows_a_key(value):
        return True
    if not is_literal(value) or _is_elsewhere(value):
        return False
    return is_named_secret(name) or (names_a_secret(name) and _looks_random(value))


def script_secrets(text: str) -> list[str]:
    """Names of the secrets that a script or a settings file sets to literal values."""
    pairs = [*_ASSIGNED.findall(text), *_PAIRED.findall(text)]
    names = [name for name, value in pairs if is_named_secret(name) and is_secret(name, value)]
    return [*dict.fromkeys(names), *(["a key"] if shows_a_key(text) else [])]


def _is_elsewhere(value: str) -> bool:
    """A text that refers to a secret, or says that there is none."""
    return value.startswith(_ELSEWHERE) or value.lower() in _NO_VALUES


def _looks_random(value: str) -> bool:
    """Letters and digits mixed as in no word."""
    return (
        len(value) >= 12 and bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value))
    )


def hide_secrets(value: Any, name: str = "") -> Any:
    """A copy with `(sensitive)` for each secret, also inside the JSON of containers and in
    scripts.
    """
    if isinstance(value, dict):
        return _hide_in_object(cast(dict[str, Any], value))
    if isinstance(value, list):
        return [hide_secrets(member, name) for member in cast(list[Any], value)]
    if not isinstance(value, str):
        return value
    if isinstance(value, Sensitive):
        return HIDDEN
    if name.startswith("user_data"):
        return HIDDEN if script_secrets(decoded(value)) else value
    if not is_literal(value):
        hidden = _hide_in_json(value)
        return HIDDEN if shows_a_key(hidden) else hidden
    if shows_a_key(value) or (names_a_secret(name) and value.lower() not in _NO_VALUES):
        return HIDDEN
    return _hide_in_json(value)


def without_credentials(address: str) -> str:
    """The source of a module without the password or key used to fetch it."""
    return _PARAMETER.sub(rf"\1{HIDDEN}", _USER_OF_URL.sub(rf"\1{HIDDEN}@", address))


def without(secrets: frozenset[str], value: Any, name: str = "") -> Any:
    """A copy in which the given secrets are references again, as before variables were
    substituted.
    """
    if isinstance(value, dict):
        return {
            key: without(secrets, member, key)
            for key, member in cast(dict[str, Any], value).items()
        }
    if isinstance(value, list):
        return [without(secrets, member, name) for member in cast(list[Any], value)]
    if not isinstance(value, str) or isinstance(value, Sensitive):
        return value
    if value in secrets:
        return _REFERENCE
    text = decoded(value) if name.startswith("user_data") else value
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _TELLING:
            text = text.replace(secret, _REFERENCE)
    return text


def decoded(text: str) -> str:
    """A script, decoded if it is base64, as in launch templates."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except (ValueError, UnicodeDecodeError):
        return text


def _hide_in_object(value: dict[str, Any]) -> dict[str, Any]:
    plain = {key: hide_secrets(member, key) for key, member in value.items()}
    if (
        "value" in value
        and is_literal(value["value"])
        and names_a_secret(str(value.get("name", "")))
    ):
        plain["value"] = HIDDEN
    return plain


def _hide_in_json(text: str) -> str:
    if not text.lstrip().startswith(("[", "{")) or not _NAME.search(text):
        return text
    try:
        return json.dumps(hide_secrets(loads(text)))
    except NestedTooDeep:
        return HIDDEN  # a value that is not checked may hold a secret
    except ValueError:
        return text
