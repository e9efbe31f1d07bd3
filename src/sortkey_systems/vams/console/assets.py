"""The assets of a database or of all, as a wall of pictures or as a table, narrowed by facets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from html import escape
from typing import Any, Literal

from nicegui import ui

from sortkey.web.console import pieces
from sortkey_systems.vams.console.area import Area
from sortkey_systems.vams.console.asset_forms import new_asset
from sortkey_systems.vams.console.asset_search import (
    FACETS,
    PAGE_SIZE,
    AssetQuery,
    Found,
    FoundAsset,
    read,
    read_list,
)
from sortkey_systems.vams.console.file_links import PICTURE
from sortkey_systems.vams.console.frame import begin, explained
from sortkey_systems.vams.console.identity import Console, Session, asset_path
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.texts import counted, icon_of, when

Look = Literal["wall", "table"]
LOOKS = {"wall": "Pictures", "table": "Table"}
FACET_VALUES_MAX = 12
NOT_READY = 503


@explained
async def all_assets_page(console: Console) -> None:
    session = console.session()
    actions = begin(session, "Assets", "All databases. Search names, descriptions and metadata.")
    await _Library(session, "").draw(actions)


@explained
async def database_page(console: Console, database_id: str) -> None:
    session = console.session()
    database = await session.get(f"/database/{database_id}")
    actions = begin(
        session, database_id, str(database.get("description") or ""), ("Databases", "/vams")
    )
    await _Library(session, database_id).draw(actions)


class _Library:
    """The wall with its search box and facets."""

    def __init__(self, session: Session, database_id: str) -> None:
        self._session = session
        self._database_id = database_id
        parameters = ui.context.client.request.query_params
        self._query = AssetQuery(text=parameters.get("q", ""), database_id=database_id)
        self._look: Look = "table" if parameters.get("look") == "table" else "wall"
        self._shown: list[FoundAsset] = []
        self._note = ""

    async def draw(self, actions: ui.element) -> None:
        if self._session.can_change:
            with actions:
                pieces.button("New asset", self._new, icon="add")
        self._draw_box()
        self._area = Area(self._find, self._draw_results)
        await self._area.update()

    async def _new(self) -> None:
        await new_asset(self._session, self._database_id)

    def _draw_box(self) -> None:
        with ui.element("div").classes("sk-row"):
            box = ui.input(
                placeholder="Search assets and their metadata", value=self._query.text
            ).props('outlined dense clearable debounce=250 aria-label="Search assets"')
            box.style("flex: 1 1 16rem")
            with box.add_slot("prepend"):
                ui.icon("search")
            looks = ui.toggle(LOOKS, value=self._look).props('no-caps unelevated aria-label="Look"')
            archived = ui.switch("Archived too")
        box.on_value_change(lambda event: self._change(text=event.value or ""))
        looks.on_value_change(lambda event: self._set_look(event.value))
        archived.on_value_change(lambda event: self._change(is_archived_shown=bool(event.value)))

    async def _change(self, **values: Any) -> None:
        self._query = replace(self._query, start=0, **values)
        self._shown = []
        await self._area.update()

    async def _set_look(self, look: Look) -> None:
        self._look = look
        await self._change()

    def _draw_results(self, found: Found) -> None:
        if self._note:
            pieces.quiet(self._note).props('role="status"')
        known = {(each.database_id, each.asset_id) for each in self._shown}
        fresh = [each for each in found.assets if (each.database_id, each.asset_id) not in known]
        self._shown += fresh
        with ui.element("div").classes("va-library"):
            self._draw_facets(found)
            with ui.element("div").classes("sk-stack").style("gap: 1rem"):
                self._draw_assets(found)

    async def _find(self) -> Found:
        """What the search finds; while its index is being built, the first assets of the list."""
        self._note = ""
        try:
            return read(await self._session.post("/search", self._query.body()))
        except Refusal as refusal:
            if refusal.status != NOT_READY:
                raise
            self._note = str(refusal)
        path = f"/database/{self._database_id}/assets" if self._database_id else "/assets"
        answer = await self._session.get(path, pageSize=PAGE_SIZE)
        return read_list(answer.get("Items") or [])

    def _draw_facets(self, found: Found) -> None:
        with ui.element("aside").classes("va-facets").props('aria-label="Narrow the list"'):
            for name, heading in FACETS.items():
                if name == "str_databaseid" and self._database_id:
                    continue
                chosen = self._query.chosen.get(name)
                values = found.facets.get(name, [])[:FACET_VALUES_MAX]
                if chosen and chosen not in dict(values):
                    values = [(chosen, found.total), *values]
                if values:
                    self._draw_facet(name, heading, values, chosen)

    def _draw_facet(
        self, name: str, heading: str, values: list[tuple[str, int]], chosen: str | None
    ) -> None:
        with ui.element("div").classes("va-facet"):
            pieces.heading(heading, 3)
            for value, count in values:
                with ui.element("button") as button:
                    ui.html(escape(value), sanitize=False, tag="span")
                    ui.html(f"{count:,}", sanitize=False, tag="span")
                is_chosen = value == chosen
                button.props["type"], button.props["aria-pressed"] = (
                    "button",
                    str(is_chosen).lower(),
                )
                button.on("click", self._toggle(name, "" if is_chosen else value))

    def _toggle(self, name: str, value: str) -> Callable[[], Awaitable[None]]:
        async def toggle() -> None:
            others = {key: each for key, each in self._query.chosen.items() if key != name}
            await self._change(chosen={**others, **({name: value} if value else {})})

        return toggle

    def _draw_assets(self, found: Found) -> None:
        if not self._shown:
            is_narrowed = self._query.text or self._query.chosen
            pieces.empty(
                "Nothing matches." if is_narrowed else "There is no asset here yet.",
                "" if is_narrowed or not self._session.can_change else "New asset makes one.",
            )
            return
        pieces.quiet(counted(found.total, "asset")).props('role="status"')
        if self._look == "table":
            _draw_table(self._session, self._shown)
        else:
            _draw_wall(self._session, self._shown)
        if len(self._shown) < found.total and found.assets:
            with ui.element("div").classes("sk-row").style("justify-content: center"):
                pieces.button("Show more", self._more, is_main=False)

    async def _more(self) -> None:
        self._query = replace(self._query, start=len(self._shown))
        await self._area.update()


def _draw_wall(session: Session, assets: list[FoundAsset]) -> None:
    with ui.element("section").classes("va-wall").props('aria-label="Assets"'):
        for asset in assets:
            _draw_tile(session, asset)


def _draw_tile(session: Session, asset: FoundAsset) -> None:
    target = asset_path(asset.database_id, asset.asset_id)
    target += "?archived=1" if asset.is_archived else ""
    tile = ui.link(target=target).classes("sk-card sk-open va-tile")
    if asset.is_archived:
        tile.classes("va-gone")
    with tile:
        draw_picture(session, asset.database_id, asset.asset_id, asset.preview, asset.kind)
        with ui.element("div").classes("va-about"):
            ui.label(asset.name).classes("va-line va-name")
            ui.label(asset.description).classes("va-line sk-quiet sk-small")
            if asset.highlights:
                ui.html(_marked(asset.highlights[0]), sanitize=False).classes(
                    "va-line sk-small va-found"
                )
            parts = (f"v{asset.version}" if asset.version else "", when(asset.changed))
            pieces.quiet(" · ".join(filter(None, parts)))
            _draw_tags(asset)


def _draw_tags(asset: FoundAsset) -> None:
    if not asset.tags and not asset.is_archived:
        return
    with ui.element("div").classes("va-tags"):
        if asset.is_archived:
            pieces.chip("archived", "warn")
        for tag in asset.tags[:3]:
            pieces.chip(tag)
        if len(asset.tags) > 3:
            pieces.chip(f"+{len(asset.tags) - 3}")


def draw_picture(
    session: Session, database_id: str, asset_id: str, preview: str, kind: str
) -> None:
    """The preview of an asset; its kind where it has none."""
    with ui.element("div").classes("va-picture"):
        ui.icon(icon_of(kind)).props('aria-hidden="true"')
        if preview:
            source = session.file_address(database_id, asset_id, preview)
            picture = ui.element("img").props('alt="" loading=lazy onerror="this.remove()"')
            picture.props["src"] = f"{source}?{PICTURE}"
        if kind and kind != "none":
            ui.label(kind.lstrip(".")).classes("va-kind")


def _marked(text: str) -> str:
    """A highlight: the search marks words with `em` or `mark`; everything else is text."""
    marks = {"&lt;em&gt;": "<mark>", "&lt;/em&gt;": "</mark>"}
    marks |= {"&lt;mark&gt;": "<mark>", "&lt;/mark&gt;": "</mark>"}
    shown = escape(text)
    for written, mark in marks.items():
        shown = shown.replace(written, mark)
    return shown


def _draw_table(session: Session, assets: list[FoundAsset]) -> None:
    base = session.console.base
    rows = [
        (
            pieces.link(each.name, f"{base}{asset_path(each.database_id, each.asset_id)}"),
            each.database_id,
            each.kind,
            f"v{each.version}" if each.version else "",
            when(each.changed),
            pieces.Markup(" ".join(pieces.chipped(tag) for tag in each.tags)),
            pieces.chipped("archived", "warn") if each.is_archived else "",
        )
        for each in assets
    ]
    with ui.element("section").classes("sk-card"):
        columns = ("asset", "database", "type", "version", "changed", "tags", "")
        pieces.table(columns, rows)
