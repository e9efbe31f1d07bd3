"""Analyse Terraform: a graph of the resources, and a report of the risks."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="applens",
    title="AppLens",
    description="Terraform in, graph and risk report out. Users see only their own runs.",
    model="sortkey_systems.applens.model:model",
    service="sortkey_systems.applens.service:make_service",
    routes="sortkey_systems.applens.api:make_router",
    pages="sortkey_systems.applens.console:pages",
    commands="sortkey_systems.applens.commands:app",
    sample="sortkey_systems.applens.sample:load",
    workers="sortkey_systems.applens.service:make_workers",
    buckets=("applens",),
    console_hint="look at the graph of a Terraform run",
    try_commands=("token --system applens --user 12345{folder}     for REST",),
)
