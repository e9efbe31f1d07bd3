"""Passwords and one-time codes of users. Passwords are stored as scrypt hashes, the secrets of
codes encrypted.

They are kept apart from the users, so that no list of users can show them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import string
from dataclasses import asdict, dataclass, replace
from typing import Any

from cryptography.fernet import Fernet

from sortkey import Store
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.model import AuthEntity

CREDENTIAL = "credential"
PASSWORD_CHARACTERS_MIN = 8
PASSWORD_CHARACTERS_MAX = 256
COST = 1 << 14
"""scrypt's N: 16 MB and some 50 ms for a try."""
CODE_SECONDS = 30
CODES_PURPOSE = "one-time codes"
"""Of the secret that their secrets are encrypted with."""
_ALPHABET = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class Credential:
    """How a user signs in. `generation` changes with the password: older refresh tokens end."""

    user_id: str
    salt: str
    digest: str
    is_temporary: bool
    generation: str
    code_secret: str | None = None
    """The secret of one-time codes; None without MFA."""

    def matches(self, password: str) -> bool:
        """Whether a password is the right one."""
        digest = _digest(password, base64.b64decode(self.salt))
        return hmac.compare_digest(digest, self.digest)


class Credentials:
    """The credentials of an installation."""

    def __init__(self, store: Store, secret: bytes | None = None) -> None:
        """Without `secret`, passwords can be set but codes neither checked nor required."""
        self._store = store
        self._cipher = Fernet(base64.urlsafe_b64encode(secret)) if secret else None

    def find(self, user_id: str) -> Credential | None:
        """The credential of a user."""
        stored = self._stored(user_id)
        if stored is None:
            return None
        return replace(stored, code_secret=self._decrypted(stored.code_secret))

    def generation_of(self, user_id: str) -> str | None:
        """The generation of a user's credential; None without one."""
        stored = self._stored(user_id)
        return stored.generation if stored else None

    def set(self, user_id: str, password: str, *, is_temporary: bool = False) -> None:
        """Give a user a password. It keeps the secret of one-time codes."""
        check_password(password)
        stored = self._stored(user_id)
        salt = secrets.token_bytes(16)
        self._put(
            Credential(
                user_id=user_id,
                salt=base64.b64encode(salt).decode(),
                digest=_digest(password, salt),
                is_temporary=is_temporary,
                generation=_generation(),
                code_secret=stored.code_secret if stored else None,
            )
        )

    def require_codes(self, user_id: str) -> str:
        """Ask for a one-time code at every login from now on. Returns the secret, for an
        authenticator app.
        """
        stored = self._stored(user_id)
        if stored is None or self._cipher is None:
            raise Invalid("the user has no password yet: set one first")
        secret = base64.b32encode(secrets.token_bytes(20)).decode()
        encrypted = self._cipher.encrypt(secret.encode()).decode()
        self._put(replace(stored, code_secret=encrypted, generation=_generation()))
        return secret

    def _stored(self, user_id: str) -> Credential | None:
        """As it is in the table: with the secret of codes encrypted."""
        key = AuthEntity.key(entity_type=CREDENTIAL, sk=user_id)
        found = self._store.find(key, consistent=True)
        if found is None or found.definition is None:
            return None
        return Credential(user_id=user_id, **found.definition)

    def _put(self, credential: Credential) -> None:
        definition: dict[str, Any] = asdict(credential)
        user_id = definition.pop("user_id")
        self._store.put(AuthEntity(entity_type=CREDENTIAL, sk=user_id, definition=definition))

    def _decrypted(self, encrypted: str | None) -> str | None:
        if encrypted is None or self._cipher is None:
            return encrypted
        return self._cipher.decrypt(encrypted.encode()).decode()

    def delete(self, user_id: str) -> None:
        """Forget the credential of a user who goes."""
        self._store.delete(AuthEntity.key(entity_type=CREDENTIAL, sk=user_id))


def check_password(password: str) -> None:
    """Raise Invalid for a password that is too short or too long."""
    if not PASSWORD_CHARACTERS_MIN <= len(password) <= PASSWORD_CHARACTERS_MAX:
        raise Invalid(
            f"a password has {PASSWORD_CHARACTERS_MIN} to {PASSWORD_CHARACTERS_MAX} characters"
        )


def new_password() -> str:
    """A random password of 20 letters and digits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(20))


def code_of(secret: str, seconds: float) -> str:
    """The one-time code of an instant (RFC 6238: SHA-1, six digits, 30 s)."""
    counter = int(seconds // CODE_SECONDS).to_bytes(8, "big")
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def is_code(secret: str, code: str, seconds: float) -> bool:
    """Whether a code is that of now, or of the step before or after."""
    steps = (-CODE_SECONDS, 0, CODE_SECONDS)
    return any(hmac.compare_digest(code_of(secret, seconds + step), code) for step in steps)


def spend_time(password: str) -> bool:
    """As long as a check takes, for a user who does not exist. Always False."""
    _digest(password, b"nobody")
    return False


def _generation() -> str:
    return secrets.token_hex(8)


def _digest(password: str, salt: bytes) -> str:
    data = password.encode()[: PASSWORD_CHARACTERS_MAX * 4]
    digest = hashlib.scrypt(data, salt=salt, n=COST, r=8, p=1, dklen=32)
    return base64.b64encode(digest).decode()
