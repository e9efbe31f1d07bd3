"""A short run of the fuzzer with fixed seeds; `make fuzz` does a long one."""

from __future__ import annotations

import pytest

from tests.wire import fuzz


@pytest.mark.parametrize("seed", [1, 2])
def test_broken_requests_are_refused_and_never_fail_the_server(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Anybody who reaches the port can send them. The third session of each run asks for signatures.
    monkeypatch.setattr(fuzz, "REQUESTS_PER_SESSION", 500)
    outcome = fuzz.run(1500, seed)

    assert not outcome.faults, "\n\n".join(outcome.faults)
    assert outcome.answered["200"] > 100  # most are broken, but what is not still works
    assert outcome.answered["400"] > 500
