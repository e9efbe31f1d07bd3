"""The AWS CLI from PyPI, in a process of its own as a person runs it."""

import json
import subprocess
import sys
from typing import Any

import pytest


def aws(environment: dict[str, str], *arguments: str) -> Any:
    command = [
        sys.executable,
        "-m",
        "awscli",
        "dynamodb",
        *arguments,
        "--endpoint-url",
        environment["SORTKEY_ENDPOINT"],
    ]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout) if result.stdout.strip() else None


@pytest.mark.slow
def test_the_cli_runs_a_short_life_of_a_table(environment: dict[str, str]) -> None:
    # Scripts and tutorials are written with it; its output is our answer, printed.
    aws(
        environment,
        *("create-table", "--table-name", "cli", "--billing-mode", "PAY_PER_REQUEST"),
        *("--attribute-definitions", "AttributeName=pk,AttributeType=S"),
        *("--key-schema", "AttributeName=pk,KeyType=HASH"),
    )
    aws(environment, "wait", "table-exists", "--table-name", "cli")
    aws(
        environment,
        "put-item",
        "--table-name",
        "cli",
        "--item",
        '{"pk": {"S": "a"}, "n": {"N": "1.50"}}',
    )
    got = aws(environment, "get-item", "--table-name", "cli", "--key", '{"pk": {"S": "a"}}')
    assert got == {"Item": {"pk": {"S": "a"}, "n": {"N": "1.5"}}}
    assert "cli" in aws(environment, "list-tables")["TableNames"]
    assert aws(environment, "scan", "--table-name", "cli", "--page-size", "1")["Count"] == 1
    selected = aws(
        environment, "execute-statement", "--statement", "SELECT n FROM cli WHERE pk = 'a'"
    )
    assert selected["Items"] == [{"n": {"N": "1.5"}}]
    aws(environment, "delete-table", "--table-name", "cli")
