"""The host: tables of its systems are created once, and what differs in them is reported with what
to do.
"""

from __future__ import annotations

import pytest
from fastapi import APIRouter, Request
from fastapi.testclient import TestClient

from sortkey import Table
from sortkey.errors import ModelError
from sortkey.systems import SharedResources, find_system
from sortkey.web import Host, Mount, make_app
from sortkey.web.guards import JSON_BYTES_MAX


def test_a_table_that_differs_is_reported_once_with_the_command_that_helps(
    sortkey_shared: SharedResources, caplog: pytest.LogCaptureFixture
) -> None:
    # Whoever reads it twice looks for a second difference; whoever reads no name does not know what
    # to plan.
    sortkey_shared.store.ensure(Table("wallcrawler-sessions", key=("sessionId",)))
    Host(sortkey_shared, [find_system("wallcrawler")])
    lines = [
        each.getMessage() for each in caplog.records if "wallcrawler-sessions" in each.getMessage()
    ]
    assert lines
    assert len(lines) == len(set(lines))
    assert all(line.endswith("run `sortkey plan wallcrawler` to see what to do") for line in lines)


def test_a_system_at_the_root_has_no_name_in_its_paths_and_in_its_url(
    sortkey_shared: SharedResources,
) -> None:
    # Clients of other servers have their paths built in: only the address can be changed.
    host = Host(sortkey_shared, [find_system("applens")], at_root=True)
    client = TestClient(host.app)
    assert client.get("/runs").status_code == 401
    assert client.get("/applens/runs").status_code == 404
    assert client.get("/health").json()["systems"] == ["applens"]
    assert sortkey_shared.of("applens", at_root=True).url == sortkey_shared.url
    with pytest.raises(ModelError, match="one system"):
        Host(sortkey_shared, [], at_root=True)


def test_only_the_routes_that_say_so_take_large_bodies() -> None:
    # A file of a system may be larger than a megabyte; the JSON of its other routes may not.
    router = APIRouter()

    @router.post("/files/{name}")
    @router.post("/notes/{name}")
    async def size(request: Request) -> int:
        return len(await request.body())

    for at_root, prefix in ((False, "/shop"), (True, "")):
        mount = Mount("shop", router, at_root=at_root, large_bodies=("/files/*",))
        client, large = TestClient(make_app([mount])), b"x" * (JSON_BYTES_MAX + 1)
        assert client.post(f"{prefix}/files/a", content=large).json() == len(large)
        assert client.post(f"{prefix}/notes/a", content=large).status_code == 413
