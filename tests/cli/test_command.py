"""The command's surface: help and version, and that nothing heavy is loaded for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sortkey import __version__
from sortkey.cli import COMMANDS, main


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "serve DynamoDB's protocol" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--help"], *([command.__name__.rpartition(".")[2], "-h"] for command in COMMANDS)]
)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    assert "usage: sortkey" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"sortkey {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["serve", "--port", "x"],
        ["serve", "--port", "70000"],
        ["serve", "--region", "US East"],
        ["serve", "--region", ""],
        ["serve", "--data", ""],
        ["serve", "--data", "x", "--memory"],
    ],
)
def test_wrong_arguments_end_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2


def test_the_parser_loads_nothing_heavy() -> None:
    # `sortkey --help` answers before a server's imports would be done.
    code = "import sys, sortkey.cli as c; c.build_parser(); print({'asyncio', 'orjson', 'apsw'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
