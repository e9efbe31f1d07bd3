"""The engine over REST, in both homes: what a caller does with it, who may what, and how it
refuses.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sortkey import Store
from sortkey.systems.installed import find_system
from sortkey.systems.shared import SharedResources
from sortkey.web import ApiKeys, Mount, make_app
from sortkey.web.host import Host
from sortkey_systems.jobengine.api import make_router
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import JOURNEY_EXAMPLE
from sortkey_systems.jobengine.jobs.places import Places
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.service import JobEngine
from tests.systems.homes import Home
from tests.systems.jobengine.recording import Recording
from tests.systems.jobengine.service_fixtures import buckets

__all__ = ["buckets"]

READING = {"GetItem", "Query", "BatchGetItem"}
JOURNEYS = "/jobengine/journeys"
ANY_LOSS = {"rows": "100%", "values": "100%", "references": "100%"}
NEW = JOURNEY_EXAMPLE | {
    "source": {**JOURNEY_EXAMPLE["source"], "address": "shop.sqlite"},
    "configuration": {**JOURNEY_EXAMPLE["configuration"], "allowedLosses": ANY_LOSS},
}


@dataclass
class Rest:
    """The app with a key for everything, a key that reads, and a worker that runs on request."""

    client: TestClient
    engine: JobEngine
    asked: Recording
    full: dict[str, str]
    read: dict[str, str]

    @property
    def openapi(self) -> dict[str, Any]:
        return cast(FastAPI, self.client.app).openapi()

    def post(self, path: str, body: Any = None, status: int | None = None, **params: Any) -> Any:
        return self._sent("POST", path, status, json=body, params=params)

    def patch(self, path: str, body: Any) -> Any:
        return self._sent("PATCH", path, 200, json=body)

    def get(self, path: str, **params: Any) -> Any:
        answer = self.client.get(path, params=params, headers=self.read)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(
        self, method: str, path: str, status: int, code: str, **request: Any
    ) -> dict[str, Any]:
        """The error of an answer, in the one shape."""
        headers = {**self.full, "Content-Type": "application/json"}
        answer = self.client.request(method, path, headers=headers, **request)
        assert answer.status_code == status, answer.text
        error = answer.json()["error"]
        assert error["code"] == code
        assert error["requestId"] == answer.headers["X-Request-Id"]
        return error

    def work(self) -> None:
        worker = self.engine.worker()
        while worker.run_once() is not None:
            pass

    def journey(self, **values: Any) -> str:
        """A new journey's path."""
        return f"{JOURNEYS}/{self.post(JOURNEYS, NEW | values)['journeyId']}"

    def _sent(self, method: str, path: str, status: int | None, **request: Any) -> Any:
        answer = self.client.request(method, path, headers=self.full, **request)
        assert answer.is_success if status is None else answer.status_code == status, answer.text
        return answer.json() if answer.content else None


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("shop") / "shop.sqlite", customers=40)


@pytest.fixture
def rest(home: Home, buckets: Buckets, shop: Path, tmp_path: Path) -> Iterator[Rest]:
    files = tmp_path / "files"
    files.mkdir()
    copy(shop, files)
    asked = Recording(home.store.backend)
    engine = JobEngine(Store(asked), buckets, places=Places(root=files))
    engine.ensure()
    keys = ApiKeys(home.store)
    keys.ensure()
    full, read = (
        keys.create("full key", "jobengine", "full"),
        keys.create("read key", "jobengine", "read"),
    )
    app = make_app([Mount("jobengine", make_router(engine))], keys=keys)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Rest(client, engine, asked, {"X-Api-Key": full.text}, {"X-Api-Key": read.text})


# -- what a caller does with it


@pytest.mark.accepts("JE-21", "JE-23", "JE-58", "JE-80")
def test_a_stage_is_run_watched_and_looked_into_over_rest(rest: Rest) -> None:
    # From nothing to logs and reports, as a program without our library does it.
    journey = rest.journey()
    started = rest.post(f"{journey}/stages/raw_analysis/jobs", status=202)
    job = f"{journey}/jobs/{started['jobId']}"
    assert rest.get(f"{job}/wait", seconds=0)["status"] == "pending"
    rest.work()
    done = rest.get(f"{job}/wait", seconds=5)
    assert (done["status"], done["progress"], done["executionNumber"]) == ("completed", 100, 1)
    lines = rest.get(f"{job}/logs", step="schema_extraction")["items"]
    assert lines[0].keys() >= {"jobId", "step_id", "level", "message", "timestamp", "details"}
    reports = rest.get(f"{job}/reports")["items"]
    assert {each["reportId"] for each in reports}
    full = rest.get(f"{job}/reports/{reports[0]['reportId']}")
    assert full["executionSummary"]["jobId"] == started["jobId"]
    assert [each["text"] for each in rest.get(f"{job}/timeline")][-1].startswith("completed")
    after = rest.get(journey)
    assert (after["currentStageId"], after["overallProgress"]) == ("stripped_schema", 16)
    assert after["aggregates"]["totalLogs"] == done["metrics"]["totalLogs"] > 0


@pytest.mark.accepts("JE-35")
def test_JE_35_the_dashboard_of_a_stage(rest: Rest) -> None:
    # Status, progress and times, from the index.
    journey = rest.journey()
    started = rest.post(f"{journey}/stages/raw_analysis/jobs")
    rest.work()
    (line,) = rest.get(f"{journey}/stages/raw_analysis/dashboard")
    assert (line["jobId"], line["status"], line["progress"]) == (started["jobId"], "completed", 100)
    assert line["startTime"] < line["endTime"]


def test_logs_are_searched_exported_and_summed_up(rest: Rest) -> None:
    # By level, step, time and text; as JSON, CSV and text.
    journey = rest.journey()
    job = f"{journey}/jobs/{rest.post(f'{journey}/stages/raw_analysis/jobs')['jobId']}"
    rest.work()
    everything = _all_pages(rest, f"{job}/logs", limit=7)
    assert len(everything) == rest.get(job)["metrics"]["totalLogs"]
    warnings = rest.get(f"{job}/logs", level="warning")["items"]
    assert warnings == [line for line in everything if line["level"] == "WARNING"]
    wanted = everything[0]["message"][:10]
    assert everything[0] in rest.get(f"{job}/logs", text=wanted)["items"]
    assert rest.get(f"{job}/logs", since=everything[-1]["timestamp"])["items"][-1] == everything[-1]
    assert rest.get(f"{job}/logs", until=everything[0]["timestamp"])["items"] == []
    answers = {each: _export(rest, f"{job}/logs/export", each) for each in ("json", "csv", "txt")}
    assert json.loads(answers["json"]) == everything
    assert [row["message"] for row in csv.DictReader(io.StringIO(answers["csv"]))] == [
        line["message"] for line in everything
    ]
    assert len(answers["txt"].splitlines()) >= len(everything)
    summary = rest.get(f"{job}/logs/summary")
    assert summary["counts"]["totalLogs"] == len(everything)
    assert sum(group["count"] for group in summary["warnings"]) == len(warnings)
    assert all(entry["level"] in ("warning", "error") for entry in rest.get(f"{job}/logs/recent"))


@pytest.mark.accepts("JE-57", "JE-58")
def test_reports_are_written_and_made_over_rest(rest: Rest) -> None:
    # A person's own, and those that the engine makes of a job.
    journey = rest.journey()
    job = f"{journey}/jobs/{rest.post(f'{journey}/stages/raw_analysis/jobs')['jobId']}"
    rest.work()
    own = rest.post(
        f"{job}/reports",
        {"title": "Review", "summary": "Fine.", "content": {"by": "Ann"}, "name": "mine"},
    )
    assert rest.get(f"{job}/reports/{own['reportId']}")["detailedResults"] == {"by": "Ann"}
    for kind in ("summary", "performance", "error_analysis", "timeline", "metrics"):
        made = rest.post(f"{job}/make-report", {"reportType": kind})
        assert rest.get(f"{job}/reports/{made['reportId']}")["reportType"] == kind
    rest.refused("GET", f"{job}/reports/RPT-none", 404, "NotFound")


def test_a_whole_journey_runs_pauses_and_goes_on(rest: Rest) -> None:
    # Paused between two stages it stays there; resumed, it runs to its end.
    journey = rest.journey()
    rest.post(f"{journey}/run", status=202)
    worker = rest.engine.worker()
    worker.run_once()
    assert rest.post(f"{journey}/pause")["status"] == "paused"
    rest.work()
    paused = rest.get(journey)
    assert (paused["status"], paused["currentStageId"]) == ("paused", "tmf_mapping")
    rest.post(f"{journey}/resume")
    rest.work()
    over = rest.get(journey)
    assert (over["status"], over["overallProgress"], over["aggregates"]["completedJobs"]) == (
        "completed",
        100,
        6,
    )
    jobs = _all_pages(rest, f"{journey}/jobs", limit=2)
    assert [job["stageId"] for job in jobs] == [
        stage["stageId"] for stage in rest.get(f"{journey}/stages")
    ]
    assert rest.post(f"{journey}/aggregates") == over["aggregates"]


def test_a_journey_that_lost_rows_says_so_over_rest_too(rest: Rest) -> None:
    # The same verdict as the command line's; and the limits are changed where they are needed.
    journey = rest.journey(configuration={"target": "lost"})
    assert rest.refused("GET", f"{journey}/report", 404, "NotFound")
    rest.post(f"{journey}/run", status=202)
    rest.work()
    over, report = rest.get(journey), rest.get(f"{journey}/report")
    assert (over["status"], report["outcome"], report["isPassed"]) == (
        "failed",
        "needs_review",
        False,
    )
    assert "rows of the source not in the target" in report["exceeded"][0]
    assert any(line.startswith("payments, 40 rows") for line in report["missing"]["tables"])
    assert sum(line["rows"] for line in report["tables"]) == report["figures"]["rows"]
    job = rest.get(f"{journey}/jobs", stageId="verification_validation")["items"][0]
    assert job["errorMessage"].startswith(report["verdict"])
    changed = rest.patch(journey, {"allowedLosses": ANY_LOSS})
    assert changed["configuration"]["allowedLosses"]["rows"] == "100%"
    assert changed["configuration"]["target"] == "lost"
    rest.post(f"{journey}/run", status=202)
    rest.work()
    assert rest.get(journey)["status"] == "completed"
    assert rest.get(f"{journey}/report")["outcome"] == "passed"


@pytest.mark.parametrize(
    "limit", ["x", "-1", "5 %", "1.5", 1.5, True, {"tables": "5"}, {"other": "5"}]
)
def test_a_limit_that_is_none_is_refused(rest: Rest, limit: Any) -> None:
    # A limit that nobody reads would be none.
    losses = limit if isinstance(limit, dict) else {"rows": limit}
    rest.refused("PATCH", rest.journey(), 422, "InvalidRequest", json={"allowedLosses": losses})


@pytest.mark.accepts("JE-42", "JE-43")
def test_JE_42_a_cancelled_job_is_retried_with_the_next_number(rest: Rest) -> None:
    # The first stays as it was.
    journey = rest.journey()
    job = f"{journey}/jobs/{rest.post(f'{journey}/stages/raw_analysis/jobs')['jobId']}"
    assert rest.post(f"{job}/cancel")["status"] == "cancelled"
    again = rest.post(f"{job}/retry", status=202)
    rest.work()
    found = rest.get(f"{journey}/jobs", stageId="raw_analysis")["items"]
    assert [(each["executionNumber"], each["status"]) for each in found] == [
        (1, "cancelled"),
        (2, "completed"),
    ]
    assert found[1]["jobId"] == again["jobId"]
    assert rest.get(f"{journey}/jobs", status="completed")["items"] == [found[1]]
    rest.refused("POST", f"{journey}/jobs/{again['jobId']}/retry", 409, "WrongState")


def test_a_cancelled_journey_takes_its_job_with_it(rest: Rest) -> None:
    # Nothing of it is left in the queue.
    journey = rest.journey()
    job = rest.post(f"{journey}/run")
    assert rest.post(f"{journey}/cancel")["status"] == "cancelled"
    rest.work()
    assert rest.get(f"{journey}/jobs/{job['jobId']}")["status"] == "cancelled"
    assert rest.get(journey)["status"] == "cancelled"
    rest.refused("POST", f"{journey}/run", 409, "WrongState")


@pytest.mark.accepts("JE-29", "JE-31")
def test_rules_over_rest(rest: Rest) -> None:
    # Added, changed, deactivated; a stage's in rank order, with the name of the key that added
    # them.
    journey = rest.journey(rules=[])
    draft = {
        "stageId": "raw_analysis",
        "title": "Keep",
        "type": "business_logic",
        "content": "Keep 'audit_log'",
    }
    rule = rest.post(f"{journey}/rules", draft, status=201)
    rest.post(f"{journey}/rules", draft | {"title": "First", "priority": "critical"})
    assert (rule["index"], rule["metadata"]["createdBy"]) == (1, "full key")
    ranked = rest.get(f"{journey}/stages/raw_analysis/rules")
    assert [each["title"] for each in ranked] == ["First", "Keep"]
    path = f"{journey}/rules/{rule['ruleId']}"
    assert rest.patch(path, {"priority": "high"})["priority"] == "high"
    assert rest.post(f"{path}/deactivate")["status"] == "inactive"
    assert rest.get(path)["status"] == "inactive"
    assert len(rest.get(f"{journey}/stages/raw_analysis/rules")) == 1
    assert len(rest.get(f"{journey}/rules", stageId="raw_analysis")["items"]) == 2
    assert rest.get(journey)["aggregates"]["activeRules"] == 1


@pytest.mark.accepts("JE-76", "JE-51")
def test_JE_76_a_journey_is_exported_deleted_and_restored_over_rest(rest: Rest) -> None:
    # And what `complete` answers can be imported.
    journey = rest.journey()
    journey_id = journey.rsplit("/", 1)[1]
    before = rest.get(f"{journey}/complete")
    assert rest.post(f"{journey}/export")["location"].endswith(
        f"/journeys/{journey_id}/backup.json"
    )
    assert rest.client.delete(journey, headers=rest.full).status_code == 204
    rest.refused("GET", journey, 404, "NotFound")
    rest.post(f"{journey}/restore", status=201)
    assert rest.get(f"{journey}/complete") == before
    rest.refused("POST", f"{journey}/restore", 409, "AlreadyExists")
    rest.refused("POST", "/jobengine/import", 409, "AlreadyExists", json=before)
    rest.post("/jobengine/import", before, status=201, replace=True)
    assert rest.get(f"{journey}/complete") == before
    assert rest.client.delete(journey, headers=rest.full, params={"purge": True}).status_code == 204
    rest.post("/jobengine/import", before, status=201)


@pytest.mark.accepts("JE-62", "JE-15")
def test_JE_62_lists_come_in_pages_and_the_queue_by_priority(rest: Rest) -> None:
    # Cursors are good for their own list only.
    for priority in ("low", "critical", "medium"):
        rest.journey(priority=priority)
    assert [each["priority"] for each in _all_pages(rest, JOURNEYS, limit=1)] == [
        "low",
        "critical",
        "medium",
    ]
    assert [each["priority"] for each in rest.get("/jobengine/queue")] == [
        "critical",
        "medium",
        "low",
    ]
    cursor = rest.get(JOURNEYS, limit=1)["cursor"]
    rest.refused("GET", JOURNEYS, 422, "InvalidCursor", params={"cursor": cursor, "active": True})
    rest.refused("GET", JOURNEYS, 422, "InvalidCursor", params={"cursor": "x" + cursor})


# -- how it refuses


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/JRN-000000000000", 404, "NotFound"),
        ("DELETE", "/JRN-000000000000", 404, "NotFound"),
        ("POST", "/JRN-000000000000/pause", 404, "NotFound"),
        ("POST", "/JRN-000000000000/run", 404, "NotFound"),
        ("GET", "/JRN-000000000000/stages", 404, "NotFound"),
        ("GET", "/JRN-000000000000/rules", 404, "NotFound"),
        ("GET", "/JRN-000000000000/jobs", 404, "NotFound"),
        ("GET", "/JRN-000000000000/complete", 404, "NotFound"),
        ("POST", "/JRN-000000000000/restore", 404, "NotFound"),
        ("GET", "/JRN-000000000000/jobs/JOB-1/logs", 404, "NotFound"),
        ("GET", "/not-an-id", 422, "InvalidRequest"),
        ("GET", "?limit=0", 422, "InvalidRequest"),
    ],
)
def test_what_is_not_there_and_what_is_no_request(
    rest: Rest, method: str, path: str, status: int, code: str
) -> None:
    # One shape for every refusal.
    rest.refused(method, JOURNEYS + path, status, code)


@pytest.mark.accepts("JE-23")
def test_JE_23_a_stage_out_of_order_is_refused_with_what_it_waits_for(rest: Rest) -> None:
    # The caller sees what to do first.
    journey = rest.journey()
    error = rest.refused("POST", f"{journey}/stages/tmf_mapping/jobs", 409, "StageOutOfOrder")
    assert error["details"] == {"waitsFor": ["raw_analysis", "stripped_schema"]}
    rest.refused("POST", f"{journey}/stages/raw_analysis/skip", 409, "WrongState")
    rest.patch(f"{journey}/stages/raw_analysis", {"canSkip": True})
    assert rest.post(f"{journey}/stages/raw_analysis/skip")["status"] == "skipped"


@pytest.mark.parametrize(
    "change", [{"source": {"type": "x"}}, {"priority": "urgent"}, {"colour": "blue"}, {"name": ""}]
)
def test_a_journey_that_is_none_is_refused_and_nothing_made(
    rest: Rest, change: dict[str, Any]
) -> None:
    # Also with a member that nobody knows: it is a mistake of the caller.
    rest.refused("POST", JOURNEYS, 422, "InvalidRequest", json=NEW | change)
    assert rest.get(JOURNEYS)["items"] == []


@pytest.mark.parametrize(
    "content",
    [
        {"": "no name"},
        {"n": 1e300},
        {"n": [1e-200]},
        {"n": int("9" * 39)},
        {"n": 10**400},
        {"text": "\ud800"},
    ],
    ids=["empty name", "large", "small", "long", "longer than a float", "half a character"],
)
def test_content_of_a_rule_that_no_item_holds_is_refused(rest: Rest, content: Any) -> None:
    # What DynamoDB cannot store is a mistake of the caller, not a fault of the server.
    journey = rest.journey(rules=[])
    rule = {"stageId": "tmf_mapping", "title": "Rule", "type": "field_mapping", "content": content}
    rest.refused("POST", f"{journey}/rules", 422, "NotStorable", content=json.dumps(rule).encode())
    rest.refused(
        "POST", JOURNEYS, 422, "NotStorable", content=json.dumps(NEW | {"rules": [rule]}).encode()
    )
    deep: Any = {}
    for _ in range(40):
        deep = {"deeper": deep}
    rest.refused("POST", f"{journey}/rules", 422, "NotStorable", json=rule | {"content": deep})


@pytest.mark.parametrize(
    "value", [{"timeout": "30"}, {"secondBrainEnabled": 1}, {"timeOut": 30}, {"maxDepth": -1}]
)
def test_a_configuration_of_other_types_is_refused(rest: Rest, value: dict[str, Any]) -> None:
    # "false" is not false, and a name with a mistake in it would be ignored.
    rest.refused("POST", JOURNEYS, 422, "InvalidRequest", json=NEW | {"configuration": value})


def test_a_rule_for_a_stage_that_there_is_not_is_refused(rest: Rest) -> None:
    # It would never be applied.
    journey = rest.journey()
    rule = NEW["rules"][0] | {"applicableStages": ["tmf_maping"]}
    rest.refused("POST", f"{journey}/rules", 404, "NotFound", json=rule)
    rest.refused("POST", JOURNEYS, 404, "NotFound", json=NEW | {"rules": [rule]})


def test_a_job_of_another_journey_is_not_shown(rest: Rest) -> None:
    # An id alone opens nothing.
    one, other = rest.journey(), rest.journey()
    job_id = rest.post(f"{one}/stages/raw_analysis/jobs")["jobId"]
    rest.refused("GET", f"{other}/jobs/{job_id}", 404, "NotFound")
    rest.refused("POST", f"{other}/jobs/{job_id}/cancel", 404, "NotFound")


@pytest.mark.parametrize(
    "address", ["../secret.sqlite", "/etc/passwd", "missing.sqlite", "postgresql://u@db/shop"]
)
def test_journeys_over_rest_stay_in_their_folder(rest: Rest, address: str) -> None:
    # A key to the engine is no key to the machine; refused before anything starts.
    rest.engine.places = Places(rest.engine.places.root, databases=False)
    journey = rest.journey(source={**NEW["source"], "address": address})
    rest.refused("POST", f"{journey}/run", 409, "PlaceRefused")
    assert rest.get(f"{journey}/jobs")["items"] == []
    outside = rest.journey(configuration={"target": "../out.sqlite"})
    rest.refused("POST", f"{outside}/run", 409, "PlaceRefused")


# -- who may what


@pytest.mark.accepts("JE-78")
def test_JE_78_a_key_that_reads_causes_no_write(rest: Rest) -> None:
    # Every GET there is, on a journey that has run and one whose job waits: only reads reach the
    # tables and buckets.
    journey = rest.journey()
    job_id = rest.post(f"{journey}/stages/raw_analysis/jobs")["jobId"]
    rest.work()
    waiting = rest.post(f"{journey}/stages/stripped_schema/jobs")["jobId"]
    values = {"journeyId": journey.rsplit("/", 1)[1], "stageId": "raw_analysis"}
    values["ruleId"] = rest.get(f"{journey}/rules")["items"][0]["ruleId"]
    values["reportId"] = rest.get(f"{journey}/jobs/{job_id}/reports")["items"][0]["reportId"]
    before, paths = (
        _objects(rest),
        [path for path, of in rest.openapi["paths"].items() if "get" in of],
    )
    rest.asked.seen.clear()
    for path in paths:
        for each in (job_id, waiting):
            params = {"seconds": 0} if path.endswith("/wait") else {}
            answer = rest.client.get(
                path.format(**values, jobId=each), headers=rest.read, params=params
            )
            is_missing = path.endswith("/report") or (each == waiting and "/reports/" in path)
            assert answer.status_code == (404 if is_missing else 200), (path, answer.text)
    assert len(paths) > 20
    assert set(rest.asked.calls) <= READING
    assert _objects(rest) == before


@pytest.mark.accepts("JE-78")
def test_JE_78_every_route_that_writes_needs_full_access(rest: Rest) -> None:
    # 403 with the key that reads, 401 without one; and nothing was asked of the tables.
    values = {
        "journeyId": "JRN-000000000000",
        "stageId": "raw_analysis",
        "jobId": "JOB-1",
        "ruleId": "rule-a-b-00000000",
    }
    writing = [(m, p) for p, of in rest.openapi["paths"].items() for m in of if m != "get"]
    rest.asked.seen.clear()
    for method, path in writing:
        for headers, status, code in ((rest.read, 403, "Forbidden"), ({}, 401, "Unauthenticated")):
            answer = rest.client.request(method, path.format(**values), headers=headers, json=NEW)
            assert answer.status_code == status, (method, path, answer.text)
            assert answer.json()["error"]["code"] == code
    assert len(writing) >= 20
    assert rest.asked.calls == []


def test_JE_78_nothing_is_read_without_a_key(rest: Rest) -> None:
    # Deny by default, for every GET but the health of the host.
    values = {
        "journeyId": "JRN-000000000000",
        "stageId": "a",
        "jobId": "JOB-1",
        "ruleId": "rule-a",
        "reportId": "r",
    }
    for path, of in rest.openapi["paths"].items():
        if "get" in of and path.startswith("/jobengine"):
            assert rest.client.get(path.format(**values)).status_code == 401, path


# -- its description


def test_every_route_is_described_with_an_example(rest: Rest) -> None:
    # The OpenAPI document is what a caller has.
    for path, operations in rest.openapi["paths"].items():
        for method, operation in operations.items():
            if not path.startswith("/jobengine"):
                continue
            assert operation["description"], (method, path)
            assert not operation["summary"].istitle(), (
                method,
                path,
            )  # The Name Of A Function, made by FastAPI
            assert "401" in operation["responses"], (method, path)
            if "requestBody" in operation:
                assert "example" in json.dumps(operation["requestBody"]) or _has_example(
                    rest, operation
                ), (
                    method,
                    path,
                )
    described = json.dumps(rest.openapi["components"]["schemas"]["Journey"])
    assert "aggregates" in described
    assert rest.openapi["components"]["schemas"]["Aggregates"]["properties"].keys() >= {
        "totalJobs",
        "activeRules",
    }


def test_the_host_runs_the_engine_with_a_worker(sortkey_shared: SharedResources) -> None:
    # As `sortkey rest` does: the tables are there, the worker is not started.
    host = Host(sortkey_shared, [find_system("jobengine")])
    (hosted,) = host.systems
    assert len(hosted.workers) == 1
    assert len(host.app.openapi()["paths"]) > 30


def _all_pages(rest: Rest, path: str, **params: Any) -> list[dict[str, Any]]:
    found, cursor = [], None
    while True:
        page = rest.get(path, **params, **({"cursor": cursor} if cursor else {}))
        found += page["items"]
        if (cursor := page["cursor"]) is None:
            return found


def _export(rest: Rest, path: str, form: str) -> str:
    answer = rest.client.get(path, params={"format": form}, headers=rest.read)
    assert answer.status_code == 200
    assert f".{form}" in answer.headers["Content-Disposition"]
    return answer.text


def _objects(rest: Rest) -> list[tuple[str, str]]:
    held = (rest.engine.buckets.logs, rest.engine.buckets.reports, rest.engine.buckets.backups)
    return [(each.key, each.version_id) for bucket in held for each in bucket.versions()]


def _has_example(rest: Rest, operation: dict[str, Any]) -> bool:
    name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[
        1
    ]
    return bool(rest.openapi["components"]["schemas"][name].get("examples"))
