"""The launch file: a holder reads what the server wrote, and nobody else can."""

import json
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.local.launch import (
    HolderSettings,
    Launch,
    spec_from_json,
    spec_to_json,
)
from sortkey_systems.wallcrawler.browsers.port import BrowserSpec, Viewport

SPEC = BrowserSpec(
    session_id="sess_a",
    project_id="p",
    expires_at=1.5,
    viewport=Viewport(800, 600),
    profile_archive=Path("/a.tar.gz"),
    persist=True,
    allowed_domains=("example.com",),
    proxies=({"type": "external", "server": "http://proxy"},),
)


def test_a_spec_survives_the_way_through_json() -> None:
    # The server and the holder are two programs; a member that is lost changes the session.
    assert spec_from_json(json.loads(json.dumps(spec_to_json(SPEC)))) == SPEC


def test_a_launch_file_is_for_its_owner_only(tmp_path: Path) -> None:
    # Proxies may have passwords, and other sessions run on the same machine.
    settings = HolderSettings(chromium="/usr/bin/chromium", bwrap=None, orphan_seconds=5)
    for spec in (SPEC, None):
        launch = Launch(settings, spec)
        launch.write(tmp_path)
        assert Launch.read(tmp_path) == launch
    assert (tmp_path / "launch.json").stat().st_mode & 0o077 == 0
