"""/v1/projects over HTTP: the projects of a key and what they used."""

from __future__ import annotations

import pytest

from tests.systems.wallcrawler.routes.test_sessions import refused
from tests.systems.wallcrawler.served import ONE, OTHER, Served


@pytest.mark.accepts("WC-29", "WC-44")
def test_a_key_sees_its_own_projects(without_browsers: Served) -> None:
    # Strings and numbers as the clients' types have them; an owner that is unknown is empty.
    one = without_browsers.one
    [project] = one.get("/v1/projects").json()
    assert project.keys() == {
        "id",
        "name",
        "ownerId",
        "defaultTimeout",
        "concurrency",
        "createdAt",
        "updatedAt",
    }
    assert (project["id"], project["ownerId"], project["concurrency"]) == (ONE, "", 5)
    assert one.get(f"/v1/projects/{ONE}").json() == project
    assert one.get(f"/v1/projects/{ONE}/usage").json() == {"browserMinutes": 0, "proxyBytes": 0}
    for path in ("", "/usage"):
        refused(one.get(f"/v1/projects/{OTHER}{path}"), 404)
