"""Style as a test: sizes of files and functions, leftovers, and paths or prints that do not belong.

An exception is listed by name with its reason; an entry that is no longer needed fails too.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sortkey.engine.operations import OPERATIONS

ROOT = Path(__file__).parent.parent
FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 400

QUAINT_WORDS = {
    "told": 0,
    "mend(?:s|ed|ing)?": 0,
    "anew": 0,
    "lately": 0,
    r"(?<!there )(?<!there\n)is no (?!longer\b)[a-z]+": 0,
    "of one's own": 0,
}
"""How often each still stands in the source and the docs. Use the word that an engineer would use.
"""
ACTION_MODULES = 2
"""Modules that are still named after an action (`checking`) and not after a thing (`query_checks`).
"""

LONG_LINES = 291
"""Lines of the source that are over 100 wide: tables, CSS, SQL. The number may only shrink."""

TESTS_ELSEWHERE = 9
"""Tests of a room that are not at the path of the module they are about. The number may only shrink."""
WHOLE = {"bench", "browser", "clients", "contract", "docs", "faults", "oracle", "tools", "typing"}
"""Folders of tests about more than one room."""

# "path" or "path:function", and why it may be long.
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}

_LEFTOVER = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
_MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.~])/(work|home|root|Users|tmp|farm|opt)/\w")
_SYSTEMS = sorted(
    path.name
    for path in (ROOT / "src" / "sortkey_systems").iterdir()
    if (path / "system.py").exists()
)
_BANNED_NAMES = {"utils", "helpers", "common", "misc", "manager"}


def _tracked(*patterns: str) -> list[Path]:
    """Files that git tracks, or that are new and not ignored."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(
        listing, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


SOURCES = [path for path in _tracked("*.py") if path.is_relative_to(ROOT / "src")]
PYTHON = _tracked("*.py")


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (
                f"{path.relative_to(ROOT)}:{node.name}",
                (node.end_lineno or node.lineno) - node.lineno + 1,
            )


def test_files_of_the_package_fit_in_the_head() -> None:
    # A file that needs a map has two subjects.
    long = {
        str(p.relative_to(ROOT))
        for p in SOURCES
        if len(p.read_text().splitlines()) > FILE_LINES_MAX
    }
    assert long == set(LONG_FILES)


def test_functions_fit_on_a_screen() -> None:
    # What cannot be seen at once is not understood at once.
    long = {
        name for path in SOURCES for name, lines in _functions(path) if lines > FUNCTION_LINES_MAX
    }
    assert long == set(LONG_FUNCTIONS)


def test_conditional_expressions_are_not_nested() -> None:
    # An if statement, a dict or a small function says the same and can be read at once.
    nested = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.IfExp)
        and (isinstance(node.body, ast.IfExp) or isinstance(node.orelse, ast.IfExp))
    ]
    assert nested == []


def test_the_core_names_no_system() -> None:
    # A system that the core knew by name could do what a stranger's cannot.
    systems = re.compile("|".join(_SYSTEMS), re.IGNORECASE)
    core = [path for path in SOURCES if path.is_relative_to(ROOT / "src" / "sortkey")]
    found = [
        f"{p.relative_to(ROOT)}: {line.strip()}" for p in core for line in _lines_with(p, systems)
    ]
    assert found == []


@pytest.mark.parametrize("word", QUAINT_WORDS)
def test_quaint_words_become_fewer(word: str) -> None:
    # They sound translated. The numbers may only shrink: lower one when you have replaced some.
    prose = _tracked("src/*.py", "docs/*.md", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
    found = sum(
        len(re.findall(rf"\b(?:{word})\b", path.read_text(encoding="utf-8"), re.IGNORECASE))
        for path in prose
    )
    assert found <= QUAINT_WORDS[word]


def test_modules_are_nouns() -> None:
    # A module is a thing, not an action. The number may only shrink.
    actions = [
        path
        for path in SOURCES
        if re.fullmatch(r"(?!\w*(?:mapping|profiling|stripping))\w+ing", path.stem)
    ]
    assert len(actions) <= ACTION_MODULES


def test_long_lines_become_fewer() -> None:
    # Two files side by side fit on a screen. The number may only shrink.
    long = [line for path in SOURCES for line in path.read_text().splitlines() if len(line) > 100]
    assert len(long) <= LONG_LINES


def test_tests_are_found_by_path() -> None:
    # Whoever changes a module looks for its tests where the module is. The number may only shrink.
    modules = {place for path in SOURCES for place in _tests_of(path.relative_to(ROOT / "src"))}
    files = [path for path in PYTHON if path.name.startswith("test_")]
    tests = [path.relative_to(ROOT / "tests") for path in files if ROOT / "tests" in path.parents]
    elsewhere = [path for path in tests if path not in modules and not WHOLE & {*path.parts}]
    assert len(elsewhere) <= TESTS_ELSEWHERE


def test_nothing_was_left_for_later() -> None:
    # Work that is left belongs in an issue, where it is seen.
    found = [
        f"{p.relative_to(ROOT)}: {line.strip()}"
        for p in PYTHON
        for line in _lines_with(p, _LEFTOVER)
    ]
    assert found == []


def test_no_merge_was_left_unfinished() -> None:
    # The marks of a conflict in a page are read by everybody but its author.
    marks = re.compile("^(<{7}|>{7}) ", re.MULTILINE)
    found = [path for path in _tracked("*.md", "*.py", "*.toml") if marks.search(path.read_text())]
    assert found == []


def test_no_path_of_a_machine_stands_in_the_repository() -> None:
    # It works here and nowhere else.
    texts = [
        p
        for p in _tracked()
        if p.suffix in {".py", ".md", ".toml", ".txt", ".in", ".lua", ".yml", ""}
    ]
    ours = [p for p in texts if p != Path(__file__) and "LICENSE" not in p.name]
    found = [
        f"{p.relative_to(ROOT)}: {line.strip()}"
        for p in ours
        for line in _lines_with(p, _MACHINE_PATH)
    ]
    assert found == []


def test_only_the_command_line_prints() -> None:
    # A library that prints cannot be used in a program that pipes.
    allowed = {"cli", "commands"}
    sources = [
        path
        for path in SOURCES
        if not allowed & {*path.parts} and not path.stem.startswith("command")
    ]
    printing = [path for path in sources if _calls_print(path)]
    assert printing == []


def test_every_module_says_what_it_is_for() -> None:
    # The first lines are what a newcomer reads.
    silent = [
        str(p.relative_to(ROOT)) for p in PYTHON if p.read_text().strip() and not _docstring(p)
    ]
    assert silent == []


def test_names_say_what_a_thing_is() -> None:
    # A drawer for everything is a drawer where nothing is found.
    vague = [
        str(p.relative_to(ROOT))
        for p in PYTHON
        if _BANNED_NAMES & {p.stem, *p.relative_to(ROOT).parts}
    ]
    assert vague == []


@pytest.mark.parametrize(
    "path",
    [p for p in SOURCES if p.parent.name == "operations" and p.name != "__init__.py"],
    ids=lambda p: p.stem,
)
def test_an_operation_is_found_by_its_name(path: Path) -> None:
    # put_item.py is PutItem, in the registry, with a `run`.
    name = "".join(word.capitalize() for word in path.stem.split("_"))
    assert callable(OPERATIONS[name])


def _tests_of(module: Path) -> Iterator[Path]:
    """Where the tests of a module may be: `a/test_b.py` for `sortkey/a/b.py` and for the whole
    package `sortkey/a/b/`.
    """
    package, *folders = module.parts[:-1]
    room = ["systems"] if package == "sortkey_systems" else []
    yield Path(*room, *folders, f"test_{module.name}")
    if module.name == "__init__.py" and folders:
        yield Path(*room, *folders[:-1], f"test_{folders[-1]}.py")


@cache
def _tree(path: Path) -> ast.Module:
    text = path.read_text()
    try:
        return ast.parse(text)
    except SystemError:  # CPython 3.11: threads of other tests that parse disturb its counter
        return ast.parse(text)


def _lines_with(path: Path, pattern: re.Pattern[str]) -> list[str]:
    return [line for line in path.read_text(errors="replace").splitlines() if pattern.search(line)]


def _calls_print(path: Path) -> bool:
    nodes = ast.walk(_tree(path))
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "print"
        for n in nodes
    )


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(_tree(path))
