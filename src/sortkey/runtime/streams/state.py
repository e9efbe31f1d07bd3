"""What workers write down, in a table of their own next to the data: how far they are, who does
what, what failed.

Everything here is a model like any other; `store.query(DeadLetter.of_worker(worker="search"))`
works.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sortkey.model.entity import Entity
from sortkey.model.fields import Updated, camel
from sortkey.model.instants import EpochSeconds, Instant
from sortkey.model.keys import key, query
from sortkey.model.tables import Table

streams_table = Table(
    "sortkey-streams",
    key=("PK", "SK"),
    ttl="expiresAt",
    pitr=False,
    doc="Checkpoints and leases of stream workers, their dead letters, and guards against applying a change twice.",
)

WorkerName = Annotated[str, Field(pattern=r"^[^#]+$", examples=["search"])]


class Follow(Entity, table=streams_table, kind="Follow", names=camel):
    """A stream that a worker reads, and where it began."""

    worker: WorkerName
    stream_arn: Annotated[
        str, Field(examples=["arn:aws:dynamodb:eu-west-1:1:table/T/stream/2026-01-01T00:00:00.000"])
    ]
    table: str
    start: str
    """TRIM_HORIZON, LATEST, a sequence number, or AT for an instant."""
    start_at: Instant
    """The instant to start from, where `start` is AT; else that of the first look, from which
    LATEST goes on.
    """

    @key("WORKER#{worker}", "FOLLOW#{streamArn}")
    def key(*, worker: str, stream_arn: str):
        """What a worker knows of a stream."""

    @query(key)
    def of_worker(*, worker: str):
        """The streams of a worker."""


class Shard(Entity, table=streams_table, kind="Shard", names=camel):
    """A shard: how far a worker has got, and which process reads it now. `lease` rises with every
    new reader.
    """

    worker: WorkerName
    stream_arn: Annotated[
        str, Field(examples=["arn:aws:dynamodb:eu-west-1:1:table/T/stream/2026-01-01T00:00:00.000"])
    ]
    shard_id: Annotated[str, Field(examples=["shardId-00000001794785605466-8ab7a25d"])]
    parent_id: str | None = None
    sequence_number: str | None = None
    """The last change that is done; none in a shard that is new."""
    is_done: bool = False
    owner: str | None = None
    leased_until: Instant | None = None
    lease: int = 0
    updated_at: Annotated[Instant | None, Updated] = None
    expires_at: EpochSeconds | None = None
    """Shards that are done are forgotten long after the stream has forgotten them."""

    @key("SHARDS#{worker}#{streamArn}", "SHARD#{shardId}")
    def key(*, worker: str, stream_arn: str, shard_id: str):
        """What a worker knows of a shard."""

    @query(key)
    def of_stream(*, worker: str, stream_arn: str):
        """The shards of a stream that a worker knows."""


class Presence(Entity, table=streams_table, kind="Presence", names=camel):
    """A process that runs a worker and is alive: shards are shared among these."""

    worker: WorkerName
    owner: Annotated[str, Field(examples=["host.4026531836.1234.9f86d081"])]
    alive_until: Instant
    expires_at: EpochSeconds

    @key("WORKER#{worker}", "ALIVE#{owner}")
    def key(*, worker: str, owner: str):
        """One process of a worker."""

    @query(key)
    def of_worker(*, worker: str):
        """The processes that run a worker."""


class DeadLetter(Entity, table=streams_table, kind="DeadLetter", names=camel):
    """A change that a handler could not take, also after all tries. It stays until it is replayed
    or dropped.
    """

    worker: WorkerName
    failed_at: Instant
    change_id: Annotated[str, Field(examples=["9f86d081884c7d65"])]
    handler: Annotated[str, Field(examples=["index"])]
    table: str
    stream_arn: str
    shard_id: str
    sequence_number: str
    error: str
    """The type and the message of the last error."""
    trace: str = Field(default="", repr=False)
    attempts: int
    record: bytes = Field(repr=False)
    """The stream's record, packed; the rest of a large one is in `parts` items of their own."""
    parts: int = 0

    @key("WORKER#{worker}", "DEAD#{failedAt}#{changeId}#{handler}")
    def key(*, worker: str, failed_at: Instant, change_id: str, handler: str):
        """One dead letter."""

    @query(key)
    def of_worker(*, worker: str):
        """The dead letters of a worker, the oldest first."""


class DeadLetterPart(Entity, table=streams_table, kind="DeadLetterPart", names=camel):
    """More of the record of a dead letter, which is larger than an item can be."""

    worker: WorkerName
    change_id: str
    handler: str
    number: int
    record: bytes = Field(repr=False)

    @key("PARTS#{worker}#{changeId}#{handler}", "PART#{number:04d}")
    def key(*, worker: str, change_id: str, handler: str, number: int):
        """One part."""

    @query(key)
    def of_letter(*, worker: str, change_id: str, handler: str):
        """All parts of a dead letter, in order."""


class Applied(Entity, table=streams_table, kind="Applied", names=camel):
    """That a change was applied by somebody: a guard against applying it again."""

    change_id: Annotated[str, Field(examples=["9f86d081884c7d65"])]
    by: Annotated[str, Field(examples=["count_photos"])]
    expires_at: EpochSeconds

    @key("APPLIED#{changeId}", "BY#{by}")
    def key(*, change_id: str, by: str):
        """Whether a change was applied by somebody."""
