"""Tables as commands name them: by their own names, or by the model that they belong to."""

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
"""What tables and backups may be called, on AWS too."""


def check_name(option: str, name: str | None) -> None:
    """Refuse a name that no table and no backup can have, by the option that gave it."""
    if name is not None and not NAME.fullmatch(name):
        raise CommandFailed(
            f"{option} {name}: a name has 3 to 255 letters, digits, and . _ -", USAGE
        )


def named_tables(backend: Backend, names: Sequence[str]) -> list[str]:
    """The tables of names: of tables, or of models, whose tables are then all meant. No name means
    every table.
    """
    there = all_tables(backend)
    if not there:
        raise CommandFailed(
            "there is no table yet: `sortkey apply MODEL` makes those of a model", USAGE
        )
    if not names:
        return there
    found: list[str] = []
    for name in names:
        found += [name] if name in there else _of_model(name, there)
    return list(dict.fromkeys(found))


def _of_model(name: str, there: Sequence[str]) -> list[str]:
    if name not in system_names() and ":" not in name:
        raise CommandFailed(f"there is no table {name}; there are: {', '.join(there)}", USAGE)
    wanted = [table.name for table in load_model(name).tables]
    found = [each for each in wanted if each in there]
    if not found:
        raise CommandFailed(f"none of the tables of {name} is there: {', '.join(wanted)}", USAGE)
    return found


def check_tables(backend: Backend, names: Sequence[str], model: str) -> None:
    """Refuse to begin where tables of a model are missing: before anything is made in vain."""
    if missing := [name for name in names if describe(backend, name) is None]:
        raise CommandFailed(
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not there: check --data, "
            "or make the tables"
            f" with `sortkey apply {model}`"
        )
