"""The sample, made through the interface: something for every access pattern, files that are there,
and three people who see different things.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from sortkey import Store
from sortkey.systems import Addresses, open_resources
from sortkey_systems.vams import model as vams
from sortkey_systems.vams.client.client import Client, asset_path
from sortkey_systems.vams.client.in_process import InProcess
from sortkey_systems.vams.model import Asset, AuthEntity, archived_assets, model
from sortkey_systems.vams.sample import loader
from sortkey_systems.vams.sample.contents import file_content
from sortkey_systems.vams.sample.loader import load
from sortkey_systems.vams.service import Vams, make_service
from tests.systems.sample_patterns import everything, silent, silent_examples

pytestmark = pytest.mark.slow
CHOSEN_BY_THE_SERVICE = {
    *("AssetLink", "AssetLinkMetadata", "AssetUpload", "WorkflowExecution", "MetadataSchema"),
}
"""Entities whose ids the service makes: no example can name one."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vams]:
    folder = str(tmp_path_factory.mktemp("sample"))
    with open_resources(Addresses(folder), [model], url="http://127.0.0.1:8080") as shared:
        shared.store.ensure(model)
        made = make_service(shared.of("vams"))
        load(made)
        yield made


@pytest.fixture(scope="module")
def store(service: Vams) -> Store:
    return service.store


@pytest.fixture(scope="module")
def clients(service: Vams) -> Iterator[dict[str, Client]]:
    with InProcess(service) as transport:
        yield {
            name: Client(transport, transport.token(f"{name}@example.com"))
            for name in ("ines", "jan", "sofia")
        }


def test_every_access_pattern_shows_something(store: Store) -> None:
    # A newcomer who runs a pattern on the sample and finds nothing learns nothing.
    assert silent(store, model) == []


def test_the_examples_of_the_model_are_of_the_sample(store: Store) -> None:
    # Who types what stands in the fields of a form sees the pattern at work.
    entities = {pattern.name: pattern.entity for pattern in model.patterns()}
    found = silent_examples(store, model)
    assert [name for name in found if entities[name] not in CHOSEN_BY_THE_SERVICE] == []


def test_loading_it_again_changes_nothing(service: Vams, store: Store) -> None:
    # It is called at every start, and what somebody has changed by hand must stay.
    store.update(
        Asset.key(database_id="hangar-4", asset_id="nose-gear"),
        set={"description": "Lent to the museum"},
    )
    before = everything(store, model)
    load(service)
    assert everything(store, model) == before


def test_what_was_interrupted_is_done_again(service: Vams, store: Store) -> None:
    # Nothing twice: neither versions nor files, and an archived asset stays archived.
    before = everything(store, model)
    store.delete(AuthEntity.key(entity_type="installation", sk="sample"))
    load(service)
    again = everything(store, model)
    for name in ("Asset", "AssetVersion", "AssetFileVersion", "AssetLink", "Comment", "Database"):
        assert len(again[name]) == len(before[name]), name


def test_archived_assets_lie_apart(store: Store) -> None:
    # As archiving an asset leaves it: out of its partition.
    found = [
        row.asset_id
        for name in ("plant-rotterdam", "museum-scans")
        for row in store.query(archived_assets(database_id=name))
    ]
    assert found == ["dosing-skid", "plaster-cast"]


def test_three_people_see_different_assets(clients: dict[str, Client]) -> None:
    # Ines administers, Jan is an engineer, Sofia a curator: the reason for permissions.
    seen = {
        name: {row["assetId"] for row in client.every("/assets")}
        for name, client in clients.items()
    }
    assert seen["sofia"] == {"amphora"}
    assert seen["jan"] == {"pump-p101", "pump-hall", "valve-v22", "hangar-scan"}
    assert seen["ines"] == seen["jan"] | seen["sofia"] | {"nose-gear"}


def test_each_version_of_the_pump_has_its_model(service: Vams, clients: dict[str, Client]) -> None:
    # Versions that cannot be told apart by their bytes would be a slide, not a sample.
    place = ("plant-rotterdam", "pump-p101")
    objects = service.resources.buckets["plant-assets"]
    for number in ("1", "2", "3"):
        version = clients["jan"].get(asset_path(*place, "getVersion", number))
        (file,) = [file for file in version["files"] if file["relativeKey"].endswith("p101.glb")]
        stored = objects.read("pump-p101/model/p101.glb", file["versionId"])
        assert stored == file_content(f"pump-{number}.glb")


def test_assets_have_pictures_and_files_lie_under_them_in_their_bucket(
    service: Vams, store: Store
) -> None:
    # `{baseAssetsPrefix}{assetId}/…`, with nothing for the root.
    rows = {row.bucket_id: row for row in store.scan(vams.S3AssetBucket)}
    for asset in store.scan(Asset):
        assert asset.bucket_id is not None
        row = rows[asset.bucket_id]
        folder = f"{row.base_assets_prefix.removeprefix('/')}{asset.asset_id}/"
        assert asset.asset_location == vams.Location(key=folder)
        if asset.preview_location is not None:
            objects = service.resources.buckets[row.bucket_name]
            assert objects.read(asset.preview_location.key).startswith(b"\x89PNG")


def test_the_last_version_has_a_snapshot_of_all_metadata_and_attributes(store: Store) -> None:
    # Values are written before the version, which copies them.
    ids: dict[str, Any] = {"database_id": "plant-rotterdam", "asset_id": "pump-p101"}
    taken = store.query(vams.AssetFileMetadataVersion.of_version(**ids, asset_version_id="3"))
    metadata = store.query(vams.AssetFileMetadata.of_asset(**ids))
    attributes = store.query(vams.FileAttribute.of_asset(**ids))
    now = {("metadata", row.file_path, row.metadata_key, row.metadata_value) for row in metadata}
    now |= {
        ("attribute", row.file_path, row.attribute_key, row.attribute_value) for row in attributes
    }
    assert {(row.type, row.file_path, row.metadata_key, row.metadata_value) for row in taken} == now


def test_api_keys_are_stored_as_hashes_and_open_nothing(store: Store) -> None:
    # Everybody can read the sample's keys.
    hashed = sha256(b"vams_sample_notebook").hexdigest()
    found = store.query(vams.ApiKey.by_hash(api_key_hash=hashed))
    assert [(row.api_key_id, row.user_id, row.is_active) for row in found] == [
        ("key-notebook", "ines@example.com", "false")
    ]


def test_the_administrator_of_the_sample_is_known(store: Store) -> None:
    # The loader names them in code, the file in a row.
    assert store.find(vams.User.key(user_id=loader.ADMINISTRATOR)) is not None
