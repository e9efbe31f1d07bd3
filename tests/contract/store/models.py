"""The entities of the contract of stores: a little of everything that a model can say.

Tables have names of their own in every run: workers share one DynamoDB Local.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, computed_field

from sortkey import (
    GSI,
    LSI,
    CamelPart,
    Created,
    Entity,
    EpochSeconds,
    Follows,
    Instant,
    KeepNull,
    KeyOnly,
    Model,
    Named,
    Outside,
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

PREFIX = f"contract-{secrets.token_hex(4)}"

model = Model("contract", doc="What the contract of stores runs on.")

table = model.add(
    Table(
        f"{PREFIX}-main",
        key=("PK", "SK"),
        indexes=[
            GSI("GSI1", "GSI1PK", "GSI1SK"),
            GSI("Keys", "KPK", "KSK", projection="KEYS_ONLY"),
            GSI("Some", "SPK", "SSK", projection=("title", "EntityType")),
            LSI("ByChange", "LSK"),
        ],
        ttl="expiresAt",
        stream="NEW_AND_OLD_IMAGES",
    )
)


class Counts(CamelPart):
    total_jobs: int = 0
    last_at: Instant | None = None


class Journey(Entity, table=table, kind="Journey", envelope="Data", names=camel):
    """The head of a partition, with its payload in an envelope."""

    journey_id: KeyOnly[str]
    name: str
    labels: set[str] = set()
    counts: Counts

    @key("JOURNEY#{journeyId}", "METADATA")
    def key(*, journey_id: str): ...


STAGES = States(
    {"pending": ["running"], "running": ["done", "failed"], "failed": ["pending"]},
    start=["pending"],
)


class Stage(Entity, table=table, kind="Stage", envelope="Data", names=camel):
    """In the order in which it runs."""

    journey_id: KeyOnly[str]
    order: Annotated[int, Range(1, 99)]
    stage_id: str
    status: Annotated[Literal["pending", "running", "done", "failed"], STAGES] = "pending"
    title: str = ""

    @key("JOURNEY#{journeyId}", "STAGE#{order:02d}#{stageId}")
    def key(*, journey_id: str, order: int, stage_id: str): ...

    @query(key)
    def of_journey(*, journey_id: str):
        """All stages of a journey, in order."""

    @query(key)
    def at(*, journey_id: str, order: int):
        """The stages of a place in the order."""

    @index("GSI1", "JOURNEY#{journeyId}#STATUS#{status}", "{order:02d}")
    def in_status(*, journey_id: str, status: str, order: int | None = None): ...


class Rule(Entity, table=table, kind="Rule", names=camel):
    """In the partition of its journey, beside the stages."""

    journey_id: KeyOnly[str]
    rule_id: str
    title: str = ""
    weight: Annotated[int | None, Range(0, 999)] = None

    @key("JOURNEY#{journeyId}", "RULE#{ruleId}")
    def key(*, journey_id: str, rule_id: str): ...

    @query(key)
    def of_journey(*, journey_id: str): ...

    @index("GSI1", "JOURNEY#{journeyId}#WEIGHTS", "{weight:03d}#{ruleId}")
    def by_weight(*, journey_id: str, weight: int | None = None): ...

    @index("Keys", "JOURNEY#{journeyId}", "{ruleId}")
    def keys_of(*, journey_id: str): ...

    @index("Some", "JOURNEY#{journeyId}", "{ruleId}")
    def titles_of(*, journey_id: str): ...


class Note(Entity, table=table, kind="Note", names=camel):
    """Shares the index of keys with the rules; distinguished from them by the form of its key."""

    journey_id: KeyOnly[str]
    note_id: str

    @key("JOURNEY#{journeyId}", "NOTE#{noteId}")
    def key(*, journey_id: str, note_id: str): ...

    @index("Keys", "JOURNEY#{journeyId}", "{noteId}")
    def keys_of(*, journey_id: str): ...


SHOWN = {"open": "WAITING", "doing": "WAITING", "done": "DONE"}


class Task(Entity, table=table, kind="Task", names=camel):
    """Instants, a version, a computed field, a follower, an expiry; in a local index by its last
    change.
    """

    board: str
    task_id: str
    title: str = "untitled"
    status: Literal["open", "doing", "done"] = "open"
    shown: Annotated[str, Follows("status", SHOWN)] = "WAITING"
    owner: str | None = None
    hits: Annotated[int, Field(ge=0, le=100)] = 0
    tags: set[str] = set()
    notes: list[str] = []
    reason: Annotated[str | None, KeepNull] = None
    counts: Counts | None = None
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None
    expires_at: EpochSeconds | None = None
    version: Annotated[int, Version] = 0

    @computed_field
    @property
    def label(self) -> str:
        return f"{self.title} ({self.status})"

    @key("BOARD#{board}", "TASK#{taskId}")
    def key(*, board: str, task_id: str): ...

    @query(key)
    def of_board(*, board: str): ...

    @index("GSI1", "BOARD#{board}#OWNER#{owner}", "{shown}#{taskId}")
    def of_owner(*, board: str, owner: str, shown: str | None = None): ...

    @index("ByChange", "BOARD#{board}", "{updatedAt}")
    def by_change(*, board: str, updated_at: datetime | None = None): ...


class User(
    Entity, table=table, kind="User", names=camel, unique=["email", ("team", "nickname"), "badge"]
):
    """Three unique values: one of two fields, one that is stored also where there is none."""

    user_id: str
    email: str | None = None
    team: str = "red"
    nickname: str | None = None
    badge: Annotated[str | None, KeepNull] = None
    version: Annotated[int, Version] = 0

    @key("USER#{userId}", "USER")
    def key(*, user_id: str): ...


files = model.add(
    Table(
        f"{PREFIX}-files",
        key=("databaseId", "assetId"),
        indexes=[
            GSI("ByRank", "rankPK", "count"),
            GSI("ByBucket", "bucketId", "assetId", projection="KEYS_ONLY"),
        ],
        types={"count": "N"},
        pitr=False,
    )
)


class Asset(Entity, table=files, names=camel, archive="#deleted"):
    """Keys that are fields as they stand, an archive, and a ranking over shards by a number."""

    database_id: str
    asset_id: str
    bucket_id: str | None = None
    path: Annotated[str, Named("path:of file")] = "/"
    count: int = 0
    version: Annotated[int, Version] = 0

    @key("{databaseId}", "{assetId}")
    def key(*, database_id: str, asset_id: str): ...

    @query(key)
    def of_database(*, database_id: str): ...

    @index("ByRank", "RANK#{databaseId}#{shard}", "{count}", shards=3)
    def ranked(*, database_id: str): ...

    @index("ByBucket", "{bucketId}", "{assetId}")
    def of_bucket(*, bucket_id: str): ...


readings = model.add(Table(f"{PREFIX}-readings", key=("device", "second"), types={"second": "N"}))


class Reading(Entity, table=readings):
    """A number for a sort key."""

    device: str
    second: int | float
    value: float = 0
    more: Annotated[dict[str, Any], Outside] = {}

    @key("{device}", "{second}")
    def key(*, device: str, second: float): ...

    @query(key)
    def of_device(*, device: str): ...
