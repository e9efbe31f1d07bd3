"""The command's surface: help and version, errors without tracebacks, and that nothing heavy is
loaded for them.
"""

from __future__ import annotations

import ast
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sortkey import __version__
from sortkey.cli import COMMANDS, main
from sortkey.cli.program import load
from sortkey.commands import options

HEAVY = {
    "asyncio",
    "orjson",
    "apsw",
    "pydantic",
    "fastapi",
    "boto3",
    "botocore",
    "rich",
    "sortkey_systems",
}


def loaded_by(*arguments: str) -> set[str]:
    """What of the heavy packages is there when a command has ended."""
    code = f"import sys; from sortkey.cli import main; main({list(arguments)}); print(*sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return HEAVY & set(done.stdout.split())


def every_command() -> list[list[str]]:
    """Commands, and the commands of groups, as one types them."""
    lines: list[list[str]] = []
    for name in COMMANDS:
        lines += [[name], *([name, each] for each in getattr(load(name), "commands", ()))]
    return lines


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "Serve DynamoDB's protocol" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], *every_command()], ids=lambda line: " ".join(line) or "sortkey"
)
@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_every_command_has_help(
    capsys: pytest.CaptureFixture[str], arguments: list[str], asked: str
) -> None:
    assert main([*arguments, asked]) == 0
    assert " ".join(["Usage: sortkey", *arguments]) in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], *every_command()], ids=lambda line: " ".join(line) or "sortkey"
)
def test_every_help_has_an_example_and_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    # An example is what a newcomer copies: whole, under its own title, and of this command.
    monkeypatch.setenv("COLUMNS", "80")
    main([*arguments, "--help"])
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if len(line) > 80] == []
    title, *examples = out[out.index("  Examples:\n") :].strip().splitlines()
    assert title == "Examples:"
    assert any(" ".join(["sortkey", *arguments]) in line for line in examples)


def test_the_help_of_a_switch_shows_no_type(capsys: pytest.CaptureFixture[str]) -> None:
    # `--memory <bool>` would read as if something had to follow.
    main(["serve", "--help"])
    out = capsys.readouterr().out
    assert "--memory  " in out
    assert "--port PORT  " in out
    assert "[default: 8000; 0<=x<=65535]" in " ".join(out.split())


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_tells_what_it_is_for(name: str) -> None:
    # The line in the list of commands, the help of the command, and that of each of its options.
    assert COMMANDS[name].help.endswith(".")
    command = load(name)
    for each in [command, *getattr(command, "commands", {}).values()]:
        assert each.help, each.name
        assert [param.name for param in each.params if not param.help] == []


def test_what_several_commands_take_is_declared_once() -> None:
    # Declared twice, it is soon explained in two ways. Shared ones are in commands/options.py.
    declared: dict[str, list[str]] = {}
    for path in sorted(Path(options.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
                declared.setdefault(ast.unparse(node.slice), []).append(
                    f"{path.name}:{node.lineno}"
                )
    assert {what: places for what, places in declared.items() if len(places) > 1} == {}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"sortkey {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["--nothing"],
        ["serve", "--nothing"],
        ["serve", "--port", "x"],
        ["serve", "--port", "70000"],
        ["serve", "--region", "US East"],
        ["serve", "--region", ""],
        ["serve", "--data", ""],
        ["serve", "--data", "x", "--memory"],
        ["serve", "--synchronous", "extra"],
    ],
)
def test_wrong_arguments_are_one_line_and_end_with_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("sortkey")
    assert error.count("\n") == 1


def test_a_name_that_is_almost_right_is_answered_with_the_right_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serv"]) == 2
    assert "Did you mean 'serve'? see sortkey --help" in capsys.readouterr().err


@pytest.mark.parametrize("where", [0, 3])
def test_debug_shows_where_an_error_came_from(
    capsys: pytest.CaptureFixture[str], where: int
) -> None:
    # It is asked for when the command has failed already: at the end of the line that is typed
    # again.
    line = ["explain", "jobengine", "Stage.none"]
    assert main([*line[:where], "--debug", *line[where:]]) == 2
    error = capsys.readouterr().err
    assert "Traceback" in error
    assert "no access pattern 'Stage.none'" in error.splitlines()[-1]


def test_the_environment_asks_for_tracebacks_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORTKEY_DEBUG", "1")
    assert main(["serve", "--region", ""]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_what_nobody_thought_of_is_one_line_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A bug: its kind and its message, and how to see more of it.
    monkeypatch.setattr("sortkey.cli.models.load_model", lambda name: 1 / 0)
    assert main(["models", "vams"]) == 1
    assert capsys.readouterr().err == (
        "sortkey models: ZeroDivisionError: division by zero (unexpected: --debug shows where)\n"
    )


def test_a_package_that_is_not_installed_is_named_with_its_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a bare installation lacks is one line away, if one knows the line.
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    monkeypatch.setattr("sortkey.cli.models.load_model", lambda name: __import__("rustworkx"))
    assert main(["models", "applens"]) == 1
    assert capsys.readouterr().err.endswith("pip install 'sortkey[systems]'\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ["export", "out", "--data", "."],
            "sortkey export: stopped: run the same command again to continue\n",
        ),
        (["models"], "sortkey models: stopped\n"),
    ],
)
def test_ctrl_c_is_heard_and_says_how_to_go_on(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    line: list[str],
    message: str,
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        f"sortkey.cli.{line[0]}.{'open_store' if line[0] == 'export' else 'load_model'}", stop
    )
    assert main(line) == 130
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            errno.EACCES,
            "sortkey models: /srv/shop: Permission denied; choose another place, or ask its "
            "owner for access\n",
        ),
        (errno.EIO, "sortkey models: /srv/shop: Input/output error\n"),
    ],
)
def test_an_error_of_the_system_says_where_and_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/srv/shop")

    monkeypatch.setattr("sortkey.cli.models.load_model", refuse)
    assert main(["models"]) == 1
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("line", [["--help"], ["models"]])
def test_a_reader_that_has_seen_enough_is_no_error(line: list[str]) -> None:
    # `sortkey models | head`, whether rich writes or we do: 141, as a shell has it, and nothing on
    # stderr.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    started = subprocess.Popen(
        [sys.executable, "-m", "sortkey", *line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert started.stdout is not None
    started.stdout.close()
    assert started.stderr is not None
    assert (started.stderr.read(), started.wait()) == (b"", 141)


@pytest.mark.parametrize("arguments", [["--version"], ["serve", "--data", ""]])
def test_nothing_heavy_is_loaded_to_read_the_line(arguments: list[str]) -> None:
    # `sortkey serve` answers after 0.2 s, and idles in 34 MB, because its arguments cost nothing.
    assert loaded_by(*arguments) == set()


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    # Listing the commands imports no system, and Typer prints help without rich.
    assert loaded_by(*arguments) == set()


def test_the_shell_completes_commands_and_options() -> None:
    # As bash asks for it: the words so far, and which of them is being typed.
    environment = os.environ | {
        "_SORTKEY_COMPLETE": "complete_bash",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    for words, expected in [("sortkey ser", "serve"), ("sortkey serve --syn", "--synchronous")]:
        asked = environment | {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = subprocess.run(
            [sys.executable, "-m", "sortkey"], capture_output=True, text=True, check=True, env=asked
        )
        assert done.stdout.split() == [expected]
