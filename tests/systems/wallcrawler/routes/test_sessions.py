"""/v1/sessions without a browser: who gets in, what is refused, and in which shape."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.routes.sessions import CallerLeft, created_unless_left
from tests.systems.wallcrawler.served import ONE, OTHER, REMOTE, URL, Served


def refused(answer: Any, status: int) -> dict[str, Any]:
    """The body of a refusal, which always has the same members."""
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    assert body.keys() == {"statusCode", "error", "message", "code"}
    assert body["statusCode"] == status
    return body


@pytest.mark.accepts("WC-31", "WC-36")
def test_nobody_gets_in_without_a_valid_key(without_browsers: Served) -> None:
    # Deny by default: whatever a route does, it does it for a key.
    stranger = TestClient(without_browsers.host.app, client=REMOTE, base_url=URL)
    paths = ("/v1/sessions", "/v1/sessions/sess_1", "/v1/projects", "/v1/contexts/ctx_1")
    for path in paths:
        refused(stranger.get(path), 401)
        refused(stranger.get(path, headers={"X-BB-API-Key": "wc_wrong"}), 401)
    both = {"X-BB-API-Key": without_browsers.key, "x-wc-api-key": "another"}
    assert "differ" in refused(stranger.get("/v1/sessions", headers=both), 401)["message"]


def test_a_project_of_others_cannot_be_selected(without_browsers: Served) -> None:
    # By header or body, and not by naming two of them either.
    one = without_browsers.one
    for header in ("x-wc-project-id", "x-bb-project-id"):
        refused(one.get("/v1/sessions", headers={header: OTHER}), 403)
        assert one.get("/v1/sessions", headers={header: ONE}).json() == []
    refused(one.post("/v1/sessions", json={"projectId": OTHER}), 403)
    twice = one.post("/v1/sessions", json={"projectId": ONE}, headers={"x-bb-project-id": OTHER})
    refused(twice, 403)


@pytest.mark.accepts("WC-31")
def test_a_project_that_is_switched_off_is_closed_at_once(without_browsers: Served) -> None:
    # What the authorizer remembers must not outlive the operator's decision.
    assert without_browsers.one.get("/v1/sessions").status_code == 200
    without_browsers.service.tenants.change_project(ONE, is_active=False)
    refused(without_browsers.one.get("/v1/sessions"), 403)
    assert without_browsers.other.get("/v1/sessions").status_code == 200


def test_a_revoked_key_is_worthless_at_once(without_browsers: Served) -> None:
    # Five minutes are long for somebody who has found a key.
    assert without_browsers.one.get("/v1/sessions").status_code == 200
    [key] = without_browsers.service.tenants.keys(ONE)
    assert key.key_id is not None
    without_browsers.service.tenants.revoke_key(key.key_id)
    refused(without_browsers.one.get("/v1/sessions"), 401)


def test_a_browser_that_cannot_start_leaves_an_ended_session(without_browsers: Served) -> None:
    # The client learns why, does not try again, and the place is free.
    for _ in range(7):
        answer = without_browsers.one.post("/v1/sessions", json={})
        assert "did not start" in refused(answer, 503)["message"]
        assert answer.headers["x-should-retry"] == "false"
    listed = without_browsers.one.get("/v1/sessions").json()
    assert {each["status"] for each in listed} == {"ERROR"}
    assert all(each["endedAt"] for each in listed)
    assert without_browsers.service.tenants.project(ONE).running_sessions == 0
    assert without_browsers.one.get(f"/v1/projects/{ONE}/usage").json()["browserMinutes"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {"userMetadata": {"a": "x" * 600}},
        {"proxies": True},
        {"proxies": [{"type": "browserbase", "geolocation": {"country": "DE"}}]},
        {"proxies": [{"type": "external"}]},
        {"region": "eu-west-9"},
        {"timeout": "soon"},
        {"browserSettings": {"viewport": {"width": 0, "height": 5}}},
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_made(
    without_browsers: Served, body: dict[str, Any]
) -> None:
    # A session that silently lacks what was asked for costs its user an afternoon.
    refused(without_browsers.one.post("/v1/sessions", json=body), 400)
    assert without_browsers.one.get("/v1/sessions").json() == []


def test_what_a_session_names_must_be_there_and_its_own(without_browsers: Served) -> None:
    # Another tenant's context is as unknown as one that never was.
    made = without_browsers.other.post("/v1/contexts", json={}).json()["id"]
    for context in (made, "ctx_none", "../ctx"):
        body = {"browserSettings": {"context": {"id": context}}}
        refused(without_browsers.one.post("/v1/sessions", json=body), 404)
    refused(without_browsers.one.post("/v1/sessions", json={"extensionId": "ext_1"}), 404)


@pytest.mark.accepts("WC-3", "WC-14")
def test_another_tenants_session_is_unknown_and_lists_have_no_secret(
    without_browsers: Served,
) -> None:
    # Tenants are separated by key; whoever reads a list cannot connect.
    refused(without_browsers.one.post("/v1/sessions", json={"userMetadata": {"n": "1"}}), 503)
    [session] = without_browsers.one.get("/v1/sessions").json()
    assert not {"signingKey", "connectUrl", "seleniumRemoteUrl"} & session.keys()
    assert session["region"] == "us-east-1"
    assert without_browsers.other.get("/v1/sessions").json() == []
    for path in ("", "/debug", "/logs", "/downloads"):
        refused(without_browsers.other.get(f"/v1/sessions/{session['id']}{path}"), 404)
    release = {"status": "REQUEST_RELEASE"}
    refused(without_browsers.other.post(f"/v1/sessions/{session['id']}", json=release), 404)


def test_an_ended_session_is_answered_as_such(without_browsers: Served) -> None:
    # Releasing again gives the same answer; a live view of it makes no sense.
    one = without_browsers.one
    refused(one.post("/v1/sessions", json={}), 503)
    [session] = one.get("/v1/sessions").json()
    path = f"/v1/sessions/{session['id']}"
    assert one.post(path, json={"status": "REQUEST_RELEASE"}).json() == session
    assert one.get(path).json() == session
    refused(one.post(path, json={"status": "RUNNING"}), 400)
    refused(one.get(f"{path}/debug"), 410)
    assert one.get(f"{path}/logs").json() == []


def test_metadata_and_status_select_sessions(without_browsers: Served) -> None:
    # Three forms of q; the one with brackets is checked, so that a typing error is not "nothing".
    one = without_browsers.one
    for metadata in ({"a": {"b": "x"}}, {"a": {"b": "y"}, "n": 1}, None):
        one.post("/v1/sessions", json={"userMetadata": metadata})

    def found(**query: str) -> int:
        return len(one.get("/v1/sessions", params=query).json())

    assert found() == 3
    assert found(q="user_metadata['a']['b']:'x'") == 1
    assert found(q='{"n": 1}') == 1
    assert found(q="b") == 2
    assert found(status="ERROR") == 3
    assert found(status="RUNNING") == 0
    refused(one.get("/v1/sessions", params={"q": "user_metadata['a':'x'"}), 400)
    refused(one.get("/v1/sessions", params={"status": "WALKING"}), 400)


def test_what_is_not_offered_says_so_in_the_same_shape(without_browsers: Served) -> None:
    # A client of the original must see a reason, not an envelope that it cannot read.
    one = without_browsers.one
    for name in ("certificates", "fetch", "search", "webhooks", "secrets", "agents/runs"):
        refused(one.post(f"/v1/{name}", json={}), 501)
    refused(one.get("/v1/nothing"), 404)
    assert one.post("/v1/sessions/start", json={}).json()["data"]["available"] is False


def test_a_creator_who_leaves_as_the_session_is_ready_leaves_no_session(
    without_browsers: Served,
) -> None:
    # Nobody has its address, so nobody would use it, and it would keep a place of the project.
    service = without_browsers.service
    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    seeded = Session(session_id="sess_a", project_id=ONE, expires_at=ends, signing_key="jwt")

    async def create() -> Session:
        return service.records.seed(seeded)

    async def leave() -> None: ...

    async def scenario() -> None:
        creating, leaving = asyncio.create_task(create()), asyncio.create_task(leave())
        await asyncio.wait({creating, leaving})
        with pytest.raises(CallerLeft):
            await created_unless_left(service, creating, leaving)

    asyncio.run(scenario())
    ended = service.records.find("sess_a")
    assert ended is not None
    assert (ended.status, ended.end_reason) == ("COMPLETED", "the creator has left")
