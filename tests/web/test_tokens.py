"""Tokens: who asks is who they say, until the token ends, for the system that it was issued for."""

from __future__ import annotations

import jwt
import pytest
from fastapi.testclient import TestClient

from sortkey.errors import NotConfigured
from sortkey.testing import FrozenClock
from sortkey.web import Refused, Tokens, User
from tests.web.conftest import SECRET
from tests.web.test_errors import Headers, error_of


def test_a_token_names_its_user_and_what_it_is_for(tokens: Tokens) -> None:
    # A system keeps the data of users apart by this name alone.
    token = tokens.issue("ada", scopes=["orders", "stock"], system="shop")
    assert tokens.check(token, "shop") == User("ada", ("orders", "stock"))
    assert jwt.get_unverified_header(token)["alg"] == "HS256"
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["iss"], claims["aud"], claims["sub"], claims["exp"] - claims["iat"]) == (
        "sortkey",
        "shop",
        "ada",
        3600,
    )


def test_a_token_ends(tokens: Tokens, clock: FrozenClock) -> None:
    # One that was lost is worthless after an hour.
    token = tokens.issue("ada", 60)
    clock.advance(59)
    assert tokens.check(token).user_id == "ada"
    clock.advance(1)
    with pytest.raises(Refused, match="expired"):
        tokens.check(token)


def test_a_token_of_one_system_is_worthless_in_another(tokens: Tokens) -> None:
    # Whoever holds one for the shop must not read somebody's infrastructure with it.
    token = tokens.issue("ada", system="shop")
    with pytest.raises(Refused, match="not for applens"):
        tokens.check(token, "applens")
    assert (
        tokens.check(tokens.issue("ada"), "applens")
        == tokens.check(tokens.issue("ada"), "shop")
        == User("ada")
    )


@pytest.mark.parametrize(
    "change",
    [
        {"key": b"another secret, of thirty-two bytes or more"},
        {"algorithm": "HS512"},
        {"algorithm": "none", "key": None},
        {"payload": {"iss": "somebody else"}},
        {"payload": {"exp": None}},
        {"payload": {"exp": 1e30}},
        {"payload": {"sub": None}},
    ],
)
def test_a_token_of_somebody_elses_making_is_refused(
    tokens: Tokens, clock: FrozenClock, change: dict
) -> None:
    # The ways in which tokens have been forged: another key, no signature, another algorithm,
    # missing claims.
    now = int(clock())
    claims = {"iss": "sortkey", "aud": "shop", "sub": "ada", "iat": now, "exp": now + 60}
    good = {"payload": claims, "key": SECRET, "algorithm": "HS256"}
    assert tokens.check(jwt.encode(**good), "shop").user_id == "ada"
    changed = {**claims, **change.pop("payload", {})}
    made = {
        **good,
        **change,
        "payload": {name: each for name, each in changed.items() if each is not None},
    }
    with pytest.raises(Refused):
        tokens.check(jwt.encode(**made), "shop")


@pytest.mark.parametrize(
    "given", [None, "Bearer nonsense", "Bearer ", "Basic YWRhOmFkYQ==", "nonsense"]
)
def test_without_a_good_token_nobody_gets_in(client: TestClient, given: str | None) -> None:
    # 401, and how to do better, as HTTP has it.
    answer = client.get("/shop/orders", headers={"Authorization": given} if given else {})
    assert error_of(answer, 401)["code"] == "Unauthenticated"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_users_see_their_own(client: TestClient, ada: Headers, tokens: Tokens) -> None:
    # The name comes from the token, never from the request.
    assert client.post("/shop/orders", json={"number": 1}, headers=ada).status_code == 201
    bob = {"Authorization": f"Bearer {tokens.issue('bob')}"}
    assert client.get("/shop/orders", headers=ada).json()["items"] == [
        {"customer": "ada", "number": 1}
    ]
    assert client.get("/shop/orders", headers=bob).json() == {"items": [], "cursor": None}


def test_a_short_secret_is_refused() -> None:
    # HS256 with a password is guessed in an afternoon.
    with pytest.raises(NotConfigured, match="use at least 32"):
        Tokens(b"swordfish")


@pytest.mark.parametrize(("user", "seconds"), [("", 60), ("ada", 0), ("ada", 10**9)])
def test_tokens_have_a_user_and_an_end(tokens: Tokens, user: str, seconds: int) -> None:
    # One for nobody, or for ever, is a mistake of whoever asks.
    with pytest.raises(Refused):
        tokens.issue(user, seconds)
