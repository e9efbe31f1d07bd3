"""Visual assets with versions, metadata, links and search."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="vams",
    title="VAMS",
    model="sortkey_systems.vams.model:model",
    description="Visual assets with versions, metadata, links, search and permissions.",
    service="sortkey_systems.vams.service:make_service",
    routes="sortkey_systems.vams.api:make_router",
    pages="sortkey_systems.vams.console:pages",
    commands="sortkey_systems.vams.commands:app",
    sample="sortkey_systems.vams.service:load_sample",
    workers="sortkey_systems.vams.service:make_workers",
)
