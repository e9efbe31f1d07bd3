"""The links of an asset: as a tree and as a graph, and the form that makes one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.asset_forms import path_of
from sortkey_systems.vams.console.forms import attempt, field, form
from sortkey_systems.vams.console.identity import Session, asset_path
from sortkey_systems.vams.console.json_values import Json, object_of
from sortkey_systems.vams.console.link_graph import graph_of
from sortkey_systems.vams.console.texts import counted

KINDS = {
    "child": "has this as a part (parent → child)",
    "parent": "is a part of this (child → parent)",
    "related": "is related to this",
}
HEADINGS = {"parents": "Part of", "children": "Parts", "related": "Related"}
ASSETS_OFFERED_MAX = 500


async def links_panel(session: Session, asset: Json) -> None:
    @ui.refreshable
    async def content() -> None:
        found = await session.get(f"{path_of(asset)}/asset-links", childTreeView=True)
        _draw(session, asset, found, content.refresh)

    if session.can_change and asset.get("status") != "archived":
        with ui.element("div").classes("sk-row").style("margin: 0.25rem 0 0.75rem"):
            new = partial(_new, session, asset, content.refresh)
            pieces.button("New link", new, icon="add_link")
    await content()


def _draw(session: Session, asset: Json, found: Json, refresh: Callable[[], object]) -> None:
    hidden: Json = found.get("unauthorizedCounts") or {}
    if not any(found.get(name) for name in HEADINGS) and not any(hidden.values()):
        pieces.empty("It has no links.", "Assets are parts of others, or related to them.")
        return
    with ui.element("div").classes("va-files"):
        with ui.element("section").classes("sk-card sk-stack").style("gap: 1rem"):
            for name, heading in HEADINGS.items():
                nodes: list[Json] = found.get(name) or []
                count = int(hidden.get(name) or 0)
                if not nodes and not count:
                    continue
                with ui.element("div"):
                    pieces.heading(heading, 3)
                    _branch(session, nodes, refresh)
                    if count:
                        pieces.quiet(f"and {count} that this user may not see")
        with ui.element("section").classes("sk-card"):
            chart = ui.echart(graph_of(asset, found), on_point_click=_open)
            chart.style("height: 26rem").props('role="img" aria-label="Graph of the links"')


def _branch(session: Session, nodes: list[Json], refresh: Callable[[], object]) -> None:
    with ui.element("ul").classes("va-branch"):
        for node in nodes:
            with ui.element("li"):
                with ui.element("div").classes("sk-row").style("gap: 0.4rem"):
                    target = asset_path(str(node["databaseId"]), str(node["assetId"]))
                    ui.link(str(node.get("assetName") or node["assetId"]), f"{target}?tab=Links")
                    if node.get("assetLinkAliasId"):
                        pieces.chip(str(node["assetLinkAliasId"]))
                    if session.can_change and node.get("assetLinkId"):
                        _remove_button(session, node, refresh)
                children: list[Json] = node.get("children") or []
                if children:
                    _branch(session, children, refresh)


def _remove_button(session: Session, node: Json, refresh: Callable[[], object]) -> None:
    async def remove() -> None:
        async def act() -> None:
            await session.delete(f"/asset-links/{node['assetLinkId']}")

        if await attempt(act, "The link is removed"):
            refresh()

    button = ui.button(icon="link_off", on_click=remove).props("flat round dense size=sm")
    button.classes("sk-second").props["aria-label"] = f"Remove the link to {node.get('assetName')}"


def _open(event: Any) -> None:
    target = object_of(event.data).get("target")
    if target:
        ui.navigate.to(f"{target}?tab=Links")


def _has_name(kind: Any) -> bool:
    """Only a use as a part has a name."""
    return kind != "related"


async def _new(session: Session, asset: Json, refresh: Callable[[], object]) -> None:
    own = (str(asset["databaseId"]), str(asset["assetId"]))
    rows = await session.items("/assets", pageSize=ASSETS_OFFERED_MAX)
    others = {
        f"{row['databaseId']}/{row['assetId']}": f"{row['assetName']} ({row['databaseId']})"
        for row in rows
        if (row["databaseId"], row["assetId"]) != own
    }
    below = f"{counted(len(others), 'asset')} to choose from."
    with form("New link", below) as dialog:
        other = field(ui.select(others, label="The other asset", with_input=True))
        kind = field(ui.select(KINDS, value="parent", label="It …"))
        alias = field(ui.input("Name of this use, if it has one", placeholder="left wheel"))
        alias.bind_visibility_from(kind, "value", backward=_has_name)

        async def create() -> None:
            database_id, _, asset_id = str(other.value or "").partition("/")
            ends = [(database_id, asset_id), own]
            if kind.value == "parent":  # the other one is the child
                ends.reverse()
            body: Json = {
                "fromAssetDatabaseId": ends[0][0],
                "fromAssetId": ends[0][1],
                "toAssetDatabaseId": ends[1][0],
                "toAssetId": ends[1][1],
                "relationshipType": "related" if kind.value == "related" else "parentChild",
            }
            if kind.value != "related" and (alias.value or "").strip():
                body["assetLinkAliasId"] = alias.value.strip()
            await session.post("/asset-links", body)
            refresh()

        dialog.buttons("Link", create)
