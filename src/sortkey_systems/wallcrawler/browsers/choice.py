"""Which browsers a server has: on this machine, as tasks of Fargate, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sortkey.errors import NotConfigured
from sortkey.systems import Resources
from sortkey_systems.wallcrawler.browsers.absent import AbsentBrowsers
from sortkey_systems.wallcrawler.browsers.local.settings import LocalSettings
from sortkey_systems.wallcrawler.browsers.port import Browsers
from sortkey_systems.wallcrawler.settings import read_number

VARIABLE = "WALLCRAWLER_BROWSERS"
LOCAL, FARGATE, NONE = "local", "fargate", "none"


def make_browsers(resources: Resources, environment: Mapping[str, str] = os.environ) -> Browsers:
    """The browsers that WALLCRAWLER_BROWSERS names. Raises NotConfigured for an unknown word."""
    kind = environment.get(VARIABLE, LOCAL)
    if kind == NONE:
        reason = f"this server starts no browsers: {VARIABLE}={NONE}"
        return AbsentBrowsers(resources.folder, reason)
    if kind == LOCAL:
        from sortkey_systems.wallcrawler.browsers.local.adapter import LocalBrowsers

        return LocalBrowsers(resources.folder, local_settings(environment))
    if kind == FARGATE:
        from sortkey_systems.wallcrawler.browsers.fargate.adapter import FargateBrowsers
        from sortkey_systems.wallcrawler.browsers.fargate.tasks import FargateSettings

        settings = FargateSettings.from_environment(environment)
        secret = resources.derive_secret("agents of tasks")
        return FargateBrowsers(resources.folder, settings, lambda: resources.topics, secret)
    raise NotConfigured(f"{VARIABLE}={kind!r}: choose from {LOCAL}, {FARGATE}, {NONE}")


def local_settings(environment: Mapping[str, str] = os.environ) -> LocalSettings:
    """Settings of browsers on this machine, by WALLCRAWLER_… variables. Raises NotConfigured."""
    default = LocalSettings()
    megabytes = read_number(
        environment, "WALLCRAWLER_MEMORY_MB", int, default.memory_bytes_max >> 20
    )
    return LocalSettings(
        chromium=environment.get("WALLCRAWLER_CHROMIUM") or None,
        warm=read_number(environment, "WALLCRAWLER_WARM", int, default.warm),
        memory_bytes_max=megabytes << 20,
        start_seconds=read_number(
            environment, "WALLCRAWLER_START_SECONDS", float, default.start_seconds
        ),
        orphan_seconds=read_number(
            environment, "WALLCRAWLER_ORPHAN_SECONDS", float, default.orphan_seconds
        ),
        allow_no_sandbox=environment.get("WALLCRAWLER_ALLOW_NO_SANDBOX") == "1",
        use_bwrap=environment.get("WALLCRAWLER_BWRAP", "1") != "0",
        homes=environment.get("WALLCRAWLER_HOMES") or None,
    )
