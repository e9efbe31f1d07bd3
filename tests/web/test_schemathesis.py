"""Every system's REST interface against its own OpenAPI document: schemathesis looks for what it does not say.

All of its checks, and two of ours: no fault of the server, answers as documented, what is wrong is refused, nothing
without a key.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey.web.hosting import HOSTABLE, Host
from tests.web.running import running

FOUND = [name for name in HOSTABLE if find_spec(f"sortkey_systems.{name}.api")]
ROOT = Path(__file__).parent.parent.parent
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = 6
"""For each operation and phase: enough to find what is wrong everywhere, not what is wrong somewhere."""

pytestmark = pytest.mark.slow


@pytest.fixture(params=FOUND)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    """One system, with its workers, in a folder."""
    objects = tmp_path / "buckets" / "{bucket}"
    with sortkey.open(tmp_path / "data", objects=objects) as store:
        made = Host(store, store.payloads.buckets, tmp_path, secret=b"x" * 32, systems=[request.param])
        made.start()
        sample(request.param).load(made.systems[0].service)
        yield made
        made.stop()


def sample(system: str) -> Any:
    """The system's own sample data: without any, most answers would be that there is nothing."""
    return import_module(f"sortkey_systems.{system}.sample")


def test_a_system_does_what_its_document_says(host: Host, tmp_path: Path) -> None:
    # Whoever makes a client from the document can rely on it; whoever attacks finds no fault of ours.
    system = host.systems[0].name
    user = getattr(sample(system), "USER", "ada")
    headers = {
        "Authorization": f"Bearer {host.tokens.issue(user, system=system)}",
        "X-Api-Key": host.keys.create("schemathesis", system, "full").text,
    }
    given = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    with running(host.app) as address:
        limits = ["--max-examples", str(EXAMPLES), "--generation-deterministic", "--continue-on-failure", "--no-color"]
        program = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIGURATION)]
        done = subprocess.run(
            [*program, "run", *limits, *given, f"{address}/openapi.json"],
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.web.schemathesis_checks", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
