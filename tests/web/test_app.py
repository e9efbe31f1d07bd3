"""Every system's REST interface against its own OpenAPI document: schemathesis looks for what it
does not say.

All of its checks, and two of ours: no fault of the server, answers as documented, what is wrong is
refused, nothing without a key.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey.systems.installed import find_system, system_names
from sortkey.systems.shared import SharedResources
from sortkey.web.host import Host
from sortkey_systems.applens.sample import USER
from sortkey_systems.wallcrawler.local_key import local_key
from tests.web.running import running

SERVED = [name for name in system_names() if find_system(name).routes]
ROOT = Path(__file__).parent.parent.parent
CONFIGURATIONS = Path(__file__).parent
EXAMPLES = 3
"""For each operation and phase: enough to find what is wrong everywhere, not what is wrong
somewhere.
"""

pytestmark = pytest.mark.slow


@pytest.fixture(params=SERVED)
def host(
    request: pytest.FixtureRequest,
    sortkey_shared: SharedResources,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Host]:
    """One system with its workers and its sample data: without any, most answers would be that
    there is nothing. Hundreds of browsers are not started for it.
    """
    monkeypatch.setenv("WALLCRAWLER_BROWSERS", "none")
    made = Host(sortkey_shared, [find_system(request.param)])
    made.start()
    made.systems[0].load_sample()
    yield made
    made.stop()


def test_a_system_does_what_its_document_says(host: Host, tmp_path: Path) -> None:
    # Whoever makes a client from the document can rely on it; whoever attacks finds no fault of
    # ours.
    system = host.systems[0].system.name
    headers = {
        "Authorization": f"Bearer {host.tokens.issue(USER, system=system)}",
        "X-Api-Key": host.keys.create("schemathesis", system, "full").text,
        "X-BB-API-Key": local_key(host.shared.of("wallcrawler")),
    }
    given = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    with running(host.app) as address:
        limits = [
            "--max-examples",
            str(EXAMPLES),
            "--generation-deterministic",
            "--continue-on-failure",
            "--no-color",
        ]
        configuration = CONFIGURATIONS / f"schemathesis_{system}.toml"
        chosen = configuration if configuration.exists() else CONFIGURATIONS / "schemathesis.toml"
        program = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(chosen)]
        done = subprocess.run(
            [*program, "run", *limits, *given, f"{address}/openapi.json"],
            cwd=tmp_path,
            env={
                **os.environ,
                "SCHEMATHESIS_HOOKS": "tests.web.schemathesis_checks",
                "PYTHONPATH": str(ROOT),
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
