"""The sessions of the sample: who used a browser for what, and how each of them ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sortkey_systems.wallcrawler.model import InternalStatus

DEFAULT, RETAIL, TESTS, ARCHIVE = (
    "project_default",
    "project_pricewatch",
    "project_e2e",
    "project_archive",
)
HOUR, WEEK = timedelta(hours=1), timedelta(days=7)

Steps = tuple[InternalStatus, ...]
ACTIVE: Steps = ("PROVISIONING", "READY", "ACTIVE")
ENDING: Steps = (*ACTIVE, "TERMINATING")
RELEASED: Steps = (*ENDING, "STOPPED")
RETRIED: Steps = ("STARTING", "PROVISIONING", "READY", "ACTIVE", "TERMINATING", "STOPPED")
REJOINED: Steps = (*ACTIVE, "READY", "ACTIVE", "TERMINATING", "STOPPED")
BROKEN: Steps = ("STARTING", "PROVISIONING", "FAILED")
CRASHED: Steps = (*ACTIVE, "FAILED")
TOO_LATE: Steps = ("PROVISIONING", "TIMED_OUT")
EXPIRED: Steps = (*ACTIVE, "TIMED_OUT")


@dataclass(frozen=True, slots=True)
class Sample:
    """A session: how long ago it began, how long its window is, and the steps it has made since
    CREATING.
    """

    name: str
    project_id: str
    ago: timedelta
    window: timedelta
    steps: Steps
    about: dict[str, Any]
    context: str | None = None
    minutes_worked: int = 12

    @property
    def session_id(self) -> str:
        return f"sess_{self.name}"

    @property
    def seed(self) -> int:
        """A number for what differs from session to session."""
        return sum(self.name.encode())


def minutes(count: int) -> timedelta:
    return timedelta(minutes=count)


def days(count: int) -> timedelta:
    return timedelta(days=count)


def _shop(goods: str, shop: str) -> dict[str, Any]:
    return {
        "task": f"Prices of {goods}",
        "startUrl": f"https://{shop}.example/",
        "schedule": "every 4 hours",
    }


def _check(journey: str, build: int) -> dict[str, Any]:
    return {"task": f"End-to-end: {journey}", "build": build, "browserVersion": "129.0"}


SESSIONS = (
    Sample(
        "4f2a",
        DEFAULT,
        minutes(50),
        3 * WEEK,
        RELEASED,
        {"task": "Fill in the visa form", "user": "ada"},
        "77aa",
    ),
    Sample(
        "70d9",
        DEFAULT,
        minutes(125),
        3 * WEEK,
        REJOINED,
        {"task": "Try Playwright over CDP", "user": "linus"},
    ),
    Sample(
        "83ee",
        DEFAULT,
        days(1),
        3 * WEEK,
        RELEASED,
        {"task": "Book a meeting room", "user": "grace"},
        "77aa",
        4,
    ),
    Sample(
        "8a07",
        DEFAULT,
        days(2),
        3 * WEEK,
        RELEASED,
        {"task": "Read the tram timetable", "user": "ada"},
        None,
        2,
    ),
    Sample(
        "9c44",
        DEFAULT,
        days(2),
        3 * WEEK,
        TOO_LATE,
        {"task": "Render a map of 9 MB", "user": "linus"},
    ),
    Sample(
        "a0b1",
        RETAIL,
        days(3),
        4 * WEEK,
        EXPIRED,
        _shop("espresso machines", "cafe-nord"),
        "c0ff",
        240,
    ),
    Sample(
        "a1f7", RETAIL, days(3), 4 * WEEK, REJOINED, _shop("running shoes", "sprint"), "50e5", 58
    ),
    Sample("a2c3", RETAIL, days(2), 4 * WEEK, RETRIED, _shop("night trains to Vienna", "nachtzug")),
    Sample(
        "a3d8",
        RETAIL,
        days(2),
        4 * WEEK,
        CRASHED,
        _shop("garden furniture", "gruen-und-co"),
        None,
        41,
    ),
    Sample(
        "a4e2", RETAIL, days(1), 4 * WEEK, RELEASED, _shop("e-bikes", "velo-utrecht"), "b1ce", 95
    ),
    Sample("a5b6", RETAIL, days(1), 4 * WEEK, BROKEN, _shop("board games", "spielkiste")),
    Sample(
        "a6f0", RETAIL, minutes(95), 4 * WEEK, RELEASED, _shop("olive oil", "frantoio"), "c0ff", 33
    ),
    Sample("e201", TESTS, days(1), 2 * WEEK, RELEASED, _check("guest checkout", 4182), None, 3),
    Sample("e202", TESTS, days(1), 2 * WEEK, RELEASED, _check("password reset", 4182), None, 2),
    Sample(
        "e203", TESTS, days(1), 2 * WEEK, CRASHED, _check("upload of 200 photos", 4182), None, 9
    ),
    Sample("e204", TESTS, minutes(40), 2 * WEEK, RELEASED, _check("guest checkout", 4190), None, 3),
    Sample("e205", TESTS, minutes(38), 2 * WEEK, RELEASED, _check("password reset", 4190), None, 2),
    Sample(
        "e206",
        TESTS,
        minutes(29),
        2 * WEEK,
        RELEASED,
        _check("upload of 200 photos", 4190),
        None,
        8,
    ),
)
