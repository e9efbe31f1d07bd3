"""Sample tenants: projects with their keys and contexts, and sessions that have ended, in every way
a session can end.

None is running: the service would look for its browser, and find none. Their items are kept for
weeks, for TTL takes what is overdue.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, Literal

from sortkey import Store
from sortkey.systems import Resources
from sortkey_systems.wallcrawler.local_key import offer_local_key
from sortkey_systems.wallcrawler.model import (
    SHOWN_AS,
    ApiKey,
    Context,
    Event,
    Project,
    Session,
    api_key_hash,
    recorded,
)
from sortkey_systems.wallcrawler.sample_sessions import (
    ARCHIVE,
    BROKEN,
    CRASHED,
    DEFAULT,
    EXPIRED,
    HOUR,
    RETAIL,
    SESSIONS,
    TESTS,
    Sample,
    days,
    minutes,
)

REGION = "eu-central-1"
TASKS = f"arn:aws:ecs:{REGION}:111122223333:task/wallcrawler"

State = Literal["ACTIVE", "INACTIVE"]

CONTEXTS = (
    ("77aa", "Ada at the visa portal", DEFAULT, 40),
    ("c0ff", "Café Nord, Oslo", RETAIL, 31),
    ("50e5", "Sprint, with a loyalty card", RETAIL, 24),
    ("b1ce", "Velo Utrecht", RETAIL, 11),
)
"""Chrome profiles: the id, the name, whose, and since how many days."""


def load_into(resources: Resources) -> str:
    """Load the sample data into the tables of a host, and a key that works; the text is how to use
    it.
    """
    load(resources.store)
    return offer_local_key(resources)


def load(store: Store, now: datetime | None = None) -> None:
    """Put the tenants into the tables, unless they are there."""
    if store.find(Project.key(project_id=ARCHIVE)) is not None:
        return
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    store.batch_write([*_api_keys(now), *_contexts(now)])
    for sample in SESSIONS:
        _run(store, sample, now)
    # Last, and the archive's at the end: what was interrupted is loaded again.
    store.batch_write(_projects(store, now))


def _used(store: Store, project_id: str) -> dict[str, int]:
    """What the sessions of a project have used, as the service counts it at their ends."""
    ended = store.query(Session.of_project(project_id=project_id))
    spans = ((each.started_at, each.ended_at) for each in ended)
    seconds = sum(round((end - start).total_seconds()) for start, end in spans if start and end)
    return {"used_seconds": seconds, "used_proxy_bytes": sum(each.proxy_bytes for each in ended)}


def _projects(store: Store, now: datetime) -> list[Project]:
    rows: tuple[tuple[str, str, str, timedelta, int, State, str | None, int], ...] = (
        (DEFAULT, "First steps", "user_ada", HOUR, 5, "ACTIVE", "free", 90),
        (RETAIL, "Price watch", "org_market_research", 4 * HOUR, 20, "ACTIVE", "scale", 60),
        (TESTS, "Nightly end-to-end tests", "org_platform", 2 * HOUR, 10, "ACTIVE", "team", 45),
        (ARCHIVE, "Catalogue crawler of 2024", "org_platform", HOUR, 2, "INACTIVE", None, 400),
    )
    return [
        Project(
            project_id=project_id,
            name=name,
            owner_id=owner,
            default_timeout=int(timeout.total_seconds()),
            concurrency=concurrency,
            status=status,
            billing_tier=tier,
            **_used(store, project_id),
            created_at=now - days(age),
            updated_at=now - days(age // 3),
        )
        for project_id, name, owner, timeout, concurrency, status, tier, age in rows
    ]


def _api_keys(now: datetime) -> list[ApiKey]:
    """Keys that open nothing: the active ones are of raw keys that nobody knows, those that can be
    read are revoked.
    """
    rows: tuple[tuple[str, str, str, str, list[str], State, int], ...] = (
        ("wc_sample_laptop", "key_laptop", "Ada's first laptop", DEFAULT, [], "INACTIVE", 1),
        (token_urlsafe(32), "key_worker", "Price watch, worker", RETAIL, [DEFAULT], "ACTIVE", 0),
        (token_urlsafe(32), "key_ci", "CI", TESTS, [DEFAULT, RETAIL], "ACTIVE", 0),
        (token_urlsafe(32), "key_ci_2025", "CI, before the rotation", TESTS, [], "INACTIVE", 70),
        (token_urlsafe(32), "key_crawler", "Catalogue crawler", ARCHIVE, [], "INACTIVE", 380),
    )
    return [
        ApiKey(
            api_key_hash=api_key_hash(raw),
            key_id=key_id,
            name=name,
            project_id=project_id,
            project_ids=more,
            status=status,
            created_at=now - days(age + 30),
            last_used_at=now - days(age),
        )
        for raw, key_id, name, project_id, more, status, age in rows
    ]


def _contexts(now: datetime) -> list[Context]:
    return [
        Context(
            context_id=f"ctx_{context_id}",
            name=name,
            project_id=project_id,
            created_at=now - days(age),
            updated_at=now - days(age // 8),
        )
        for context_id, name, project_id, age in CONTEXTS
    ]


# -- sessions


def _run(store: Store, sample: Sample, now: datetime) -> None:
    """Create a session as sessions-create does, and take it through its steps."""
    ago = sample.ago * (1 + sample.seed % 20 / 100)  # nobody begins on the hour
    at = (now - ago).replace(microsecond=0)
    ends = at + sample.window
    session = Session(
        session_id=sample.session_id,
        project_id=sample.project_id,
        created_at=at,
        updated_at=at,
        expires_at=ends,
        keep_alive=sample.project_id == RETAIL,
        region=REGION,
        signing_key=_token(sample, ends),
        context_id=sample.context and f"ctx_{sample.context}",
        context_persist=sample.project_id == RETAIL and sample.context is not None,
        user_metadata=sample.about,
    )
    # It replaces what is there: a sample that was interrupted starts again.
    store.batch_write([session])
    for number, step in enumerate(sample.steps):
        at += _lasted(sample, number)
        event = _event(sample, number, at)
        changed = {"internal_status": step, "updated_at": at, **_learned(sample, number, at)}
        store.update(Session.key(session_id=sample.session_id), *recorded(event), set=changed)


def _lasted(sample: Sample, number: int) -> timedelta:
    """How long it took to the next step: seconds, and minutes where a client was at work."""
    before = sample.steps[number - 1] if number else "CREATING"
    return (
        min(minutes(sample.minutes_worked), sample.ago / 2)
        if before == "ACTIVE"
        else timedelta(seconds=9)
    )


def _learned(sample: Sample, number: int, at: datetime) -> dict[str, Any]:
    """What is known of a session at one of its steps."""
    step, seed = sample.steps[number], sample.seed
    if step == "READY" and "READY" not in sample.steps[:number]:
        return {
            "started_at": at,
            "public_ip": f"203.0.113.{seed % 250 + 1}",
            "ecs_task_arn": f"{TASKS}/{_hex(sample.name)[:32]}",
        }
    if step == "ACTIVE":
        return {
            "proxy_bytes": seed * 41_213,
            "avg_cpu_usage": seed % 60 + 12.5,
            "memory_usage": seed % 900 + 310.0,
        }
    if step == "PROVISIONING" and number:
        return {"retry_count": 1}
    if SHOWN_AS[step] == "RUNNING":
        return {}
    return {"ended_at": at, "end_reason": _reason(sample)}


def _reason(sample: Sample) -> str:
    """Why it ended, in the words of the service."""
    if sample.steps[-1] == "STOPPED":
        return "released" if sample.project_id == RETAIL else "the last client has left"
    if sample.steps == CRASHED:
        return "the browser has stopped: out of memory"
    if sample.steps == BROKEN:
        return "the browser did not start"
    return "its window has closed" if sample.steps == EXPIRED else "not ready within 45 seconds"


def _event(sample: Sample, number: int, at: datetime) -> Event:
    step = sample.steps[number]
    is_task = step in ("PROVISIONING", "STARTING", "FAILED")
    return Event(
        id=_hex(f"{sample.name} {number}")[:12],
        source="aws.ecs" if is_task else "wallcrawler.sessions",
        detail_type="ECS Task State Change" if is_task else "Session Status Change",
        time=at.isoformat(),
        detail={"sessionId": sample.session_id, "internalStatus": step},
    )


def _token(sample: Sample, ends: datetime) -> str:
    """A JWT like the real one, signed with a secret that everybody knows."""
    claims = {
        "iss": "wallcrawler",
        "aud": "cdp-access",
        "sub": sample.session_id,
        "projectId": sample.project_id,
    }
    parts = [{"alg": "HS256", "typ": "JWT"}, {**claims, "exp": int(ends.timestamp())}]
    signed = b".".join(_base64(json.dumps(part).encode()) for part in parts)
    return (signed + b"." + _base64(hmac.digest(b"sample", signed, "sha256"))).decode()


def _base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def _hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()
