"""What a client asks when it starts, and the two doors before every other route."""

import pytest

from tests.systems.vams.host import ADMIN, READER, URL, Requests


def test_the_version_and_the_configuration_need_no_token(requests: Requests) -> None:
    # The command line tool asks both before anybody has signed in, and stores the answers.
    assert requests.client.get("/api/version").json() == {"version": "2.5.1"}
    configuration = requests.client.get("/api/amplify-config").json()
    assert configuration["api"] == URL
    assert configuration["region"] == "us-east-1"
    assert configuration["cognitoUserPoolId"].startswith("us-east-1_")
    assert configuration["externalOAuthIdpURL"] == "undefined"


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer x.y.z", "Basic abc", "vams_unknown", "Bearer vams_no"]
)
def test_an_unknown_caller_is_refused_in_the_shape_of_errors(
    requests: Requests, header: str | None
) -> None:
    # Clients print `message` and refresh their token on 401.
    headers = {} if header is None else {"Authorization": header}
    answer = requests.client.get("/secure-config", headers=headers)
    assert answer.status_code == 401
    assert set(answer.json()) == {"message"}


def test_a_profile_is_made_on_first_sight_and_only_for_oneself(requests: Requests) -> None:
    # Every login asks for it; the original fails until it was posted.
    answer = requests("GET", "/auth/loginProfile/new@example.com", user="new@example.com")
    assert answer.json() == {
        "message": {"Items": [{"userId": "new@example.com", "email": "new@example.com"}]}
    }
    other = requests("GET", f"/auth/loginProfile/{ADMIN}", user="new@example.com")
    assert (other.status_code, other.json()) == (403, {"message": "Not Authorized"})


def test_the_features_are_those_of_the_table(requests: Requests) -> None:
    # NOOPENSEARCH there would make the tool refuse to search.
    assert requests("GET", "/secure-config").json()["featuresEnabled"] == "AUTHPROVIDER_COGNITO"


def test_web_pages_are_filtered_by_the_constraints_on_them(requests: Requests) -> None:
    # The web application hides what is not in the answer.
    routes = [
        {"method": "GET", "route__path": "/assets"},
        {"method": "GET", "route__path": "/auth/roles"},
    ]
    answer = requests("POST", "/auth/routes", {"routes": routes}, user=READER).json()
    assert answer == {"allowedRoutes": routes[:1], "email": READER}
    everything = requests("POST", "/auth/routes", {"routes": routes}).json()
    assert everything["allowedRoutes"] == routes


def test_the_key_of_tokens_is_published(requests: Requests) -> None:
    # Others check our tokens by it; the private half never leaves the server.
    pool = requests.service.installation.pool.pool_id
    (key,) = requests.client.get(f"/{pool}/.well-known/jwks.json").json()["keys"]
    assert (key["kty"], key["alg"]) == ("RSA", "RS256")
    assert "d" not in key


def test_a_path_that_is_too_long_is_refused_before_expressions_see_it(requests: Requests) -> None:
    # Expressions of constraints take longer the longer the text is.
    answer = requests("DELETE", "/roles/" + "a" * 2_500)
    assert answer.status_code == 400
    assert "a path has at most" in answer.json()["message"]
