"""The AWS SDK for JavaScript, run by Node; installed once into the cache, skipped with the reason
otherwise.
"""

import json
import subprocess
from pathlib import Path

import pytest

from tools.downloads import AWS_SDK_JS, Missing, npm_package, program


@pytest.mark.slow
def test_the_javascript_sdk_runs_a_short_life_of_a_table(environment: dict[str, str]) -> None:
    # It signs, retries, checks the CRC and parses errors in its own way.
    try:
        node, modules = program("node", "Debian: apt-get install nodejs"), npm_package(AWS_SDK_JS)
    except Missing as missing:
        pytest.skip(f"no AWS SDK for JavaScript: {missing}")
    script = Path(__file__).with_name("scenario.mjs")
    settings = environment | {"SORTKEY_NODE_MODULES": str(modules)}
    result = subprocess.run(
        [node, str(script)], env=settings, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "bytes": [0, 255],
        "before": "100",
        "refused": "ConditionalCheckFailedException",
        "count": 2,
        "after": "101",
    }
