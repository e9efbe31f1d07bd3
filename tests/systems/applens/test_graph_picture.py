"""The picture of a graph: pure, so it can be looked at without a browser."""

from typing import Any

import pytest

from sortkey_systems.applens.graph_picture import INTERNET, ORANGE, RED, picture, positions


def graph(count: int, surface: str = "internal") -> dict[str, Any]:
    nodes = [
        {
            "id": f"n{at}",
            "label": f"n{at}",
            "address": f"n{at}",
            "threatSurface": surface,
            "datastore": at == count - 1,
        }
        for at in range(count)
    ]
    edges = [
        {"source": f"n{at}", "target": f"n{at // 2}", "relationship": "belongs_to"}
        for at in range(1, count)
    ]
    return {"nodes": nodes, "edges": edges}


@pytest.mark.parametrize("count", [1, 2, 20, 70, 71, 500])
def test_every_node_has_a_place_of_its_own(count: int):
    # Two nodes in one place are one node for whoever looks.
    for ways in ([], [[INTERNET, "n0", f"n{count - 1}"]] if count > 1 else []):
        places = positions(graph(count), ways)
        assert len(set(places.values())) == count + bool(ways)


def test_the_exposed_way_is_red_from_the_internet_to_the_datastore():
    made = picture(graph(6), [{"datastore": "n5", "steps": [INTERNET, "n0", "n2", "n5"]}])[
        "series"
    ][0]
    red = {
        (link["source"], link["target"])
        for link in made["links"]
        if link.get("lineStyle", {}).get("color") == RED
    }
    assert red == {(INTERNET, "n0"), ("n0", "n2"), ("n2", "n5")}
    xs = {node["id"]: node["x"] for node in made["data"]}
    assert xs[INTERNET] < xs["n0"] < xs["n2"] < xs["n5"]


def test_a_way_behind_authentication_is_orange_and_dashed_unless_an_open_one_passes_too():
    # Whoever closed a door wants to see it. If another is open, the picture must not look safe.
    ways = [
        {"datastore": "n5", "steps": [INTERNET, "n0", "n2", "n5"], "behind": "IAM"},
        {"datastore": "n3", "steps": [INTERNET, "n1", "n2", "n3"]},
    ]
    made = picture(graph(6), ways)["series"][0]
    dashed = {
        (each["source"], each["target"])
        for each in made["links"]
        if each.get("lineStyle", {}).get("type")
    }
    assert dashed == {(INTERNET, "n0"), ("n0", "n2"), ("n2", "n5")}
    borders = {each["id"]: each["itemStyle"].get("borderColor") for each in made["data"]}
    assert (borders["n0"], borders["n2"], borders["n5"], borders["n3"]) == (
        ORANGE,
        RED,
        ORANGE,
        RED,
    )
    alone = picture(graph(6), ways[:1])["series"][0]["data"]
    assert {each["itemStyle"].get("color") for each in alone if each["id"] == INTERNET} == {ORANGE}


def test_a_node_says_what_it_is_and_a_narrow_picture_names_the_ways_only():
    # Seven nodes may be called orders: a name alone tells nobody which is the database.
    given = graph(6)
    given["nodes"][5] |= {
        "label": "orders",
        "address": "aws_db_instance.orders",
        "resourceType": "aws_db_instance",
    }
    made = picture(given, [{"datastore": "n5", "steps": [INTERNET, "n0", "n5"]}])
    node = next(each for each in made["series"][0]["data"] if each["id"] == "n5")
    assert node["name"] == "orders\ndb instance"
    assert node["tooltip"]["formatter"] == "db instance<br>aws_db_instance.orders"
    narrow = {each["id"]: each for each in made["media"][0]["option"]["series"][0]["data"]}
    assert {name for name, each in narrow.items() if each["label"]["show"]} == {
        INTERNET,
        "n0",
        "n5",
    }
    assert narrow[INTERNET]["y"] < narrow["n0"]["y"] < narrow["n5"]["y"] == node["x"]


def test_without_a_way_there_is_no_internet_and_nothing_red():
    made = picture(graph(6), [])["series"][0]
    assert INTERNET not in {node["id"] for node in made["data"]}
    assert all("lineStyle" not in link for link in made["links"])


def test_names_from_terraform_are_no_markup():
    # Tooltips are HTML, and a resource may be called anything.
    made = graph(1)
    made["nodes"][0]["address"] = "<img src=x onerror=alert(1)>"
    shown = picture(made, [])["series"][0]["data"][0]["tooltip"]["formatter"]
    assert "<img" not in shown
