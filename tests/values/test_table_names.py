"""The rule that separates Sortkey's own tables from those of users."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey.values.table_names import is_own

SOURCES = Path(__file__).parents[2] / "src"


def declared_tables(package: str) -> Iterator[str]:
    """The names in every `Table("…", …)` of a package. An expression is not a name that is
    fixed.
    """
    for path in (SOURCES / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id="Table"), args=[ast.Constant(value=str(name)), *_]):
                    yield name
                case _:
                    pass


def test_every_table_that_the_library_declares_has_the_prefix() -> None:
    # The engine protects by name: a table of ours under another name could be written by any caller
    # of the endpoint.
    declared = set(declared_tables("sortkey"))
    assert {
        "sortkey-api-keys",
        "sortkey-audit",
        "sortkey-evolution",
        "sortkey-jobs",
        "sortkey-streams",
    } <= declared
    assert [name for name in declared if not is_own(name)] == []


def test_no_table_of_a_system_has_it() -> None:
    # Systems are data of users, for every client of the endpoint.
    declared = set(declared_tables("sortkey_systems"))
    assert declared
    assert [name for name in declared if is_own(name)] == []


@pytest.mark.parametrize(
    "name", ["sortkey", "sortkeys", "Sortkey-jobs", "my-sortkey-jobs", "sortkey_jobs"]
)
def test_names_that_are_only_alike_are_free(name: str) -> None:
    assert not is_own(name)
