"""Exports by requests: names, filters, pages, and what the caller may not see."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.exports import service as exports
from sortkey_systems.vams.links import families
from sortkey_systems.vams.model import AssetFileMetadata, AssetLinkMetadata, FileAttribute
from tests.systems.vams.host import ADMIN, READER, Requests


def export(
    requests: Requests, asset_id: str, body: Any = None, user: str = ADMIN
) -> dict[str, Any]:
    answer = requests("POST", f"/database/plant/assets/{asset_id}/export", body, user=user)
    assert answer.status_code == 200, answer.text
    return answer.json()


def link(requests: Requests, parent: str, child: str) -> str:
    values = {
        "fromAssetId": parent,
        "fromAssetDatabaseId": "plant",
        "toAssetId": child,
        "toAssetDatabaseId": "plant",
        "relationshipType": "parentChild",
    }
    answer = requests("POST", "/asset-links", values)
    assert answer.status_code == 200, answer.text
    return answer.json()["assetLinkId"]


def family(requests: Requests) -> list[str]:
    """A hall with a pump in it, a bolt in the pump, and the plant above them."""
    ids = [requests.make_asset(assetName=name) for name in ("Hall", "Pump", "Bolt", "Plant")]
    hall, pump, bolt, plant = ids
    for parent, child in ((hall, pump), (pump, bolt), (plant, hall)):
        link(requests, parent, child)
    return ids


def exported_names(answer: dict[str, Any]) -> list[str]:
    return sorted(each["assetname"] for each in answer["assets"])


def test_an_export_has_the_names_of_the_interface(requests: Requests) -> None:
    # Connectors read these names, which are in lower case.
    asset_id = requests.make_asset(assetName="Pump", description="in hall 3")
    requests.put_file("plant", asset_id, "/model/pump.glb", b"12345")
    ids: dict[str, Any] = {"database_id": "plant", "asset_id": asset_id}
    path = "/model/pump.glb"
    requests.service.store.batch_write(
        [
            AssetFileMetadata(
                **ids,
                file_path="/",
                metadata_key="height",
                metadata_value="2",
                metadata_value_type="number",
            ),
            AssetFileMetadata(**ids, file_path="/", metadata_key="_own", metadata_value="x"),
            AssetFileMetadata(**ids, file_path=path, metadata_key="state", metadata_value="ok"),
            FileAttribute(**ids, file_path=path, attribute_key="faces", attribute_value="12"),
        ]
    )
    answer = export(requests, asset_id)
    assert set(answer) == {
        *("assets", "relationships", "totalAssetsInTree", "assetsInThisPage", "NextToken"),
    }
    (asset,) = answer["assets"]
    assert set(asset) == {
        *("is_root_lookup_asset", "id", "databaseid", "assetid", "assetname", "bucketid"),
        *("bucketname", "bucketprefix", "assettype", "description", "isdistributable", "tags"),
        *("asset_version_id", "asset_version_createdate", "asset_version_comment", "archived"),
        *("metadata", "files"),
    }
    assert asset["is_root_lookup_asset"] is True
    assert (asset["assetname"], asset["asset_version_id"]) == ("Pump", "0")
    assert asset["metadata"] == {"height": {"valueType": "number", "value": "2"}}
    (file,) = asset["files"]
    assert (file["relativePath"], file["fileName"], file["size"]) == (path, "pump.glb", 5)
    assert file["metadata"] == {"state": {"valueType": "string", "value": "ok"}}
    assert file["attributes"] == {"faces": {"valueType": "string", "value": "12"}}
    assert file["presignedFileDownloadUrl"] is None
    bare = export(requests, asset_id, {"includeFileMetadata": False, "includeAssetMetadata": False})
    (asset,) = bare["assets"]
    assert (asset["metadata"], asset["files"][0]["metadata"]) == ({}, {})


def test_children_come_with_one_level_or_all(requests: Requests) -> None:
    # The default is one level, as in the original.
    hall, pump, bolt, plant = family(requests)
    one = export(requests, hall)
    assert exported_names(one) == ["Hall", "Pump"]
    assert one["assets"][0]["assetname"] == "Hall"
    whole = export(requests, hall, {"fetchEntireChildrenSubtrees": True})
    assert exported_names(whole) == ["Bolt", "Hall", "Pump"]
    pairs = [(each["parentAssetId"], each["childAssetId"]) for each in whole["relationships"]]
    assert pairs == [(hall, pump), (pump, bolt)]
    with_parents = export(requests, hall, {"includeParentRelationships": True})
    pairs = [
        (each["parentAssetId"], each["childAssetId"]) for each in with_parents["relationships"]
    ]
    assert pairs == [(plant, hall), (hall, pump)]
    alone = export(requests, hall, {"fetchAssetRelationships": False})
    assert (exported_names(alone), alone["relationships"]) == (["Hall"], [])


def test_relationships_have_the_metadata_of_their_links(requests: Requests) -> None:
    # Translation and rotation of a part are there.
    hall, pump = (requests.make_asset(assetName=name) for name in ("Hall", "Pump"))
    link_id = link(requests, hall, pump)
    row = AssetLinkMetadata(
        asset_link_id=link_id,
        metadata_key="Translation",
        metadata_value='{"x": 1, "y": 2, "z": 3}',
        metadata_value_type="xyz",
    )
    requests.service.store.put(row)
    (found,) = export(requests, hall)["relationships"]
    assert found == {
        "parentAssetId": hall,
        "parentAssetDatabaseId": "plant",
        "childAssetId": pump,
        "childAssetDatabaseId": "plant",
        "assetLinkType": "parentChild",
        "assetLinkId": link_id,
        "assetLinkAliasId": None,
        "metadata": {"Translation": {"valueType": "xyz", "value": '{"x": 1, "y": 2, "z": 3}'}},
    }
    (bare,) = export(requests, hall, {"includeAssetLinkMetadata": False})["relationships"]
    assert bare["metadata"] == {}


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        ({}, ["/a.glb", "/b.PNG"]),
        ({"fileExtensions": [".glb"]}, ["/a.glb"]),
        ({"fileExtensions": ["png", "GLB"]}, ["/a.glb", "/b.PNG"]),
        ({"fileExtensions": [".stl"]}, []),
        ({"includeArchivedFiles": True}, ["/a.glb", "/b.PNG", "/c.glb"]),
        ({"includeOnlyPrimaryTypeFiles": True}, []),
    ],
)
def test_files_are_filtered(requests: Requests, wanted: dict[str, Any], paths: list[str]) -> None:
    # A connector fetches the models only.
    asset_id = requests.make_asset()
    for path in ("/a.glb", "/b.PNG"):
        requests.put_file("plant", asset_id, path)
    key = requests.put_file("plant", asset_id, "/c.glb")
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    requests.service.assets.place_of(asset).objects.delete(key)
    (exported,) = export(requests, asset_id, wanted)["assets"]
    assert [file["relativePath"] for file in exported["files"]] == paths


def test_folders_and_primary_files_can_be_asked_for(requests: Requests) -> None:
    # A viewer needs the primary file; a copy of the asset needs its folders.
    asset_id = requests.make_asset()
    for path in ("/a.glb", "/b.glb"):
        requests.put_file("plant", asset_id, path)
    asset_path = f"/database/plant/assets/{asset_id}"
    primary = {"filePath": "/b.glb", "primaryType": "primary"}
    assert requests("PUT", f"{asset_path}/setPrimaryFile", primary).status_code == 200
    folder = {"relativeKey": "/empty/"}
    assert requests("POST", f"{asset_path}/createFolder", folder).status_code == 200

    def paths(**wanted: bool) -> list[str]:
        (exported,) = export(requests, asset_id, wanted)["assets"]
        return [file["relativePath"] for file in exported["files"]]

    assert paths() == ["/a.glb", "/b.glb"]
    assert paths(includeFolderFiles=True) == ["/a.glb", "/b.glb", "/empty/"]
    assert paths(includeOnlyPrimaryTypeFiles=True) == ["/b.glb"]


def test_links_to_files_are_given_for_distributable_assets_only(requests: Requests) -> None:
    # What may not be downloaded must not leave by the export.
    links = {}
    for is_distributable in (True, False):
        asset_id = requests.make_asset(isDistributable=is_distributable)
        requests.put_file("plant", asset_id, "/pump.glb", b"12345")
        (asset,) = export(requests, asset_id, {"generatePresignedUrls": True})["assets"]
        file = asset["files"][0]
        links[is_distributable] = file["presignedFileDownloadUrl"]
    assert links[False] is None
    read = requests.client.get(links[True])
    assert (read.status_code, read.content) == (200, b"12345")


def test_an_export_comes_in_pages_of_assets(requests: Requests) -> None:
    # Each asset once, the root first, and relationships on the first page.
    root = requests.make_asset(assetName="Root")
    children = [requests.make_asset(assetName=f"Child {number}") for number in range(5)]
    for child in children:
        link(requests, root, child)
    seen: list[str] = []
    token = None
    for number in range(3):
        answer = export(requests, root, {"maxAssets": 2, "startingToken": token})
        assert (answer["totalAssetsInTree"], answer["assetsInThisPage"]) == (6, 2)
        assert (answer["relationships"] is None) is (number > 0)
        seen += [each["assetid"] for each in answer["assets"]]
        token = answer["NextToken"]
    assert token is None
    assert seen[0] == root
    assert sorted(seen[1:]) == sorted(children)
    path = f"/database/plant/assets/{root}/export"
    for body in ({"startingToken": "nonsense"}, {"maxAssets": 0}, {"maxAssets": 1001}):
        assert requests("POST", path, body).status_code == 400


def test_a_page_ends_when_it_has_many_files(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A thousand assets with a thousand files each would not fit into an answer.
    monkeypatch.setattr(exports, "FILES_MAX", 2)
    root, child = requests.make_asset(assetName="Root"), requests.make_asset(assetName="Child")
    link(requests, root, child)
    for asset_id in (root, child):
        for number in range(3):
            requests.put_file("plant", asset_id, f"/{number}.glb")
    first = export(requests, root)
    assert exported_names(first) == ["Root"]
    second = export(requests, root, {"startingToken": first["NextToken"]})
    assert (exported_names(second), second["NextToken"]) == (["Child"], None)
    assert len(second["assets"][0]["files"]) == 3


def test_a_tree_that_is_cut_says_so(requests: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    # A client that believed it had everything would delete the rest.
    hall, *_ = family(requests)
    wanted = {"fetchEntireChildrenSubtrees": True}
    assert "isTruncated" not in export(requests, hall, wanted)
    monkeypatch.setattr(families, "NODES_MAX", 1)
    answer = export(requests, hall, wanted)
    assert (answer["isTruncated"], exported_names(answer)) == (True, ["Hall", "Pump"])


def test_what_the_caller_may_not_see_is_a_placeholder(requests: Requests) -> None:
    # Nothing of it but its id is given, and no relationship with it.
    root, shown = (requests.make_asset(assetName=name) for name in ("Bright root", "Bright"))
    secret, deeper = (requests.make_asset(assetName=name) for name in ("Dark", "Bright deeper"))
    link(requests, root, shown)
    link(requests, root, secret)
    link(requests, secret, deeper)
    requests.permit("bright", "api", "GET POST", route__path=".*")
    requests.permit("bright", "asset", "GET", assetName="^Bright")
    requests.add_user("bea@example.com", "bright")
    wanted = {"fetchEntireChildrenSubtrees": True}
    answer = export(requests, root, wanted, user="bea@example.com")
    hidden = [each for each in answer["assets"] if each.get("unauthorizedAsset")]
    assert hidden == [{"assetId": secret, "databaseId": "plant", "unauthorizedAsset": True}]
    known = [each["assetname"] for each in answer["assets"] if "assetname" in each]
    assert sorted(known) == ["Bright", "Bright root"]
    assert [each["childAssetId"] for each in answer["relationships"]] == [shown]
    path = f"/database/plant/assets/{secret}/export"
    assert requests("POST", path, user="bea@example.com").status_code == 403
    assert requests("POST", path, user=READER).status_code == 403
    assert requests("POST", "/database/plant/assets/nowhere/export").status_code == 404
