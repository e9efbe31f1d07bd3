"""Browser sessions for many tenants."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="wallcrawler",
    title="Wallcrawler",
    model="sortkey_systems.wallcrawler.model:model",
    commands="sortkey_systems.wallcrawler.commands:app",
    sample="sortkey_systems.wallcrawler.sample:load_into",
)
