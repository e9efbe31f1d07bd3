"""Tokens and keys at every door: routes about users take keys too, and routes about keys take
tokens.
"""

from __future__ import annotations

from fastapi.testclient import TestClient

from sortkey.web import ApiKeys, Tokens


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_token_may_read_where_a_key_may(client: TestClient, tokens: Tokens) -> None:
    # Like a key without full access, which is what `sortkey keys create` makes by default.
    headers = bearer(tokens.issue("ada", system="shop"))
    assert client.get("/shop/stock", headers=headers).json() == {"asked by": "ada"}
    refused = client.delete("/shop/stock", headers=headers)
    assert refused.status_code == 403
    assert (
        refused.json()["error"]["message"]
        == "the token may only read: use one with the scope 'full'"
    )


def test_a_token_with_the_scope_full_may_change_things(client: TestClient, tokens: Tokens) -> None:
    headers = bearer(tokens.issue("ada", scopes=["full"], system="shop"))
    assert client.delete("/shop/stock", headers=headers).status_code == 204


def test_a_token_of_another_system_opens_nothing(client: TestClient, tokens: Tokens) -> None:
    # What a token is bound to holds whichever door it is tried at.
    assert (
        client.get("/shop/stock", headers=bearer(tokens.issue("ada", system="library"))).status_code
        == 401
    )


def test_a_key_sees_the_data_of_the_user_it_was_made_for(
    client: TestClient, keys: ApiKeys, ada: dict[str, str]
) -> None:
    client.post("/shop/orders", json={"number": 7}, headers=ada)
    key = {"X-Api-Key": keys.create("nightly", "shop", user_id="ada").text}
    assert [each["number"] for each in client.get("/shop/orders", headers=key).json()["items"]] == [
        7
    ]


def test_a_key_that_is_for_nobody_is_a_user_of_its_own(
    client: TestClient, keys: ApiKeys, ada: dict[str, str]
) -> None:
    # Deny by default: it must not see what belongs to somebody.
    client.post("/shop/orders", json={"number": 7}, headers=ada)
    key = {"X-Api-Key": keys.create("nightly", "shop", "full").text}
    assert client.get("/shop/orders", headers=key).json()["items"] == []
    assert client.post("/shop/orders", json={"number": 8}, headers=key).status_code == 201
    assert [each["number"] for each in client.get("/shop/orders", headers=key).json()["items"]] == [
        8
    ]


def test_a_key_that_may_only_read_changes_nothing_of_its_user(
    client: TestClient, keys: ApiKeys
) -> None:
    key = {"X-Api-Key": keys.create("nightly", "shop", "read", user_id="ada").text}
    assert client.post("/shop/orders", json={"number": 7}, headers=key).status_code == 403
    assert client.get("/shop/orders", headers=key).json()["items"] == []


def test_who_brings_neither_is_told_what_to_bring(client: TestClient) -> None:
    for path, scheme in (("/shop/orders", "Bearer"), ("/shop/stock", "ApiKey")):
        refused = client.get(path)
        assert refused.status_code == 401
        assert refused.headers["WWW-Authenticate"].startswith(scheme)
        assert "X-Api-Key" in refused.json()["error"]["message"]
        assert "Authorization: Bearer" in refused.json()["error"]["message"]
