"""Links by requests: rules, permissions, trees, and what stays when an asset goes."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.model import Asset, AssetLink, AssetLinkMetadata
from tests.systems.vams.host import READER, Requests


def body(parent: str, child: str, kind: str = "parentChild", **more: Any) -> dict[str, Any]:
    return {
        "fromAssetId": parent,
        "fromAssetDatabaseId": "plant",
        "toAssetId": child,
        "toAssetDatabaseId": "plant",
        "relationshipType": kind,
        **more,
    }


def link(
    requests: Requests, parent: str, child: str, kind: str = "parentChild", **more: Any
) -> str:
    answer = requests("POST", "/asset-links", body(parent, child, kind, **more))
    assert answer.status_code == 200, answer.text
    return answer.json()["assetLinkId"]


def refused(requests: Requests, parent: str, child: str, kind: str, **more: Any) -> str:
    answer = requests("POST", "/asset-links", body(parent, child, kind, **more))
    assert answer.status_code == 400, answer.text
    return answer.json()["message"]


def view(requests: Requests, asset_id: str, query: str = "", **user: str) -> dict[str, Any]:
    answer = requests("GET", f"/database/plant/assets/{asset_id}/asset-links{query}", **user)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(nodes: list[dict[str, Any]]) -> list[str]:
    return [node["assetName"] for node in nodes]


def assets(requests: Requests, *asset_names: str) -> list[str]:
    return [requests.make_asset(assetName=name) for name in asset_names]


def test_a_link_shows_at_both_assets(requests: Requests) -> None:
    # A parent lists its children, a child its parents; related assets list each other.
    hall, pump, twin = assets(requests, "Hall", "Pump", "Twin")
    link_id = link(requests, hall, pump, assetLinkAliasId="left", tags=["a"])
    link(requests, twin, pump, "related")
    above, below = view(requests, pump), view(requests, hall)
    assert set(below) == {"related", "parents", "children", "unauthorizedCounts", "message"}
    assert below["children"] == [
        {
            "assetId": pump,
            "assetName": "Pump",
            "databaseId": "plant",
            "assetLinkId": link_id,
            "assetLinkAliasId": "left",
        }
    ]
    assert (names(above["parents"]), names(above["related"])) == (["Hall"], ["Twin"])
    assert names(view(requests, twin)["related"]) == ["Pump"]
    assert above["unauthorizedCounts"] == {"related": 0, "parents": 0, "children": 0}
    single = requests("GET", f"/asset-links/single/{link_id}").json()
    assert single["assetLink"] == {
        **body(hall, pump),
        "assetLinkId": link_id,
        "assetLinkAliasId": "left",
        "tags": ["a"],
    }


def test_links_that_contradict_others_are_refused(requests: Requests) -> None:
    # A tree with a cycle never ends, and two equal links cannot be told apart.
    top, middle, bottom = assets(requests, "Top", "Middle", "Bottom")
    assert "itself" in refused(requests, top, top, "parentChild")
    link(requests, top, middle)
    link(requests, middle, bottom)
    assert "exists already" in refused(requests, top, middle, "parentChild")
    link(requests, top, middle, assetLinkAliasId="second")
    assert "exists already" in refused(
        requests, top, middle, "parentChild", assetLinkAliasId="second"
    )
    assert "parent of" in refused(requests, middle, top, "parentChild")
    assert "parent of" in refused(requests, middle, top, "parentChild", assetLinkAliasId="x")
    assert "cycle" in refused(requests, bottom, top, "parentChild")
    assert "cycle" in refused(requests, bottom, top, "parentChild", assetLinkAliasId="x")
    link(requests, bottom, top, "related")
    assert "related already" in refused(requests, bottom, top, "related")
    assert "related already" in refused(requests, top, bottom, "related")
    assert "parentChild" in refused(requests, top, bottom, "related", assetLinkAliasId="x")


@pytest.mark.parametrize(
    "wrong",
    [
        {"relationshipType": "parent"},
        {"fromAssetId": ""},
        {"fromAssetId": "a:b"},
        {"toAssetDatabaseId": "plant#deleted"},
        {"assetLinkAliasId": "x" * 129},
        {"tags": [""]},
        {"tags": ["x"] * 101},
        {"toAssetId": None},
    ],
)
def test_a_link_that_cannot_be_read_is_refused(requests: Requests, wrong: dict[str, Any]) -> None:
    # Ids with separators would reach other keys.
    one, other = assets(requests, "One", "Other")
    answer = requests("POST", "/asset-links", {**body(one, other), **wrong})
    assert answer.status_code == 400, answer.text


def test_both_assets_of_a_link_must_exist_and_be_active(requests: Requests) -> None:
    # A link into nothing could not be shown.
    one, archived = assets(requests, "One", "Archived")
    path = f"/database/plant/assets/{archived}/archiveAsset"
    assert requests("DELETE", path).status_code == 200
    for missing in ("nowhere", archived):
        for ends in ((one, missing), (missing, one)):
            assert requests("POST", "/asset-links", body(*ends)).status_code == 404
    assert requests("GET", "/asset-links/single/nothing").status_code == 404
    assert requests("PUT", "/asset-links/nothing", {"tags": []}).status_code == 404
    assert requests("DELETE", "/asset-links/nothing").status_code == 404


def test_links_join_assets_of_different_databases(requests: Requests) -> None:
    # The same id may be in both.
    requests.make_database("hangar")
    one = requests.make_asset("plant", assetName="Here", assetId="shared-id")
    other = requests.make_asset("hangar", assetName="There", assetId="shared-id-2")
    values = {**body(one, other), "toAssetDatabaseId": "hangar"}
    assert requests("POST", "/asset-links", values).status_code == 200
    (child,) = view(requests, one)["children"]
    assert (child["databaseId"], child["assetName"]) == ("hangar", "There")


def test_a_change_of_a_link_keeps_what_is_not_given(requests: Requests) -> None:
    # The original wipes the tags.
    one, other = assets(requests, "One", "Other")
    link(requests, one, other, assetLinkAliasId="taken")
    link_id = link(requests, one, other, assetLinkAliasId="mine", tags=["a", "b"])

    def stored() -> tuple[Any, Any]:
        found = requests("GET", f"/asset-links/single/{link_id}").json()["assetLink"]
        return found["assetLinkAliasId"], found["tags"]

    path = f"/asset-links/{link_id}"
    assert requests("PUT", path, {"assetLinkAliasId": "new"}).status_code == 200
    assert stored() == ("new", ["a", "b"])
    assert requests("PUT", path, {"tags": []}).status_code == 200
    assert stored() == ("new", [])
    assert requests("PUT", path, {"assetLinkAliasId": "taken"}).status_code == 400
    assert requests("PUT", path, {"assetLinkAliasId": ""}).status_code == 200
    assert stored() == (None, [])
    assert requests("PUT", path, {}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "GET"])
def test_a_link_needs_permission_on_both_assets(requests: Requests, method: str) -> None:
    # Otherwise a link to one's own asset would show that another exists, or change its tree.
    mine, secret, free = assets(requests, f"Mine{method}", "Secret", f"Mine{method}")
    link_id, own_id = link(requests, mine, secret), link(requests, mine, free)
    requests.permit(f"linkers-{method}", "api", "GET PUT POST DELETE", route__path=".*")
    verbs = "GET PUT POST DELETE"
    requests.permit(f"linkers-{method}", "asset", verbs, assetName=f"^Mine{method}$")
    user = f"{method.lower()}@example.com"
    requests.add_user(user, f"linkers-{method}")
    paths = {"GET": "/asset-links/single/", "PUT": "/asset-links/", "DELETE": "/asset-links/"}
    for known, target, status in ((link_id, secret, 403), (own_id, free, 200)):
        if method == "POST":
            values = body(mine, target, assetLinkAliasId="more")
            answer = requests("POST", "/asset-links", values, user=user)
        else:
            values = {"tags": ["x"]} if method == "PUT" else None
            answer = requests(method, paths[method] + known, values, user=user)
        assert answer.status_code == status, answer.text
    for write, path in (("POST", "/asset-links"), ("DELETE", f"/asset-links/{link_id}")):
        values = body(mine, secret) if write == "POST" else None
        assert requests(write, path, values, user=READER).status_code == 403
        assert requests.client.request(write, path, json=values).status_code == 401


def test_a_tree_has_the_children_of_children(requests: Requests) -> None:
    # An asset with two parents is below both.
    plant, hall, yard, pump, bolt = assets(requests, "Plant", "Hall", "Yard", "Pump", "Bolt")
    for parent, child in ((plant, hall), (plant, yard), (hall, pump), (yard, pump), (pump, bolt)):
        link(requests, parent, child)
    flat = view(requests, plant)
    assert names(flat["children"]) == ["Hall", "Yard"]
    assert all("children" not in node for node in flat["children"])
    tree = view(requests, plant, "?childTreeView=true")["children"]

    def shape(nodes: list[dict[str, Any]]) -> dict[str, Any]:
        return {node["assetName"]: shape(node["children"]) for node in nodes}

    below = {"Pump": {"Bolt": {}}}
    assert shape(tree) == {"Hall": below, "Yard": below}


def test_what_the_caller_may_not_see_is_counted_and_not_shown(requests: Requests) -> None:
    # Clients print "2 more that you may not see". Nothing below a hidden asset is counted.
    top, shown, hidden, deeper, far = assets(
        requests, "Open top", "Open child", "Closed child", "Closed deeper", "Open far"
    )
    link(requests, top, shown)
    link(requests, top, hidden)
    link(requests, shown, deeper)
    link(requests, hidden, far)
    link(requests, top, far, "related")
    link(requests, deeper, top, "related")
    requests.permit("openers", "api", "GET", route__path=".*")
    requests.permit("openers", "asset", "GET", assetName="^Open")
    requests.add_user("opal@example.com", "openers")
    flat = view(requests, top, user="opal@example.com")
    assert names(flat["children"]) == ["Open child"]
    assert names(flat["related"]) == ["Open far"]
    assert flat["unauthorizedCounts"] == {"related": 1, "parents": 0, "children": 1}
    tree = view(requests, top, "?childTreeView=true", user="opal@example.com")
    assert names(tree["children"]) == ["Open child"]
    assert tree["children"][0]["children"] == []
    assert tree["unauthorizedCounts"]["children"] == 2
    path = f"/database/plant/assets/{hidden}/asset-links"
    assert requests("GET", path, user="opal@example.com").status_code == 403
    assert view(requests, far, user="opal@example.com")["unauthorizedCounts"]["parents"] == 1


def test_a_link_goes_with_its_metadata(requests: Requests) -> None:
    # A later link would not find them, and nothing else would remove them.
    one, other = assets(requests, "One", "Other")
    link_id = link(requests, one, other)
    store = requests.service.store
    store.put(AssetLinkMetadata(asset_link_id=link_id, metadata_key="k", metadata_value="v"))
    before = requests.service.assets.find("plant", one)
    answer = requests("DELETE", f"/asset-links/{link_id}")
    assert (answer.status_code, set(answer.json())) == (200, {"message"})
    assert store.query(AssetLinkMetadata.of_link(asset_link_id=link_id)) == []
    assert view(requests, one)["children"] == []
    after = requests.service.assets.find("plant", one)
    assert before is not None
    assert after is not None
    assert after.updated_at != before.updated_at  # its search document follows


def test_a_link_can_be_read_and_deleted_when_an_asset_is_gone(requests: Requests) -> None:
    # In the original such links stay for ever.
    one, other = assets(requests, "One", "Other")
    link_id = link(requests, one, other)
    requests.service.store.delete(Asset.key(database_id="plant", asset_id=other))
    assert view(requests, one)["children"] == []
    assert requests("GET", f"/asset-links/single/{link_id}").status_code == 200
    assert requests("DELETE", f"/asset-links/{link_id}", user=READER).status_code == 403
    assert requests("DELETE", f"/asset-links/{link_id}").status_code == 200
    assert requests("GET", f"/asset-links/single/{link_id}").status_code == 404


def test_the_links_of_an_archived_asset_come_back_with_it(requests: Requests) -> None:
    # Archived assets are hidden, and nothing about them is lost.
    one, other = assets(requests, "One", "Other")
    link(requests, one, other)
    path = f"/database/plant/assets/{other}"
    assert requests("DELETE", f"{path}/archiveAsset").status_code == 200
    hidden = view(requests, one)
    assert (hidden["children"], hidden["unauthorizedCounts"]["children"]) == ([], 0)
    back = requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
    assert back.status_code == 200, back.text
    assert names(view(requests, one)["children"]) == ["Other"]


def test_all_links_of_an_asset_can_be_removed_and_again(requests: Requests) -> None:
    # A step of the permanent delete.
    one, middle, other = assets(requests, "One", "Middle", "Other")
    links = [link(requests, one, middle), link(requests, middle, other, "related")]
    kept = link(requests, one, other)
    store = requests.service.store
    for link_id in links:
        store.put(AssetLinkMetadata(asset_link_id=link_id, metadata_key="k", metadata_value="v"))
    asset = requests.service.assets.find("plant", middle)
    assert asset is not None
    for _ in range(2):
        requests.service.links.remove_all(asset)
        for link_id in links:
            assert store.find(AssetLink.key(asset_link_id=link_id)) is None
            assert store.query(AssetLinkMetadata.of_link(asset_link_id=link_id)) == []
    assert store.find(AssetLink.key(asset_link_id=kept)) is not None
