"""Who may connect: a token of the session, or an API key of its project with the session's id.

Nothing of a session is said to whoever has neither. An ended session is 410, so that a client stops
trying.
"""

from __future__ import annotations

from collections.abc import Iterable
from hmac import compare_digest
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from sortkey import Store
from sortkey.web import Refused
from sortkey_systems.wallcrawler.authorizer import KEY_HEADERS, Authorizer, Unauthorized
from sortkey_systems.wallcrawler.browsers.port import BrowserGone, Browsers, CdpConnection, Role
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.tokens import SessionTokens, TokenRefused

SIGNING_KEY_HEADERS = ("x-bb-signing-key", "x-wc-signing-key")


class SessionUnknown(Refused):
    """No session of this id, or one that the caller may not see."""

    status = 404


class SessionEnded(Refused):
    """The session has no browser any more."""

    status = 410


class Connectable(Protocol):
    """What connections need of the service."""

    @property
    def store(self) -> Store: ...
    @property
    def tokens(self) -> SessionTokens: ...
    @property
    def authorizer(self) -> Authorizer: ...
    @property
    def browsers(self) -> Browsers: ...


class Gate:
    """Lets callers in to running sessions."""

    def __init__(self, service: Connectable) -> None:
        self._service = service

    async def session(self, caller: HTTPConnection, session_id: str | None = None) -> Session:
        """The running session that the caller may drive. Raises Refused: 401, 403, 404 or 410."""
        return await run_in_threadpool(self._session, caller, session_id)

    async def connect(self, session: Session, role: Role = Role.CLIENT) -> CdpConnection:
        """A connection to the browser of a session. Raises SessionEnded."""
        try:
            return await self._service.browsers.connect(session.session_id, role)
        except BrowserGone:
            raise _ended() from None

    def _session(self, caller: HTTPConnection, session_id: str | None) -> Session:
        query, headers = caller.query_params, caller.headers
        api_key = _only("API keys", query.getlist("apiKey"), headers, KEY_HEADERS)
        token = _only("signing keys", query.getlist("signingKey"), headers, SIGNING_KEY_HEADERS)
        named = session_id or query.get("sessionId") or headers.get("session-id")
        if not token and api_key and named:
            return self._by_key(api_key, named)
        return self._by_token(token, session_id)

    def _by_key(self, api_key: str, session_id: str) -> Session:
        authorizer = self._service.authorizer
        grant = authorizer.grant_of_key(api_key)
        session = self._find(session_id)
        if session is None or session.project_id not in grant.projects:
            raise SessionUnknown("unknown session")
        authorizer.check_active(session.project_id)
        return _running(session)

    def _by_token(self, token: str | None, session_id: str | None) -> Session:
        try:
            claims = self._service.tokens.check_connect(token, session_id)
        except TokenRefused:
            self._refuse_ended(token, session_id)
            raise
        session = self._find(claims.session_id)
        if session is None:
            raise SessionUnknown("unknown session: its record has been deleted")
        return _running(session)

    def _refuse_ended(self, token: str | None, session_id: str | None) -> None:
        """A token expires with its session. Whoever has the right one learns that the session has
        ended.
        """
        session = self._find(session_id) if session_id and token else None
        if (
            session is not None
            and token
            and compare_digest(session.signing_key.encode(), token.encode())
        ):
            raise _ended()

    def _find(self, session_id: str) -> Session | None:
        return self._service.store.find(Session.key(session_id=session_id), consistent=True)


def _only(what: str, in_query: list[str], headers: Headers, names: Iterable[str]) -> str | None:
    """The one value that a caller has sent, if any, wherever it is. Raises Unauthorized if there
    are two: which of them counts would be a guess.
    """
    in_headers = [value for name in names for value in headers.getlist(name)]
    given = {value for value in (*in_query, *in_headers) if value}
    if len(given) > 1:
        raise Unauthorized(f"the request has two different {what}: send one of them")
    return given.pop() if given else None


def _running(session: Session) -> Session:
    if session.status != "RUNNING" or session.internal_status == "TERMINATING":
        raise _ended()
    return session


def _ended() -> SessionEnded:
    return SessionEnded("the session has ended: create a new one")
