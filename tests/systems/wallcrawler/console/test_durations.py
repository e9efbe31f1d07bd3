"""Times as the console says them."""

from datetime import UTC, datetime, timedelta

import pytest

from sortkey_systems.wallcrawler.console.durations import lasted, spoken
from sortkey_systems.wallcrawler.model import Session

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"),
        (0.4, "0 s"),
        (59, "59 s"),
        (61, "1 min"),
        (3600, "1 h"),
        (3 * 3600 + 20 * 60 + 5, "3 h 20 min"),
        (86400 + 28 * 60, "1 d"),
        (2 * 86400 + 4 * 3600, "2 d 4 h"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds: float, text: str) -> None:
    # "1 d 28 min" is more exact than anybody wants to know.
    assert spoken(seconds) == text


def test_a_session_that_never_started_lasted_nothing() -> None:
    # Its browser did not come up: "0 s" would say that it did.
    session = Session(
        session_id="sess_1", project_id="p", expires_at=NOON, signing_key="k", ended_at=NOON
    )
    assert lasted(session, NOON) == ""
    started = session.changed(started_at=NOON - timedelta(minutes=5))
    assert lasted(started, NOON + timedelta(hours=1)) == "5 min"
