"""One database for each module of tests."""

import pytest

from tests.systems.vams.host import Requests
from tests.systems.vams.workflows.work import Work


@pytest.fixture(scope="module")
def work(requests: Requests) -> Work:
    return Work(requests)
