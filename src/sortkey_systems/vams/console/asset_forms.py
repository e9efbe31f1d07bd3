"""Forms that make, change, archive and delete assets."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from sortkey_systems.vams.console.forms import confirm, field, form
from sortkey_systems.vams.console.identity import Session, asset_path
from sortkey_systems.vams.console.interface import Refusal
from sortkey_systems.vams.console.json_values import Json

Refresh = Callable[[], object]


async def new_asset(session: Session, database_id: str = "") -> None:
    """The form of a new asset. It is opened at its files afterwards."""
    databases = [str(row["databaseId"]) for row in await session.items("/database")]
    tags = await tag_names(session)
    with form("New asset", "Files are added on its page.") as dialog:
        start = database_id or next(iter(databases), None)
        database = field(ui.select(databases, value=start, label="Database"))
        name = field(ui.input("Name", placeholder="Centrifugal pump P-101")).props("autofocus")
        description = field(ui.input("Description", placeholder="What it is, for the others"))
        chosen = _tag_field(tags, [])
        shared = ui.switch("Its files may be downloaded", value=True)

        async def create() -> None:
            answer = await session.post(
                "/assets",
                {
                    "databaseId": database.value,
                    "assetName": (name.value or "").strip(),
                    "description": (description.value or "").strip(),
                    "isDistributable": bool(shared.value),
                    "tags": list(chosen.value or []),
                },
            )
            ui.navigate.to(asset_path(str(database.value), str(answer["assetId"])))

        dialog.buttons("Create", create, icon="add")


async def change_asset(session: Session, asset: Json, refresh: Refresh) -> None:
    """The form of an asset's name, description, tags and distribution."""
    tags = await tag_names(session)
    with form("Change the asset") as dialog:
        name = field(ui.input("Name", value=str(asset.get("assetName") or "")))
        description = field(ui.input("Description", value=str(asset.get("description") or "")))
        chosen = _tag_field(tags, list(asset.get("tags") or []))
        shared = ui.switch("Its files may be downloaded", value=bool(asset.get("isDistributable")))

        async def change() -> None:
            await session.put(
                path_of(asset),
                {
                    "assetName": (name.value or "").strip(),
                    "description": (description.value or "").strip(),
                    "isDistributable": bool(shared.value),
                    "tags": list(chosen.value or []),
                },
            )
            refresh()

        dialog.buttons("Save", change)


def archive_asset(session: Session, asset: Json, refresh: Refresh) -> None:
    """Ask, then archive."""
    with form(f"Archive {asset['assetName']}?", width="28rem") as dialog:
        ui.label("It leaves lists and searches. It can be taken out of the archive again.")
        reason = field(ui.input("Reason"))

        async def archive() -> None:
            body = {"confirmArchive": True, "reason": (reason.value or "").strip() or None}
            await session.delete(f"{path_of(asset)}/archiveAsset", body)
            refresh()

        dialog.buttons("Archive", archive)


def unarchive_asset(session: Session, asset: Json, refresh: Refresh) -> None:
    """Ask, then take an asset out of the archive."""
    with form(f"Unarchive {asset['assetName']}?", width="28rem") as dialog:
        ui.label("Its files become live again.")

        async def unarchive() -> None:
            body = {"confirmUnarchive": True}
            await session.put(f"{path_of(asset)}/unarchiveAsset", body)
            refresh()

        dialog.buttons("Unarchive", unarchive)


def delete_asset(session: Session, asset: Json) -> None:
    """Ask, then delete all of an asset."""

    async def delete() -> None:
        await session.delete(f"{path_of(asset)}/deleteAsset", {"confirmPermanentDelete": True})
        ui.navigate.to("/vams/databases/{}".format(asset["databaseId"]))

    confirm(
        f"Delete {asset['assetName']} for good?",
        "All versions, files, metadata, links, comments and runs go with it. "
        "Nothing brings them back.",
        "Delete for good",
        delete,
    )


def path_of(asset: Json) -> str:
    """The path of an asset in the interface."""
    return f"/database/{asset['databaseId']}/assets/{asset['assetId']}"


async def tag_names(session: Session) -> list[str]:
    """The tags that this user may see."""
    try:
        return sorted(str(row["tagName"]) for row in await session.items("/tags"))
    except Refusal:
        return []


def _tag_field(tags: list[str], chosen: list[str]) -> ui.select:
    options = sorted({*tags, *chosen})
    select = ui.select(options, value=chosen, multiple=True, label="Tags").props("use-chips")
    field(select)
    if not options:
        select.set_visibility(False)
    return select
