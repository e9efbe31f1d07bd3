"""`Caller`: on whose behalf a request, a command or a job acts."""

from __future__ import annotations

from dataclasses import dataclass

SYSTEM_USER = "SYSTEM_USER"
"""Runs pipelines and automatic workflows. It has the role admin in a new installation."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A user with the roles that count in this session."""

    user_id: str
    roles: tuple[str, ...] = ()
    """Without those that require MFA, unless the session has it."""
    has_mfa: bool = False
    api_key_id: str | None = None
    """The API key of the request; None for a token."""
    is_signed_in: bool = False
    """By a login here, so that the user has a row; others may be known elsewhere only."""
    seen_by: str | None = None
    """Who looks at the console as this user; the audit log names them too."""
