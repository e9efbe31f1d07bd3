"""Changes assets, metadata, links and versions, while searches follow, until it is killed.

Forked by tests.faults.forks; says "begun" when it begins.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import sortkey
from sortkey import ItemKey, Put, Searches, Store, Update, attr, open_searches
from sortkey.errors import SortkeyError
from sortkey_systems.vams.link_changes import remove_link
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetFileVersion,
    AssetLink,
    AssetVersion,
    FileAttribute,
    model,
)

ASSETS = 120


def opened(folder: Path) -> tuple[Store, Searches]:
    store = sortkey.open(folder / "data", objects=str(folder / "buckets" / "{bucket}"))
    store.ensure(model)
    return store, open_searches(store, [model], folder / "search")


def main(place: str, seed: int) -> None:
    store, searches = opened(Path(place))
    chance = random.Random(seed)
    if store.find(_key(0)) is None:
        store.batch_write([_asset(number, chance) for number in range(ASSETS)])
    searches.start()
    print("begun", flush=True)
    while True:
        with suppress(SortkeyError):  # an item that is not there now
            chance.choice(CHANGES)(store, chance)
        time.sleep(0.002)


def _ids(number: int) -> dict[str, str]:
    return {"database_id": f"plant-{number % 3}", "asset_id": f"asset-{number}"}


def _key(number: int) -> ItemKey[Asset]:
    return Asset.key(**_ids(number))


def _asset(number: int, chance: random.Random) -> Asset:
    tags = tuple(chance.sample(("pump", "valve", "hall"), chance.randrange(3)))
    return Asset(**_ids(number), asset_name=f"Asset {chance.randrange(1000)}", tags=tags)


def _put(store: Store, chance: random.Random) -> None:
    number = chance.randrange(ASSETS)
    if store.find(_key(number).archived()) is None:
        store.put(_asset(number, chance))


def _delete(store: Store, chance: random.Random) -> None:
    store.delete(_key(chance.randrange(ASSETS)))


def _archive(store: Store, chance: random.Random) -> None:
    store.archive(store.get(_key(chance.randrange(ASSETS))))


def _restore(store: Store, chance: random.Random) -> None:
    store.restore(store.get(_key(chance.randrange(ASSETS)).archived()))


def _describe(store: Store, chance: random.Random) -> None:
    about: dict[str, Any] = {
        **_ids(chance.randrange(ASSETS)),
        "file_path": chance.choice(("/", "/a.glb", "/b.glb")),
    }
    name, value = f"key-{chance.randrange(4)}", str(chance.randrange(1000))
    if chance.random() < 0.3:
        store.delete(AssetFileMetadata.key(**about, metadata_key=name))
    elif about["file_path"] != "/" and chance.random() < 0.5:
        store.put(FileAttribute(**about, attribute_key=name, attribute_value=value))
    else:
        store.put(AssetFileMetadata(**about, metadata_key=name, metadata_value=value))


def _link(store: Store, chance: random.Random) -> None:
    link_id = f"link-{chance.randrange(40)}"
    remove_link(store, link_id)
    if chance.random() < 0.7:
        one, other = (_ids(number) for number in chance.sample(range(ASSETS), 2))
        store.put(
            AssetLink(
                asset_link_id=link_id,
                from_asset_database_id=one["database_id"],
                from_asset_id=one["asset_id"],
                to_asset_database_id=other["database_id"],
                to_asset_id=other["asset_id"],
                relationship_type=chance.choice(("parentChild", "related")),
            )
        )


def _version(store: Store, chance: random.Random) -> None:
    """A version with its files, and a touch of the asset, in one transaction."""
    ids = _ids(chance.randrange(ASSETS))
    version = str(len(store.query(AssetVersion.of_asset(**ids))))
    files = [f"{ids['asset_id']}/{name}.glb" for name in "ab" if chance.random() < 0.7]
    about = {**ids, "asset_version_id": version}
    touch = attr(Asset.description).set(f"version {version}")
    store.transact(
        Update(Asset.key(**ids), (touch,), when=attr(Asset.asset_name).exists()),
        Put(AssetVersion(**about, comment=f"Version {version}")),
        *(
            Put(AssetFileVersion(**about, file_key=key, s3_version_id=f"v{version}"))
            for key in files
        ),
    )


CHANGES = (_put, _delete, _archive, _restore, _describe, _describe, _link, _version)
