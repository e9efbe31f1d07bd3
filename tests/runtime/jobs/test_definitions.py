"""Job functions and how long they wait before another try."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sortkey import Backoff, JobContext, JobWorker, job
from sortkey.errors import ModelError


def test_pauses_grow_up_to_a_limit() -> None:
    # Without chance: 1, 2, 4, 8, then no more than the most.
    backoff = Backoff(first_seconds=1, factor=2, max_seconds=10, jitter=0.5)
    assert [backoff.seconds(n, lambda: 0.0) for n in (1, 2, 3, 4, 5, 5000)] == [1, 2, 4, 8, 10, 10]
    assert backoff.seconds(3, lambda: 1.0) == 2


@given(some.integers(1, 10**6), some.floats(0, 1))
def test_a_pause_is_never_longer_than_the_most_nor_shorter_than_its_jitter_allows(
    failures: int, chance: float
) -> None:
    # However often it failed.
    backoff = Backoff(first_seconds=0.5, factor=3, max_seconds=60, jitter=0.25)
    assert 0.375 <= backoff.seconds(failures, lambda: chance) <= 60


@pytest.mark.parametrize("settings", [{"timeout": 0}, {"retries": -1}, {"log_buffer": 0}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ModelError, match="job odd"):
        job("odd", **settings)  # type: ignore[arg-type]


def test_an_async_function_is_refused() -> None:
    # It would give a coroutine that nobody awaits, and the job would be completed.
    async def odd(ctx: JobContext) -> None: ...

    with pytest.raises(ModelError, match="is async"):
        job("odd")(odd)


def test_a_job_function_can_be_called_as_it_is() -> None:
    # So that a test of it needs no queue.
    @job("add")
    def add(ctx: JobContext, a: int, b: int = 2) -> int:
        return a + b

    assert add(None, 1) == 3  # type: ignore[arg-type]
    assert (add.name, add.retries, add.timeout_seconds) == ("add", 3, 1800)


def test_two_functions_of_one_name_are_refused() -> None:
    one = job("same")(lambda ctx: None)
    with pytest.raises(ModelError, match="two jobs have the name 'same'"):
        JobWorker(None, [one, one])  # type: ignore[arg-type]
