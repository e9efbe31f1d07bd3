"""Deletes a journey. Logs and reports are the audit trail and stay, unless a purge is requested."""

from __future__ import annotations

from collections.abc import Iterable

from sortkey import Objects, Query, Store, attr
from sortkey.errors import ConditionFailed, NotFound
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.journeys.progress import WrongState
from sortkey_systems.jobengine.model import Job, Journey, Log, Report, Rule, Stage, StageJob

KEYS_AT_ONCE = 500


def delete(store: Store, journey_id: str, purged: Buckets | None = None) -> None:
    """Delete a journey with its stages, rules and jobs; with the buckets to purge, its logs and
    reports too.

    METADATA goes first, so that nothing starts. Calling it again after a crash deletes the rest.
    """
    journey = store.find(Journey.key(journey_id=journey_id), consistent=True)
    remaining = [
        kind
        for kind in _parts(journey_id, purged is not None)
        if store.first(kind.consistent()) is not None
    ]
    if journey is None and not remaining and not (purged and _has_files(purged, journey_id)):
        raise NotFound(f"there is no journey {journey_id}")
    if journey is not None:
        _end(store, journey, store.query(Stage.of_journey(journey_id=journey_id).consistent()))
    for part in remaining:
        _empty(store, part)
    if purged is not None:
        for bucket in (purged.logs, purged.reports):
            _remove(bucket, f"journeys/{journey_id}/")


def _parts(
    journey_id: str, is_purge: bool
) -> Iterable[Query[Stage | Rule | Job | StageJob | Log | Report]]:
    yield StageJob.of_journey(journey_id=journey_id)
    yield Job.of_journey(journey_id=journey_id)
    yield Rule.of_journey(journey_id=journey_id)
    yield Stage.of_journey(journey_id=journey_id)
    if is_purge:
        yield Log.of_journey(journey_id=journey_id)
        yield Report.of_type(journey_id=journey_id)


def _end(store: Store, journey: Journey, stages: Iterable[Stage]) -> None:
    runs = [stage.stage_id for stage in stages if stage.status == "running"]
    if journey.status == "running" or runs:
        where = f" in {', '.join(runs)}" if runs else ""
        raise WrongState(
            f"journey {journey.journey_id} runs{where}: cancel it, or pause it and let the job end"
        )
    try:
        store.delete(
            Journey.key(journey_id=journey.journey_id), when=attr(Journey.status) == journey.status
        )
    except ConditionFailed as failed:
        raise WrongState(
            f"journey {journey.journey_id} has just changed: check it and delete it again"
        ) from failed


def _empty(store: Store, part: Query[Stage | Rule | Job | StageJob | Log | Report]) -> None:
    """Deletes keys in batches: a journey may have any number of log entries."""
    while keys := store.keys(part.consistent().limit(KEYS_AT_ONCE)):
        store.batch_write(deletes=keys)


def _has_files(buckets: Buckets, journey_id: str) -> bool:
    return any(
        bucket.list(f"journeys/{journey_id}/", limit=1).objects
        for bucket in (buckets.logs, buckets.reports)
    )


def _remove(bucket: Objects, prefix: str) -> None:
    """Delete every version permanently."""
    for version in list(bucket.versions(prefix)):
        bucket.delete(version.key, version.version_id)
