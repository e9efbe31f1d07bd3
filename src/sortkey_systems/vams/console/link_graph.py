"""The graph of an asset's links for the chart: parents above, parts below, relatives beside."""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.console.identity import asset_path
from sortkey_systems.vams.console.json_values import Json

NODES_MAX = 300
_STEP_X, _STEP_Y = 160.0, 110.0
_INK = "getComputedStyle(document.body).getPropertyValue('--ink')"
"""Resolved when the chart is drawn: a canvas does not know CSS variables."""
_COLOURS = {"self": "#1f5f8b", "parents": "#8a5a00", "children": "#23713f", "related": "#6a5aa8"}


class _Graph:
    def __init__(self) -> None:
        self.nodes: dict[str, Json] = {}
        self.edges: list[Json] = []
        self._columns: dict[int, float] = {}

    def add(self, node: Json, role: str, row: int) -> str:
        """A node in a row; once, however often it is linked."""
        name = f"{node['databaseId']}/{node['assetId']}"
        if name not in self.nodes and len(self.nodes) < NODES_MAX:
            column = self._columns.get(row, 0.0)
            self._columns[row] = column + 1
            self.nodes[name] = {
                "id": name,
                "name": str(node.get("assetName") or node["assetId"]),
                "x": column,
                "y": row,
                "symbolSize": 26 if role == "self" else 18,
                "itemStyle": {"color": _COLOURS[role]},
                "target": asset_path(str(node["databaseId"]), str(node["assetId"])),
            }
        return name

    def link(self, source: str, target: str, label: str = "", is_dashed: bool = False) -> None:
        edge: Json = {"source": source, "target": target}
        if label:
            edge["label"] = {"show": True, "formatter": label, ":color": _INK, "fontSize": 11}
        if is_dashed:
            edge |= {"lineStyle": {"type": "dashed"}, "symbol": ["none", "none"]}
        self.edges.append(edge)

    def place(self) -> None:
        """Rows become heights. Rows are centred about the asset; its relatives are to its right."""
        for node in self.nodes.values():
            row = int(node["y"])
            shift = (self._columns[row] - 1) / 2 if row else 0.0
            node["x"] = (float(node["x"]) - shift) * _STEP_X
            node["y"] = row * _STEP_Y


def graph_of(asset: Json, found: Json) -> dict[str, Any]:
    """The options of the chart."""
    graph = _Graph()
    own = graph.add(asset, "self", 0)
    for node in found.get("parents") or ():
        graph.link(graph.add(node, "parents", -1), own, str(node.get("assetLinkAliasId") or ""))
    for node in found.get("related") or ():
        graph.link(own, graph.add(node, "related", 0), is_dashed=True)
    _add_children(graph, own, found.get("children") or [], 1)
    graph.place()
    series = {
        "type": "graph",
        "layout": "none",
        "roam": True,
        "data": list(graph.nodes.values()),
        "links": graph.edges,
        "edgeSymbol": ["none", "arrow"],
        "edgeSymbolSize": 8,
        "label": {"show": True, "position": "bottom", ":color": _INK, "fontSize": 12},
        "lineStyle": {"color": "#848f99", "width": 1.5, "opacity": 0.9},
    }
    return {"series": [series], "tooltip": {"show": False}, "animation": False}


def _add_children(graph: _Graph, above: str, nodes: list[Json], row: int) -> None:
    for node in nodes:
        name = graph.add(node, "children", row)
        if name in graph.nodes:
            graph.link(above, name, str(node.get("assetLinkAliasId") or ""))
            _add_children(graph, name, node.get("children") or [], row + 1)
