"""An emulator of ECS: the five operations that the adapter uses, over its real protocol. A task is
a process on this machine that runs the container's entry point, at a loopback address. Emulators
side by side have different networks, since the port of a task is always the same.

Every change of a task is handed on as the event that EventBridge would deliver.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TARGET = "AmazonEC2ContainerServiceV20141113."
OnEvent = Callable[[dict[str, Any]], object]


class EcsEmulator:
    """Serves from `start` to `stop`, which ends every task."""

    def __init__(self, folder: Path, on_event: OnEvent) -> None:
        self.tasks: dict[str, dict[str, Any]] = {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.fails = False
        """Whether there is no capacity for tasks."""
        self._folder, self._on_event = folder, on_event
        network = f"127.{secrets.randbelow(254) + 1}.{secrets.randbelow(256)}"
        self._addresses = (f"{network}.{number}" for number in range(2, 250))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        for arn in list(self.processes):
            self.kill(arn)

    def kill(self, arn: str) -> None:
        """What ECS does when a task has to go."""
        process = self.processes[arn]
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)

    # -- operations

    def RunTask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.fails:
            failure = {"arn": "arn:aws:ecs:::", "reason": "RESOURCE:MEMORY"}
            return {"tasks": [], "failures": [failure]}
        arn = f"arn:aws:ecs:us-east-1:111122223333:task/wallcrawler/{secrets.token_hex(16)}"
        address = next(self._addresses)
        [override] = request["overrides"]["containerOverrides"]
        environment = {each["name"]: each["value"] for each in override["environment"]}
        self.processes[arn] = self._run(arn, address, environment)
        details = [{"name": "privateIPv4Address", "value": address}]
        self.tasks[arn] = {
            "taskArn": arn,
            "clusterArn": f"arn:aws:ecs:us-east-1:111122223333:cluster/{request['cluster']}",
            "startedBy": request["startedBy"],
            "lastStatus": "PROVISIONING",
            "desiredStatus": "RUNNING",
            "attachments": [{"type": "ElasticNetworkInterface", "details": details}],
        }
        answer = dict(self.tasks[arn])
        self._changed(arn, "PROVISIONING")
        threading.Timer(0.2, self._changed, (arn, "RUNNING")).start()
        return {"tasks": [answer], "failures": []}

    def DescribeTasks(self, request: dict[str, Any]) -> dict[str, Any]:
        for arn, process in self.processes.items():
            if process.poll() is not None:
                self.tasks[arn] |= {"lastStatus": "STOPPED", "stoppedReason": "it exited"}
        found = [self.tasks[arn] for arn in request["tasks"] if arn in self.tasks]
        return {"tasks": found, "failures": []}

    def ListTasks(self, request: dict[str, Any]) -> dict[str, Any]:
        running = [arn for arn, process in self.processes.items() if process.poll() is None]
        of = request.get("startedBy")
        found = [arn for arn in running if of in (None, self.tasks[arn]["startedBy"])]
        return {"taskArns": found}

    def StopTask(self, request: dict[str, Any]) -> dict[str, Any]:
        arn = request["task"]
        self.kill(arn)
        self.tasks[arn]["stoppedReason"] = request["reason"]
        self._changed(arn, "STOPPED")
        return {"task": self.tasks[arn]}

    # -- tasks

    def _run(self, arn: str, address: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        """The container: nothing of the server's environment but what Python needs."""
        return subprocess.Popen(
            [sys.executable, "-m", "sortkey_systems.wallcrawler.browsers.fargate.agent"],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join(sys.path),
                "WALLCRAWLER_AGENT_HOST": address,
                "WALLCRAWLER_ORPHAN_SECONDS": "2",  # a real container takes all its processes along
                "WALLCRAWLER_AGENT_FOLDER": str(self._folder / arn.rpartition("/")[2]),
                **environment,
            },
        )

    def _changed(self, arn: str, status: str) -> None:
        self.tasks[arn]["lastStatus"] = status
        self._on_event(
            {
                "version": "0",
                "id": secrets.token_hex(8),
                "detail-type": "ECS Task State Change",
                "source": "aws.ecs",
                "account": "111122223333",
                "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "region": "us-east-1",
                "resources": [arn],
                "detail": dict(self.tasks[arn]),
            }
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        emulator = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                operation = self.headers["X-Amz-Target"].removeprefix(TARGET)
                answer = json.dumps(getattr(emulator, operation)(json.loads(body))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-amz-json-1.1")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
