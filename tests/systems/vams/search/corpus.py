"""A small installation to search in: a plant, a museum and a vault, seen by people with different
permissions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortkey.systems import Addresses, find_system, open_resources
from sortkey.web import Host
from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetVersion,
    FileAttribute,
    Role,
    S3AssetBucket,
    model,
)
from tests.systems.vams.host import URL, Requests

BUCKET = S3AssetBucket(bucket_id="bucket-plant", bucket_name="plant-assets")
BERLIN, GENOA, SYDNEY = (52.52, 13.4), (44.41, 8.93), (-33.87, 151.21)


@dataclass(frozen=True)
class Row:
    """An asset as the tests describe it."""

    database: str
    id: str
    name: str
    type: str | None = None
    tags: tuple[str, ...] = ()
    description: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    place: tuple[float, float] | None = None
    files: tuple[str, ...] = ()
    is_archived: bool = False

    @property
    def subject(self) -> AssetObject:
        return AssetObject(self.database, self.name, self.type or "", self.tags)


ROWS = (
    Row(
        *("plant", "pump-1", "Pump P-101", ".glb", ("pump", "hall 3"), "The old red pump"),
        metadata=(("colour", "dark red"), ("weight", "120")),
        place=BERLIN,
        files=("model/p101.glb", "scan/p101.e57"),
    ),
    Row(
        *("plant", "pump-2", "Pump P-102", ".glb", ("pump",), "Spare"),
        metadata=(("colour", "blue"),),
        place=GENOA,
        files=("model/p102.glb",),
    ),
    Row("plant", "valve-1", "Valve V-7", ".obj", ("valve", "secret-design"), files=("v7.obj",)),
    Row("plant", "hall-3", "Hall 3", "folder", ("hall 3",), "Where the pumps stand"),
    Row(
        *("museum", "vase", "Red figure vase", ".jpg", ("greek",), "Attic, 490 BC"),
        metadata=(("colour", "red"), ("pump", "no")),
        place=GENOA,
        files=("front.jpg", "back.jpg"),
    ),
    Row("museum", "untagged", "Bust of a priest", None, (), place=SYDNEY),
    Row("museum", "old-pump", "Fire pump", ".glb", ("pump",), is_archived=True),
    Row("vault", "crown", "Crown jewels", ".glb", ("secret",), files=("crown.glb",)),
)
PEOPLE: dict[str, list[dict[str, Any]]] = {
    "plant@example.com": [{"all": [("databaseId", "equals", "plant")]}],
    "open@example.com": [
        {"all": [("databaseId", "contains", ".*")]},
        {"all": [("tags", "contains", "secret")], "kind": "deny"},
    ],
    "types@example.com": [{"all": [("assetType", "is_one_of", [".glb", ".jpg"])]}],
    "names@example.com": [{"all": [("assetName", "contains", "^.*[Pp]ump( P-10[12])?$")]}],
    "bare@example.com": [
        {"all": [("databaseId", "starts_with", "mus"), ("tags", "does_not_contain", "gre.k")]}
    ],
    "either@example.com": [
        {
            "all": [("databaseId", "contains", ".*")],
            "any": [("assetName", "ends_with", "vase"), ("tags", "equals", "valve")],
        }
    ],
    "typeless@example.com": [{"all": [("assetType", "does_not_contain", r"\.")]}],
    "nobody@example.com": [],
}
"""Constraints on assets by person: criteria that must all match, or one of which must."""


@contextmanager
def searched(folder: Path, search: str | None = None) -> Iterator[Requests]:
    """VAMS with the rows, their indexes built, and the people. `search` is an address."""
    with open_resources(Addresses(str(folder), search=search), [model], url=URL) as shared:
        host = Host(shared, [find_system("vams")], at_root=True)
        requests = Requests(host)
        fill(requests)
        for person, constraints in PEOPLE.items():
            add_person(requests, person, constraints)
        shared.searches.start()
        assert shared.searches.wait(120)
        try:
            yield requests
        finally:
            shared.searches.stop()


def fill(requests: Requests) -> None:
    store = requests.service.store
    objects = requests.service.resources.buckets[BUCKET.bucket_name]
    store.put(BUCKET)
    for row in ROWS:
        ids = {"database_id": row.database, "asset_id": row.id}
        asset = store.put(
            Asset(
                **ids,
                asset_name=row.name,
                asset_type=row.type,
                tags=row.tags,
                description=row.description,
                bucket_id=BUCKET.bucket_id,
            )
        )
        store.put(AssetVersion(**ids, asset_version_id="1", comment=f"First of {row.id}"))
        about = {**ids, "file_path": "/"}
        for key, value in row.metadata:
            store.put(AssetFileMetadata(**about, metadata_key=key, metadata_value=value))
        if row.place is not None:
            lat, lon = row.place
            place = json.dumps({"lat": lat, "long": lon, "alt": 0})
            named = {"metadata_key": "Location", "metadata_value_type": "lla"}
            store.put(AssetFileMetadata(**about, **named, metadata_value=place))
        for number, path in enumerate(row.files):
            objects.put(f"{row.id}/{path}", b"x" * (1000 * (number + 1)))
            on_file = {**ids, "file_path": f"/{path}"}
            store.put(
                FileAttribute(**on_file, attribute_key="sha", attribute_value=f"{row.id}-{number}")
            )
        if row.is_archived:
            store.archive(asset)


def add_person(requests: Requests, person: str, constraints: list[dict[str, Any]]) -> None:
    """A user with a role of the same name, who may use every route, and assets as it says."""
    everywhere = {"all": [("route__path", "contains", ".*")], "type": "api", "verbs": "GET POST"}
    role = person.partition("@")[0]
    requests.service.store.put(Role(role_name=role, description="of a test"))
    requests.add_user(person, role)
    for number, constraint in enumerate([everywhere, *constraints]):
        answer = requests(
            "POST",
            f"/auth/constraints/{role}-{number}",
            {
                "name": f"{role}-{number}",
                "description": "of a test",
                "objectType": constraint.get("type", "asset"),
                "criteriaAnd": _criteria(constraint.get("all", [])),
                "criteriaOr": _criteria(constraint.get("any", [])),
                "groupPermissions": [
                    {
                        "groupId": role,
                        "permission": verb,
                        "permissionType": constraint.get("kind", "allow"),
                    }
                    for verb in constraint.get("verbs", "GET").split()
                ],
            },
        )
        assert answer.status_code == 200, answer.text


def _criteria(given: list[tuple[str, str, Any]]) -> list[dict[str, Any]]:
    return [
        {"field": field, "operator": operator, "value": value} for field, operator, value in given
    ]
