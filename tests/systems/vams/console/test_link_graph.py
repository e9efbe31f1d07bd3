"""The graph of an asset's links."""

from typing import Any

from sortkey_systems.vams.console.link_graph import graph_of


def _node(name: str, **more: Any) -> dict[str, Any]:
    return {"databaseId": "db01", "assetId": name, "assetName": name, **more}


def test_an_asset_that_is_linked_twice_is_drawn_once() -> None:
    # A wheel is a part four times: four lines to one point.
    found = {
        "parents": [_node("fleet")],
        "children": [
            _node("wheel", assetLinkAliasId="left"),
            _node("wheel", assetLinkAliasId="right"),
            _node("engine", children=[_node("valve")]),
        ],
        "related": [_node("manual")],
    }
    series = graph_of(_node("car"), found)["series"][0]
    names = [node["name"] for node in series["data"]]
    assert sorted(names) == ["car", "engine", "fleet", "manual", "valve", "wheel"]
    ends = [(edge["source"], edge["target"]) for edge in series["links"]]
    assert ends.count(("db01/car", "db01/wheel")) == 2
    assert ("db01/engine", "db01/valve") in ends


def test_parents_are_above_and_parts_below() -> None:
    # That is how people read a tree.
    found = {"parents": [_node("fleet")], "children": [_node("wheel")], "related": []}
    nodes = graph_of(_node("car"), found)["series"][0]["data"]
    heights = {node["name"]: node["y"] for node in nodes}
    assert heights["fleet"] < heights["car"] < heights["wheel"]
