"""The page of the commands is what the commands say of themselves, and every option
stands on it.
"""

from __future__ import annotations

from sortkey.cli.program import load
from tests.cli.test_program import every_command
from tools.generate_commands import PAGE, generate, main


def test_the_page_is_what_the_commands_say() -> None:
    # A page that was written by hand would be right once.
    assert main(["--check"]) == 0


def test_a_page_that_is_old_is_found(tmp_path, monkeypatch) -> None:
    old = tmp_path / "commands.md"
    old.write_text(generate().replace("--port", "--harbour"))
    monkeypatch.setattr("tools.generate_commands.PAGE", old)
    assert main(["--check"]) == 1
    assert main([]) == 0
    assert main(["--check"]) == 0


def test_every_command_and_option_stands_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for line in every_command():
        assert f"# sortkey {' '.join(line)}\n" in text
        command = load(line[0])
        for name in line[1:]:
            command = command.commands[name]
        for param in command.params:
            assert param.opts[0] in text or (param.metavar or param.name.upper()) in text
