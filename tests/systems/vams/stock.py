"""Assets with chosen ids, and users with chosen permissions, for tests."""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.model import S3AssetBucket
from tests.systems.vams.host import Requests

EVERY_VERB = "GET PUT POST DELETE"


def make_asset(requests: Requests, database_id: str, asset_id: str, **more: Any) -> None:
    """An asset whose name is its id, and its database if it is missing."""
    made = requests.make_asset(database_id, assetId=asset_id, assetName=asset_id, **more)
    assert made == asset_id


def add_user(requests: Requests, user_id: str, *rules: tuple[str, str, dict[str, str]]) -> None:
    """A user with a role that may use every route, and objects by rules: `("asset", "GET PUT",
    {"databaseId": "plant"})`.
    """
    role = user_id.partition("@")[0]
    requests.permit(role, "api", EVERY_VERB, route__path=".*")
    for object_type, verbs, criteria in rules:
        requests.permit(role, object_type, verbs, **criteria)
    requests.add_user(user_id, role)


def make_separate_database(requests: Requests, database_id: str) -> None:
    """A database with a bucket of its own, where ids of other databases can be used again."""
    name = f"bucket-{database_id}"
    requests.service.store.put(S3AssetBucket(bucket_id=name, bucket_name=f"{database_id}-assets"))
    requests.make_database(database_id, defaultBucketId=name)
