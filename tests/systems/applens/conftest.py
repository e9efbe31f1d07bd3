"""AppLens's service in both homes, with its tables."""

import pytest

from sortkey_systems.applens.service import AppLens
from tests.systems.homes import Home


@pytest.fixture
def service(home: Home) -> AppLens:
    made = AppLens(home.store)
    made.ensure()
    return made
