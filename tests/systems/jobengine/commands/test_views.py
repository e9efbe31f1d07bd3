"""`sortkey jobengine` on journeys that have been run very often: nothing is left out silently."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey.cli import main
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.logs.step_log import StepLog
from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.service import JobEngine
from tests.systems.jobengine.service_fixtures import START, created

ID = "JRN-ABC123456789"
STAGES = ("raw_analysis", "stripped_schema")
TIMES = 601
"""Executions of each stage: more than a page of jobs together."""
FIRST, LAST = "JOB-000000010001", f"JOB-00000002{TIMES:04d}"


def jobs() -> Iterator[Job]:
    for order, stage in enumerate(STAGES, 1):
        for number in range(1, TIMES + 1):
            about: dict[str, Any] = {
                "journey_id": ID,
                "order": order,
                "stage_id": stage,
                "execution_number": number,
            }
            about |= {
                "job_id": f"JOB-{order:08d}{number:04d}",
                "created_at": START,
                "updated_at": START,
            }
            yield Job(**about, status="failed")


def say(buckets: Buckets, stage: str, job_id: str) -> None:
    log = StepLog(
        buckets.logs, journey_id=ID, stage_id=stage, job_id=job_id, step_id="schema_extraction"
    )
    log.add("ERROR", f"{job_id} failed", START)
    log.close()


@pytest.fixture
def often(tmp_path: Path) -> str:
    """The folder of a journey whose stages failed again and again; the first job and the last say
    so in their logs.
    """
    with sortkey.open(tmp_path) as store:
        buckets = Buckets.open(str(tmp_path / "buckets" / "{bucket}"))
        engine = JobEngine(store, buckets)
        engine.ensure()
        created(engine.journeys, journey_id=ID)
        store.batch_write(list(jobs()))
        for stage, job_id in zip(STAGES, (FIRST, LAST), strict=True):
            say(buckets, stage, job_id)
        buckets.close()
    return str(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert main(["jobengine", *line]) == 0
    return capsys.readouterr().out


def test_every_job_of_a_journey_is_shown(often: str, capsys: pytest.CaptureFixture[str]) -> None:
    # The latest are the ones that count, and they come last.
    output = json.loads(printed(capsys, "status", ID, "--data", often, "--json"))
    assert [each["job_id"] for each in output["jobs"]] == [each.job_id for each in jobs()]
    lines = printed(capsys, "status", ID, "--data", often).splitlines()
    assert "stage\tstatus\tjob\texecution\tjob status\tprogress\tstep\tresult" in lines
    assert any(
        line.startswith(f"2 stripped_schema\tpending\t{LAST}\t{TIMES}\tfailed\t") for line in lines
    )


def test_the_log_of_a_journey_is_one_file_of_all_its_jobs(
    often: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # A program reads it whole: one array, one line of column names.
    wanted = [f"{FIRST} failed", f"{LAST} failed"]
    logs = ("logs", ID, "--data", often)
    assert [each["message"] for each in json.loads(printed(capsys, *logs, "--json"))] == wanted
    rows = csv.DictReader(io.StringIO(printed(capsys, *logs, "--format", "csv")))
    assert [row["message"] for row in rows] == wanted
    assert [line.split(": ")[1] for line in printed(capsys, *logs).splitlines()] == wanted


@pytest.mark.parametrize("named", ["JRN-1", "nonsense"])
@pytest.mark.parametrize("command", ["status", "logs", "report", "cancel", "run --journey"])
def test_an_id_that_is_none_is_reported_with_what_one_looks_like(
    tmp_path: Path, command: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Not as a pattern: people copy ids, and this one was copied in part.
    assert main(["jobengine", *command.split(), named, "--data", str(tmp_path)]) == 2
    output = capsys.readouterr().err
    assert f"{named!r} is not an id: a journey id looks like JRN-ABC123456789" in output
    assert "`sortkey jobengine status` lists them" in output


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            ["run", "shop.sqlite", "--stage", "none"],
            "a journey has no stage 'none': it has raw_analysis, ",
        ),
        (["retry", ID], f"'{ID}' is not a job id: a job id looks like JOB-ABC123456789"),
        (
            ["logs", ID, "--level", "loud"],
            "'loud' is not a log level: use one of debug, info, warning, error",
        ),
    ],
)
def test_wrong_arguments_are_reported_before_anything_is_made(
    tmp_path: Path,
    line: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # A journey of a stage that is none would stay, and wait for somebody to run it.
    monkeypatch.chdir(tmp_path)
    Path("shop.sqlite").touch()
    assert main(["jobengine", *line]) == 2
    assert says in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["shop.sqlite"]
