"""The model that the cases use: a single table with a key, queries, an index and a collection. Free
of errors.
"""
# pyright: strict

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sortkey import (
    GSI,
    CamelPart,
    Created,
    Entity,
    EpochSeconds,
    Instant,
    KeyOnly,
    Model,
    Named,
    Query,
    Range,
    States,
    Table,
    Updated,
    Version,
    camel,
    index,
    key,
    query,
)

model = Model("journeys")
table = model.add(
    Table(
        "Journeys",
        key=("PK", "SK"),
        indexes=[GSI("GSI1", "GSI1PK", "GSI1SK")],
        ttl="expiresAt",
        stream="NEW_IMAGE",
    )
)

Status = Literal["pending", "running", "completed"]


class Totals(CamelPart):
    """What a journey adds up."""

    total_jobs: int = 0


class Journey(Entity, table=table, kind="Journey", names=camel):
    """A journey."""

    journey_id: str
    title: str
    totals: Totals = Totals()
    labels: set[str] | None = None
    version: Annotated[int, Version] = 0
    created_at: Annotated[Instant | None, Created] = None

    @key("JOURNEY#{journeyId}", "METADATA")
    def key(*, journey_id: str):
        """One journey."""


class Stage(Entity, table=table, kind="Stage", names=camel):
    """One stage of a journey."""

    journey_id: KeyOnly[str]
    order: Annotated[int, Range(1, 99)]
    stage_id: str
    status: Annotated[Status, States({"pending": ["running"], "running": ["completed"]})] = (
        "pending"
    )
    owner: str | None = None
    expires_at: EpochSeconds | None = None
    created_at: Annotated[Instant | None, Created, Named("CreatedAt")] = None
    updated_at: Annotated[Instant | None, Updated] = None

    @key("JOURNEY#{journeyId}", "STAGE#{order:02d}#{stageId}")
    def key(*, journey_id: str, order: int, stage_id: str):
        """One stage."""

    @query(key)
    def of_journey(*, journey_id: str):
        """The stages of a journey, in order."""

    @index("GSI1", "OWNER#{owner}", "{CreatedAt}")
    def of_owner(*, owner: str, created_at: datetime | None = None):
        """What somebody works on, by time."""


@model.collection(Journey, Stage)
def everything(*, journey_id: str):
    """A journey with its stages."""


@model.pattern
def pending(journey_id: str) -> Query[Stage]:
    """The stages that have not begun."""
    return Stage.of_journey(journey_id=journey_id).where(Stage.status == "pending")
