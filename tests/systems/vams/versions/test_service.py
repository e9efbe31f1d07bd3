"""What other parts of the service ask about versions."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetVersion,
    Location,
)
from sortkey_systems.vams.versions.values import VersionValues
from tests.systems.vams.host import ADMIN, Requests


@pytest.fixture
def asset(requests: Requests) -> Asset:
    """An asset with a file and the versions 0, 1 (as built) and 2."""
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/pump.glb", b"1")
    ids: dict[str, Any] = {"database_id": "plant", "asset_id": asset_id, "file_path": "/"}
    row = AssetFileMetadata(**ids, metadata_key="owner", metadata_value="Ada")
    requests.service.store.put(row)
    caller = requests.service.access.caller(ADMIN)
    for alias in ("as built", None):
        wanted = VersionValues(comment="scan", versionAlias=alias)
        requests.service.versions.create(caller, "plant", asset_id, wanted)
    found = requests.service.assets.find("plant", asset_id)
    assert found is not None
    return found


def test_a_version_is_found_by_id_or_alias(requests: Requests, asset: Asset) -> None:
    # Downloads, lists and metadata take either.
    versions = requests.service.versions
    assert versions.resolve(asset, "1") == versions.resolve(asset, "as built")
    assert versions.resolve_alias(asset, "as built").asset_version_id == "1"
    assert versions.current_id(asset) == "2"
    for unknown in ("3", "", "a:b", "a#deleted", "x" * 300):
        with pytest.raises(NotThere):
            versions.resolve(asset, unknown)
    with pytest.raises(NotThere):
        versions.resolve_alias(asset, "1")


def test_the_versions_of_a_file_are_known_by_its_object_version(
    requests: Requests, asset: Asset
) -> None:
    # The page of a file shows in which versions of the asset each of its versions is.
    place = requests.service.assets.place_of(asset)
    stored = place.objects.head(place.key("/pump.glb")).version_id
    found = requests.service.versions.of_file(asset, "/pump.glb")
    assert found == {stored: [{"id": "2", "label": "v2"}, {"id": "1", "label": "v1 (as built)"}]}
    assert requests.service.versions.of_file(asset, "/other.glb") == {}


def test_all_rows_of_all_versions_can_be_removed_and_again(
    requests: Requests, asset: Asset
) -> None:
    # A step of the permanent delete, which may be interrupted and repeated.
    store, ids = requests.service.store, {"database_id": "plant", "asset_id": asset.asset_id}
    kinds: tuple[Any, ...] = (AssetVersion, AssetFileVersion, AssetFileMetadataVersion)
    assert all(store.query(kind.of_asset(**ids)) for kind in kinds)
    for _ in range(2):
        requests.service.versions.remove_all(asset)
        assert [store.query(kind.of_asset(**ids)) for kind in kinds] == [[], [], []]


def test_the_preview_of_an_asset_is_not_one_of_its_files(requests: Requests, asset: Asset) -> None:
    # It is a picture of the asset; previews of files are versioned like files.
    key = requests.put_file("plant", asset.asset_id, "/preview.png", b"picture")
    requests.put_file("plant", asset.asset_id, "/pump.glb.previewFile.png", b"picture")
    shown = asset.changed(preview_location=Location(key=key))
    paths = [state.relative_path for state in requests.service.versions.states(shown)]
    assert paths == ["/pump.glb", "/pump.glb.previewFile.png"]


def test_a_list_without_a_page_size_has_up_to_three_thousand_versions(requests: Requests) -> None:
    # Most clients read one page and take it for all.
    asset_id = requests.make_asset()
    rows = [
        AssetVersion(
            database_id="plant", asset_id=asset_id, asset_version_id=str(number), file_count=0
        )
        for number in range(1, 1200)
    ]
    requests.service.store.batch_write(rows)
    answer = requests("GET", f"/database/plant/assets/{asset_id}/getVersions").json()
    assert (len(answer["versions"]), answer["NextToken"]) == (1200, None)
