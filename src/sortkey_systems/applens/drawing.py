"""A graph as a picture: where each node stands, its colour by threat surface, and the exposed ways in red."""

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
"""From the outside in, as the legend lists them."""
COLOURS = {
    "public": "#d97706",
    "control": "#64748b",
    "iam": "#7c5cbf",
    "build": "#8a6d3b",
    "internal": "#3b82a0",
    "data": "#2f8f5b",
}
RED = "#c62828"
SMALL = 70
"""Nodes that still fit around the exposed way; more are spread by the forces between them."""
WIDTH, HEIGHT = 1000.0, 620.0
PHONE = 480
"""Where names would stand upon each other; a click on a node shows its own."""

Graph = Mapping[str, Any]
Place = tuple[float, float]


def picture(graph: Graph, paths: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The options of an ECharts graph: pan, zoom, click."""
    ways = [list(each["steps"]) for each in paths]
    marked = {step for way in ways for step in way}
    places = positions(graph, ways)
    return {
        "tooltip": {"confine": True},
        "legend": [
            {"data": [name for name in SURFACES if _has(graph, name)], "bottom": 0, "textStyle": {"color": "#788590"}}
        ],
        "animation": False,
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "roam": True,
                "categories": [{"name": name, "itemStyle": {"color": COLOURS[name]}} for name in SURFACES],
                "data": [_node(each, places[each["id"]], marked) for each in graph["nodes"]] + _internet(ways, places),
                "links": _links(graph, ways),
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
                    "color": "#788590",
                    "textBorderWidth": 3,
                    ":textBorderColor": "getComputedStyle(document.body).getPropertyValue('--surface')",
                    ":formatter": f"each => window.innerWidth < {PHONE} ? '' : each.name",
                },
            }
        ],
    }


def positions(graph: Graph, ways: Sequence[Sequence[str]] = ()) -> dict[str, Place]:
    """Where each node stands. The same graph gives the same picture."""
    if ways and len(graph["nodes"]) <= SMALL:
        return _along(graph, ways)
    places = _spread(graph)
    if ways:
        places[INTERNET] = (-WIDTH / 7, HEIGHT / 2)
    return places


def _along(graph: Graph, ways: Sequence[Sequence[str]]) -> dict[str, Place]:
    """The longest exposed way as a line from left to right; everything else above and below what it is joined to."""
    columns: dict[str, int] = {}
    for way in sorted(ways, key=len, reverse=True):
        for at, name in enumerate(way):
            columns.setdefault(name, at)
    count = max(columns.values()) + 1
    room = ceil((len(graph["nodes"]) + 1) / count) + 1
    used = Counter(columns.values())
    line, neighbours = list(columns), _neighbours(graph)
    left = [node["id"] for node in graph["nodes"] if node["id"] not in columns]
    for name in itertools.chain(line, left):  # the line grows while it is walked: the nearest first
        for other in [name, *sorted(neighbours[name])]:
            if other not in columns:
                columns[other] = _free(columns.get(name, count // 2), count, used, room)
                used[columns[other]] += 1
                line.append(other)
    return _stacked(columns, count, max(used.values()))


def _free(wanted: int, count: int, used: Mapping[int, int], room: int) -> int:
    """The column that is nearest to the one wanted and not full."""
    return min((at for at in range(count) if used.get(at, 0) < room), key=lambda at: (abs(at - wanted), at))


def _stacked(columns: Mapping[str, int], count: int, tallest: int) -> dict[str, Place]:
    rows = _rows_of(count)
    width, height = WIDTH / max(count - 1, 1), HEIGHT / max(tallest, 5)
    return {
        name: (width * at + (width / 3 if (row := next(rows[at])) % 2 else 0.0), HEIGHT / 2 + height * row)
        for name, at in columns.items()
    }


def _rows_of(count: int) -> list[Iterator[int]]:
    """For each column its rows, from the middle outwards: 0, 1, -1, 2, -2, …"""
    return [(((number + 1) // 2) * (1 if number % 2 else -1) for number in itertools.count()) for _ in range(count)]


def _spread(graph: Graph) -> dict[str, Place]:
    made = rx.PyGraph()
    index = {node["id"]: made.add_node(node["id"]) for node in graph["nodes"]}
    for edge in graph["edges"]:
        made.add_edge(index[edge["source"]], index[edge["target"]], 1.0)
    found = cast(Any, rx).graph_spring_layout(made, seed=7, num_iter=80, scale=1.0)
    return {
        name: (WIDTH * (1 + float(found[number][0])) / 2, HEIGHT * (1 + float(found[number][1])) / 2)
        for name, number in index.items()
    }


def _neighbours(graph: Graph) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for edge in graph["edges"]:
        found[edge["source"]].append(edge["target"])
        found[edge["target"]].append(edge["source"])
    return found


def _node(node: Mapping[str, Any], place: Place, marked: set[str]) -> dict[str, Any]:
    is_marked = node["id"] in marked
    return {
        "id": node["id"],
        "name": f"{node['label']}\n{_short(node.get('resourceType', ''))}" if is_marked else node["label"],
        "x": place[0],
        "y": place[1],
        "category": SURFACES.index(node["threatSurface"]),
        "symbol": "roundRect" if node["datastore"] else "circle",
        "symbolSize": 20 if is_marked else 14,
        "itemStyle": {"borderColor": RED, "borderWidth": 3} if is_marked else {},
        "tooltip": {"formatter": _escaped(node["address"])},
    }


def _internet(ways: Sequence[Sequence[str]], places: Mapping[str, Place]) -> list[dict[str, Any]]:
    if not ways:
        return []
    x, y = places[INTERNET]
    style = {"color": RED}
    return [
        {"id": INTERNET, "name": "internet", "x": x, "y": y, "symbol": "diamond", "symbolSize": 26, "itemStyle": style}
    ]


def _links(graph: Graph, ways: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    red = {pair for way in ways for pair in pairwise(way)}
    known = {node["id"] for node in graph["nodes"]} | {INTERNET}
    plain = [
        {"source": edge["source"], "target": edge["target"], "tooltip": {"formatter": _escaped(edge["relationship"])}}
        for edge in graph["edges"]
        if not {(edge["source"], edge["target"]), (edge["target"], edge["source"])} & red
    ]
    style = {"color": RED, "width": 2.5, "opacity": 1}
    return plain + [{"source": a, "target": b, "lineStyle": style} for a, b in sorted(red) if {a, b} <= known]


def _has(graph: Graph, surface: str) -> bool:
    return any(node["threatSurface"] == surface for node in graph["nodes"])


def _short(kind: str) -> str:
    """A type without its provider: there is seldom more than one."""
    return kind.partition("_")[2].replace("_", " ")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
