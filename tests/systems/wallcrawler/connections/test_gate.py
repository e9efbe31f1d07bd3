"""Who may connect to which session."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from sortkey import MemoryTopics, Store
from sortkey.systems import SharedResources
from sortkey.web import Refused
from sortkey_systems.wallcrawler.authorizer import Authorizer
from sortkey_systems.wallcrawler.connections.gate import Gate
from sortkey_systems.wallcrawler.model import ApiKey, Project, Session, api_key_hash, model
from sortkey_systems.wallcrawler.tokens import SessionTokens

HOUR = timedelta(hours=1)


@dataclass
class Parts:
    """What a gate needs, without browsers: it asks for none before it lets somebody in."""

    store: Store
    tokens: SessionTokens
    authorizer: Authorizer
    now: list[float]
    browsers: Any = field(default=None)

    def session(self, name: str, project: str = "one", **values: Any) -> Session:
        expires = datetime.fromtimestamp(self.now[0], UTC).replace(microsecond=0) + HOUR
        token = self.tokens.issue_connect(f"sess_{name}", project, expires)
        return self.store.create(
            Session(
                session_id=f"sess_{name}",
                project_id=project,
                expires_at=expires,
                signing_key=token,
                **values,
            )
        )

    def status(self, session_id: str | None, query: str = "", /, **headers: str) -> int:
        """What the caller gets: 200, or the status of the refusal."""
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "path": "/", "query_string": query.encode(), "headers": raw}
        try:
            asyncio.run(Gate(self).session(HTTPConnection(scope), session_id))
        except Refused as refused:
            return refused.status
        return 200


@pytest.fixture
def parts(sortkey_shared: SharedResources) -> Parts:
    store, now = sortkey_shared.store, [time.time()]
    store.ensure(model)
    for project in ("one", "two"):
        store.create(Project(project_id=project, name=project, concurrency=5))
        key = api_key_hash(f"wc_{project}")
        store.create(ApiKey(api_key_hash=key, project_id=project, name=project))
    authorizer = Authorizer(
        store, MemoryTopics(), cache_seconds=0, records_last_use=False, clock=lambda: now[0]
    )
    tokens = SessionTokens(sortkey_shared.of("wallcrawler"), lambda: now[0])
    return Parts(store, tokens, authorizer, now)


def test_a_token_opens_its_own_session_and_no_other(parts: Parts) -> None:
    # The original compared nothing: any good token opened any browser.
    one, two = parts.session("one"), parts.session("two")
    assert parts.status(one.session_id, f"signingKey={one.signing_key}") == 200
    assert parts.status(one.session_id, x_bb_signing_key=one.signing_key) == 200
    assert parts.status(None, x_bb_signing_key=one.signing_key) == 200
    assert parts.status(two.session_id, f"signingKey={one.signing_key}") == 403
    assert parts.status(one.session_id) == 401
    assert parts.status(one.session_id, "signingKey=x.y.z") == 401
    assert parts.status("sess_unknown", "signingKey=x.y.z") == 401


def test_a_key_opens_the_sessions_of_its_projects_only(parts: Parts) -> None:
    # To another tenant a session is not forbidden but unknown.
    one = parts.session("one")
    assert parts.status(None, f"apiKey=wc_one&sessionId={one.session_id}") == 200
    assert parts.status(None, x_bb_api_key="wc_one", session_id=one.session_id) == 200
    assert parts.status(None, x_wc_api_key="wc_one", session_id=one.session_id) == 200
    assert parts.status(None, f"apiKey=wc_two&sessionId={one.session_id}") == 404
    assert parts.status(None, f"apiKey=wc_none&sessionId={one.session_id}") == 401
    assert parts.status(None, "apiKey=wc_one&sessionId=sess_unknown") == 404
    assert parts.status(None, "apiKey=wc_one") == 401


def test_two_different_keys_are_refused_wherever_they_are(parts: Parts) -> None:
    # The API does so too: a proxy that adds a key must not decide silently whose key counts.
    one = parts.session("one")
    named = f"sessionId={one.session_id}"
    assert parts.status(None, named, x_bb_api_key="wc_one", x_wc_api_key="wc_two") == 401
    assert parts.status(None, f"{named}&apiKey=wc_one", x_wc_api_key="wc_two") == 401
    assert parts.status(None, f"{named}&apiKey=wc_one&apiKey=wc_two") == 401
    assert parts.status(None, f"{named}&apiKey=wc_one", x_wc_api_key="wc_one") == 200
    token = one.signing_key
    assert parts.status(one.session_id, f"signingKey={token}", x_wc_signing_key="x.y.z") == 401


def test_an_ended_session_is_gone_for_those_who_knew_it(parts: Parts) -> None:
    # 410 makes a client stop trying; a stranger learns nothing from it.
    ended = parts.session("ended", internal_status="CREATING")
    parts.store.update(Session.key(session_id="sess_ended"), set={"internal_status": "STOPPED"})
    query = f"signingKey={ended.signing_key}"
    assert parts.status("sess_ended", query) == 410
    assert parts.status(None, "apiKey=wc_one&sessionId=sess_ended") == 410
    assert parts.status("sess_ended", "signingKey=x") == 401
    parts.now[0] += 7200  # the token has expired too
    assert parts.status("sess_ended", query) == 410
    assert parts.status("sess_ended", "signingKey=x") == 401


def test_a_deleted_record_is_unknown(parts: Parts) -> None:
    # TTL removes the item while the token is still good.
    session = parts.session("deleted")
    parts.store.delete(Session.key(session_id="sess_deleted"))
    assert parts.status("sess_deleted", f"signingKey={session.signing_key}") == 404
