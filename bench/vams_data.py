"""What the bench of VAMS fills its tables with: people with keys, and assets with their files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from sortkey import Entity, Store
from sortkey_systems.vams.access.control import change_mark
from sortkey_systems.vams.access.definitions import ConstraintDefinition
from sortkey_systems.vams.model import (
    ApiKey,
    Asset,
    AssetFileMetadata,
    AssetFileVersion,
    AssetVersion,
    Database,
    Role,
    S3AssetBucket,
    User,
    UserRole,
)

FILES_EACH, DATABASES = 10, 20
KEYS = {"admin@bench.example": "vams_" + "a" * 64, "reader@bench.example": "vams_" + "r" * 64}
WORDS = [f"{letter}{number:x}" for letter in "bcdfgh" for number in range(800)]


def add_people(store: Store) -> None:
    """An administrator, and a reader of half of the databases who may not see what is secret."""
    store.put(S3AssetBucket(bucket_id="bench-bucket", bucket_name="bench-assets"))
    for n in range(DATABASES):
        about = {"description": "of a bench", "default_bucket_id": "bench-bucket"}
        store.put(Database(database_id=f"bench-{n}", **about))
    store.put(Role(role_name="readers", description="Readers"))
    for user_id, raw in KEYS.items():
        role = "admin" if user_id.startswith("admin") else "readers"
        store.put(User(user_id=user_id, email=user_id))
        store.put(UserRole(user_id=user_id, role_name=role))
        about = {"api_key_id": role, "api_key_name": role, "is_active": "true"}
        hashed = sha256(raw.encode()).hexdigest()
        store.put(ApiKey(**about, api_key_hash=hashed, user_id=user_id))
    half = ",".join(f"bench-{n}" for n in range(0, DATABASES, 2))
    for number, (kind, field, operator, value, permission) in enumerate(
        (
            ("api", "route__path", "contains", ".*", "allow"),
            ("asset", "databaseId", "is_one_of", half, "allow"),
            ("asset", "tags", "contains", "^secret", "deny"),
        )
    ):
        definition = ConstraintDefinition.model_validate(
            {
                "constraintId": f"bench-{number}",
                "name": f"bench-{number}",
                "description": "of a bench",
                "objectType": kind,
                "criteriaAnd": [{"field": field, "operator": operator, "value": value}],
                "groupPermissions": [
                    {"groupId": "readers", "permission": verb, "permissionType": permission}
                    for verb in ("GET", "POST")
                ],
            }
        )
        store.batch_write([definition.head(), *definition.rows()])
    store.put(change_mark().entity)


def add_assets(store: Store, first: int, end: int) -> None:
    chance, batch = random.Random(first), list[Entity]()
    for number in range(first, end):
        batch += _belongings(number, chance)
        if len(batch) > 5000:
            store.batch_write(batch)
            batch = []
    store.batch_write(batch)


def _belongings(number: int, chance: random.Random) -> Iterator[Entity]:
    asset_id = f"x{number:08x}"
    ids: dict[str, Any] = {
        "database_id": "bench-0" if number < 3 else f"bench-{number % DATABASES}",
        "asset_id": asset_id,
    }
    yield Asset(
        **ids,
        asset_name=f"Asset {number} {chance.choice(WORDS)}",
        asset_type=chance.choice((".glb", ".las", ".e57")),
        description=" ".join(["pump", *chance.choices(WORDS, k=12)]),
        tags=(f"t{number % 50}", "secret" if number % 20 == 0 else "open"),
        bucket_id="bench-bucket",
        current_version_id="1",
    )
    yield AssetVersion(**ids, asset_version_id="1", comment=chance.choice(WORDS))
    for key in ("colour", "weight"):
        value = chance.choice(WORDS)
        yield AssetFileMetadata(**ids, file_path="/", metadata_key=key, metadata_value=value)
    for n in range(FILES_EACH):
        about = {**ids, "asset_version_id": "1", "s3_version_id": "v1"}
        yield AssetFileVersion(**about, file_key=f"{asset_id}/part-{n}.glb")
