"""The key pair that signs tokens (RS256), so that others can check them by the published half.

It is made on first use and stored encrypted with the secret of the host: whoever reads the table
cannot sign, and every process that shares the secret has the same key.
"""

from __future__ import annotations

import base64
import hashlib
import threading
from contextlib import suppress
from typing import Any

from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPublicKey,
    generate_private_key,
)

from sortkey import Store
from sortkey.errors import AlreadyExists
from sortkey_systems.vams.model import AuthEntity

SIGNING_KEY = "signingKey"
BITS = 2048


class SigningKey:
    """The pair, read when it is first needed."""

    def __init__(self, store: Store, secret: bytes) -> None:
        self._store = store
        self._cipher = Fernet(base64.urlsafe_b64encode(secret))
        self._lock = threading.Lock()
        self._private: RSAPrivateKey | None = None
        digest = hashlib.sha256(b"key id " + secret).hexdigest()
        self.key_id = digest[:16]
        """Changes with the secret of the host, and the key with it."""

    @property
    def private(self) -> RSAPrivateKey:
        """What signs."""
        with self._lock:
            if self._private is None:
                self._private = self._read() or self._create()
            return self._private

    @property
    def public(self) -> RSAPublicKey:
        """What checks."""
        return self.private.public_key()

    def document(self) -> dict[str, Any]:
        """The published half as a JSON Web Key Set."""
        numbers = self.public.public_numbers()
        key = {
            "kty": "RSA",
            "alg": "RS256",
            "use": "sig",
            "kid": self.key_id,
            "n": _number_text(numbers.n),
            "e": _number_text(numbers.e),
        }
        return {"keys": [key]}

    def _read(self) -> RSAPrivateKey | None:
        entity = self._store.find(
            AuthEntity.key(entity_type=SIGNING_KEY, sk=self.key_id), consistent=True
        )
        if entity is None or entity.definition is None:
            return None
        pem = self._cipher.decrypt(str(entity.definition["encrypted"]).encode())
        key = serialization.load_pem_private_key(pem, None)
        assert isinstance(key, RSAPrivateKey)
        return key

    def _create(self) -> RSAPrivateKey:
        """A new pair, unless another process stores one first."""
        pem = generate_private_key(65537, BITS).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        definition = {"encrypted": self._cipher.encrypt(pem).decode()}
        with suppress(AlreadyExists):
            self._store.create(
                AuthEntity(entity_type=SIGNING_KEY, sk=self.key_id, definition=definition)
            )
        stored = self._read()
        assert stored is not None
        return stored


def _number_text(number: int) -> str:
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
