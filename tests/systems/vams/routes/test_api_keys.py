"""API keys by requests."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from sortkey_systems.vams.model import ApiKey
from tests.systems.vams.host import READER, Requests


def make_key(requests: Requests, name: str, **more: Any) -> dict[str, Any]:
    body = {"apiKeyName": name, "userId": READER, "description": "of a test", **more}
    answer = requests("POST", "/auth/api-keys", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def status(requests: Requests, raw: str, header: str = "Bearer {}") -> int:
    headers = {"Authorization": header.format(raw)}
    return requests.client.get("/secure-config", headers=headers).status_code


def test_a_key_is_shown_once_and_acts_for_its_user(requests: Requests) -> None:
    # The table has its hash only; lists have neither.
    key = make_key(requests, "notebook")
    raw = key["apiKey"]
    assert raw.startswith("vams_")
    assert len(raw) == len("vams_") + 64
    assert status(requests, raw) == status(requests, raw, "{}") == 200
    stored = requests.service.store.get(ApiKey.key(api_key_id=key["apiKeyId"]))
    assert stored.api_key_hash == sha256(raw.encode()).hexdigest()
    listed = requests("GET", "/auth/api-keys").text
    assert raw not in listed
    assert stored.api_key_hash not in listed
    profile = requests.client.get(
        f"/auth/loginProfile/{READER}", headers={"Authorization": f"Bearer {raw}"}
    )
    assert profile.status_code == 200


def test_a_key_ends_when_it_is_switched_off_expired_or_deleted(requests: Requests) -> None:
    # A lost key must be harmless at once.
    key = make_key(requests, "lost")
    path = f"/auth/api-keys/{key['apiKeyId']}"
    for change, expected in (
        ({"isActive": "false"}, 401),
        ({"isActive": "true"}, 200),
        ({"expiresAt": "2020-01-01T00:00:00Z"}, 401),
        ({"expiresAt": ""}, 200),
    ):
        assert requests("PUT", path, change).status_code == 200
        assert status(requests, key["apiKey"]) == expected
    assert requests("DELETE", path).status_code == 200
    assert status(requests, key["apiKey"]) == 401
    assert requests("GET", path).status_code == 404


def test_names_are_unique_and_the_user_must_have_a_role(requests: Requests) -> None:
    # A key of a user without a role could be used for nothing.
    make_key(requests, "twice")
    body = {"apiKeyName": "twice", "userId": READER}
    assert requests("POST", "/auth/api-keys", body).status_code == 400
    body = {"apiKeyName": "nobody", "userId": "nobody@example.com"}
    assert requests("POST", "/auth/api-keys", body).status_code == 400
    bad_date = {"apiKeyName": "dated", "userId": READER, "expiresAt": "tomorrow"}
    assert requests("POST", "/auth/api-keys", bad_date).status_code == 400


def test_a_key_is_refused_for_a_user_whose_roles_all_require_mfa(requests: Requests) -> None:
    # A key has no session, so it would open nothing, and nobody would know why.
    role = {"roleName": "sealed", "description": "of a test", "mfaRequired": True}
    assert requests("POST", "/roles", role).status_code == 200
    requests.add_user("ida@example.com", "sealed")
    body = {"apiKeyName": "sealed", "userId": "ida@example.com"}
    refused = requests("POST", "/auth/api-keys", body)
    assert refused.status_code == 400
    assert "MFA" in refused.json()["message"]


def test_a_key_that_ends_during_a_change_stays_ended(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A change of the description must not bring back a key that somebody has just taken away.
    keys = requests.service.api_keys
    read = keys.get
    for ending, expected in (("DELETE", 404), ("PUT", 200)):
        key = make_key(requests, f"raced by {ending}")
        path = f"/auth/api-keys/{key['apiKeyId']}"
        body = {"isActive": "false"} if ending == "PUT" else None

        def raced(
            api_key_id: str, path: str = path, ending: str = ending, body: Any = body
        ) -> ApiKey:
            found = read(api_key_id)
            monkeypatch.setattr(keys, "get", read)
            assert requests(ending, path, body).status_code == 200
            return found

        monkeypatch.setattr(keys, "get", raced)
        assert requests("PUT", path, {"description": "other"}).status_code == expected
        assert status(requests, key["apiKey"]) == 401
