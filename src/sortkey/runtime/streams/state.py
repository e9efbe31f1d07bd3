"""The state of workers, in a separate table next to the data: checkpoints, leases and dead letters.

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
    """The instant to start from if `start` is AT, otherwise the instant of the first look, from
    which LATEST continues.
    """

    @key("WORKER#{worker}", "FOLLOW#{streamArn}")
    def key(*, worker: str, stream_arn: str):
        """A stream of a worker."""

    @query(key)
    def of_worker(*, worker: str):
        """The streams of a worker."""


class Shard(Entity, table=streams_table, kind="Shard", names=camel):
    """A shard: the checkpoint of a worker, and the process that reads it. `lease` rises with every
    new reader.
    """

    worker: WorkerName
    stream_arn: Annotated[
        str, Field(examples=["arn:aws:dynamodb:eu-west-1:1:table/T/stream/2026-01-01T00:00:00.000"])
    ]
    shard_id: Annotated[str, Field(examples=["shardId-00000001794785605466-8ab7a25d"])]
    parent_id: str | None = None
    sequence_number: str | None = None
    """The last processed change, None in a new shard."""
    is_done: bool = False
    owner: str | None = None
    leased_until: Instant | None = None
    lease: int = 0
    updated_at: Annotated[Instant | None, Updated] = None
    expires_at: EpochSeconds | None = None
    """Done shards are deleted long after the stream has dropped them."""

    @key("SHARDS#{worker}#{streamArn}", "SHARD#{shardId}")
    def key(*, worker: str, stream_arn: str, shard_id: str):
        """A shard of a worker."""

    @query(key)
    def of_stream(*, worker: str, stream_arn: str):
        """The shards of a stream of a worker."""


class Presence(Entity, table=streams_table, kind="Presence", names=camel):
    """A live process that runs a worker. Shards are shared among these."""

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
    """A change that a handler could not process after all attempts. It stays until it is replayed
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
    """The stream's record, compressed. The rest of a large one is in `parts` more items."""
    parts: int = 0

    @key("WORKER#{worker}", "DEAD#{failedAt}#{changeId}#{handler}")
    def key(*, worker: str, failed_at: Instant, change_id: str, handler: str):
        """One dead letter."""

    @query(key)
    def of_worker(*, worker: str):
        """The dead letters of a worker, the oldest first."""


class DeadLetterPart(Entity, table=streams_table, kind="DeadLetterPart", names=camel):
    """A further part of a record that is too large for one item."""

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
    """A guard: records that a change was applied, so that it is not applied again."""

    change_id: Annotated[str, Field(examples=["9f86d081884c7d65"])]
    by: Annotated[str, Field(examples=["count_photos"])]
    expires_at: EpochSeconds

    @key("APPLIED#{changeId}", "BY#{by}")
    def key(*, change_id: str, by: str):
        """The guard of a change."""
