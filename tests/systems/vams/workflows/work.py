"""Databases, assets, pipelines and workflows by requests, and a worker that runs what is due."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from httpx import Response

from sortkey_systems.vams.model import Asset
from sortkey_systems.vams.runners.registry import FILE
from tests.systems.vams.host import ADMIN, Requests

FUNCTIONS = "tests.systems.vams.runners.functions"
NAMES = [
    "shout",
    "fail",
    "sleep",
    "keep_message",
    "fail_twice",
    "forbidden",
    "many",
    "describe",
    "describe_wrongly",
    "link",
    "sleep_once",
]
RUNS_MAX = 200


class Work:
    """One database with an asset, and functions of the tests behind names."""

    def __init__(self, requests: Requests, database_id: str = "plant-one") -> None:
        self.requests, self.service = requests, requests.service
        self.database_id = database_id
        self.service.step_jobs.retry_seconds = 0.0
        write_runners(self.service.resources.folder)
        buckets = self.ok("GET", "/buckets")["Items"]
        if requests("GET", f"/database/{database_id}").status_code == 404:
            body = {"databaseId": database_id, "description": "of a test"}
            self.ok("POST", "/database", {**body, "defaultBucketId": buckets[0]["bucketId"]})

    # -- requests

    def ok(self, method: str, path: str, body: Any = None, *, user: str = ADMIN) -> Any:
        answer = self.requests(method, path, body, user=user)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, method: str, path: str, body: Any = None, *, user: str = ADMIN) -> Response:
        answer = self.requests(method, path, body, user=user)
        assert answer.status_code >= 400, answer.text
        return answer

    # -- things

    def asset(self, name: str, **files: bytes) -> str:
        """An asset with files; `a__txt` is `/a.txt`."""
        body = {
            "databaseId": self.database_id,
            "assetId": name,
            "assetName": name,
            "description": "of a test",
            "isDistributable": True,
        }
        self.ok("POST", "/assets", body)
        for path, data in files.items():
            self.put(name, "/" + path.replace("__", "."), data)
        return name

    def found(self, asset_id: str) -> Asset:
        asset = self.service.assets.find(self.database_id, asset_id)
        assert asset is not None
        return asset

    def put(self, asset_id: str, path: str, data: bytes) -> None:
        caller = self.service.access.caller(ADMIN)
        self.service.files.put_output(caller, self.found(asset_id), path, data, "upload")

    def read(self, asset_id: str, path: str) -> bytes | None:
        """The content of a live file, or None."""
        asset = self.found(asset_id)
        entry = self.service.files.entry(asset, path)
        if entry is None or entry.is_archived:
            return None
        return self.service.assets.place_of(asset).objects.read(entry.key)

    def paths(self, asset_id: str) -> list[str]:
        live = self.service.files.live(self.found(asset_id))
        return sorted(each.relative_path for each in live if not each.is_folder)

    def pipeline(self, name: str, function: str = "", **more: Any) -> str:
        body = {
            "pipelineId": name,
            "databaseId": self.database_id,
            "pipelineType": "standardFile",
            "pipelineExecutionType": "Lambda",
            "description": "of a test",
            "assetType": ".all",
            "outputType": ".all",
            "lambdaName": function,
            **more,
        }
        if isinstance(body.get("inputParameters"), dict):
            body["inputParameters"] = json.dumps(body["inputParameters"])
        assert self.ok("PUT", "/pipelines", body) == {"message": "Succeeded"}
        return name

    def workflow(self, name: str, *pipelines: str, **more: Any) -> str:
        functions = [{"name": each, "databaseId": self.database_id} for each in pipelines]
        body = {
            "workflowId": name,
            "databaseId": self.database_id,
            "description": "of a test",
            "specifiedPipelines": {"functions": functions},
            **more,
        }
        assert self.ok("PUT", "/workflows", body) == {"message": "Succeeded"}
        return name

    def made(self, name: str, function: str, **more: Any) -> str:
        """A workflow with one pipeline of the same name."""
        self.pipeline(name, function, **more)
        return self.workflow(name, name)

    # -- runs

    def base(self, asset_id: str) -> str:
        return f"/database/{self.database_id}/assets/{asset_id}/workflows"

    def start(self, asset_id: str, workflow_id: str, file: str | None = None, **more: Any) -> str:
        body = {"workflowDatabaseId": self.database_id, "fileKey": file, **more}
        execution_id = self.ok("POST", f"{self.base(asset_id)}/{workflow_id}", body)["message"]
        assert isinstance(execution_id, str)
        return execution_id

    def run_due(self) -> int:
        """Run what is due in this thread."""
        self.service.jobs.run_due()
        worker, count = self.service.workflow_worker(), 0
        while count < RUNS_MAX and worker.run_once() is not None:
            count += 1
            self.service.jobs.run_due()
        return count

    def execution(self, asset_id: str, workflow_id: str, execution_id: str) -> dict[str, Any]:
        path = f"{self.base(asset_id)}/executions/{workflow_id}/{execution_id}"
        return self.ok("GET", path)["message"]

    def run(self, asset_id: str, workflow_id: str, file: str | None = None) -> dict[str, Any]:
        """Start a run, and run it to its end."""
        execution_id = self.start(asset_id, workflow_id, file)
        self.run_due()
        return self.execution(asset_id, workflow_id, execution_id)

    def leftovers(self, asset_id: str) -> list[str]:
        """What runs have collected and not deleted."""
        objects = self.service.assets.place_of(self.found(asset_id)).objects
        return [version.key for version in objects.versions("pipelines/")]


def write_runners(folder: Path) -> None:
    """The operator's file, with the functions of the tests."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    entries = [f'[functions.{name}]\nfunction = "{FUNCTIONS}:{name}"\n' for name in NAMES]
    (folder / FILE).write_text("\n".join(entries))
