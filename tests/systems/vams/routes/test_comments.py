"""Comments by requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.model import Comment
from tests.systems.vams.host import ADMIN, READER, Requests, hosted
from tests.systems.vams.stock import (
    EVERY_VERB,
    add_user,
    make_asset,
    make_separate_database,
)

ROOT = "/comments/assets/pump"
WRITER = "wanda@example.com"


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("vams")) as opened:
        opened.make_database("plant")
        make_separate_database(opened, "museum")
        make_asset(opened, "plant", "pump")
        make_asset(opened, "plant", "twin")
        make_asset(opened, "museum", "twin")
        add_user(opened, WRITER, ("asset", EVERY_VERB, {"databaseId": "plant"}))
        yield opened


def path(name: str, asset_id: str = "pump") -> str:
    return f"/comments/assets/{asset_id}/assetVersionId:commentId/{name}"


def say(requests: Requests, name: str, text: str = "Hello", **more: Any) -> int:
    asset_id, user = more.pop("asset_id", "pump"), more.pop("user", ADMIN)
    body = {"commentBody": text, **more}
    return requests("POST", path(name, asset_id), body, user=user).status_code


def texts(requests: Requests, address: str, user: str = ADMIN) -> list[str]:
    answer = requests("GET", address, user=user)
    assert answer.status_code == 200, answer.text
    return [row["commentBody"] for row in answer.json()["message"]]


@pytest.mark.accepts("VA-24")
def test_a_comment_is_written_read_changed_and_deleted(requests: Requests) -> None:
    # The client makes its id.
    assert say(requests, "1:c1", "The flange is missing.", user=WRITER) == 200
    found = requests("GET", path("1:c1")).json()["message"]
    assert found.pop("dateCreated") == found.pop("dateEdited")
    assert found == {
        "assetId": "pump",
        "assetVersionId:commentId": "1:c1",
        "commentBody": "The flange is missing.",
        "commentOwnerID": WRITER,
        "commentOwnerUsername": WRITER,
    }
    assert say(requests, "1:c1", user=WRITER) == 400
    change = {"commentBody": "It is there."}
    assert requests("PUT", path("1:c1"), change, user=WRITER).status_code == 200
    assert texts(requests, ROOT) == ["It is there."]
    assert requests("DELETE", path("1:c1"), user=WRITER).json() == {"message": "Comment deleted"}
    assert requests("GET", path("1:c1")).status_code == 404


def test_comments_of_version_1_are_not_those_of_version_10(requests: Requests) -> None:
    # The original shows both.
    say(requests, "1:one", "first")
    say(requests, "10:ten", "tenth")
    assert texts(requests, f"{ROOT}/assetVersionId/1") == ["first"]
    assert texts(requests, f"{ROOT}/assetVersionId/10") == ["tenth"]
    assert texts(requests, f"{ROOT}/assetVersionId/2") == []
    assert texts(requests, ROOT) == ["first", "tenth"]
    for name in ("1:one", "10:ten"):
        requests("DELETE", path(name))


@pytest.mark.parametrize("user", [ADMIN, READER])
def test_only_who_wrote_a_comment_changes_or_deletes_it(requests: Requests, user: str) -> None:
    # An administrator neither: it would be somebody else's words.
    say(requests, "1:mine", user=WRITER)
    assert requests("PUT", path("1:mine"), {"commentBody": "x"}, user=user).status_code == 403
    assert requests("DELETE", path("1:mine"), user=user).status_code == 403
    day = requests.service.now().strftime("%Y-%m-%d")
    record = requests.service.audit.of_day(day, "AUTHORIZATION")[0]
    assert (record.actor, record.outcome) == (user, "denied")
    assert requests("DELETE", path("1:mine"), user=WRITER).status_code == 200


@pytest.mark.parametrize(
    ("method", "address", "body", "status"),
    [
        ("GET", "/comments/assets/nothing", None, 404),
        ("POST", path("1:c", "nothing"), {"commentBody": "x"}, 404),
        ("POST", path("1"), {"commentBody": "x"}, 400),
        ("POST", path("1:2:3"), {"commentBody": "x"}, 400),
        ("POST", path(":c"), {"commentBody": "x"}, 400),
        ("POST", path("1:c"), {"commentBody": ""}, 400),
        ("POST", path("1:c"), {"commentBody": "x" * 20_001}, 400),
        ("POST", path("1:c"), None, 400),
        ("PUT", path("1:gone"), {"commentBody": "x"}, 404),
        ("DELETE", path("1:gone"), None, 404),
    ],
)
def test_what_is_wrong_is_refused(
    requests: Requests, method: str, address: str, body: Any, status: int
) -> None:
    # Each with the status that says what to do.
    answer = requests(method, address, body)
    assert answer.status_code == status, answer.text


def test_who_may_not_see_the_asset_sees_no_comment(requests: Requests) -> None:
    # The permission is that of the asset, with the verb of the request.
    say(requests, "1:secret")
    add_user(requests, "sue@example.com", ("asset", EVERY_VERB, {"databaseId": "museum"}))
    user = "sue@example.com"
    for address in (ROOT, f"{ROOT}/assetVersionId/1", path("1:secret")):
        assert requests("GET", address, user=user).status_code == 403
    assert say(requests, "1:other", user=user) == 403
    assert say(requests, "1:other", user=READER) == 403
    assert texts(requests, ROOT, user=READER) == ["Hello"]
    requests("DELETE", path("1:secret"))


def test_two_assets_of_one_id_have_their_own_comments(requests: Requests) -> None:
    # The original mixes them, and checks the permission of either.
    assert say(requests, "1:a", "plant", asset_id="twin", user=WRITER) == 200
    assert say(requests, "1:b", "museum", asset_id="twin") == 400
    assert say(requests, "1:b", "museum", asset_id="twin", databaseId="museum") == 200
    root = "/comments/assets/twin"
    assert texts(requests, root) == ["plant", "museum"]
    assert texts(requests, f"{root}?databaseId=museum") == ["museum"]
    assert texts(requests, root, user=WRITER) == ["plant"]
    assert requests("GET", path("1:b", "twin"), user=WRITER).status_code == 404
    assert requests("GET", f"{root}?databaseId=museum", user=WRITER).status_code == 403
    assert requests("DELETE", path("1:b", "twin")).status_code == 200


def test_with_its_asset_a_comment_goes_and_that_of_a_namesake_stays(requests: Requests) -> None:
    # One without a database goes with the last asset of its id.
    service = requests.service
    both = [service.assets.find(name, "twin") for name in ("plant", "museum")]
    plant, museum = both
    assert plant is not None
    assert museum is not None
    say(requests, "1:p", asset_id="twin", databaseId="plant")
    say(requests, "1:m", asset_id="twin", databaseId="museum")
    service.store.put(
        Comment(asset_id="twin", asset_version_id="1", comment_id="old", comment_body="?")
    )
    service.comments.remove_all(plant)
    left = service.store.query(Comment.of_asset(asset_id="twin"))
    assert {row.comment_id for row in left} == {"m", "old"}
    service.store.delete(plant)
    service.comments.remove_all(museum)
    assert service.store.query(Comment.of_asset(asset_id="twin")) == []
