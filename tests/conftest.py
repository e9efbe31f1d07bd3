"""What every test may use. The run's DynamoDB Local, if a test starts one, ends with the run."""

import os

import pytest
from hypothesis import settings

from tests.oracle.server import Lifeline

# The same examples every time: a red build is red for everyone. `--hypothesis-profile=explore`
# looks further.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# Servers that tests start for other things have no browser waiting; a test of waiting ones says so.
os.environ.setdefault("WALLCRAWLER_WARM", "0")

_lifeline = pytest.StashKey[Lifeline]()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(
        config, "workerinput"
    ):  # only the process that owns the run, not the workers of xdist
        config.stash[_lifeline] = Lifeline()


def pytest_unconfigure(config: pytest.Config) -> None:
    if lifeline := config.stash.get(_lifeline, None):
        lifeline.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes by itself begins first: at the end it would keep one core waiting for the
    other.
    """
    items.sort(key=lambda item: "web/test_app" not in item.nodeid)
