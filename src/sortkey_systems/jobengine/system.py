"""Migrate databases to TM Forum resources, in journeys of six stages."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="jobengine",
    title="AI Job Engine",
    description="Journeys of six stages that migrate a database, with their rules, jobs, logs and reports.",
    model="sortkey_systems.jobengine.model:model",
    service="sortkey_systems.jobengine.service:make_service",
    routes="sortkey_systems.jobengine.api:make_router",
    pages="sortkey_systems.jobengine.console.pages:pages",
    commands="sortkey_systems.jobengine.commands:app",
    sample="sortkey_systems.jobengine.sample:load",
    workers="sortkey_systems.jobengine.service:make_workers",
    console_hint="watch a journey",
    try_commands=(
        "query jobengine:Journey.all{tables}",
        "keys create mine --system jobengine{keys}     for programs",
    ),
)
