"""Dependencies of routes that authenticate users by token and programs by API key.

Every system accepts both, whatever `sortkey token` and `sortkey keys create` print for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from sortkey.web.api_keys import Access, ApiKeys, Forbidden, Right
from sortkey.web.tokens import Tokens, Unauthenticated, User

FULL_SCOPE = "full"
"""The scope that gives a token full access. Other tokens may read."""
READING_METHODS = ("GET", "HEAD")

_bearer = HTTPBearer(
    auto_error=False, bearerFormat="JWT", scheme_name="token", description="A token of a user"
)
_header = APIKeyHeader(
    name="X-Api-Key", auto_error=False, scheme_name="key", description="A key of a program"
)

Token = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
Key = Annotated[str | None, Depends(_header)]


def signed_in(system: str) -> Callable[..., User]:
    """A dependency: the user of the token or key in the request. Answers 401 without a valid one.

    A key that was created without a user acts as a separate user. A key that may only read gets 403
    for anything else.
    """

    def user(request: Request, token: Token, key: Key) -> User:
        if token is not None:
            return _tokens(request).check(token.credentials, system)
        if key is None:
            raise Unauthenticated(
                "send a token in the header Authorization: Bearer …, or a key in X-Api-Key"
            )
        needed: Right = "read" if request.method in READING_METHODS else "full"
        access = _keys(request).check(key, system, needed)
        return User(access.user_id or f"key-{access.caller_id}", (access.access,))

    return user


def api_key_access(system: str, needed: Right = "read") -> Callable[..., Access]:
    """A dependency: the access of the key in the request. Answers 401 without a valid key, and 403
    if it lacks the access.

    A token is accepted as well: with the scope "full" it has full access, otherwise it may read.
    """

    def access(request: Request, key: Key, token: Token) -> Access:
        if key is not None:
            return _keys(request).check(key, system, needed)
        if token is None:
            message = "send a key in the header X-Api-Key, or a token in Authorization: Bearer …"
            raise Unauthenticated(message, "ApiKey")
        return _access_of(_tokens(request).check(token.credentials, system), needed)

    return access


def _access_of(user: User, needed: Right) -> Access:
    right: Right = "full" if FULL_SCOPE in user.scopes else "read"
    if needed == "full" and right != "full":
        raise Forbidden(f"the token may only read: use one with the scope {FULL_SCOPE!r}")
    return Access(f"user-{user.user_id}", user.user_id, right, user.user_id)


def _tokens(request: Request) -> Tokens:
    tokens: Tokens | None = request.app.state.tokens
    if tokens is None:
        raise Unauthenticated("this server accepts no tokens: it was started without a secret")
    return tokens


def _keys(request: Request) -> ApiKeys:
    keys: ApiKeys | None = request.app.state.keys
    if keys is None:
        raise Unauthenticated(
            "this server accepts no keys: it was started without a store for them", "ApiKey"
        )
    return keys
