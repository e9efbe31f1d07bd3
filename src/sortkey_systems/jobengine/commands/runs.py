"""What the commands of `sortkey jobengine` share: opening the engine, creating a journey, and
running it.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sortkey import Entity
from sortkey.commands import (
    FAILED,
    INTERRUPTED,
    USAGE,
    CommandFailed,
    bucket_address,
    check_address,
    print_json,
)
from sortkey.errors import StorageFailed
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.commands.output import print_markdown, watch
from sortkey_systems.jobengine.inputs import RuleDraft
from sortkey_systems.jobengine.journeys.journeys import new_journey_id
from sortkey_systems.jobengine.model import Job, Journey
from sortkey_systems.jobengine.parts import JobId, JourneyConfiguration, JourneyId, Priority, Source
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.sources import addresses
from sortkey_systems.jobengine.stages.data_migration import ownership
from sortkey_systems.jobengine.stages.registry import STEPS

log = logging.getLogger("sortkey.jobs")


@contextmanager
def open_engine(
    data: str, objects: str | None, *, makes: bool = False, entity_id: str | None = None
) -> Generator[JobEngine]:
    """The engine on a folder, shared with other commands, or on other addresses. Only with `makes`
    a missing folder is created, so that a typing error does not create one. `entity_id` is the id
    typed by the user.
    """
    from sortkey.commands import shared_store

    if entity_id is not None:
        _check_id(entity_id)
    where = bucket_address(data, objects)
    check_address(data, creates=makes)
    with shared_store(data) as store:
        buckets = Buckets.open(where)
        try:
            engine = JobEngine(store, buckets)
            engine.ensure()
            yield engine
        finally:
            buckets.close()


def new_journey(
    engine: JobEngine,
    source: str,
    target: str | None,
    name: str | None,
    priority: Priority,
    rules: Sequence[Mapping[str, Any]],
    *,
    folder: str = "",
) -> Journey:
    """Create a journey for a source. Without a `target` its documents go into a file in `folder`
    named after the journey.
    """
    from pydantic import ValidationError

    journey_id = new_journey_id()
    documents = os.path.abspath(target or os.path.join(folder, f"{journey_id}.sqlite"))
    _check_target(documents, journey_id)
    try:
        addresses.check_address(source)
    except ValueError as error:
        raise CommandFailed(str(error), USAGE) from None
    is_file = "://" not in source
    if is_file and not os.path.isfile(source):
        hint = ": PostgreSQL is named as postgresql://user@host/name" if "=" in source else ""
        raise CommandFailed(f"no such file: {source}{hint}", USAGE)
    title = Path(source).stem if is_file else addresses.database_name(source)
    about: dict[str, Any] = {
        "type": "database",
        "schema_id": title,
        "schema_name": title,
        "schema_version": "1",
    }
    address = os.path.abspath(source) if is_file else source
    try:
        return engine.journeys.create(
            name=name or title,
            created_by=os.environ.get("USER", "command line"),
            oda_component_type="PRODUCTCATALOG",
            source=Source(**about, address=address),
            configuration=JourneyConfiguration(target=documents),
            priority=priority,
            rules=[RuleDraft(**rule) for rule in rules],
            journey_id=journey_id,
        )
    except ValidationError as error:
        # Without the input: it may contain a password.
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()
        )
        raise CommandFailed(f"invalid journey: {faults}", USAGE) from None


def _check_target(documents: str, journey_id: str) -> None:
    """Checked before creating a journey that could never write its documents."""
    try:
        ownership.check_owner(documents, journey_id)
    except ownership.TargetRefused as refused:
        raise CommandFailed(str(refused), USAGE) from None


def _check_id(entity_id: str) -> None:
    from pydantic import TypeAdapter, ValidationError

    try:
        TypeAdapter[str](JourneyId | JobId).validate_python(entity_id)
    except ValidationError:
        advice = "a journey id looks like JRN-ABC123456789, a job id like JOB-ABC123456789"
        raise CommandFailed(
            f"{entity_id!r} is not an id: {advice}; `sortkey jobengine status` lists them", USAGE
        ) from None


def check_stage(stage_id: str) -> None:
    """Checked before creating a journey that could not run."""
    stage_ids = STEPS
    if stage_id not in stage_ids:
        raise CommandFailed(
            f"a journey has no stage {stage_id!r}: it has {', '.join(stage_ids)}", USAGE
        )


def read_rules(path: Path) -> list[dict[str, Any]]:
    from json import JSONDecodeError, loads

    try:
        rules: Any = loads(path.read_text(encoding="utf-8"))
    except JSONDecodeError as error:
        raise CommandFailed(f"{path} is not valid JSON: {error}", USAGE) from None
    except OSError as error:
        raise CommandFailed(f"cannot read {path}: {error.strerror}", USAGE) from None
    if not isinstance(rules, list):
        raise CommandFailed(f"{path} is not a JSON list of rules", USAGE)
    return cast("list[dict[str, Any]]", rules)


def run_all(
    engine: JobEngine,
    journey_id: str,
    *,
    threads: int,
    data: str | None,
    stage_id: str | None = None,
) -> Journey:
    """Run the remaining stages of a journey, or one stage, on workers in this process. `data` is
    its folder, if it is kept.
    """
    stages = engine.journeys.stages(journey_id)
    if not any(
        stage.status == "running" for stage in stages
    ):  # otherwise a run was interrupted: continue it
        if stage_id is None:
            engine.run_journey(journey_id)
        else:
            engine.start_job(journey_id, stage_id)
    goes_on = (
        f": `sortkey jobengine run --journey {journey_id} --data {data}` continues it"
        if data
        else ""
    )
    failures = StorageFailures()
    try:
        with engine.worker(threads=threads, poll_seconds=0.2, on_error=failures.note):
            return watch(engine, journey_id, stage_id, check=failures.check)
    except KeyboardInterrupt:
        raise CommandFailed(f"stopped{goes_on}", INTERRUPTED) from None
    except StorageFailed as error:
        raise CommandFailed(f"{error}{goes_on}") from None


class StorageFailures:
    """Storage errors of workers, such as a full disk. Workers would retry for ever; a command ends
    instead.
    """

    def __init__(self) -> None:
        self._first: StorageFailed | None = None

    def note(self, message: str, error: Exception) -> None:
        if isinstance(error, StorageFailed):
            self._first = self._first or error
        else:
            log.error("%s: %s", message, error, exc_info=error)

    def check(self) -> None:
        if self._first is not None:
            raise self._first


def print_end(
    engine: JobEngine,
    journey: Journey,
    seconds: float,
    *,
    is_json: bool,
    folder: str,
    is_kept: bool = True,
) -> int:
    """Print the final report, or how far the journey came. Returns the exit code. `is_kept`: the
    folder stays.
    """
    jobs, report = (
        engine.executions.all_jobs(journey.journey_id),
        _report(engine, journey.journey_id),
    )
    if is_json:
        document = {
            "journey": plain(journey),
            "seconds": round(seconds, 1),
            "jobs": [plain(job) for job in jobs],
        }
        print_json({**document, "report": report, "folder": folder})
    elif report:
        print_markdown(report["text"])
        totals = journey.aggregates
        document = (
            f"{totals.completed_jobs} jobs, {totals.total_logs} lines of log, "
            f"{totals.total_warnings} warnings"
        )
        print(
            f"\n{journey.journey_id} is {journey.status} after {seconds:.1f} s: {document}.",
            file=sys.stderr,
        )
        if is_kept:
            print(f"Its documents are in {journey.configuration.target}.", file=sys.stderr)
        if is_kept and journey.status == "failed":
            print(_with_limits(journey.journey_id, folder), file=sys.stderr)
    else:
        print(_unfinished(journey, jobs, folder), file=sys.stderr)
    if report is None:
        return FAILED if journey.status in ("failed", "cancelled") or _is_cancelled(jobs) else 0
    return 0 if report["is_passed"] and journey.status == "completed" else FAILED


def _report(engine: JobEngine, journey_id: str) -> dict[str, Any] | None:
    """The final report, or None if the journey has not produced one."""
    from sortkey.errors import NotFound

    try:
        return engine.executions.final_report(journey_id)
    except NotFound:
        return None


def _with_limits(journey_id: str, folder: str) -> str:
    run = f"sortkey jobengine run --journey {journey_id} --data {folder}"
    return (
        f"If these losses are acceptable, verify it again with limits: `{run} --allow-lost-rows … "
        "--allow-dangling …`."
    )


def _unfinished(journey: Journey, jobs: Sequence[Job], folder: str) -> str:
    """The state of a journey that did not complete, and what to do."""
    again = (
        f"`sortkey jobengine run --journey {journey.journey_id} --data {folder}` starts it again"
    )
    if journey.status == "cancelled":
        return f"{journey.journey_id} was cancelled, {journey.overall_progress} % done"
    if _is_cancelled(jobs):
        return f"{jobs[-1].job_id} was cancelled: {again}"
    failed = next((job for job in reversed(jobs) if job.status == "failed"), None)
    why = (
        f": {failed.stage_id}, {failed.error_message}"
        if failed and journey.status == "failed"
        else ""
    )
    return f"{journey.journey_id} is {journey.status}, {journey.overall_progress} % done{why}"


def _is_cancelled(jobs: Sequence[Job]) -> bool:
    """Whether the last job was cancelled. Jobs are in the order in which they run."""
    return bool(jobs) and jobs[-1].status == "cancelled"


def jobs_of(engine: JobEngine, of: str) -> list[Job]:
    if of.startswith("JOB-"):
        return [engine.executions.get(of)]
    engine.journeys.get(of)
    return engine.executions.all_jobs(of)


def plain(entity: Entity) -> dict[str, Any]:
    return entity.model_dump(mode="json")
