"""Settings of the local adapter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """How browsers run on this machine."""

    chromium: str | None = None
    """The path of Chromium; None to look where systems install it."""
    warm: int = 1
    """Browsers that wait, started, for a session, from the first session on. 0 for none."""
    warm_idle_seconds: float = 900.0
    """How long they wait for the next one."""
    memory_bytes_max: int = 2 * 1024**3
    """Of one browser with all its pages."""
    start_seconds: float = 30.0
    orphan_seconds: float = 60.0
    """How long browsers run on without a server."""
    allow_no_sandbox: bool = False
    """Run Chromium without its sandbox where the system offers none. Only for pages that you
    trust."""
    use_bwrap: bool = True
    """Put bubblewrap around Chromium where it is installed."""
    homes: str | None = None
    """Where browsers keep their files while they run; None for the folder of temporary files."""
