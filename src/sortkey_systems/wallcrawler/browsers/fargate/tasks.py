"""Tasks of ECS: started, described, found and stopped through its API."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from sortkey.errors import NotConfigured

NAMES = 100
"""Tasks that one DescribeTasks takes."""
STOPPED = ("DEACTIVATING", "STOPPING", "DEPROVISIONING", "STOPPED", "DELETED")


@dataclass(frozen=True, slots=True, kw_only=True)
class FargateSettings:
    """Where tasks run. Region, endpoint and credentials come from the environment, as for the AWS
    CLI.
    """

    cluster: str
    task_definition: str
    subnets: tuple[str, ...]
    security_groups: tuple[str, ...] = ()
    container: str = "browser"
    uses_public_ip: bool = False
    """Tasks get a public IP, and are reached there."""
    agent_port: int = 9223

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> FargateSettings:
        """By WALLCRAWLER_ECS_… variables. Raises NotConfigured if one is missing."""

        def needed(name: str) -> str:
            value = environment.get(f"WALLCRAWLER_ECS_{name}", "")
            if not value:
                raise NotConfigured(f"WALLCRAWLER_ECS_{name} is missing: browsers as tasks need it")
            return value

        groups = environment.get("WALLCRAWLER_ECS_SECURITY_GROUPS", "")
        return cls(
            cluster=needed("CLUSTER"),
            task_definition=needed("TASK_DEFINITION"),
            subnets=tuple(needed("SUBNETS").split(",")),
            security_groups=tuple(filter(None, groups.split(","))),
            container=environment.get("WALLCRAWLER_ECS_CONTAINER", "browser"),
            uses_public_ip=environment.get("WALLCRAWLER_ECS_PUBLIC_IP") == "1",
        )


@dataclass(frozen=True, slots=True)
class Task:
    """A task as ECS describes it. `started_by` is the id of its session."""

    arn: str
    started_by: str
    status: str
    """PROVISIONING, PENDING, ACTIVATING, RUNNING, and then the ways to STOPPED."""
    address: str | None
    stopped_reason: str = ""
    interface: str | None = field(default=None, repr=False)
    """Its network interface, by which its public IP is found."""

    @property
    def is_stopped(self) -> bool:
        return self.status in STOPPED

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Task:
        """From DescribeTasks, or from the detail of an event: both have the same members."""
        details = {
            each["name"]: each["value"]
            for attachment in described.get("attachments", ())
            for each in attachment.get("details", ())
        }
        return cls(
            described["taskArn"],
            described.get("startedBy", ""),
            described.get("lastStatus", ""),
            details.get("privateIPv4Address"),
            described.get("stoppedReason", ""),
            details.get("networkInterfaceId"),
        )


class Tasks:
    """The tasks of one cluster. Its methods block: call them in threads."""

    def __init__(self, settings: FargateSettings) -> None:
        try:
            boto3: Any = import_module("boto3")
        except ImportError:
            message = "browsers as tasks need boto3: pip install 'sortkey[aws]'"
            raise NotConfigured(message) from None
        self._settings = settings
        self._boto3 = boto3
        self._ecs: Any = boto3.client("ecs")

    def run(self, session_id: str, environment: Mapping[str, str]) -> Task:
        """Start a task for a session. Raises NotConfigured if ECS has no place for it."""
        settings = self._settings
        variables = [{"name": name, "value": value} for name, value in environment.items()]
        answer = self._ecs.run_task(
            cluster=settings.cluster,
            taskDefinition=settings.task_definition,
            launchType="FARGATE",
            count=1,
            startedBy=session_id,
            networkConfiguration={
                "awsvpcConfiguration": {
                    "subnets": list(settings.subnets),
                    "securityGroups": list(settings.security_groups),
                    "assignPublicIp": "ENABLED" if settings.uses_public_ip else "DISABLED",
                }
            },
            overrides={
                "containerOverrides": [{"name": settings.container, "environment": variables}]
            },
        )
        if not answer["tasks"]:
            reasons = ", ".join(each.get("reason", "unknown") for each in answer["failures"])
            raise NotConfigured(f"ECS started no task: {reasons}")
        return Task.of(answer["tasks"][0])

    def describe(self, arns: Sequence[str]) -> list[Task]:
        """Tasks as they are. Those that ECS has forgotten are left out."""
        found: list[Task] = []
        for start in range(0, len(arns), NAMES):
            page = list(arns[start : start + NAMES])
            answer = self._ecs.describe_tasks(cluster=self._settings.cluster, tasks=page)
            found += [Task.of(each) for each in answer["tasks"]]
        return found

    def running(self) -> list[Task]:
        """The tasks of sessions that should run."""
        arns: list[str] = []
        pages = self._ecs.get_paginator("list_tasks").paginate(cluster=self._settings.cluster)
        for page in pages:
            arns += page["taskArns"]
        return [task for task in self.describe(arns) if task.started_by.startswith("sess_")]

    def of_session(self, session_id: str) -> Task | None:
        """The task of a session that should run, whichever server has started it."""
        cluster = self._settings.cluster
        arns = self._ecs.list_tasks(cluster=cluster, startedBy=session_id)["taskArns"]
        tasks = self.describe(arns)
        return next((task for task in tasks if task.started_by == session_id), None)

    def stop(self, arn: str, reason: str) -> None:
        """Stop a task. One that has stopped is fine."""
        self._ecs.stop_task(cluster=self._settings.cluster, task=arn, reason=reason[:255])

    def reachable_address(self, task: Task) -> str | None:
        """Where the server reaches a task: at its public IP, if it has one, else in the network."""
        if not self._settings.uses_public_ip or task.interface is None:
            return task.address
        ec2: Any = self._boto3.client("ec2")
        answer = ec2.describe_network_interfaces(NetworkInterfaceIds=[task.interface])
        association = answer["NetworkInterfaces"][0].get("Association", {})
        return association.get("PublicIp")
