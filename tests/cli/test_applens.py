"""`sortkey applens analyze`: what it prints, what it writes, and the exit codes that a pipeline relies on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sortkey.cli import main

OPEN = 'resource "aws_security_group" "g" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    protocol = "tcp"\n'
OPEN += '    cidr_blocks = ["0.0.0.0/0"]\n  }\n}\nresource "aws_vpc" "v" {\n  cidr_block = var.absent\n}\n'
OPEN += 'variable "absent" {}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.tf").write_text(OPEN)
    return tmp_path


def test_the_page_has_the_finding_its_place_and_what_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # It is read in a terminal, by someone in a hurry.
    assert main(["applens", "analyze", str(folder)]) == 0
    page = capsys.readouterr().out
    assert "HIGH     NET-01  Administration port open to the internet: SSH (22) from anywhere" in page
    assert "main.tf:1  aws_security_group.g" in page
    assert "Session Manager" in page
    assert "main.tf:12: var.absent has no default and no value" in page


@pytest.mark.parametrize(("severity", "code"), [("low", 1), ("medium", 1), ("high", 1), ("critical", 0)])
def test_fail_on_ends_with_1_for_that_severity_or_worse(folder: Path, severity: str, code: int) -> None:
    # A pipeline stops on it.
    assert main(["applens", "analyze", str(folder), "--fail-on", severity]) == code


def test_json_has_report_and_graph(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # For programs: everything, in the words of the documents.
    assert main(["applens", "analyze", str(folder), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"score", "rationale", "findings", "exposedPaths", "warnings", "unresolved", "graphHash", "graph"} <= set(
        told
    )
    assert told["counts"]["nodeCount"] == len(told["graph"]["nodes"]) == 2


def test_sarif_has_rules_results_and_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Code hosts refuse a file that is not in order, and then show nothing.
    target = folder / "out.sarif"
    assert main(["applens", "analyze", str(folder), "--format", "sarif", "--output", str(target)]) == 0
    assert capsys.readouterr().out == ""
    told = json.loads(target.read_text())
    run = told["runs"][0]
    assert told["version"] == "2.1.0"
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) >= 25
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "main.tf"
        assert place["region"]["startLine"] >= 1
    assert run["results"][0]["ruleId"] == "NET-01"


def test_what_cannot_be_analysed_is_one_line_and_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Not 1: a pipeline must tell "risks" from "not analysed".
    (tmp_path / "a.tf").write_text("resource {")
    for path in (tmp_path, tmp_path / "none"):
        assert main(["applens", "analyze", str(path)]) == 3
        error = capsys.readouterr().err
        assert error.startswith("sortkey applens: ")
        assert error.count("\n") == 1


def test_the_library_does_not_load_the_system_before_the_command_runs() -> None:
    # Starting fast is a feature, and `sortkey` does not know what is built on it.
    code = "import sys, sortkey.cli; sys.exit(any(name.startswith('sortkey_systems') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
