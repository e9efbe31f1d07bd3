"""Tables as users name them: by table name, or by the name of their model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sortkey.commands.failure import USAGE, CommandFailed
from sortkey.commands.models import load_model
from sortkey.systems.installed import system_names
from sortkey.transfer.tables import all_tables, describe

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")
"""Valid names of tables and backups, as on AWS."""


def check_name(option: str, name: str | None) -> None:
    """Reject an invalid name of a table or backup. `option` is where it was given."""
    if name is not None and not NAME.fullmatch(name):
        raise CommandFailed(f"{option} {name}: use 3 to 255 letters, digits, and . _ -", USAGE)


def named_tables(backend: Backend, names: Sequence[str]) -> list[str]:
    """The tables that names stand for. The name of a model stands for all of its tables. No names
    means every table.
    """
    existing = all_tables(backend)
    if not existing:
        raise CommandFailed(
            "there are no tables yet: create those of a model with `sortkey apply MODEL`", USAGE
        )
    if not names:
        return existing
    tables: list[str] = []
    for name in names:
        tables += [name] if name in existing else _of_model(name, existing)
    return list(dict.fromkeys(tables))


def _of_model(name: str, existing: Sequence[str]) -> list[str]:
    if name not in system_names() and ":" not in name:
        raise CommandFailed(f"there is no table {name}: choose from {', '.join(existing)}", USAGE)
    wanted = [table.name for table in load_model(name).tables]
    tables = [table for table in wanted if table in existing]
    if not tables:
        raise CommandFailed(
            f"no table of {name} exists ({', '.join(wanted)}): run `sortkey apply {name}`", USAGE
        )
    return tables


def check_tables(backend: Backend, names: Sequence[str], model: str) -> None:
    """Fail early if tables of a model are missing."""
    if missing := [name for name in names if describe(backend, name) is None]:
        raise CommandFailed(
            f"{', '.join(missing)} {'does' if len(missing) == 1 else 'do'} not exist: check "
            f"--data, or create the tables with `sortkey apply {model}`"
        )
