"""Databases, assets, files and roles for tests, made by requests as a client makes them."""

from __future__ import annotations

from typing import Any

from tests.systems.vams.host import Requests

ALL_VERBS = ("GET", "PUT", "POST", "DELETE")


def make_database(requests: Requests, database_id: str, **more: Any) -> None:
    """A database in the bucket of the installation."""
    (bucket, *_) = requests("GET", "/buckets").json()["Items"]
    body = {
        "databaseId": database_id,
        "description": "of a test",
        "defaultBucketId": bucket["bucketId"],
        **more,
    }
    answer = requests("POST", "/database", body)
    assert answer.status_code == 200, answer.text


def make_asset(requests: Requests, database_id: str, asset_id: str, **more: Any) -> str:
    """An asset with a chosen id. Returns its path."""
    body = {
        "databaseId": database_id,
        "assetId": asset_id,
        "assetName": asset_id,
        "description": "of a test",
        "isDistributable": True,
        **more,
    }
    answer = requests("POST", "/assets", body)
    assert answer.status_code == 200, answer.text
    return f"/database/{database_id}/assets/{asset_id}"


def put_file(requests: Requests, database_id: str, asset_id: str, path: str) -> None:
    """A file of an asset, put into its bucket."""
    asset = requests.service.assets.find(database_id, asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    place.objects.put(place.key(path), b"bytes")


def add_user(requests: Requests, user_id: str, *rules: dict[str, Any]) -> None:
    """A user with a role that may use every route, and what the rules say."""
    role = user_id.partition("@")[0]
    answer = requests("POST", "/roles", {"roleName": role, "description": "of a test"})
    assert answer.status_code == 200, answer.text
    every_route = on("api", "route__path", ".*")
    for number, rule in enumerate((every_route, *rules)):
        name = f"{role}-{number}"
        permissions = [
            {"groupId": role, "permission": verb, "permissionType": rule["type"]}
            for verb in rule["verbs"]
        ]
        body = {
            "identifier": name,
            "name": name,
            "description": "of a test",
            "objectType": rule["objectType"],
            "criteriaAnd": [rule["criterion"]],
            "groupPermissions": permissions,
        }
        answer = requests("POST", f"/auth/constraints/{name}", body)
        assert answer.status_code == 200, answer.text
    requests.add_user(user_id)
    answer = requests("POST", "/user-roles", {"userId": user_id, "roleName": [role]})
    assert answer.status_code == 200, answer.text


def on(
    object_type: str,
    field: str,
    value: str,
    verbs: tuple[str, ...] = ALL_VERBS,
    *,
    operator: str = "contains",
    type: str = "allow",
) -> dict[str, Any]:
    """A rule for `add_user`."""
    return {
        "objectType": object_type,
        "criterion": {"field": field, "operator": operator, "value": value},
        "verbs": verbs,
        "type": type,
    }
