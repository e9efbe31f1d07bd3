"""Settings of the service, read from the environment once. Every limit and every time has its place
here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from sortkey.errors import NotConfigured
from sortkey_systems.wallcrawler.model import DEFAULT_TIMEOUT_SECONDS

N = TypeVar("N", int, float)

Region = Literal["us-west-2", "us-east-1", "eu-central-1", "ap-southeast-1"]
REGIONS: tuple[str, ...] = get_args(Region)
"""Clients refuse a session in any other region."""
TIMEOUT_HOURS = "SESSION_TIMEOUT_HOURS"
TIMEOUT_SECONDS = "WALLCRAWLER_MAX_SESSION_TIMEOUT"
"""The same cap in seconds; the hours win where both are given."""
AUTHORIZER_CACHE_SECONDS_MAX = 300.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator can change. Names of the environment stand in `from_environment`."""

    timeout_seconds_max: int = 6 * 3600
    """The cap of every session."""
    ready_seconds: float = 45.0
    """How long a create waits for its browser."""
    leave_seconds: float = 2.0
    """Without keepAlive a session ends so long after its last client left."""
    unused_seconds: float = 300.0
    """Without keepAlive a session that nobody connected to ends after so long."""
    return_seconds: float = 15.0
    """After a restart of the server, clients have so long to come back to a session."""
    ttl_grace_seconds: int = 24 * 3600
    """How long after its window the item of a session is deleted, with its files."""
    authorizer_cache_seconds: float = AUTHORIZER_CACHE_SECONDS_MAX
    records_last_use: bool = True
    """Whether the authorizer notes when a key was used, once for each time it looks it up."""
    region: str = "us-east-1"
    """Of sessions that ask for none. Informational."""
    upload_bytes_max: int = 50 << 20
    extension_bytes_max: int = 50 << 20
    sessions_listed_max: int = 1000

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Settings by WALLCRAWLER_… variables. Raises NotConfigured for a value that cannot be
        used.
        """
        default = cls()
        region = environment.get("WALLCRAWLER_REGION", default.region)
        if region not in REGIONS:
            raise NotConfigured(f"WALLCRAWLER_REGION={region!r}: choose from {', '.join(REGIONS)}")
        cache = read_number(
            environment,
            "WALLCRAWLER_AUTHORIZER_CACHE_SECONDS",
            float,
            default.authorizer_cache_seconds,
        )
        return cls(
            timeout_seconds_max=_timeout_cap(environment, default.timeout_seconds_max),
            ready_seconds=read_number(
                environment, "WALLCRAWLER_READY_SECONDS", float, default.ready_seconds
            ),
            leave_seconds=read_number(
                environment, "WALLCRAWLER_LEAVE_SECONDS", float, default.leave_seconds
            ),
            unused_seconds=read_number(
                environment, "WALLCRAWLER_UNUSED_SECONDS", float, default.unused_seconds
            ),
            return_seconds=read_number(
                environment, "WALLCRAWLER_RETURN_SECONDS", float, default.return_seconds
            ),
            ttl_grace_seconds=read_number(
                environment, "WALLCRAWLER_TTL_GRACE_SECONDS", int, default.ttl_grace_seconds
            ),
            authorizer_cache_seconds=min(cache, AUTHORIZER_CACHE_SECONDS_MAX),
            records_last_use=environment.get("WALLCRAWLER_RECORD_LAST_USE", "1") != "0",
            region=region,
        )


def normalized_timeout(wanted: int | None, project_default: int | None, cap: int) -> int:
    """Seconds of a session: as asked for, else the project's default, else an hour; never above the
    cap.
    """
    usable = [
        seconds for seconds in (wanted, project_default) if seconds is not None and seconds > 0
    ]
    return min(usable[0] if usable else DEFAULT_TIMEOUT_SECONDS, cap)


def _timeout_cap(environment: Mapping[str, str], default: int) -> int:
    if TIMEOUT_HOURS in environment:
        return max(1, int(read_number(environment, TIMEOUT_HOURS, float, 0.0) * 3600))
    return max(1, read_number(environment, TIMEOUT_SECONDS, int, default))


def read_number(
    environment: Mapping[str, str], name: str, kind: Callable[[str], N], default: N
) -> N:
    """A number of the environment, or the default. Raises NotConfigured for a text that is none."""
    text = environment.get(name)
    if text is None:
        return default
    try:
        value = kind(text)
    except ValueError:
        raise NotConfigured(f"{name}={text!r} must be a number") from None
    if not 0 <= value < 10**9:
        raise NotConfigured(f"{name}={text!r} must be 0 or more, and finite")
    return value
