"""A database as a folder: documents in JSON, and the bytes of files under their hashes.

    database.json            the database, its metadata, schemas, pipelines, workflows, tags, links
    assets/<assetId>.json    an asset with its versions, files, metadata, comments and subscribers
    objects/ab/<sha256>      the bytes of files; equal ones are stored once

It is written to be read by people and programs of others as well.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, cast

from sortkey.errors import TransferRefused
from sortkey_systems.vams.client.contents import Content
from sortkey_systems.vams.client.transport import CHUNK_BYTES

Document = dict[str, Any]
FORMAT = "vams database"
FORMAT_VERSION = 1
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r'[^<>:"/\\|?*\x00-\x1f]{1,251}')


class DatabaseFolder:
    """A folder with one database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checked: set[str] = set()

    def begin(self) -> None:
        """Make the folder. One that has a database already is refused."""
        if (self.folder / "database.json").exists():
            raise TransferRefused(f"{self.folder} has a database already: name another folder")
        (self.folder / "assets").mkdir(parents=True, exist_ok=True)

    # -- documents

    def write_database(self, document: Document) -> None:
        """Written last: a folder without it is not complete."""
        about = {"format": FORMAT, "formatVersion": FORMAT_VERSION}
        _write_json(self.folder / "database.json", about | document)

    def read_database(self) -> Document:
        """The document of the database. Raises TransferRefused."""
        path = self.folder / "database.json"
        if not path.is_file():
            raise TransferRefused(f"{self.folder} has no database.json: it was not exported whole")
        document = _read_json(path)
        known = (document.get("format"), document.get("formatVersion"))
        if known != (FORMAT, FORMAT_VERSION):
            raise TransferRefused(f"{path} has the format {known}, not {FORMAT} {FORMAT_VERSION}")
        return document

    def write_asset(self, asset_id: str, document: Document) -> None:
        _write_json(self._asset(asset_id), document)

    def assets(self) -> Iterator[Document]:
        """The documents of the assets, in the order of their ids."""
        for path in sorted((self.folder / "assets").glob("*.json")):
            yield _read_json(path)

    def _asset(self, asset_id: str) -> Path:
        if not _NAME.fullmatch(asset_id) or asset_id.startswith("."):
            raise TransferRefused(f"the asset id {asset_id!r} cannot be the name of a file")
        return self.folder / "assets" / f"{asset_id}.json"

    # -- bytes

    def store(self, write: Callable[[BinaryIO], None]) -> Document:
        """Keep what `write` writes. Gives its hash and size."""
        objects = self.folder / "objects"
        objects.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=objects, suffix=".part")
        try:
            with os.fdopen(handle, "w+b") as file:
                write(file)
                size = file.tell()
                file.seek(0)
                digest = _digest(file)
            target = self._object(digest)
            target.parent.mkdir(exist_ok=True)
            os.replace(name, target)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)
        return {"sha256": digest, "size": size}

    def content(self, relative_path: str, digest: str) -> Content:
        """A file of the folder, checked: what was damaged is not imported."""
        path = self._object(digest)
        if not path.is_file():
            raise TransferRefused(f"{path} is missing: the folder is not complete")
        if digest not in self._checked:
            with path.open("rb") as file:
                if _digest(file) != digest:
                    raise TransferRefused(f"{path} is damaged: its bytes do not match its name")
            self._checked.add(digest)
        return Content(relative_path, path.stat().st_size, partial(path.open, "rb"))

    def _object(self, digest: str) -> Path:
        if not _HASH.fullmatch(digest):
            raise TransferRefused(f"{digest[:80]!r} is not a SHA-256 hash")
        return self.folder / "objects" / digest[:2] / digest


def _digest(file: BinaryIO) -> str:
    digest = sha256()
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


def _write_json(path: Path, document: Document) -> None:
    text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True)
    partial_path = path.with_suffix(".part")
    partial_path.write_text(text + "\n", encoding="utf-8")
    os.replace(partial_path, path)


def _read_json(path: Path) -> Document:
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise TransferRefused(f"{path} is not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise TransferRefused(f"{path} is not a JSON object")
    return cast("Document", document)
