"""The table of the AI Job Engine, `TransformationSystem`, and what all of its items have."""

from __future__ import annotations

from typing import Annotated

from sortkey import GSI, Created, Entity, Instant, Model, Named, Outside, Table, Updated, camel

model = Model("jobengine", doc="Journeys of six stages, their rules, jobs, logs and reports.")

table = model.add(
    Table(
        "TransformationSystem",
        key=("PK", "SK"),
        indexes=[
            GSI(
                "GSI1",
                "GSI1PK",
                "GSI1SK",
                doc="Queries across journeys, or of specific subsets of data",
            )
        ],
        stream="NEW_AND_OLD_IMAGES",
        kms=True,
        doc="All journey-related data. The partition key groups by journey, the sort key says type and order.",
    )
)


class Dated(Entity, table=table, envelope="Data", names=camel):
    """What every item has: the instant of its creation, beside the payload under `Data`."""

    created_at: Annotated[Instant | None, Created, Outside, Named("CreatedAt")] = None


class Changing(Dated):
    """An item that also changes later. Logs and reports do not."""

    updated_at: Annotated[Instant | None, Updated, Outside, Named("UpdatedAt")] = None
