"""Settings: caps, defaults, and values that cannot be used."""

from __future__ import annotations

import pytest

from sortkey.errors import NotConfigured
from sortkey_systems.wallcrawler.settings import Settings, normalized_timeout


@pytest.mark.accepts("WC-42")
@pytest.mark.parametrize(
    ("wanted", "of_project", "seconds"),
    [
        (120, 600, 120),
        (None, 600, 600),
        (None, None, 3600),
        (0, 600, 600),
        (-5, None, 3600),
        (999_999, 600, 7200),
        (None, 999_999, 7200),
    ],
)
def test_a_timeout_is_what_was_asked_for_below_the_cap(
    wanted: int | None, of_project: int | None, seconds: int
) -> None:
    # A request, else the project, else an hour; nobody gets around the operator's cap.
    assert normalized_timeout(wanted, of_project, 7200) == seconds


@pytest.mark.accepts("WC-42")
def test_both_variables_set_the_cap_and_the_documents_own_wins() -> None:
    # The original reads seconds; the document speaks of hours.
    seconds = {"WALLCRAWLER_MAX_SESSION_TIMEOUT": "900"}
    assert Settings.from_environment(seconds).timeout_seconds_max == 900
    both = {**seconds, "SESSION_TIMEOUT_HOURS": "2"}
    assert Settings.from_environment(both).timeout_seconds_max == 7200
    assert Settings.from_environment({}).timeout_seconds_max == 6 * 3600


@pytest.mark.parametrize(
    "environment",
    [
        {"SESSION_TIMEOUT_HOURS": "soon"},
        {"WALLCRAWLER_LEAVE_SECONDS": "-1"},
        {"WALLCRAWLER_READY_SECONDS": "nan"},
        {"WALLCRAWLER_REGION": "eu-west-9"},
    ],
)
def test_a_value_that_cannot_be_used_is_named(environment: dict[str, str]) -> None:
    # A server that starts with a default instead would surprise its operator much later.
    [name] = environment
    with pytest.raises(NotConfigured, match=name):
        Settings.from_environment(environment)


def test_the_authorizer_never_remembers_longer_than_five_minutes() -> None:
    # Whatever the operator writes: a revoked key on another machine must end.
    settings = Settings.from_environment({"WALLCRAWLER_AUTHORIZER_CACHE_SECONDS": "86400"})
    assert settings.authorizer_cache_seconds == 300
