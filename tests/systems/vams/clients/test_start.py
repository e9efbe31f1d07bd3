"""How the tool starts: setup, logins by password, by temporary password and by API key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from tests.systems.vams.clients.conftest import ADMIN, Served
from tests.systems.vams.clients.tool import Failed, Tool


@pytest.fixture
def fresh(served: Served, endpoint: str, tmp_path: Path) -> Tool:
    tool = Tool(tmp_path / "profile")
    tool.setup(served.url)
    return tool


def test_setup_finds_the_version_it_knows_and_stores_the_configuration(fresh: Tool) -> None:
    # Any other version makes the tool ask whether to continue.
    stored = json.loads((fresh.folder / "config.json").read_text())
    assert stored["version"] == "2.5.1"
    assert stored["region"] == "us-east-1"
    assert stored["cognitoUserPoolId"] not in ("", "undefined")
    assert stored["externalOAuthIdpURL"] == "undefined"


def test_a_password_login_goes_through_the_sdk_with_one_variable(
    fresh: Tool, served: Served
) -> None:
    # boto3 finds our login service by AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER alone.
    fresh.login(ADMIN, served.password)
    assert "AUTHPROVIDER_COGNITO" in fresh.features
    routes = {"routes": [{"method": "GET", "route__path": "/databases"}]}
    answer = fresh.post("/auth/routes", routes)
    assert (answer["allowedRoutes"], answer["email"]) == (routes["routes"], ADMIN)


def test_a_wrong_password_is_the_error_that_the_tool_knows(fresh: Tool) -> None:
    # The SDK makes an exception class of the name on the wire.
    with pytest.raises(ClientError) as raised:
        fresh.login(ADMIN, "wrong")
    assert raised.value.response["Error"]["Code"] == "NotAuthorizedException"


def test_a_new_user_signs_in_with_a_temporary_password_and_chooses_another(
    fresh: Tool, tool: Tool, served: Served
) -> None:
    # The tool answers the challenge without a user name.
    user = "walker@example.com"
    tool.post("/user/cognito", {"userId": user, "email": user})
    tool.post("/user-roles", {"userId": user, "roleName": ["basicReadOnly"]})
    outbox = served.folder / "vams" / "outbox"
    text = max(outbox.glob("*.eml"), key=lambda path: path.stat().st_mtime_ns).read_text()
    found = re.search(r"password (\w{20})", text)
    assert found
    fresh.login(user, found[1], new_password="a much better password")
    assert "Items" in fresh.get("/database")
    with pytest.raises(Failed) as refused:  # after three refreshes, as the tool does it
        fresh.post("/database", {"databaseId": "not-mine", "description": "none of mine"})
    assert (refused.value.status, refused.value.message) == (403, "Not Authorized")


def test_an_api_key_is_a_token_with_and_without_bearer(fresh: Tool, tool: Tool) -> None:
    # Connectors send the key alone.
    body = {"apiKeyName": "walk", "userId": ADMIN, "description": "for the walk"}
    key = tool.post("/auth/api-keys", body)
    fresh.login_with_token(ADMIN, key["apiKey"])
    assert "Items" in fresh.get("/database")
    bare = fresh.http.get(
        f"{fresh.config['api']}/database", headers={"Authorization": key["apiKey"]}
    )
    assert bare.status_code == 200
    tool.delete(f"/auth/api-keys/{key['apiKeyId']}")
    with pytest.raises(Failed) as refused:
        fresh.get("/database")
    assert refused.value.status == 401
