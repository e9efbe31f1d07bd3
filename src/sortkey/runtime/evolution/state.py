"""The records of evolution, in a separate table next to the data: what the stored items of an
entity have, and the progress of backfills.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

import orjson
from pydantic import Field

from sortkey.model.entity import Entity
from sortkey.model.fields import Updated, camel
from sortkey.model.insides import default_of
from sortkey.model.instants import EpochSeconds, Instant
from sortkey.model.keys import key, query
from sortkey.model.layout import Layout
from sortkey.model.tables import Table

evolution_table = Table(
    "sortkey-evolution",
    key=("PK", "SK"),
    ttl="expiresAt",
    pitr=False,
    doc="What the stored items of each entity have, as of its last backfill; and how far backfills are.",
)

Keys = dict[str, str]
"""Attributes of index keys with their templates."""


class Stored(Entity, table=evolution_table, kind="Stored", names=camel):
    """What all stored items of an entity have, as of this record."""

    table: Annotated[str, Field(examples=["Shop"])]
    entity: Annotated[str, Field(examples=["Order"])]
    version: int
    keys: Keys
    updated_at: Annotated[Instant | None, Updated] = None

    @key("TABLE#{table}", "ENTITY#{entity:free}")
    def key(*, table: str, entity: str):
        """What the items of an entity have."""

    @query(key)
    def of_table(*, table: str):
        """What is known of the entities of a table."""


class Run(Entity, table=evolution_table, kind="Run", names=camel):
    """A backfill of one or more entities of a table. `lease` rises with every process that takes it
    over.
    """

    table: str
    entities: Annotated[str, Field(examples=["Order"])]
    number: int
    wanted: str
    """A checksum of the entities' definitions: when they change, a new run is needed."""
    segments: int
    lease: int = 1
    is_done: bool = False
    started_at: Instant

    @key("RUNS#{table}", "RUN#{entities:free}")
    def key(*, table: str, entities: str):
        """The latest backfill of some entities."""


class Segment(Entity, table=evolution_table, kind="Segment", names=camel):
    """A segment of a table in a backfill: its progress, and what was done there."""

    table: str
    entities: str
    run: int
    number: int
    lease: int
    place: str | None = None
    """The key of the last finished item as JSON, None if it has not started."""
    is_done: bool = False
    counts: dict[str, int] = Field(default_factory=dict[str, int])
    problems: list[str] = Field(default_factory=list[str])
    expires_at: EpochSeconds

    @key("SEGMENTS#{table}#{run:06d}", "{entities:free}#{number:04d}")
    def key(*, table: str, run: int, entities: str, number: int):
        """A part of a backfill."""


def name_of(layout: Layout) -> str:
    """The name of an entity in records: its kind, because classes are renamed."""
    return layout.kind or layout.entity.__name__


def keys_of(layout: Layout) -> Keys:
    """The attributes of index keys that an item could lack, with their templates."""
    keys: Keys = {}
    for index_key in layout.keys.values():
        for attribute, template in index_key.templates:
            if index_key.index is None or attribute in layout.table.key:
                continue
            # A field that is an index key as it stands is present or None, unless it is new and has a
            # default.
            if (
                not layout.is_plain(attribute, template)
                or default_of(layout.by_attribute[attribute].info) is not None
            ):
                keys[attribute] = template.text + (
                    f" over {index_key.shards} shards" if index_key.shards else ""
                )
    return keys


def checksum(layouts: list[Layout]) -> str:
    """A checksum of everything that a backfill of some entities depends on."""
    facts = [
        [
            name_of(layout),
            layout.schema_version,
            sorted(keys_of(layout).items()),
            sorted(layout.computed),
        ]
        for layout in layouts
    ]
    return sha256(orjson.dumps(facts)).hexdigest()[:16]
