"""The password login, in the protocol of Amazon's SDK, and the users it is for."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jwt
import pytest
from fastapi.testclient import TestClient
from httpx import ASGITransport, AsyncClient, Response

from sortkey.systems import Addresses, find_system, open_resources
from sortkey.web import Host
from sortkey_systems.vams.access.cognito import LoginRefused
from sortkey_systems.vams.access.credentials import code_of
from sortkey_systems.vams.model import model
from sortkey_systems.vams.routes.login import UNDERWAY_MAX
from tests.systems.vams.host import ADMIN, Requests

PASSWORD = "correct horse battery"


def call(requests: Requests, operation: str, **body: Any) -> Response:
    pool = requests.service.installation.pool
    return requests.client.post(
        "/",
        content=json.dumps({"ClientId": pool.client_id, **body}),
        headers={
            "X-Amz-Target": f"AWSCognitoIdentityProviderService.{operation}",
            "Content-Type": "application/x-amz-json-1.1",
        },
    )


def sign_in(requests: Requests, user: str, password: str) -> Response:
    values = {"USERNAME": user, "PASSWORD": password}
    return call(requests, "InitiateAuth", AuthFlow="USER_PASSWORD_AUTH", AuthParameters=values)


def respond(requests: Requests, challenge: dict[str, Any], **values: str) -> Response:
    return call(
        requests,
        "RespondToAuthChallenge",
        ChallengeName=challenge["ChallengeName"],
        Session=challenge["Session"],
        ChallengeResponses=values,
    )


def last_password(requests: Requests) -> str:
    """Of the newest message in the outbox."""
    newest = max(
        requests.service.outbox.folder.glob("*.eml"), key=lambda path: path.stat().st_mtime_ns
    )
    assert newest.stat().st_mode & 0o077 == 0
    found = re.search(r"password (\w{20})", newest.read_text())
    assert found
    return found[1]


@pytest.fixture
def admin(requests: Requests) -> str:
    requests.service.users.set_password(ADMIN, PASSWORD)
    return ADMIN


def test_a_password_gives_tokens_that_open_the_interface(requests: Requests, admin: str) -> None:
    # The claims are those that the command line tool reads.
    answer = sign_in(requests, admin, PASSWORD)
    assert answer.status_code == 200, answer.text
    result = answer.json()["AuthenticationResult"]
    assert (result["TokenType"], result["ExpiresIn"]) == ("Bearer", 3600)
    claims = jwt.decode(result["IdToken"], options={"verify_signature": False})
    assert claims["cognito:username"] == admin
    assert json.loads(claims["vams:tokens"]) == [admin]
    assert json.loads(claims["vams:roles"]) == ["admin"]
    for name in ("AccessToken", "IdToken"):
        headers = {"Authorization": f"Bearer {result[name]}"}
        assert requests.client.get("/roles", headers=headers).status_code == 200
    headers = {"Authorization": f"Bearer {result['RefreshToken']}"}
    assert requests.client.get("/roles", headers=headers).status_code == 401


def test_the_published_key_checks_the_tokens(requests: Requests, admin: str) -> None:
    # Services beside ours check them without asking us.
    token = sign_in(requests, admin, PASSWORD).json()["AuthenticationResult"]["AccessToken"]
    pool = requests.service.installation.pool
    document = requests.client.get(f"/{pool.pool_id}/.well-known/jwks.json").json()
    key = jwt.PyJWKSet.from_dict(document).keys[0]
    claims = jwt.decode(token, key, algorithms=["RS256"], audience=pool.client_id)
    assert claims["token_use"] == "access"


def test_a_refresh_gives_new_tokens_until_the_password_changes(
    requests: Requests, admin: str
) -> None:
    # The tool refreshes after every 401 and 403.
    first = sign_in(requests, admin, PASSWORD).json()["AuthenticationResult"]
    values = {"REFRESH_TOKEN": first["RefreshToken"]}
    again = call(requests, "InitiateAuth", AuthFlow="REFRESH_TOKEN_AUTH", AuthParameters=values)
    assert "RefreshToken" not in again.json()["AuthenticationResult"]
    requests.service.users.set_password(admin, PASSWORD)
    refused = call(requests, "InitiateAuth", AuthFlow="REFRESH_TOKEN_AUTH", AuthParameters=values)
    assert refused.status_code == 400
    assert refused.json()["__type"] == "NotAuthorizedException"


def test_a_wrong_password_and_an_unknown_user_look_alike_and_tries_are_limited(
    requests: Requests,
) -> None:
    # Otherwise users could be listed, and passwords tried at leisure.
    requests.add_user("tim@example.com", "basicReadOnly")
    requests.service.users.set_password("tim@example.com", PASSWORD)
    wrong = sign_in(requests, "tim@example.com", "wrong")
    unknown = sign_in(requests, "nobody@example.com", "wrong")
    assert (wrong.status_code, wrong.json()) == (unknown.status_code, unknown.json())
    assert wrong.json()["__type"] == "NotAuthorizedException"
    for _ in range(4):
        sign_in(requests, "tim@example.com", "wrong")
    locked = sign_in(requests, "tim@example.com", PASSWORD)
    assert locked.json()["message"] == "Password attempts exceeded"


def test_a_new_user_chooses_a_password_at_the_first_login(requests: Requests) -> None:
    # The tool sends no user name with its answer: the session has it.
    body = {"userId": "mia@example.com", "email": "mia@example.com", "phone": "+4915112345678"}
    assert requests("POST", "/user/cognito", body).json()["operation"] == "create"
    assert requests("POST", "/user/cognito", body).status_code == 400
    temporary = last_password(requests)
    challenge = sign_in(requests, "mia@example.com", temporary).json()
    assert challenge["ChallengeName"] == "NEW_PASSWORD_REQUIRED"
    short = respond(requests, challenge, NEW_PASSWORD="short")
    assert short.json()["__type"] == "InvalidPasswordException"
    answer = respond(requests, challenge, NEW_PASSWORD=PASSWORD)
    assert "AccessToken" in answer.json()["AuthenticationResult"]
    replayed = respond(requests, challenge, NEW_PASSWORD="another password")
    assert replayed.status_code == 400
    assert sign_in(requests, "mia@example.com", temporary).status_code == 400


def test_a_user_keeps_what_a_change_does_not_name_and_a_reset_keeps_the_user(
    requests: Requests,
) -> None:
    # The original clears the phone, and deletes the user to reset the password.
    body = {"userId": "lea@example.com", "email": "lea@example.com", "phone": "+4915112345678"}
    requests("POST", "/user/cognito", body)
    requests("POST", "/user-roles", {"userId": "lea@example.com", "roleName": ["basicReadOnly"]})
    changed = requests("PUT", "/user/cognito/lea@example.com", {"email": "lea@example.org"})
    assert changed.json()["operation"] == "update"
    path = "/user/cognito/lea@example.com/resetPassword"
    assert requests("POST", path).status_code == 400
    assert requests("POST", path, {"confirmReset": True}).json()["operation"] == "resetPassword"
    listed = requests("GET", "/user/cognito").json()
    assert listed["users"] == listed["Items"]
    (user,) = [each for each in listed["users"] if each["userId"] == "lea@example.com"]
    assert (user["email"], user["phone"]) == ("lea@example.org", "+4915112345678")
    assert user["userStatus"] == "FORCE_CHANGE_PASSWORD"
    assert requests.service.access.caller("lea@example.com").roles == ("basicReadOnly",)


def test_a_deleted_user_can_do_nothing_with_a_token_that_is_still_good(
    requests: Requests,
) -> None:
    # Tokens live for an hour; their users may not.
    requests.add_user("leo@example.com", "admin")
    requests.service.users.set_password("leo@example.com", PASSWORD)
    token = sign_in(requests, "leo@example.com", PASSWORD).json()
    headers = {"Authorization": f"Bearer {token['AuthenticationResult']['AccessToken']}"}
    assert requests.client.get("/roles", headers=headers).status_code == 200
    assert requests("DELETE", "/user/cognito/leo@example.com").json()["operation"] == "delete"
    profile = "/auth/loginProfile/leo@example.com"
    for path in ("/roles", profile, "/secure-config"):
        assert requests.client.get(path, headers=headers).status_code == 401
    assert sign_in(requests, "leo@example.com", PASSWORD).status_code == 400
    listed = requests("GET", "/user/cognito").json()["users"]
    assert "leo@example.com" not in [each["userId"] for each in listed]
    requests.add_user("leo@example.com", "admin")  # another person with the same id
    requests.service.users.set_password("leo@example.com", PASSWORD)
    assert requests.client.get("/roles", headers=headers).status_code == 401


def test_a_one_time_code_is_asked_for_and_makes_the_session_one_with_mfa(
    requests: Requests,
) -> None:
    # Roles that require MFA count only in such a session.
    requests.add_user("pia@example.com", "admin")
    requests.service.users.set_password("pia@example.com", PASSWORD)
    secret = requests.service.credentials.require_codes("pia@example.com")
    challenge = sign_in(requests, "pia@example.com", PASSWORD).json()
    assert challenge["ChallengeName"] == "SOFTWARE_TOKEN_MFA"
    wrong = respond(requests, challenge, SOFTWARE_TOKEN_MFA_CODE="abc")
    assert wrong.json()["__type"] == "CodeMismatchException"
    code = code_of(secret, requests.service.clock())
    answer = respond(requests, challenge, SOFTWARE_TOKEN_MFA_CODE=code)
    token = answer.json()["AuthenticationResult"]["AccessToken"]
    proof = requests.service.tokens.check(token)
    assert (proof.user_id, proof.has_mfa) == ("pia@example.com", True)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"nonsense", b"[" * 100_000, b'{"ClientId": "\\ud800"}']
)
def test_a_body_that_cannot_be_read_is_refused(requests: Requests, body: bytes) -> None:
    # The route is open to everybody.
    target = {"X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"}
    answer = requests.client.post("/", content=body, headers=target)
    assert (answer.status_code, answer.json()["__type"]) == (400, "SerializationException")


@pytest.mark.parametrize("name", ["USERNAME", "PASSWORD"])
def test_half_of_a_character_is_refused_as_what_cannot_be_read(
    requests: Requests, name: str
) -> None:
    # Such a text cannot be hashed, stored or sent back.
    values = {"USERNAME": "tom@example.com", "PASSWORD": PASSWORD, name: "\ud800"}
    flow = "USER_PASSWORD_AUTH"
    answer = call(requests, "InitiateAuth", AuthFlow=flow, AuthParameters=values)
    assert (answer.status_code, answer.json()["__type"]) == (400, "SerializationException")


def test_a_code_of_other_digits_is_a_wrong_code(requests: Requests) -> None:
    # They are decimals too, but cannot be compared with ours.
    requests.add_user("kai@example.com", "admin")
    requests.service.users.set_password("kai@example.com", PASSWORD)
    requests.service.credentials.require_codes("kai@example.com")
    challenge = sign_in(requests, "kai@example.com", PASSWORD).json()
    wrong = respond(requests, challenge, SOFTWARE_TOKEN_MFA_CODE="\u0661" * 6)
    assert (wrong.status_code, wrong.json()["__type"]) == (400, "CodeMismatchException")


def test_many_tries_at_once_are_not_more_than_those_that_are_allowed(requests: Requests) -> None:
    # Hashing takes long enough to start many before the first one has failed.
    requests.add_user("ole@example.com", "basicReadOnly")
    requests.service.users.set_password("ole@example.com", PASSWORD)
    values = {"USERNAME": "ole@example.com", "PASSWORD": "wrong"}
    client = requests.service.installation.pool.client_id
    body = {"ClientId": client, "AuthFlow": "USER_PASSWORD_AUTH", "AuthParameters": values}

    def attempt(_: int) -> str:
        try:
            requests.service.cognito.answer("InitiateAuth", body)
        except LoginRefused as refusal:
            return refusal.message
        return "signed in"

    with ThreadPoolExecutor(12) as threads:
        messages = Counter(threads.map(attempt, range(12)))
    assert messages == {"Incorrect username or password.": 5, "Password attempts exceeded": 7}


@pytest.mark.slow
def test_logins_that_are_not_completed_are_not_wrong_tries(requests: Requests) -> None:
    # Somebody who looks for their phone six times must not be locked out.
    requests.add_user("uwe@example.com", "admin")
    requests.service.users.set_password("uwe@example.com", PASSWORD)
    requests.service.credentials.require_codes("uwe@example.com")
    for _ in range(6):
        challenge = sign_in(requests, "uwe@example.com", PASSWORD).json()
        assert challenge["ChallengeName"] == "SOFTWARE_TOKEN_MFA"


def test_beside_other_systems_the_login_is_at_both_spellings_of_its_path(tmp_path: Path) -> None:
    # The SDK asks at the endpoint as it was given, and takes a redirection for an error.
    with open_resources(Addresses(str(tmp_path)), [model], url="http://testserver") as shared:
        host = Host(shared, [find_system("vams")])
        client = TestClient(host.app, base_url="http://testserver")
        target = {"X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"}
        for path in ("/vams", "/vams/"):
            answer = client.post(path, json={}, headers=target, follow_redirects=False)
            assert answer.json()["__type"] == "ResourceNotFoundException"


@pytest.mark.slow
def test_a_flood_of_logins_is_refused_and_not_kept_waiting(requests: Requests) -> None:
    # Each login takes a processor for a while, and nobody needs a token to ask for one.
    client_id = requests.service.installation.pool.client_id
    target = {"X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"}

    def body(number: int) -> dict[str, Any]:
        values = {"USERNAME": f"flood-{number}@example.com", "PASSWORD": "wrong"}
        flow = "USER_PASSWORD_AUTH"
        return {"ClientId": client_id, "AuthFlow": flow, "AuthParameters": values}

    async def flood() -> Counter[str]:
        transport = ASGITransport(requests.host.app)
        async with AsyncClient(transport=transport, base_url="http://testserver") as client:
            tries = [client.post("/", json=body(each), headers=target) for each in range(120)]
            answers = await asyncio.gather(*tries)
        return Counter(answer.json()["__type"] for answer in answers)

    kinds = asyncio.run(flood())
    assert kinds["TooManyRequestsException"] > 0
    assert kinds["NotAuthorizedException"] >= UNDERWAY_MAX
