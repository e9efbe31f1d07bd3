"""The declarations of a SQL dump: CREATE TABLE, ALTER TABLE and CREATE INDEX, read by sqlglot, as
table schemas.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sortkey_systems.jobengine.sources.dump_tables import DumpTable, DumpTables, name_of
from sortkey_systems.jobengine.sources.schema import Column, ForeignKey, TableSchema


def declare(tree: exp.Expr, tables: DumpTables, dialect: str) -> bool:
    """Add a declaration to the tables. False if it is not understood."""
    if isinstance(tree, exp.Create) and tree.args.get("kind") == "TABLE":
        return _create(tree, tables, dialect)
    if isinstance(tree, exp.Create) and tree.args.get("kind") == "INDEX":
        _read_index(tree, tables)
        return True
    if isinstance(tree, exp.Drop) and tree.args.get("kind") == "TABLE":
        return True
    return (
        isinstance(tree, exp.Alter)
        and isinstance(tree.this, exp.Table)
        and _alter(tree, tables, dialect)
    )


def _create(tree: exp.Create, tables: DumpTables, dialect: str) -> bool:
    """Only tables that are declared column by column: one created from a query or another table has
    rows, or more columns than are shown.
    """
    if not isinstance(tree.this, exp.Schema) or tree.expression is not None:
        return False
    if any(isinstance(part, exp.LikeProperty) for part in tree.this.expressions):
        return False
    name = name_of(tree.this.this)
    if tree.args.get("exists") and tables.find(name) is not None:
        return True
    reading = _Reading(tables.add(name, TableSchema(name[1])), tables, dialect)
    reading.parts(tree.this.expressions)
    return True


def _alter(tree: exp.Alter, tables: DumpTables, dialect: str) -> bool:
    altered = tables.find(name_of(tree.this))
    actions: list[Any] = tree.args.get("actions") or []
    if altered is None or not all(_is_understood(action) for action in actions):
        return False
    added = [
        part
        for action in actions
        for part in (action.expressions if isinstance(action, exp.AddConstraint) else [action])
    ]
    _Reading(altered, tables, dialect).parts(added)
    return True


def _is_understood(action: Any) -> bool:
    """Other changes rename, retype or drop columns that rows were read by."""
    if isinstance(action, exp.AlterColumn):
        return action.args.get("dtype") is None
    return isinstance(action, exp.AddConstraint | exp.ColumnDef | exp.ModifyColumn)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads the parts of a declaration into one table."""

    table: DumpTable
    tables: DumpTables
    dialect: str

    @property
    def schema(self) -> TableSchema:
        return self.table.schema

    def parts(self, parts: Iterable[Any]) -> None:
        for part in parts:
            if isinstance(part, exp.ColumnDef):
                self._column(part)
            elif isinstance(part, exp.Constraint):
                self.parts(part.expressions)
            elif isinstance(part, exp.PrimaryKey):
                self._key(_names(part.expressions))
            elif isinstance(part, exp.ClusteredColumnConstraint | exp.NonClusteredColumnConstraint):
                self._clustered(part)
            elif isinstance(part, exp.ForeignKey):
                self._foreign_key(_names(part.expressions), part.args.get("reference"))
            elif isinstance(part, exp.UniqueColumnConstraint):
                if columns := _names(part.this.expressions if part.this else part.expressions):
                    self.schema.unique.append(columns)
            elif isinstance(part, exp.CheckColumnConstraint):
                self.schema.checks.append(part.this.sql(dialect=self.dialect))
            elif isinstance(part, exp.IndexColumnConstraint):
                self.schema.indexes.append(_names(part.expressions))

    def _column(self, definition: exp.ColumnDef) -> None:
        column = Column(
            definition.name, definition.kind.sql(dialect=self.dialect) if definition.kind else ""
        )
        self.schema.columns.append(column)
        for constraint in definition.constraints:
            kind = constraint.kind
            if isinstance(kind, exp.NotNullColumnConstraint):
                column.nullable = bool(kind.args.get("allow_null"))
            elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
                self._key([column.name])
            elif isinstance(kind, exp.UniqueColumnConstraint):
                self.schema.unique.append([column.name])
            elif isinstance(kind, exp.DefaultColumnConstraint):
                column.default = kind.this.sql(dialect=self.dialect)
            elif isinstance(kind, exp.ComputedColumnConstraint):
                column.is_computed = True
            elif isinstance(kind, exp.CheckColumnConstraint):
                self.schema.checks.append(kind.this.sql(dialect=self.dialect))
            elif isinstance(kind, exp.Reference):
                self._foreign_key([column.name], kind)

    def _clustered(self, part: Any) -> None:
        """T-SQL's PRIMARY KEY CLUSTERED (a) and UNIQUE NONCLUSTERED (a): the columns stand in the
        second word.
        """
        columns = _names(part.this or [])
        words: list[Any] = part.parent.expressions if part.parent is not None else []
        if any(isinstance(word, exp.PrimaryKeyColumnConstraint) for word in words):
            self._key(columns)
        elif columns:
            self.schema.unique.append(columns)

    def _key(self, names: list[str]) -> None:
        self.schema.primary_key = names
        for column in self.schema.columns:
            if column.name in names:
                column.nullable = False

    def _foreign_key(self, columns: list[str], reference: Any) -> None:
        """The other table may come later in the dump: the key gets its name when all are known."""
        if reference is None:
            return
        target: Any = reference.this
        is_listed = isinstance(target, exp.Schema)
        key = ForeignKey(columns, "", _names(target.expressions) if is_listed else [])
        self.schema.foreign_keys.append(key)
        self.table.references.append(
            (key, self.tables.whole(name_of(target.this if is_listed else target)))
        )


def _read_index(tree: exp.Create, tables: DumpTables) -> None:
    index: Any = tree.this
    on: Any = index.args.get("table")
    table = tables.find(name_of(on)) if on is not None else None
    parameters: Any = index.args.get("params")
    if table is None or parameters is None:
        return
    columns = _names(parameters.args.get("columns") or [])
    is_whole = not parameters.args.get("where") and all(columns)
    (table.schema.unique if tree.args.get("unique") and is_whole else table.schema.indexes).append(
        columns
    )


def _names(parts: Iterable[Any]) -> list[str]:
    """The names of columns, also if they are ordered, prefixed or wrapped."""
    return [
        part.name or (part.this.name if isinstance(part.this, exp.Expr) else "") for part in parts
    ]
