"""What a PostgreSQL server declares: tables of the current schema with columns, keys, checks and indexes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sortkey_systems.jobengine.sources.schema import Column, ForeignKey, TableSchema

# A partition is read with its parent, not again by itself.
TABLES = """
c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
AND has_table_privilege(c.oid, 'SELECT')"""

COLUMNS = f"""
SELECT c.relname, a.attname,
  CASE t.typcategory WHEN 'A' THEN 'ARRAY' WHEN 'E' THEN 'ENUM' ELSE format_type(a.atttypid, a.atttypmod) END,
  NOT a.attnotnull, pg_get_expr(d.adbin, d.adrelid), format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE {TABLES} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum"""

CONSTRAINTS = f"""
SELECT c.relname, k.contype, COALESCE(target.relname, ''), pg_get_constraintdef(k.oid),
  ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY n(number, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.number ORDER BY n.place),
  ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY n(number, place)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = n.number ORDER BY n.place)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_class target ON target.oid = k.confrelid
WHERE {TABLES} ORDER BY c.relname, k.conname"""

INDEXES = f"""
SELECT c.relname, i.indisunique AND i.indpred IS NULL,
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY n(number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = n.number ORDER BY n.place)
FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid
WHERE {TABLES} AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = c.oid)
  AND i.indexprs IS NULL ORDER BY c.relname, i.indexrelid"""


@dataclass(slots=True)
class Declared:
    """A table, and the exact type of each column, for casts."""

    schema: TableSchema
    types: dict[str, str] = field(default_factory=dict[str, str])


def read_schema(db: Any) -> dict[str, Declared]:
    """The tables by name."""
    tables: dict[str, Declared] = {}
    for table, name, declared, nullable, default, exact in db.execute(COLUMNS):
        found = tables.setdefault(table, Declared(TableSchema(table)))
        found.schema.columns.append(Column(name, declared, nullable, default))
        found.types[name] = exact
    for table, kind, target, definition, columns, targets in db.execute(CONSTRAINTS):
        if table in tables:
            _constrain(tables[table].schema, kind, target, definition, list(columns), list(targets))
    for table, is_unique, columns in db.execute(INDEXES):
        if table in tables and columns:
            schema = tables[table].schema
            (schema.unique if is_unique else schema.indexes).append(list(columns))
    return tables


def _constrain(
    table: TableSchema, kind: str, target: str, definition: str, columns: list[str], targets: list[str]
) -> None:
    if kind == "p":
        table.primary_key = columns
    elif kind == "u":
        table.unique.append(columns)
    elif kind == "f":
        table.foreign_keys.append(ForeignKey(columns, target, targets))
    elif kind == "c":
        table.checks.append(definition)
