"""The tables of a dump while it is read: by schema and name, so that `a.users` and `b.users` stay
two tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from sortkey_systems.jobengine.sources.identifiers import Qualified, names_apart
from sortkey_systems.jobengine.sources.schema import ForeignKey, TableSchema

DEFAULT_SCHEMAS = {"postgres": "public", "tsql": "dbo", "sqlite": "main"}


@dataclass(slots=True)
class DumpTable:
    """A created table, and the name of its table in the staging file."""

    name: Qualified
    schema: TableSchema
    staged: str
    references: list[tuple[ForeignKey, Qualified]] = field(
        default_factory=list[tuple[ForeignKey, Qualified]]
    )
    """Foreign keys, with their targets as named in the dump."""


class DumpTables:
    """Tables by the names that statements use. A name without a schema is in the current one."""

    def __init__(self, dialect: str) -> None:
        self._default = self._current = DEFAULT_SCHEMAS.get(dialect, "")
        self._tables: dict[Qualified, DumpTable] = {}
        self._created = 0

    def enter(self, schema: str) -> None:
        """Names without a schema are in this one from now on."""
        self._current = schema if schema not in ("$user", "pg_catalog") else self._default

    def add(self, name: Qualified, schema: TableSchema) -> DumpTable:
        """Raises ValueError if the table exists."""
        whole = self.whole(name)
        if whole in self._tables:
            raise ValueError("the table was created before")
        self._created += 1
        table = self._tables[whole] = DumpTable(whole, schema, f"t{self._created}")
        return table

    def find(self, name: Qualified) -> DumpTable | None:
        """By exact name; else ignoring case; else, without a schema, the only table of that
        name.
        """
        whole = self.whole(name)
        if whole in self._tables:
            return self._tables[whole]
        folded = [table for table in self._tables.values() if _folded(table.name) == _folded(whole)]
        if not folded and not name[0]:
            folded = [
                table for table in self._tables.values() if table.name[1].lower() == name[1].lower()
            ]
        return folded[0] if len(folded) == 1 else None

    def remove(self, table: DumpTable) -> None:
        del self._tables[table.name]

    def __iter__(self) -> Iterator[DumpTable]:
        return iter(list(self._tables.values()))

    def settle(self) -> None:
        """Give tables their final names, and update the targets of foreign keys."""
        called = names_apart(self._tables)
        for name, table in self._tables.items():
            table.schema.name, table.schema.namespace = called[name], name[0]
            for key, target in table.references:
                owner = self.find(target)
                key.table = (
                    called[owner.name] if owner else ".".join(part for part in target if part)
                )
                key.target_columns = key.target_columns or (
                    owner.schema.primary_key if owner else []
                )

    def whole(self, name: Qualified) -> Qualified:
        """A name with the schema that it is in now."""
        return (name[0] or self._current, name[1])


def name_of(table: exp.Expr) -> Qualified:
    """The schema and the name of a table in a parsed statement."""
    return (table.text("db"), table.name)


def _folded(name: Qualified) -> Qualified:
    return (name[0].lower(), name[1].lower())
