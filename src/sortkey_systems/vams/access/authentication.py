"""From the Authorization header to a caller, by a token of ours or of the host, or by an API key."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import jwt

from sortkey.web import Tokens as HostTokens
from sortkey.web import User as HostUser
from sortkey_systems.vams.access.api_keys import ApiKeys
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.tokens import Tokens
from sortkey_systems.vams.access.users import Users
from sortkey_systems.vams.failures import Unauthenticated

KEY_PREFIX = "vams_"
SYSTEM = "vams"
HEADER_CHARACTERS_MAX = 8192
SEEN_BY = "seen-by:"
"""Begins the scope of a host token with which somebody else only looks as its user."""


class Authentication:
    """Finds the caller of a request."""

    def __init__(self, access: Access, tokens: Tokens, keys: ApiKeys, users: Users) -> None:
        self._access, self._tokens, self._keys, self._users = access, tokens, keys, users

    def caller(self, header: str | None, host_tokens: HostTokens | None = None) -> Caller:
        """The caller of an Authorization header. Raises Unauthenticated."""
        credential = _credential(header)
        if credential.startswith(KEY_PREFIX):
            return self._key_caller(credential)
        if host_tokens is not None and _is_of_host(credential):
            return self._host_caller(credential, host_tokens)
        proof = self._tokens.check(credential)
        if not self._users.is_current(proof.user_id, proof.generation):
            raise Unauthenticated("Unauthorized: the login is over, sign in again")
        caller = self._access.caller(proof.user_id, has_mfa=proof.has_mfa)
        return replace(caller, is_signed_in=True)

    def _host_caller(self, token: str, host_tokens: HostTokens) -> Caller:
        user = _host_user(token, host_tokens)
        names = (each for each in user.scopes if each.startswith(SEEN_BY))
        seen_by = next((each.removeprefix(SEEN_BY) for each in names), None)
        return replace(self._access.caller(user.user_id), seen_by=seen_by)

    def _key_caller(self, raw: str) -> Caller:
        key = self._keys.active_key(sha256(raw.encode()).hexdigest())
        if key is None:
            raise Unauthenticated("Unauthorized: the API key is not valid")
        caller = self._access.caller(key.user_id, api_key_id=key.api_key_id)
        if not caller.roles:
            raise Unauthenticated("Unauthorized: the user of the API key has no role")
        return caller


def _host_user(token: str, host_tokens: HostTokens) -> HostUser:
    try:
        return host_tokens.check(token, SYSTEM)
    except Exception as error:
        raise Unauthenticated("Unauthorized: the token is not valid") from error


def _credential(header: str | None) -> str:
    if not header or len(header) > HEADER_CHARACTERS_MAX:
        raise Unauthenticated("Unauthorized: send `Authorization: Bearer <token>`")
    scheme, _, rest = header.strip().partition(" ")
    if not rest and scheme.startswith(KEY_PREFIX):
        return scheme
    if scheme.lower() != "bearer" or not rest.strip():
        raise Unauthenticated("Unauthorized: send `Authorization: Bearer <token>`")
    return rest.strip()


def _is_of_host(token: str) -> bool:
    try:
        return jwt.get_unverified_header(token).get("alg") == "HS256"
    except jwt.InvalidTokenError:
        return False
