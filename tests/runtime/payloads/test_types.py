"""What a type checker knows of payloads: their values, and what it must refuse."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "typed.py"
MARK = re.compile(r"# error: (\w+)$")


@pytest.mark.slow
def test_a_type_checker_knows_what_a_payload_is() -> None:
    # What the editor underlines is not deployed. A mark that is no longer met means that a type
    # became Any.
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        str(CASES),
    ]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    found = {
        (diagnostic["range"]["start"]["line"] + 1, diagnostic.get("rule"))
        for diagnostic in report["generalDiagnostics"]
    }
    lines = enumerate(CASES.read_text().splitlines(), start=1)
    assert found == {(number, match[1]) for number, line in lines if (match := MARK.search(line))}
