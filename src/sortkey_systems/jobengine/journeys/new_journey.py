"""A journey from user input: a name, a file on this machine or the sample shop, and a priority. It
starts at once.

Journeys only read in their own folder, so a file from elsewhere is copied into it: the journey sees
one state of it, whatever happens to the original.
"""

from __future__ import annotations

import re
import secrets
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sortkey.web import Refused
from sortkey_systems.jobengine.inputs import RuleDraft
from sortkey_systems.jobengine.model import Journey
from sortkey_systems.jobengine.parts import JourneyConfiguration, Priority, Source
from sortkey_systems.jobengine.sample import LOSSES, RULES
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.service import JobEngine

FOLDER = "sources"
"""Where copies are stored, in the folder of the journeys."""
TABLE_WITHIN_BYTES = 4 * 1024 * 1024
"""How far into a dump its first table is searched."""
_TABLE = re.compile(rb"\bCREATE\s+TABLE\b", re.IGNORECASE)


class NotAJourney(Refused):
    """Input that is not a valid journey. The message says what is missing."""


def start_journey(
    service: JobEngine,
    *,
    name: str,
    path: str | None,
    priority: Priority = "medium",
    created_by: str,
    is_at_this_machine: bool,
) -> Journey:
    """Create a journey and run it: from the file at this path, or from the sample shop without a
    path.

    Remote users may only name files in the folder of the journeys. Raises NotAJourney if the name
    is missing, or the file is missing or of another kind.
    """
    if not name.strip():
        raise NotAJourney("Give the journey a name.")
    source = (
        _sample(service)
        if path is None
        else _copy(service, _checked(path, None if is_at_this_machine else service.places.root))
    )
    rules = [RuleDraft(**rule) for rule in RULES] if path is None else []
    journey = service.journeys.create(
        name=name.strip(),
        description=f"From {'the sample shop' if path is None else path.strip()}",
        created_by=created_by,
        oda_component_type="PRODUCTCATALOG",
        source=_about(service, source, "shop" if path is None else Path(path.strip()).stem),
        configuration=JourneyConfiguration(allowed_losses=LOSSES) if path is None else None,
        priority=priority,
        rules=rules,
    )
    service.run_journey(journey.journey_id)
    return service.journeys.get(journey.journey_id)


def _checked(text: str, within: Path | None) -> Path:
    """The file at a path, if a journey can read it. With a folder, only inside it."""
    if not text.strip():
        raise NotAJourney("Give the path of a SQLite file or of a SQL dump on this machine.")
    path = (
        Path(text.strip()).expanduser().absolute()
        if within is None
        else (within / text.strip()).resolve()
    )
    if within is not None and not path.is_relative_to(within.resolve()):
        raise NotAJourney(
            f"From another machine only files in {within.absolute()} can be named: put the file "
            "there."
        )
    if path.is_dir():
        raise NotAJourney(f"{path} is a folder: give the path of a file in it.")
    try:
        with path.open("rb") as file:
            beginning = file.read(TABLE_WITHIN_BYTES)
    except FileNotFoundError:
        near = sorted(
            neighbour.name for neighbour in path.parent.glob("*") if _is_database(neighbour)
        )[:5]
        raise NotAJourney(f"There is no file {path}.{_there_are(path.parent, near)}") from None
    except OSError as error:
        raise NotAJourney(f"{path} cannot be read: {error.strerror}.") from None
    if not beginning.startswith(b"SQLite format 3\0") and not _TABLE.search(beginning):
        raise NotAJourney(
            f"{path} is neither a SQLite file nor a SQL dump: it has no CREATE TABLE."
        )
    return path


def _is_database(path: Path) -> bool:
    return path.suffix in (".sqlite", ".sqlite3", ".db", ".sql")


def _there_are(folder: Path, near: Sequence[str]) -> str:
    if not folder.is_dir():
        return f" The folder {folder} is not there either."
    return f" In its folder there are: {', '.join(near)}." if near else ""


def _about(service: JobEngine, path: Path, name: str) -> Source:
    root = service.places.root
    address = str(path.relative_to(root)) if root is not None else str(path.absolute())
    return Source(
        type="database", schema_id=name, schema_name=name, schema_version="1", address=address
    )


def _sample(service: JobEngine) -> Path:
    return make_shop(_place(service, "shop.sqlite"))


def _copy(service: JobEngine, path: Path) -> Path:
    if service.places.root is None:
        return path
    place = _place(service, path.name)
    with path.open("rb") as file:
        is_database = file.read(16) == b"SQLite format 3\0"
    if not is_database:
        shutil.copyfile(path, place)
        return place
    # Not copied as a file: recent writes may be in a second file beside it.
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as original,
        closing(sqlite3.connect(place)) as copy,
    ):
        original.backup(copy)
    return place


def _place(service: JobEngine, name: str) -> Path:
    """A file name that no other journey uses."""
    folder = (service.places.root or Path()) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{secrets.token_hex(4)}-{name}"
