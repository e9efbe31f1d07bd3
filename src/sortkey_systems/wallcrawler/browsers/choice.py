"""Which browsers a server has: on this machine, as tasks of Fargate, or none."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sortkey.errors import NotConfigured
from sortkey.systems import Resources
from sortkey_systems.wallcrawler.browsers.absent import AbsentBrowsers
from sortkey_systems.wallcrawler.browsers.port import Browsers

VARIABLE = "WALLCRAWLER_BROWSERS"
NONE = "none"


def make_browsers(resources: Resources, environment: Mapping[str, str] = os.environ) -> Browsers:
    """The browsers that WALLCRAWLER_BROWSERS names. Raises NotConfigured for a word that it does
    not know.
    """
    kind = environment.get(VARIABLE, NONE)
    if kind == NONE:
        return AbsentBrowsers(
            resources.folder, f"this server starts no browsers: {VARIABLE}={NONE}"
        )
    raise NotConfigured(f"{VARIABLE}={kind!r}: choose from {NONE}")
