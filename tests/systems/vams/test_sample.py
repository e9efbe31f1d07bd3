"""The sample assets: something for every access pattern, and ids that lead from one table to the
next.
"""

from hashlib import sha256
from typing import Any

from sortkey import Store
from sortkey_systems.vams import model as vams
from sortkey_systems.vams.model import Asset, FileSource, archived_assets, model
from sortkey_systems.vams.sample import load
from tests.systems.sample_patterns import everything, silent, silent_examples, with_sample

loaded = with_sample(model, load)


def test_every_access_pattern_shows_something(loaded: Store) -> None:
    # A newcomer who runs a pattern on the sample and finds nothing learns nothing.
    assert silent(loaded, model) == []


def test_the_examples_of_the_model_are_of_the_sample(loaded: Store) -> None:
    # Who types what stands in the fields of a form sees the pattern at work.
    assert silent_examples(loaded, model) == []


def test_loading_it_again_changes_nothing(loaded: Store) -> None:
    # It is called at every start, and what somebody has changed by hand must stay.
    loaded.update(
        Asset.key(database_id="hangar-4", asset_id="nose-gear"),
        set={"description": "Lent to the museum"},
    )
    before = everything(loaded, model)
    load(loaded)
    assert everything(loaded, model) == before


def test_what_was_interrupted_is_done_again(loaded: Store) -> None:
    # The databases are written last. An asset that is archived already must not come back to life.
    before = everything(loaded, model)
    loaded.delete(vams.Database.key(database_id="plant-rotterdam"))
    load(loaded)
    again = everything(loaded, model)
    assert {name: len(several) for name, several in again.items()} == {
        name: len(each) for name, each in before.items()
    }


def test_archived_assets_lie_apart_with_their_version_marked(loaded: Store) -> None:
    # As archiving an asset leaves it: out of its partition, and its current version archived.
    found = [
        each
        for name in ("plant-rotterdam", "museum-scans")
        for each in loaded.query(archived_assets(database_id=name))
    ]
    assert [each.asset_id for each in found] == ["dosing-skid", "plaster-cast"]
    for each in found:
        versions = loaded.query(
            vams.AssetVersion.of_asset(database_id=each.database_id, asset_id=each.asset_id)
        )
        assert versions[-1].is_archived


def test_files_lie_under_their_asset_in_its_bucket(loaded: Store) -> None:
    # `{baseAssetsPrefix}{assetId}/…`, with nothing for the root: an upload by the service would
    # have the same key.
    buckets = {each.bucket_id: each.base_assets_prefix for each in loaded.scan(vams.S3AssetBucket)}
    for asset in loaded.scan(Asset):
        assert asset.bucket_id is not None
        folder = f"{buckets[asset.bucket_id].removeprefix('/')}{asset.asset_id}/"
        assert asset.asset_location == vams.Location(key=folder)
        files = loaded.query(
            vams.AssetFileVersion.of_asset(database_id=asset.database_id, asset_id=asset.asset_id)
        )
        assert files
        assert all(each.file_key.startswith(folder) for each in files)


def test_files_are_searched_with_their_metadata_and_attributes(loaded: Store) -> None:
    # Keys and paths fit together only where the prefix of the bucket is in the one and not in the
    # other.
    found = {each.file_key: each for each in FileSource(loaded).compose(loaded.scan(Asset))}
    assert [each.metadata_value for each in found["pump-p101/model/p101.glb"].metadata] == [
        "Ines Costa"
    ]
    cloud = found["2026/hangar-scan/cloud/hangar-4.laz"]
    assert [each.attribute_key for each in cloud.attributes] == ["pointCount"]
    assert cloud.preview_key == "2026/hangar-scan/cloud/hangar-4.laz.previewFile.jpg"


def test_the_last_version_has_a_snapshot_of_all_metadata_and_attributes(loaded: Store) -> None:
    for asset in loaded.scan(Asset):
        ids: dict[str, Any] = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        last = loaded.query(vams.AssetVersion.of_asset(**ids))[-1].asset_version_id
        taken = loaded.query(vams.AssetFileMetadataVersion.of_version(**ids, asset_version_id=last))
        metadata = loaded.query(vams.AssetFileMetadata.of_asset(**ids))
        attributes = loaded.query(vams.FileAttribute.of_asset(**ids))
        now = {
            ("metadata", each.file_path, each.metadata_key, each.metadata_value)
            for each in metadata
        }
        now |= {
            ("attribute", each.file_path, each.attribute_key, each.attribute_value)
            for each in attributes
        }
        assert {
            (each.type, each.file_path, each.metadata_key, each.metadata_value) for each in taken
        } == now


def test_links_runs_tags_and_users_are_of_what_is_there(loaded: Store) -> None:
    # Who follows a reference arrives.
    stored = everything(loaded, model)
    assets = {(each.database_id, each.asset_id) for each in loaded.scan(Asset)}
    for link in loaded.scan(vams.AssetLink):
        assert (link.from_asset_database_id, link.from_asset_id) in assets
        assert (link.to_asset_database_id, link.to_asset_id) in assets
    workflows = {(each.database_id, each.workflow_id) for each in loaded.scan(vams.Workflow)}
    for run in loaded.scan(vams.WorkflowExecution):
        assert (run.database_id, run.asset_id) in assets
        assert (run.workflow_database_id, run.workflow_id) in workflows
    tags = {each.tag_name for each in loaded.scan(vams.Tag)}
    assert {tag for asset in loaded.scan(Asset) for tag in asset.tags} == tags
    users = {each.user_id for each in loaded.scan(vams.User)}
    named = ("UserRole", "UserConstraint", "ApiKey", "AssetUpload")
    assert {each.model_dump()["user_id"] for name in named for each in stored[name]} <= users
    assert {each.created_by for each in loaded.scan(vams.AssetVersion)} <= users


def test_api_keys_are_stored_as_hashes(loaded: Store) -> None:
    hashed = sha256(b"vams_sample_notebook").hexdigest()
    found = loaded.query(vams.ApiKey.by_hash(api_key_hash=hashed))
    assert [(each.api_key_id, each.user_id) for each in found] == [
        ("key-notebook", "ines@example.com")
    ]
