"""The tree of an asset's files, from the flat list of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortkey_systems.vams.console.json_values import Json
from sortkey_systems.vams.console.texts import icon_of, kind_of

Node = dict[str, Any]
_ORDER = ("model", "image", "video", "pdf", "audio", "markdown", "csv", "json", "text")
PREVIEW = ".previewFile."
"""In the name of a file that is the preview of another."""


def folders_of(entries: Mapping[str, Json]) -> set[str]:
    """All folders, with those that only their files name."""
    folders: set[str] = set()
    for path in entries:
        parts = path.strip("/").split("/")
        depth = len(parts) if path.endswith("/") else len(parts) - 1
        folders |= {"/" + "/".join(parts[:count]) + "/" for count in range(1, depth + 1)}
    return folders - {"//"}


def nodes_of(entries: Mapping[str, Json]) -> list[Node]:
    """Nodes for NiceGUI's tree: folders first, then files, each by name."""
    children: dict[str, list[Node]] = {"/": []}
    for folder in sorted(folders_of(entries)):
        children[folder] = []
    for folder in sorted(children, key=lambda path: path.count("/")):
        if folder == "/":
            continue
        name = folder.strip("/").rpartition("/")[2]
        node: Node = {"id": folder, "label": name, "icon": "folder", "children": children[folder]}
        children[_parent(folder)].append(node)
    for path, entry in entries.items():
        if path.endswith("/") or entry.get("isFolder"):
            continue
        children[_parent(path)].append(_file_node(path, entry))
    for nodes in children.values():
        nodes.sort(key=lambda node: ("children" not in node, str(node["label"]).lower()))
    return children["/"]


def first_shown(entries: Mapping[str, Json]) -> str:
    """The file to begin with: the primary one, else what is best to look at."""
    files = [
        (path, entry)
        for path, entry in entries.items()
        if not entry.get("isFolder") and not entry.get("isArchived")
    ]
    if not files:
        return ""
    return min(files, key=_rank)[0]


def _rank(file: tuple[str, Json]) -> tuple[bool, bool, int, str]:
    path, entry = file
    kind = kind_of(path)
    order = _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
    is_primary = str(entry.get("primaryType") or "") == "primary"
    return (not is_primary, PREVIEW in path, order, path)


def _file_node(path: str, entry: Json) -> Node:
    label = path.rpartition("/")[2]
    if entry.get("isArchived"):
        label += " (archived)"
    elif entry.get("primaryType"):
        label += f" ({entry['primaryType']})"
    return {"id": path, "label": label, "icon": icon_of(path)}


def _parent(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0] + "/"
