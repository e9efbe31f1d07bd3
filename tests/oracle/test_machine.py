"""The random machine in the test suite: a fixed walk of 2,000 requests, and Hypothesis looking for
a shorter one.
"""

import random
import secrets

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.oracle.machine import Session, run
from tests.oracle.pair import Pair, Stuck


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_two_thousand_random_requests_have_no_unexplained_difference(pair: Pair, seed: int) -> None:
    # Four walks of 500, so that two workers share them. `make oracle` goes 20,000 steps.
    assert run(pair, requests=500, seed=seed, differences_max=3) == []


@pytest.mark.slow
def test_hypothesis_finds_no_walk_that_differs(pair: Pair) -> None:
    # Each step is a seed: when a walk differs, Hypothesis drops the steps that do not matter.
    class Machine(RuleBasedStateMachine):
        @initialize(seed=st.integers(0, 2**32))
        def open(self, seed: int) -> None:
            self.session = Session(pair, f"hypothesis-{secrets.token_hex(4)}", random.Random(seed))
            self.is_stuck = False

        @rule(seed=st.integers(0, 2**32))
        def step(self, seed: int) -> None:
            if self.is_stuck:
                return
            try:
                self.session.step(random.Random(seed))
            except Stuck as stuck:  # the oracle's own fault: nothing to compare on this walk
                self.is_stuck = True
                print(f"given up: {stuck}")

        def teardown(self) -> None:
            if hasattr(self, "session"):
                if not self.is_stuck:
                    self.session.compare_everything()
                self.session.close()

    short = settings(
        max_examples=15, stateful_step_count=20, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Machine, settings=short)
