"""Retention: stream records are kept for a day, the journal as long as a stream, recovery or a copy
needs it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sortkey.engine import backups, jobs, resource_policies, streams, tokens

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

PAUSE_SECONDS = 60.0
SLICE = 5000
DAY_MS = 24 * 3600 * 1000
JOB_RECORDS_MS = 90 * DAY_MS
"""AWS lists exports and imports of the last 90 days."""


def trim(engine: Engine) -> float:
    """Delete what has expired, then journal entries that nothing needs."""
    now_ms = int(engine.clock() * 1000)
    for feed in streams.feeds(engine):
        _age(engine, feed, now_ms)
    backups.expire(engine)
    tokens.expire(engine)
    _forget_old_jobs(engine, now_ms)
    return 0.0 if _trim_journal(engine, now_ms) else PAUSE_SECONDS


def _age(engine: Engine, feed: streams.Feed, now_ms: int) -> None:
    """Move the stream's trim point, drop shards that are wholly behind it, and open the
    next shard.
    """
    horizon_ms = now_ms - streams.RETENTION_MS
    if feed.disabled_ms is not None and feed.disabled_ms < horizon_ms:
        streams.forget(engine, feed)
        resource_policies.forget(engine, feed.arn)
        return
    shards = tuple(
        shard for shard in feed.shards if shard.closed_ms is None or shard.closed_ms >= horizon_ms
    )
    trimmed = max(feed.trimmed, engine.journal.at(feed.number, horizon_ms))
    aged = replace(feed, shards=shards, trimmed=trimmed)
    if aged != feed:
        streams.save(engine, aged)
    if feed.disabled_ms is None and now_ms - shards[-1].opened_ms >= streams.SHARD_MS:
        streams.rotate(engine, aged)


def _trim_journal(engine: Engine, now_ms: int) -> bool:
    """Returns whether there is more to delete."""
    streamed = {feed.number for feed in streams.feeds(engine)}
    copied = _copies(engine)
    more = False
    for number in engine.journal.tables():
        table = engine.catalog.by_number(number)
        kept_ms = streams.RETENTION_MS if number in streamed else -1
        if table is not None and table.pitr_since is not None:
            kept_ms = max(kept_ms, table.pitr_days * DAY_MS)
        more |= engine.journal.trim(number, now_ms - kept_ms, copied.get(number), SLICE) == SLICE
    return more


def _copies(engine: Engine) -> dict[int, int]:
    """Up to where running copies no longer need the journal of their tables."""
    cuts: dict[int, int] = {}
    for state in jobs.running(engine):
        if "source" in state:
            cuts[state["source"]] = min(state["cut"], cuts.get(state["source"], state["cut"]))
    return cuts


def _forget_old_jobs(engine: Engine, now_ms: int) -> None:
    for kind in ("export", "import"):
        for id, record in engine.records.all(kind):
            if record.get("EndTime", engine.clock()) * 1000 < now_ms - JOB_RECORDS_MS:
                engine.database.begin()
                engine.records.delete(kind, id)
