"""Task tokens: who has one may say how a step ended.

A token names the step and carries a signature, so that nothing has to be looked up to refuse a
wrong one. Each attempt of a step has its own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import astuple, dataclass

TOKEN_CHARACTERS_MAX = 2048


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """The attempt of a step that a token stands for."""

    database_id: str
    asset_id: str
    execution_id: str
    step: int
    nonce: str


class TaskTokens:
    """Writes and reads tokens."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def write(self, place: TaskPlace) -> str:
        """The token of an attempt."""
        text = json.dumps(astuple(place), separators=(",", ":"))
        name = base64.urlsafe_b64encode(text.encode()).decode()
        return f"{name}.{self._signature(name)}"

    def read(self, token: str) -> TaskPlace:
        """What a token stands for. Raises ValueError if it was not written here."""
        name, _, signature = token.partition(".")
        is_ours = token.isascii() and hmac.compare_digest(signature, self._signature(name))
        if len(token) > TOKEN_CHARACTERS_MAX or not is_ours:
            raise ValueError("not a token of this server")
        try:
            return TaskPlace(*json.loads(base64.urlsafe_b64decode(name)))
        except (TypeError, binascii.Error) as error:
            raise ValueError("not a token of this server") from error

    def _signature(self, name: str) -> str:
        return hmac.new(self._secret, name.encode(), hashlib.sha256).hexdigest()
