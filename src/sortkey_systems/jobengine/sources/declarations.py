"""The declarations of a SQL dump: CREATE TABLE, ALTER TABLE and CREATE INDEX, read by sqlglot, as table schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlglot import exp

from sortkey_systems.jobengine.sources.schema import Column, ForeignKey, TableSchema


def declare(tree: exp.Expr, tables: dict[str, TableSchema], dialect: str) -> bool:
    """Take a declaration into the tables; False where it declares nothing of a table."""
    if isinstance(tree, exp.Create) and tree.args.get("kind") == "TABLE" and isinstance(tree.this, exp.Schema):
        table = TableSchema(table_name(tree.this.this))
        _read_parts(table, tree.this.expressions, dialect)
        tables[table.name] = table
        return True
    if isinstance(tree, exp.Create) and tree.args.get("kind") == "INDEX":
        return _read_index(tree, tables)
    if isinstance(tree, exp.Alter) and isinstance(tree.this, exp.Table):
        altered = tables.get(table_name(tree.this))
        if altered is not None:
            _read_parts(altered, _added(tree), dialect)
            return True
    return False


def table_name(table: Any) -> str:
    """Without the schema it lies in: `public.orders` is `orders`."""
    return table.name


def _added(alter: exp.Alter) -> list[Any]:
    actions: list[Any] = alter.args.get("actions") or []
    return [part for each in actions for part in (each.expressions if isinstance(each, exp.AddConstraint) else [each])]


def _read_parts(table: TableSchema, parts: Iterable[Any], dialect: str) -> None:
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            _read_column(table, part, dialect)
        elif isinstance(part, exp.Constraint):
            _read_parts(table, part.expressions, dialect)
        elif isinstance(part, exp.PrimaryKey):
            _set_key(table, _names(part.expressions))
        elif isinstance(part, exp.ClusteredColumnConstraint | exp.NonClusteredColumnConstraint):
            _read_clustered(table, part)
        elif isinstance(part, exp.ForeignKey):
            _add_foreign_key(table, _names(part.expressions), part.args.get("reference"))
        elif isinstance(part, exp.UniqueColumnConstraint):
            if columns := _names(part.this.expressions if part.this else part.expressions):
                table.unique.append(columns)
        elif isinstance(part, exp.CheckColumnConstraint):
            table.checks.append(part.this.sql(dialect=dialect))
        elif isinstance(part, exp.IndexColumnConstraint):
            table.indexes.append(_names(part.expressions))


def _read_column(table: TableSchema, definition: exp.ColumnDef, dialect: str) -> None:
    column = Column(definition.name, definition.kind.sql(dialect=dialect) if definition.kind else "")
    table.columns.append(column)
    for constraint in definition.constraints:
        kind = constraint.kind
        if isinstance(kind, exp.NotNullColumnConstraint):
            column.nullable = bool(kind.args.get("allow_null"))
        elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
            _set_key(table, [column.name])
        elif isinstance(kind, exp.UniqueColumnConstraint):
            table.unique.append([column.name])
        elif isinstance(kind, exp.DefaultColumnConstraint):
            column.default = kind.this.sql(dialect=dialect)
        elif isinstance(kind, exp.CheckColumnConstraint):
            table.checks.append(kind.this.sql(dialect=dialect))
        elif isinstance(kind, exp.Reference):
            _add_foreign_key(table, [column.name], kind)


def _read_clustered(table: TableSchema, part: Any) -> None:
    """T-SQL's PRIMARY KEY CLUSTERED (a) and UNIQUE NONCLUSTERED (a): the columns stand in the second word."""
    columns = _names(part.this or [])
    words: list[Any] = part.parent.expressions if part.parent is not None else []
    if any(isinstance(word, exp.PrimaryKeyColumnConstraint) for word in words):
        _set_key(table, columns)
    elif columns:
        table.unique.append(columns)


def _set_key(table: TableSchema, names: list[str]) -> None:
    table.primary_key = names
    for column in table.columns:
        if column.name in names:
            column.nullable = False


def _add_foreign_key(table: TableSchema, columns: list[str], reference: Any) -> None:
    if reference is None:
        return
    target: Any = reference.this
    if isinstance(target, exp.Schema):
        table.foreign_keys.append(ForeignKey(columns, table_name(target.this), _names(target.expressions)))
    else:
        table.foreign_keys.append(ForeignKey(columns, table_name(target), []))


def _read_index(tree: exp.Create, tables: dict[str, TableSchema]) -> bool:
    index: Any = tree.this
    on: Any = index.args.get("table")
    table = tables.get(table_name(on)) if on is not None else None
    parameters: Any = index.args.get("params")
    if table is None or parameters is None:
        return False
    columns = _names(parameters.args.get("columns") or [])
    is_whole = not parameters.args.get("where") and all(columns)
    (table.unique if tree.args.get("unique") and is_whole else table.indexes).append(columns)
    return True


def _names(parts: Iterable[Any]) -> list[str]:
    """Of columns, also of those that are ordered, prefixed or wrapped."""
    return [part.name or (part.this.name if isinstance(part.this, exp.Expr) else "") for part in parts]
