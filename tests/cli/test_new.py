"""`sortkey new system`: the project it writes passes its own tests, and every part of it runs in
`sortkey up`.

The project is installed into an environment of its own, as a stranger's package would be: nothing
in Sortkey knows it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.program import refused, sortkey

NAME = "to-do"
WAIT_SECONDS = 60


@dataclass(frozen=True)
class Project:
    """The generated project, and the environment that it is installed in."""

    folder: Path
    environment: Path

    def run(self, *line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(line, cwd=self.folder, capture_output=True, text=True, check=False)

    @property
    def sortkey(self) -> str:
        return str(self.environment / "bin" / "sortkey")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("new")
    assert sortkey("new", "system", NAME, cwd=folder).returncode == 0
    made = Project(folder / NAME, folder / "environment")
    venv.create(made.environment)
    inside = Path(sysconfig.get_path("purelib", vars={"base": str(made.environment)}))
    (inside / "sortkey-and-all-it-needs.pth").write_text(
        "\n".join(each for each in sys.path if each.endswith(("site-packages", "src")))
    )
    python = str(made.environment / "bin" / "python")
    _install(made, "--python", python, "--no-deps", "--no-build-isolation", "--editable", ".")
    program = made.environment / "bin" / "sortkey"
    program.write_text(f"#!{python}\nimport sys\nfrom sortkey.cli import main\nsys.exit(main())\n")
    program.chmod(0o755)
    (made.environment / ".installed").touch()
    return made


def _install(project: Project, *line: str) -> None:
    done = project.run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", *line)
    assert done.returncode == 0, done.stderr


@dataclass(frozen=True)
class Running:
    """A `sortkey up` with the new system."""

    address: str
    data: str
    key: str

    def ask(self, method: str, path: str, **given: Any) -> Any:
        answer = httpx.request(
            method, f"{self.address}/{NAME}{path}", headers={"X-Api-Key": self.key}, **given
        )
        assert answer.is_success, answer.text
        return answer.json()


@pytest.fixture
def up(project: Project, tmp_path: Path) -> Iterator[Running]:
    data = str(tmp_path / "data")
    line = [
        project.sortkey,
        "up",
        "--systems",
        NAME,
        "--data",
        data,
        "--port",
        "0",
        "--dynamodb-port",
        "0",
    ]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        said = ""
        while "sample data is loaded" not in said:
            text = process.stdout.readline()
            assert text, said  # it has ended
            said += text
        found = re.search(r"console +(http://\S+)/console/", said)
        assert found, said
        create = ("keys", "create", "test", "--system", NAME, "--access", "full", "--data", data)
        made = project.run(project.sortkey, *create)
        assert made.returncode == 0, made.stderr
        yield Running(found[1], data, made.stdout.strip())
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_SECONDS) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_the_tests_of_the_project_pass_as_generated(project: Project) -> None:
    # What does not work on the first day is not begun with.
    done = project.run("make", "test", f"VENV={project.environment}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b6 passed\b", done.stdout), done.stdout


@pytest.mark.slow
def test_the_project_is_strictly_typed(project: Project) -> None:
    # Whoever copies it copies its habits.
    (project.folder / "pyrightconfig.json").write_text('{"strict": ["src"], "include": ["src"]}')
    done = project.run(
        sys.executable, "-m", "pyright", "--pythonpath", str(project.environment / "bin" / "python")
    )
    assert "0 errors" in done.stdout, done.stdout


@pytest.mark.slow
def test_every_part_of_a_strangers_system_runs_in_up(project: Project, up: Running) -> None:
    # Model, sample, stream handler, route, job, command and page: whatever ours can do, a
    # stranger's can.
    shown = until(lambda: up.ask("GET", "/lists/garden"), lambda shown: shown["total"] == 3)
    assert (len(shown["tasks"]), shown["done"]) == (3, 1)

    up.ask("POST", "/lists/garden/tasks", json={"title": "Water the roses"})
    up.ask("POST", "/lists/garden/finish")
    shown = until(lambda: up.ask("GET", "/lists/garden"), lambda shown: shown["done"] == 4)
    assert {task["status"] for task in shown["tasks"]} == {"done"}

    printed = project.run(project.sortkey, NAME, "tasks", "garden", "--data", up.data)
    assert printed.returncode == 0, printed.stderr
    assert "Water the roses\tdone" in printed.stdout

    page = httpx.get(f"{up.address}/console/{NAME}")
    assert page.status_code == 200
    assert "Tasks of garden" in page.text

    tables = project.run(project.sortkey, "models", NAME)
    assert "Table ToDoTable" in tables.stdout


@pytest.mark.slow
def test_help_lists_a_strangers_system_by_its_own_words(project: Project) -> None:
    # The line comes from the docstring of its module, which is read and not run.
    done = project.run(project.sortkey, "--help")
    assert re.search(rf"^  {NAME} +Tasks on lists\.", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("To_do", "use lower-case letters, digits and hyphens"),
        ("serve", "is already a command or system"),
        ("json", "would shadow a Python module"),
    ],
)
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str, message: str) -> None:
    assert message in refused(sortkey("new", "system", name, cwd=tmp_path), 2)
    assert os.listdir(tmp_path) == []


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "work.txt").write_text("of a week")
    assert "is not empty" in refused(sortkey("new", "system", NAME, cwd=tmp_path), 2)
    assert os.listdir(tmp_path / NAME) == ["work.txt"]


def until(ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """Ask until the answer is as it should be: handlers and jobs work beside the requests."""
    end = time.monotonic() + WAIT_SECONDS
    while not holds(answer := ask()):
        assert time.monotonic() < end, answer
        time.sleep(0.05)
    return answer
