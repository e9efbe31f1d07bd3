"""A graph as a picture: the position of each node, its colour by threat surface, and the exposed
paths.

Open paths are red; those behind authentication are orange and dashed.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, cast

import rustworkx as rx

INTERNET = "internet"
SURFACES = ("public", "control", "iam", "build", "internal", "data")
"""From the outside in, as in the legend."""
COLOURS = {
    "public": "#d97706",
    "control": "#64748b",
    "iam": "#7c5cbf",
    "build": "#8a6d3b",
    "internal": "#3b82a0",
    "data": "#2f8f5b",
}
RED, ORANGE = "#dc3b3b", "#d97706"
"""Readable on light and dark backgrounds; texts use the colours of the page."""
SMALL = 70
"""The most nodes that fit around the exposed path. Larger graphs use a force layout."""
WIDTH, HEIGHT = 1000.0, 620.0
PHONE = 480
"""A picture narrower than this is drawn upright, and only nodes on paths have labels. A click on
another node shows its label.
"""
SPREAD = 1.84
"""How much farther apart the paths are than in a wide picture: their labels are beside them."""
APART = 1.7
"""How much farther apart rows of paths are than other rows: their labels have two or three lines.
"""

Graph = Mapping[str, Any]
Place = tuple[float, float]


def picture(graph: Graph, paths: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The options of an ECharts graph: pan, zoom, click."""
    ways = [list(path["steps"]) for path in paths]
    marked = _marked(paths)
    places = positions(graph, ways)
    nodes = [_node(node, places[node["id"]], marked) for node in graph["nodes"]] + _internet(
        marked, places
    )
    return {
        "media": _by_width(nodes),
        "tooltip": {
            "confine": True,
            ":backgroundColor": _of_the_page("--sunken"),
            ":borderColor": _of_the_page("--outline"),
            "textStyle": {":color": _of_the_page("--ink")},
        },
        "legend": [
            {
                "data": [name for name in SURFACES if _has(graph, name)],
                "bottom": 0,
                "textStyle": {":color": _of_the_page("--quiet")},
            }
        ],
        "animation": False,
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "roam": True,
                "categories": [
                    {"name": name, "itemStyle": {"color": COLOURS[name]}} for name in SURFACES
                ],
                "data": nodes,
                "links": _links(graph, paths),
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 6,
                "emphasis": {"focus": "adjacency"},
                "lineStyle": {"color": "#9aa7b1", "width": 1, "opacity": 0.7},
                "labelLayout": {"hideOverlap": True},
                "label": {
                    "show": len(graph["nodes"]) <= SMALL,
                    "position": "bottom",
                    "distance": 7,
                    "fontSize": 10,
                    "lineHeight": 12,
                    ":color": _of_the_page("--quiet"),
                    "textBorderWidth": 3,
                    ":textBorderColor": _of_the_page("--surface"),
                    "width": 88,
                    "overflow": "break",
                },
            }
        ],
    }


def _of_the_page(name: str) -> str:
    """A colour of the console, resolved when the picture is drawn, because a canvas does not know
    CSS variables.
    """
    return f"getComputedStyle(document.body).getPropertyValue('{name}')"


def positions(graph: Graph, ways: Sequence[Sequence[str]] = ()) -> dict[str, Place]:
    """The position of each node. The same graph gives the same picture."""
    if ways and len(graph["nodes"]) <= SMALL:
        return _along(graph, ways)
    places = _spread(graph)
    if ways:
        places[INTERNET] = (-WIDTH / 7, HEIGHT / 2)
    return places


def _along(graph: Graph, ways: Sequence[Sequence[str]]) -> dict[str, Place]:
    """The longest exposed path as a line from left to right; all other nodes above and below their
    neighbours.
    """
    columns: dict[str, int] = {}
    for way in sorted(ways, key=len, reverse=True):
        for at, name in enumerate(way):
            columns.setdefault(name, at)
    count = max(columns.values()) + 1
    room = ceil((len(graph["nodes"]) + 1) / count) + 1
    used = Counter(columns.values())
    line, neighbours = list(columns), _neighbours(graph)
    rest = [node["id"] for node in graph["nodes"] if node["id"] not in columns]
    for name in itertools.chain(line, rest):  # the list grows during the loop: nearest first
        for other in [name, *sorted(neighbours[name])]:
            if other not in columns:
                columns[other] = _free(columns.get(name, count // 2), count, used, room)
                used[columns[other]] += 1
                line.append(other)
    widest = (
        max(Counter(columns[name] for way in ways for name in dict.fromkeys(way)).values())
        if ways
        else 0
    )
    return _stacked(columns, count, max(used.values()), of_ways=min(widest, len(ways)) // 2)


def _free(row: int, count: int, used: Mapping[int, int], room: int) -> int:
    """The column nearest to `row` that is not full."""
    return min(
        (at for at in range(count) if used.get(at, 0) < room), key=lambda at: (abs(at - row), at)
    )


def _stacked(
    columns: Mapping[str, int], count: int, tallest: int, of_ways: int
) -> dict[str, Place]:
    rows = _rows_of(count)
    width = WIDTH / max(count - 1, 1)
    height = HEIGHT / max(tallest + 2 * of_ways * (APART - 1), 5)
    return {
        name: (
            width * at + (width / 3 if (row := next(rows[at])) % 2 else 0.0),
            HEIGHT / 2 + height * _far(row, of_ways),
        )
        for name, at in columns.items()
    }


def _far(row: int, of_ways: int) -> float:
    """The distance of a row from the middle."""
    near = max(-of_ways, min(row, of_ways))
    return near * APART + (row - near)


def _rows_of(count: int) -> list[Iterator[int]]:
    """The rows of each column, from the middle outwards: 0, 1, -1, 2, -2, …"""
    return [
        (((number + 1) // 2) * (1 if number % 2 else -1) for number in itertools.count())
        for _ in range(count)
    ]


def _spread(graph: Graph) -> dict[str, Place]:
    layout_graph = rx.PyGraph()
    index = {node["id"]: layout_graph.add_node(node["id"]) for node in graph["nodes"]}
    for edge in graph["edges"]:
        layout_graph.add_edge(index[edge["source"]], index[edge["target"]], 1.0)
    positions = cast(Any, rx).graph_spring_layout(layout_graph, seed=7, num_iter=80, scale=1.0)
    return {
        name: (
            WIDTH * (1 + float(positions[number][0])) / 2,
            HEIGHT * (1 + float(positions[number][1])) / 2,
        )
        for name, number in index.items()
    }


def _neighbours(graph: Graph) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = defaultdict(list)
    for edge in graph["edges"]:
        neighbours[edge["source"]].append(edge["target"])
        neighbours[edge["target"]].append(edge["source"])
    return neighbours


def _marked(paths: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The colour of each node on a path. A node on an open path is red, whatever other paths it is
    on.
    """
    ordered = sorted(paths, key=lambda path: not path.get("behind"))
    return {
        step: ORANGE if path.get("behind") else RED for path in ordered for step in path["steps"]
    }


def _node(node: Mapping[str, Any], place: Place, marked: Mapping[str, str]) -> dict[str, Any]:
    colour, kind = marked.get(node["id"]), _short(node.get("resourceType", ""))
    return {
        "id": node["id"],
        "name": f"{node['label']}\n{kind}" if colour and kind else node["label"],
        "x": place[0],
        "y": place[1],
        "category": SURFACES.index(node["threatSurface"]),
        "symbol": "roundRect" if node["datastore"] else "circle",
        "symbolSize": 20 if colour else 14,
        "itemStyle": {"borderColor": colour, "borderWidth": 3} if colour else {},
        "tooltip": {
            "formatter": "<br>".join(filter(None, (_escaped(kind), _escaped(node["address"]))))
        },
        **({"label": {"fontWeight": "bold"}} if colour else {}),
    }


def _by_width(nodes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The option without a query is the fallback: a picture has no width at first."""
    upright = {"data": [_upright(node) for node in nodes], "top": 20, "left": 14}
    wide = {"data": list(nodes), "top": "center", "left": "center"}
    return [
        {"query": {"maxWidth": PHONE}, "option": {"series": [upright]}},
        {"option": {"series": [wide]}},
    ]


def _upright(node: Mapping[str, Any]) -> dict[str, Any]:
    """For a narrow window: from top to bottom, with labels only on paths."""
    is_marked = node["symbolSize"] > 14
    middle = HEIGHT / 2
    turned = {
        **node,
        "x": middle + (node["y"] - middle) * (SPREAD if is_marked else 1.0),
        "y": node["x"],
    }
    if is_marked:
        return {
            **turned,
            "label": {"show": True, "position": "right", "distance": 3, "width": 70, "fontSize": 9},
        }
    faint = {**node["itemStyle"], "opacity": 0.5}
    return {**turned, "symbolSize": 8, "itemStyle": faint, "label": {"show": False}}


def _internet(marked: Mapping[str, str], places: Mapping[str, Place]) -> list[dict[str, Any]]:
    if not marked:
        return []
    x, y = places[INTERNET]
    style = {"color": marked[INTERNET]}
    return [
        {
            "id": INTERNET,
            "name": "internet",
            "x": x,
            "y": y,
            "symbol": "diamond",
            "symbolSize": 26,
            "itemStyle": style,
        }
    ]


def _links(graph: Graph, paths: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    behind = {
        pair: path["behind"]
        for path in paths
        if path.get("behind")
        for pair in pairwise(path["steps"])
    }
    red = {pair for path in paths if not path.get("behind") for pair in pairwise(path["steps"])}
    drawn = red | behind.keys()
    node_ids = {node["id"] for node in graph["nodes"]} | {INTERNET}
    plain = [
        {
            "source": edge["source"],
            "target": edge["target"],
            "tooltip": {"formatter": _escaped(edge["relationship"].replace("_", " "))},
        }
        for edge in graph["edges"]
        if not {(edge["source"], edge["target"]), (edge["target"], edge["source"])} & drawn
    ]
    ways = [(a, b) for a, b in sorted(drawn) if {a, b} <= node_ids]
    return plain + [_step(a, b, "" if (a, b) in red else behind[a, b]) for a, b in ways]


def _step(source: str, target: str, behind: str) -> dict[str, Any]:
    style = {
        "color": ORANGE if behind else RED,
        "width": 2.5,
        "opacity": 1,
        **({"type": "dashed"} if behind else {}),
    }
    title = f"a path from the internet, behind {behind}" if behind else "a path from the internet"
    return {
        "source": source,
        "target": target,
        "lineStyle": style,
        "tooltip": {"formatter": _escaped(title)},
    }


def _has(graph: Graph, surface: str) -> bool:
    return any(node["threatSurface"] == surface for node in graph["nodes"])


def _short(kind: str) -> str:
    """A type without its provider."""
    return kind.partition("_")[2].replace("_", " ")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
