"""Login by password, as Amazon's SDK asks for it: InitiateAuth and RespondToAuthChallenge.

A wrong password and an unknown user get the same answer after the same time. After five wrong tries
a user waits a minute.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from sortkey import Store
from sortkey_systems.vams.access.audit import AuditLog
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.credentials import Credential, Credentials, is_code, spend_time
from sortkey_systems.vams.access.tokens import (
    REFRESH_SECONDS,
    SECONDS,
    SESSION_SECONDS,
    Login,
    Tokens,
)
from sortkey_systems.vams.access.users import Users
from sortkey_systems.vams.failures import Failure, Unauthenticated
from sortkey_systems.vams.model import User

TRIES_MAX = 5
WAIT_SECONDS = 60
USERS_WATCHED_MAX = 10_000
HASHES_AT_ONCE = 2
"""Each takes 16 MB and a processor."""

Answer = dict[str, Any]
NEW_PASSWORD = "NEW_PASSWORD_REQUIRED"
CODE = "SOFTWARE_TOKEN_MFA"


class LoginRefused(Exception):
    """An error of the login service: `kind` is its name there."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind, self.message = kind, message


def _wrong() -> LoginRefused:
    return LoginRefused("NotAuthorizedException", "Incorrect username or password.")


@dataclass(slots=True)
class _Tries:
    """Tries of a user that were wrong or are being made, and when the first was."""

    count: int
    since: float


class Cognito:
    """The login service."""

    def __init__(
        self,
        *,
        store: Store,
        access: Access,
        users: Users,
        credentials: Credentials,
        tokens: Tokens,
        audit: AuditLog,
        clock: Callable[[], float],
    ) -> None:
        self._store, self._access, self._users = store, access, users
        self._credentials, self._tokens, self._audit = credentials, tokens, audit
        self._clock = clock
        self._hashes = threading.Semaphore(HASHES_AT_ONCE)
        self._lock = threading.Lock()
        self._tries: dict[str, _Tries] = {}

    def answer(self, operation: str, body: Answer) -> Answer:
        """The answer to an operation. Raises LoginRefused."""
        if body.get("ClientId") != self._tokens.client_id:
            raise LoginRefused("ResourceNotFoundException", "User pool client does not exist.")
        try:
            if operation == "InitiateAuth":
                return self._initiate(str(body.get("AuthFlow")), _texts(body, "AuthParameters"))
            if operation == "RespondToAuthChallenge":
                return self._respond(
                    str(body.get("ChallengeName")),
                    str(body.get("Session")),
                    _texts(body, "ChallengeResponses"),
                )
        except Unauthenticated:
            raise LoginRefused("NotAuthorizedException", "Invalid session or token.") from None
        raise LoginRefused("InvalidParameterException", "This operation is not offered.")

    def _initiate(self, flow: str, values: dict[str, str]) -> Answer:
        if flow == "USER_PASSWORD_AUTH":
            user_id, password = values.get("USERNAME", ""), values.get("PASSWORD", "")
            return self._next_step(self._checked(user_id, password))
        if flow in ("REFRESH_TOKEN_AUTH", "REFRESH_TOKEN"):
            claims = self._tokens.check_private("refresh", values.get("REFRESH_TOKEN", ""))
            credential = self._of_claims(claims)
            return self._result(credential, has_mfa=claims.get("mfa") is True, is_refresh=True)
        raise LoginRefused("InvalidParameterException", f"Unknown flow {flow[:50]}.")

    def _respond(self, challenge: str, session: str, values: dict[str, str]) -> Answer:
        claims = self._tokens.check_private("session", session)
        if claims.get("challenge") != challenge:
            raise LoginRefused("NotAuthorizedException", "Invalid session for the challenge.")
        credential = self._of_claims(claims)
        if challenge == NEW_PASSWORD:
            return self._next_step(self._renewed(credential, values.get("NEW_PASSWORD", "")))
        self._check_code(credential, values.get("SOFTWARE_TOKEN_MFA_CODE", ""))
        return self._result(credential, has_mfa=True)

    # -- steps

    def _checked(self, user_id: str, password: str) -> Credential:
        self._take_try(user_id)
        credential = self._credentials.find(user_id) if 0 < len(user_id) <= 256 else None
        with self._hashes:
            is_right = credential.matches(password) if credential else spend_time(password)
        if credential is None or not is_right:
            self._record_wrong(user_id)
            raise _wrong()
        self._give_back_try(user_id)
        self._check_enabled(user_id)
        return credential

    def _next_step(self, credential: Credential) -> Answer:
        if credential.is_temporary:
            return self._challenge(credential, NEW_PASSWORD)
        if credential.code_secret:
            return self._challenge(credential, CODE)
        return self._result(credential, has_mfa=False)

    def _challenge(self, credential: Credential, name: str) -> Answer:
        session = self._tokens.issue_private(
            "session",
            credential.user_id,
            SESSION_SECONDS,
            challenge=name,
            generation=credential.generation,
        )
        parameters = {"USER_ID_FOR_SRP": credential.user_id}
        if name == NEW_PASSWORD:
            parameters |= {"requiredAttributes": "[]", "userAttributes": "{}"}
        return {"ChallengeName": name, "Session": session, "ChallengeParameters": parameters}

    def _renewed(self, credential: Credential, password: str) -> Credential:
        try:
            self._users.set_password(credential.user_id, password)
        except Failure as error:
            raise LoginRefused("InvalidPasswordException", error.message) from None
        renewed = self._credentials.find(credential.user_id)
        assert renewed is not None
        return renewed

    def _check_code(self, credential: Credential, code: str) -> None:
        self._take_try(credential.user_id)
        secret, is_number = credential.code_secret, code.isascii() and code.isdecimal()
        if not secret or not is_number or not is_code(secret, code, self._clock()):
            self._record_wrong(credential.user_id)
            raise LoginRefused("CodeMismatchException", "Invalid code.")

    def _result(self, credential: Credential, *, has_mfa: bool, is_refresh: bool = False) -> Answer:
        user_id = credential.user_id
        user = self._check_enabled(user_id)
        roles = self._access.caller(user_id, has_mfa=has_mfa).roles
        login = Login(
            user_id, user.email or user_id, user_id, roles, has_mfa, credential.generation
        )
        result: Answer = {
            "AccessToken": self._tokens.issue(login, "access"),
            "IdToken": self._tokens.issue(login, "id"),
            "TokenType": "Bearer",
            "ExpiresIn": SECONDS,
        }
        if not is_refresh:
            result["RefreshToken"] = self._tokens.issue_private(
                "refresh",
                user_id,
                REFRESH_SECONDS,
                generation=credential.generation,
                mfa=has_mfa,
            )
            with self._lock:
                self._tries.pop(user_id, None)
            self._audit.record("AUTHOTHER", None, "login", f"user/{user_id}", mfa=has_mfa)
        return {"AuthenticationResult": result, "ChallengeParameters": {}}

    # -- checks

    def _of_claims(self, claims: dict[str, Any]) -> Credential:
        """The credential of a session, unless the password has changed since."""
        credential = self._credentials.find(str(claims["sub"]))
        if credential is None or credential.generation != claims.get("generation"):
            raise LoginRefused("NotAuthorizedException", "Invalid session or token.")
        return credential

    def _check_enabled(self, user_id: str) -> User:
        user = self._store.find(User.key(user_id=user_id), consistent=True)
        if user is None:
            raise _wrong()
        if user.enabled is False:
            raise LoginRefused("NotAuthorizedException", "User is disabled.")
        return user

    def _take_try(self, user_id: str) -> None:
        """Count a try before it is made, so that many at once are not more than allowed."""
        name, now = user_id[:256], self._clock()
        with self._lock:
            tries = self._tries.get(name)
            if tries is None or now - tries.since >= WAIT_SECONDS:
                self._tries.pop(name, None)
                if len(self._tries) >= USERS_WATCHED_MAX:
                    del self._tries[next(iter(self._tries))]  # the oldest
                tries = self._tries[name] = _Tries(0, now)
            if tries.count >= TRIES_MAX:
                raise LoginRefused("NotAuthorizedException", "Password attempts exceeded")
            tries.count += 1

    def _give_back_try(self, user_id: str) -> None:
        """After a right password. Wrong ones still count until the login is complete."""
        with self._lock:
            if (tries := self._tries.get(user_id[:256])) is not None:
                tries.count -= 1

    def _record_wrong(self, user_id: str) -> None:
        self._audit.record("AUTHOTHER", None, "login", f"user/{user_id}", is_denied=True)


def _texts(body: Answer, name: str) -> dict[str, str]:
    values: Any = body.get(name)
    if not isinstance(values, dict):
        raise LoginRefused("InvalidParameterException", f"{name} must be an object.")
    fields = cast("dict[str, Any]", values)
    return {str(key): str(value) for key, value in fields.items()}
