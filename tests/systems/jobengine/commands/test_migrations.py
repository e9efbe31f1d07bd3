"""`sortkey jobengine`: the demo runs the six stages for real, and the other commands show and
change what it left.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sortkey.cli import main
from sortkey_systems.jobengine.sample_shop import FLAWS, make_shop

pytestmark = pytest.mark.slow

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert main(["jobengine", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The folder of a demo, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    command = [
        sys.executable,
        "-m",
        "sortkey",
        "jobengine",
        "demo",
        "--data",
        str(folder),
        "--customers",
        "60",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stdout, done.stderr


def test_the_demo_runs_six_stages_and_prints_a_report_that_a_person_understands(
    shown: tuple[Path, str, str],
) -> None:
    # "Done when 3": not a film of a migration, but one.
    folder, report, output = shown
    stages = [line.split(":")[0] for line in output.splitlines() if line[:1].isdigit()]
    assert stages == [
        "1 Raw Analysis",
        "2 Stripped Schema",
        "3 TMF Mapping",
        "4 Migration Planning",
        "5 Data Migration",
        "6 Verification Validation",
    ]
    assert report.startswith(
        "# Migration of shop\n\nPassed: 19 of 835 rows of the source (2.3 %) and "
    )
    assert (
        report.index("## Rows refused")
        < report.index("## Losses that the limits allow")
        < report.index("## Figures")
    )
    assert f"customers, {FLAWS.nameless_customers} times: name is required and missing" in report
    assert "Reviews stay behind: applied to reviews" in report
    assert "- payments, 60 rows: a rule leaves it out" in report
    assert "Order numbers have six digits: holds in all of 120 documents" in report
    (target,) = folder.glob("JRN-*.sqlite")
    with sqlite3.connect(target) as db:
        (orders,) = db.execute("SELECT COUNT(*) FROM ProductOrder").fetchone()
    assert orders == 120


def test_what_the_demo_left_can_be_looked_at(
    shown: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    # With --data it is a folder like any other.
    folder, report, _ = shown
    data = ("--data", str(folder))
    (journey,) = answer(capsys, "status", *data)
    assert (journey["status"], journey["overall_progress"]) == ("completed", 100)
    whole = answer(capsys, "status", journey["journey_id"], *data)
    assert [job["status"] for job in whole["jobs"]] == ["completed"] * 6
    moved = whole["jobs"][4]
    assert answer(capsys, "status", moved["job_id"], *data)["results"] == moved["results"]
    assert answer(capsys, "report", journey["journey_id"], *data)["text"] == report
    titles = [each["title"] for each in answer(capsys, "report", moved["job_id"], *data)]
    assert titles == ["Dataset Selection", "Transfer", "Compliance Test", "Mark Completion"]


def test_logs_are_printed_by_level_and_step(
    shown: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    # All of a journey, in order, and only what is asked for.
    data = ("--data", str(shown[0]))
    (journey,) = answer(capsys, "status", *data)
    assert (
        main(
            [
                "jobengine",
                "logs",
                journey["journey_id"],
                "--step",
                "transfer",
                "--level",
                "warning",
                *data,
            ]
        )
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 3
    assert all(" WARNING transfer: " in line for line in lines)
    assert (
        main(
            [
                "jobengine",
                "logs",
                journey["journey_id"],
                "--text",
                "tmp_import",
                "--format",
                "json",
                *data,
            ]
        )
        == 0
    )
    assert "tmp_import_products" in capsys.readouterr().out


def test_tables_for_people_have_what_they_ask_first(
    shown: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = ("--data", str(shown[0]))
    (journey,) = answer(capsys, "status", *data)
    assert main(["jobengine", "status", journey["journey_id"], *data]) == 0
    printed = capsys.readouterr().out
    assert "The sample shop" in printed
    assert "5 data_migration" in printed


def test_the_demo_leaves_nothing_behind_unless_it_is_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A demo that fills the disk is shown once.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    output = answer(capsys, "demo", "--customers", "40")
    assert output["report"]["is_passed"]
    assert [job["stage_id"] for job in output["jobs"]][-1] == "verification_validation"
    assert list(tmp_path.iterdir()) == []


def test_a_journey_of_ones_own_goes_on_where_it_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The file is gone when the first stage runs: the job fails, the file comes back, and `retry`
    # runs all of it.
    shop, data = (
        make_shop(tmp_path / "shop.sqlite", customers=40),
        ("--data", str(tmp_path / "data")),
    )
    target = tmp_path / "documents"
    begin = [
        "jobengine",
        "run",
        str(shop),
        "--target",
        str(target),
        "--stage",
        "raw_analysis",
        "--priority",
        "high",
    ]
    assert main([*begin, *data]) == 0
    (journey,) = answer(capsys, "status", *data)
    assert (journey["priority"], journey["current_stage_id"]) == ("high", "stripped_schema")
    away = shop.rename(tmp_path / "away.sqlite")
    assert main(["jobengine", "run", "--journey", journey["journey_id"], *data]) == 1
    assert f"no such file: {shop}" in capsys.readouterr().err
    away.rename(shop)
    failed = answer(capsys, "status", journey["journey_id"], *data)["jobs"][-1]
    assert failed["status"] == "failed"
    again = answer(capsys, "retry", failed["job_id"], *data)
    assert (again["status"], again["execution_number"]) == ("completed", 2)
    limits = ["--allow-lost-rows", "60%", "--allow-lost-values", "6", "--allow-dangling", "5%"]
    assert main(["jobengine", "run", "--journey", journey["journey_id"], *limits, *data]) == 0
    assert "ProductOrder.jsonl" in {path.name for path in target.iterdir()}


def test_rules_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # One that asks for what no shop has: the exit code says that it was not reached.
    shop = make_shop(tmp_path / "shop.sqlite", customers=40)
    rule = {"stageId": "verification_validation", "title": "Short ids", "type": "compliance_check"}
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps([{**rule, "content": {"patterns": {"Customer.id": "^x$"}}}]))
    run = [
        "jobengine",
        "run",
        str(shop),
        "--target",
        str(tmp_path / "out.sqlite"),
        "--rules",
        str(rules),
    ]
    limits = ["--allow-lost-rows", "60%", "--allow-lost-values", "6", "--allow-dangling", "5%"]
    assert main([*run, *limits, "--data", str(tmp_path / "data")]) == 1
    report = capsys.readouterr().out
    assert "Short ids: not so in" in report
    assert "checks by rules that hold: 0.0%, required 90%" in report


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "name what to migrate"),
        (["run", "nothing.sqlite", "--data", "DATA"], "no such file: nothing.sqlite"),
        (["run", "postgresql://me:secret@localhost/shop", "--data", "DATA"], "PGPASSWORD"),
        (["run", "postgresql://me@localhost/shop?password=secret", "--data", "DATA"], "PGPASSWORD"),
        (["run", "host=localhost password=secret dbname=shop", "--data", "DATA"], "PGPASSWORD"),
        (["run", "host=localhost dbname=shop", "--data", "DATA"], "postgresql://user@host/name"),
        (
            ["run", "shop.sqlite", "--allow-lost-rows", "many"],
            "'many' is not a limit: give a number, or a share",
        ),
        (["run", "shop.sqlite", "--allow-lost-rows", "t=-1"], "'-1' is not a limit"),
        (
            ["run", "shop.sqlite", "--allow-lost-rows", "1", "--allow-lost-rows", "2%"],
            "given as 1 and 2%",
        ),
        (["status", "--data", "nowhere"], "there is no folder 'nowhere'"),
        (["status", "--data", "http://localhost:1"], "--objects"),
    ],
)
def test_wrong_arguments_say_what_to_do(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(tmp_path / "data") if each == "DATA" else each for each in arguments]
    assert main(["jobengine", *given]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "secret" not in error


@pytest.mark.parametrize(
    ("what", "journey_status", "says"),
    [
        ("journey", "cancelled", "{journey} was cancelled, "),
        (
            "job",
            "pending",
            "{job} was cancelled: `sortkey jobengine run --journey {journey} --data {data}` starts "
            "it again",
        ),
    ],
)
def test_what_runs_in_one_terminal_is_cancelled_from_another(
    what: str, journey_status: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The process that has the folder lets others in, and when it has ended nothing is left that
    # still seems to run.
    shop, data = (
        make_shop(tmp_path / "shop.sqlite", customers=3000),
        ("--data", str(tmp_path / "data")),
    )
    command = [
        sys.executable,
        "-m",
        "sortkey",
        "jobengine",
        "run",
        str(shop),
        "--target",
        str(tmp_path / "out.sqlite"),
    ]
    first = subprocess.Popen(
        [*command, *data], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        journey = _running(capsys, tmp_path, data)
        (job,) = answer(capsys, "status", journey, *data)["jobs"]
        assert (
            main(["jobengine", "cancel", job["job_id"] if what == "job" else journey, *data]) == 0
        )
        _, output = first.communicate(timeout=120)
        assert first.returncode == 1
        line = output.decode().splitlines()[-1]
        assert line.startswith(says.format(journey=journey, job=job["job_id"], data=data[1]))
    finally:
        first.kill()
        first.wait()
    left = answer(capsys, "status", journey, *data)
    assert left["journey"]["status"] == journey_status
    assert [each["status"] for each in left["jobs"]] == ["cancelled"]
    assert {each["status"] for each in left["stages"]} == {"pending"}


def _running(capsys: pytest.CaptureFixture[str], folder: Path, data: tuple[str, str]) -> str:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if (folder / "data" / "sortkey.db").exists():
            capsys.readouterr()
            # Before it lets others in, the folder is in use, and this says so.
            if main(["jobengine", "status", "--json", *data]) == 0:
                found = json.loads(capsys.readouterr().out)
                if found and found[0]["status"] == "running":
                    return found[0]["journey_id"]
        time.sleep(0.05)
    raise AssertionError("the journey did not start")
