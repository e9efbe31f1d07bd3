"""Browser sessions for many tenants."""

from __future__ import annotations

from sortkey.systems import System

system = System(
    name="wallcrawler",
    title="Wallcrawler",
    description="A browser for each session, for clients of Browserbase, Playwright and Selenium.",
    model="sortkey_systems.wallcrawler.model:model",
    service="sortkey_systems.wallcrawler.service:make_service",
    routes="sortkey_systems.wallcrawler.api:make_router",
    pages="sortkey_systems.wallcrawler.console:pages",
    commands="sortkey_systems.wallcrawler.commands:app",
    sample="sortkey_systems.wallcrawler.service:load_sample",
    workers="sortkey_systems.wallcrawler.service:make_workers",
    guests="sortkey_systems.wallcrawler.service:guests",
    large_bodies=(
        "/v1/extensions",
        "/v1/sessions/*/uploads",
        "/v1/contexts/*/profile",
        "/webdriver/*",
    ),
    console_hint="watch a browser at work",
    try_commands=("wallcrawler doctor",),
    any_origin=(
        "/v1/connect*",
        "/v1/live/*",
        "/v1/sessions/*/replays/*/segments/*",
        "/v1/sessions/*/recording/downloads/*.mp4",
        "/json/*",
        "/",
    ),
)
