"""What a type checker must find, and where: pyright, strict, on files that are wrong on purpose and
on one that is not.

A line that must be refused ends with `# error: <rule>`. Every other line must pass.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CASES = Path(__file__).parent / "cases"
MARK = re.compile(r"# error: (\w+)$")
Finding = tuple[int, str]
"""A line and the rule that it breaks."""


@pytest.fixture(scope="module")
def found() -> dict[str, set[Finding]]:
    """What pyright says of each file, in one run."""
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        "-p",
        str(CASES),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(list(CASES.glob("*.py"))), done.stdout
    findings: dict[str, set[Finding]] = {}
    for diagnostic in report["generalDiagnostics"]:
        place = (
            diagnostic["range"]["start"]["line"] + 1,
            diagnostic.get("rule", diagnostic["message"]),
        )
        findings.setdefault(Path(diagnostic["file"]).name, set()).add(place)
    return findings


@pytest.mark.parametrize(
    "name", ["conditions.py", "documents.py", "entities.py", "keys.py", "stores.py", "streams.py"]
)
def test_a_type_checker_refuses_what_is_wrong_and_nothing_else(
    found: dict[str, set[Finding]], name: str
) -> None:
    # What the editor underlines is not deployed. A mark that is no longer met means that a type
    # became Any.
    lines = enumerate((CASES / name).read_text().splitlines(), start=1)
    wanted = {(number, match[1]) for number, line in lines if (match := MARK.search(line))}
    assert len(wanted) > 10
    assert found.get(name, set()) == wanted


@pytest.mark.parametrize("name", ["clean.py", "journeys.py"])
def test_a_type_checker_has_nothing_to_say_of_right_use(
    found: dict[str, set[Finding]], name: str
) -> None:
    # A library that needs casts and ignores is not typed. The assignments in clean.py also hold the
    # results' types.
    assert found.get(name, set()) == set()


def test_what_a_type_checker_likes_also_runs() -> None:
    # Types that only hold on paper prove nothing.
    done = subprocess.run(
        [sys.executable, "clean.py"], cwd=CASES, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
