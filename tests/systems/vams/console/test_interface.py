"""The console as a client of the interface."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from sortkey_systems.vams.console.interface import Identity, Interface, OnlyLooking, Refusal
from tests.systems.vams.host import ADMIN, READER, Requests

T = TypeVar("T")


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


@pytest.fixture(scope="module")
def interface(requests: Requests) -> Interface:
    return Interface(requests.service)


def test_a_user_of_the_console_gets_what_the_routes_answer_to_that_user(
    requests: Requests, interface: Interface
) -> None:
    # A page that decided for itself could show what the interface hides.
    found = _run(interface.call(Identity(ADMIN), "GET", "/roles"))
    assert found == requests("GET", "/roles").json()
    with pytest.raises(Refusal) as refused:
        _run(interface.call(Identity(READER), "GET", "/roles"))
    assert refused.value.status == requests("GET", "/roles", user=READER).status_code == 403


def test_a_refusal_says_why_without_the_prefix_of_the_interface(interface: Interface) -> None:
    # People read it in a dialog.
    with pytest.raises(Refusal, match=r"^the role ghost does not exist$"):
        _run(interface.call(Identity(ADMIN), "DELETE", "/roles/ghost"))


def test_whoever_sees_as_a_colleague_changes_nothing_in_their_name(
    requests: Requests, interface: Interface
) -> None:
    # It would stand in the audit log as the colleague's doing.
    looking = Identity(ADMIN, seen_by="boss@example.com")
    role = {"roleName": "sneaked", "description": "in"}
    with pytest.raises(OnlyLooking):
        _run(interface.call(looking, "POST", "/roles", role))
    names = [row["roleName"] for row in requests("GET", "/roles").json()["message"]["Items"]]
    assert "sneaked" not in names
    assert "message" in _run(interface.call(looking, "GET", "/roles"))


def test_what_is_denied_to_a_colleague_that_somebody_sees_as_names_both(
    requests: Requests, interface: Interface
) -> None:
    # The colleague did not try it.
    with pytest.raises(Refusal):
        _run(interface.call(Identity(READER, seen_by=ADMIN), "GET", "/auth/api-keys"))
    day = requests.service.now().strftime("%Y-%m-%d")
    denials = requests.service.audit.of_day(day, "AUTHORIZATION")
    mine = [each for each in denials if "api-keys" in str(each.detail.get("object"))]
    assert mine[0].actor == READER
    assert mine[0].detail["seenBy"] == ADMIN


def test_lists_are_read_to_their_end(requests: Requests, interface: Interface) -> None:
    # Otherwise a choice in a form lacks what is on the second page.
    for number in range(5):
        body = {"roleName": f"paged{number}", "description": "of a test"}
        assert requests("POST", "/roles", body).status_code == 200

    async def names() -> list[str]:
        rows = interface.items(Identity(ADMIN), "/roles", {"pageSize": 2})
        return [row["roleName"] async for row in rows]

    found = _run(names())
    assert {f"paged{number}" for number in range(5)} <= set(found)
    assert len(found) == len(set(found))
