"""Forms that move, copy, archive and delete files, and make folders. `path` is the asset's path in
the interface.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from sortkey_systems.vams.console.forms import attempt, confirm, field, form
from sortkey_systems.vams.console.identity import Session
from sortkey_systems.vams.console.json_values import Json

Refresh = Callable[[], Awaitable[None]]
PRIMARY_TYPES = {
    "": "none",
    "primary": "primary: what the asset is about",
    "lod1": "level of detail 1",
    "lod2": "level of detail 2",
    "lod3": "level of detail 3",
    "lod4": "level of detail 4",
    "lod5": "level of detail 5",
    "other": "other",
}


def new_folder(session: Session, path: str, above: str, refresh: Refresh) -> None:
    with form("New folder", width="26rem") as dialog:
        name = field(ui.input("Name", placeholder="textures")).props("autofocus")

        async def create() -> None:
            folder = f"{above.rstrip('/')}/{(name.value or '').strip('/ ')}/"
            await session.post(f"{path}/createFolder", {"relativeKey": folder})
            await refresh()

        dialog.buttons("Create", create)


def move_file(session: Session, path: str, file: str, refresh: Refresh) -> None:
    with form("Move or rename", "Metadata, attributes and previews follow.") as dialog:
        target = field(ui.input("Path", value=file)).props("autofocus")

        async def move() -> None:
            wanted = "/" + (target.value or "").strip().lstrip("/")
            await session.post(f"{path}/moveFile", {"sourcePath": file, "destinationPath": wanted})
            await refresh()

        dialog.buttons("Move", move)


def copy_file(session: Session, asset: Json, file: str, refresh: Refresh) -> None:
    """To another path, or to another asset."""
    ids = str(asset["databaseId"]), str(asset["assetId"])
    with form("Copy the file") as dialog:
        target = field(ui.input("Path", value=file))
        database = field(ui.input("Database", value=ids[0]))
        other = field(ui.input("Asset id", value=ids[1]))

        async def copy() -> None:
            body: Json = {
                "sourcePath": file,
                "destinationPath": "/" + (target.value or "").strip().lstrip("/"),
            }
            wanted = (database.value or "").strip(), (other.value or "").strip()
            if wanted != ids:
                body |= {"destinationDatabaseId": wanted[0], "destinationAssetId": wanted[1]}
            await session.post("/database/{}/assets/{}/copyFile".format(*ids), body)
            await refresh()

        dialog.buttons("Copy", copy)


def archive_file(session: Session, path: str, file: str, refresh: Refresh) -> None:
    async def archive() -> None:
        await session.delete(f"{path}/archiveFile", {"filePath": file})
        await refresh()

    confirm(f"Archive {file}?", "Old versions keep it; it can be unarchived.", "Archive", archive)


async def unarchive_file(session: Session, path: str, file: str, refresh: Refresh) -> None:
    async def unarchive() -> None:
        await session.post(f"{path}/unarchiveFile", {"filePath": file})
        await refresh()

    await attempt(unarchive, f"{file} is live again")


def delete_file(session: Session, path: str, file: str, refresh: Refresh) -> None:
    async def delete() -> None:
        await session.delete(
            f"{path}/deleteFile", {"filePath": file, "confirmPermanentDelete": True}
        )
        await refresh()

    confirm(
        f"Delete {file} for good?",
        "All its versions go, also those that old versions of the asset name.",
        "Delete for good",
        delete,
    )


def set_primary(session: Session, path: str, entry: Json, refresh: Refresh) -> None:
    known = str(entry.get("primaryType") or "")
    with form("Primary type", width="28rem") as dialog:
        start = known if known in PRIMARY_TYPES else "other"
        kind = field(ui.select(PRIMARY_TYPES, value=start, label="This file is"))
        other = field(ui.input("Name of the other type", value="" if start == known else known))
        other.bind_visibility_from(kind, "value", value="other")

        async def save() -> None:
            body: Json = {"filePath": entry["relativePath"], "primaryType": kind.value}
            if kind.value == "other":
                body["primaryTypeOther"] = (other.value or "").strip()
            await session.put(f"{path}/setPrimaryFile", body)
            await refresh()

        dialog.buttons("Save", save)


async def revert_file(
    session: Session, path: str, file: str, version_id: str, refresh: Refresh
) -> None:
    async def revert() -> None:
        await session.post(f"{path}/revertFileVersion/{version_id}", {"filePath": file})
        await refresh()

    await attempt(revert, "The old bytes are the newest version now")
