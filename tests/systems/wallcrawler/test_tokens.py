"""Tokens of sessions: what they say, what they open, and what they do not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest

from sortkey.testing import FrozenClock
from sortkey_systems.wallcrawler.tokens import OtherSession, SessionTokens, TokenRefused


class Secrets:
    """Secrets as a host derives them."""

    def derive_secret(self, purpose: str) -> bytes:
        return purpose.encode().ljust(32, b".")


@pytest.fixture
def tokens(sortkey_clock: FrozenClock) -> SessionTokens:
    return SessionTokens(Secrets(), sortkey_clock)


def in_an_hour(clock: FrozenClock) -> datetime:
    return datetime.fromtimestamp(clock(), UTC) + timedelta(hours=1)


@pytest.mark.accepts("WC-13", "WC-14")
def test_a_signing_key_has_the_claims_of_the_document(
    tokens: SessionTokens, sortkey_clock: FrozenClock
) -> None:
    # The container of a task checks the same token with the same claims.
    ends = in_an_hour(sortkey_clock)
    token = tokens.issue_connect("sess_1", "project_a", ends)
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    assert claims["jti"]
    expected = {"iss": "wallcrawler", "aud": "cdp-access", "sub": "sess_1"}
    assert claims.items() >= {**expected, "projectId": "project_a"}.items()
    assert claims["exp"] == int(ends.timestamp())
    assert tokens.check_connect(token, "sess_1").project_id == "project_a"


def test_a_token_opens_its_own_session_until_it_ends(
    tokens: SessionTokens, sortkey_clock: FrozenClock
) -> None:
    # The original compared nothing: any valid token opened any session.
    token = tokens.issue_connect("sess_1", "project_a", in_an_hour(sortkey_clock))
    with pytest.raises(OtherSession):
        tokens.check_connect(token, "sess_2")
    sortkey_clock.advance(3600)
    with pytest.raises(TokenRefused, match="expired"):
        tokens.check_connect(token, "sess_1")


def test_a_token_is_good_for_one_purpose(tokens: SessionTokens, sortkey_clock: FrozenClock) -> None:
    # Whoever is shown a live view must not be able to drive the browser with its token.
    ends = in_an_hour(sortkey_clock)
    view = tokens.issue_view("sess_1", "project_a", ends, is_interactive=False)
    assert not tokens.check_view(view, "sess_1").is_interactive
    for refused in (view, "", None, "a.b.c", jwt.encode({"sub": "sess_1"}, "x" * 32)):
        with pytest.raises(TokenRefused):
            tokens.check_connect(refused, "sess_1")


def test_a_view_can_end_before_its_session(
    tokens: SessionTokens, sortkey_clock: FrozenClock
) -> None:
    # A link that is handed on is good for as long as was asked for, and never longer than that.
    ends = in_an_hour(sortkey_clock)
    short = tokens.issue_view("sess_1", "project_a", ends, seconds=60)
    assert tokens.check_view(short).expires_at == int(sortkey_clock()) + 60
    long = tokens.issue_view("sess_1", "project_a", ends, seconds=7200)
    assert tokens.check_view(long).expires_at == int(ends.timestamp())


def test_a_link_to_a_file_opens_that_file_or_a_folder(tokens: SessionTokens) -> None:
    # The segments of a recording share one token; nothing beside them does.
    folder = tokens.issue_file("sess_1", "project_a", "recording/1/")
    assert tokens.check_file(folder, "sess_1", "recording/1/segment-3.ts").path == "recording/1/"
    for session, path in (("sess_1", "recording/2/a"), ("sess_2", "recording/1/a")):
        with pytest.raises(OtherSession):
            tokens.check_file(folder, session, path)
