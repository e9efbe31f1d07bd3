"""Subscriptions by requests."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sortkey_systems.vams.model import Subscription, User
from tests.systems.vams.host import ADMIN, READER, Requests, hosted
from tests.systems.vams.stock import (
    EVERY_VERB,
    add_user,
    make_asset,
    make_separate_database,
)

EVENT = "Asset Version Change"


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("vams")) as opened:
        opened.make_database("plant")
        make_separate_database(opened, "museum")
        for name in ("pump", "twin", "hall"):
            make_asset(opened, "plant", name)
        make_asset(opened, "museum", "twin")
        yield opened


def body(*users: str, asset_id: str = "pump", **more: Any) -> dict[str, Any]:
    subscribers = {"subscribers": list(users)} if users else {}
    return {
        "eventName": EVENT,
        "entityName": "Asset",
        "entityId": asset_id,
        **subscribers,
        **more,
    }


def listed(requests: Requests, user: str = ADMIN) -> dict[tuple[str, str], dict[str, Any]]:
    answer = requests("GET", "/subscriptions", user=user)
    assert answer.status_code == 200, answer.text
    items = answer.json()["message"]["Items"]
    return {(row["databaseId"], row["entityId"]): row for row in items}


def check(requests: Requests, user_id: str, asset_id: str = "pump", **more: Any) -> str:
    wanted = {"userId": user_id, "assetId": asset_id, **more}
    answer = requests("POST", "/check-subscription", wanted, user=READER)
    assert answer.status_code == 200, answer.text
    return answer.json()["message"]


@pytest.mark.accepts("VA-24")
def test_users_subscribe_are_replaced_and_unsubscribe(requests: Requests) -> None:
    # One round of all verbs.
    done = {"message": "success"}
    assert requests("POST", "/subscriptions", body(READER)).json() == done
    assert listed(requests)["plant", "pump"] == {
        "eventName": EVENT,
        "entityName": "Asset",
        "entityId": "pump",
        "entityValue": "pump",
        "databaseId": "plant",
        "subscribers": [READER],
    }
    assert check(requests, READER) == "success"
    assert check(requests, ADMIN) != "success"
    again = requests("POST", "/subscriptions", body(ADMIN, READER))
    assert again.status_code == 400
    assert check(requests, ADMIN) != "success"
    assert requests("PUT", "/subscriptions", body(ADMIN)).json() == done
    assert listed(requests)["plant", "pump"]["subscribers"] == [ADMIN]
    assert requests("POST", "/subscriptions", body(READER)).json() == done
    assert requests("DELETE", "/unsubscribe", body(ADMIN)).json() == done
    assert listed(requests)["plant", "pump"]["subscribers"] == [READER]
    assert requests("DELETE", "/subscriptions", body()).json() == done
    assert ("plant", "pump") not in listed(requests)
    key = Subscription.key(event_name=EVENT, entity_name="Asset", entity_id="pump")
    assert requests.service.store.find(key) is None


@pytest.mark.parametrize(
    ("method", "path", "wanted", "status"),
    [
        ("POST", "/subscriptions", body("nobody@example.com"), 400),
        ("POST", "/subscriptions", body("mute"), 400),
        ("POST", "/subscriptions", body(READER, asset_id="nothing"), 404),
        ("POST", "/subscriptions", body(READER, eventName="Rain"), 400),
        ("POST", "/subscriptions", body(READER, entityName="Database"), 400),
        ("POST", "/subscriptions", body(), 400),
        ("PUT", "/subscriptions", body(READER), 404),
        ("DELETE", "/subscriptions", body(), 404),
        ("DELETE", "/subscriptions", None, 400),
        ("DELETE", "/unsubscribe", body(READER), 404),
        ("POST", "/check-subscription", {"userId": READER, "assetId": "nothing"}, 404),
    ],
)
def test_what_is_wrong_is_refused(
    requests: Requests, method: str, path: str, wanted: Any, status: int
) -> None:
    # A user without an address could never be notified.
    requests.service.store.put(User(user_id="mute"))
    answer = requests(method, path, wanted)
    assert answer.status_code == status, answer.text


def test_who_may_not_see_an_asset_sees_no_subscription(requests: Requests) -> None:
    # Writing asks for POST on the asset, which a reader does not have.
    requests("POST", "/subscriptions", body(READER, asset_id="hall"))
    add_user(requests, "sue@example.com", ("asset", EVERY_VERB, {"databaseId": "museum"}))
    user = "sue@example.com"
    assert listed(requests, user) == {}
    wanted = {"userId": READER, "assetId": "hall"}
    assert requests("POST", "/check-subscription", wanted, user=user).status_code == 403
    for method, path in (
        ("POST", "/subscriptions"),
        ("PUT", "/subscriptions"),
        ("DELETE", "/subscriptions"),
        ("DELETE", "/unsubscribe"),
    ):
        wanted = body(READER, asset_id="hall")
        assert requests(method, path, wanted, user=user).status_code == 403
        assert requests(method, path, wanted, user=READER).status_code == 403
    assert ("plant", "hall") in listed(requests, READER)


def test_two_assets_of_one_id_have_their_own_subscribers(requests: Requests) -> None:
    # A row names the asset without its database.
    twin = {"asset_id": "twin"}
    assert requests("POST", "/subscriptions", body(READER, **twin)).status_code == 400
    for database_id, user in (("plant", READER), ("museum", ADMIN)):
        wanted = body(user, **twin, databaseId=database_id)
        assert requests("POST", "/subscriptions", wanted).status_code == 200
    assert listed(requests)["plant", "twin"]["subscribers"] == [READER]
    assert listed(requests)["museum", "twin"]["subscribers"] == [ADMIN]
    assert check(requests, ADMIN, "twin", databaseId="plant") != "success"
    key = Subscription.key(event_name=EVENT, entity_name="Asset", entity_id="twin")
    assert set(requests.service.store.get(key).subscribers) == {READER, ADMIN}
    asset = requests.service.assets.find("plant", "twin")
    assert asset is not None
    requests.service.subscriptions.remove_all(asset)
    requests.service.subscriptions.remove_all(asset)
    assert set(listed(requests)) & {("plant", "twin"), ("museum", "twin")} == {("museum", "twin")}


def test_a_row_of_another_program_counts_for_each_asset_of_its_id(requests: Requests) -> None:
    # It does not say which database it means.
    row = Subscription(
        event_name=EVENT, entity_name="Asset", entity_id="twin", subscribers=(READER,)
    )
    requests.service.store.put(row)
    assert check(requests, READER, "twin", databaseId="museum") == "success"
    wanted = body(READER, asset_id="twin", databaseId="plant")
    assert requests("DELETE", "/unsubscribe", wanted).status_code == 200
    assert check(requests, READER, "twin", databaseId="museum") == "success"
    assert check(requests, READER, "twin", databaseId="plant") != "success"


def test_two_who_subscribe_at_once_are_both_subscribed(requests: Requests) -> None:
    # The row is read, changed and written.
    make_asset(requests, "plant", "busy")
    users = [f"user{number}@example.com" for number in range(4)]
    for user in users:
        requests.add_user(user)
    wanted = [body(user, asset_id="busy") for user in users]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda each: requests("POST", "/subscriptions", each), wanted))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert set(listed(requests)["plant", "busy"]["subscribers"]) == set(users)
