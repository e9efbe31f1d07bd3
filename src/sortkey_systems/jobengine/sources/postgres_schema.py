"""What a PostgreSQL server declares: tables of all schemas with columns, keys, checks and
indexes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sortkey_systems.jobengine.sources.identifiers import Qualified, names_apart
from sortkey_systems.jobengine.sources.schema import Column, ForeignKey, TableSchema
from sortkey_systems.jobengine.sources.source import Unread
from sortkey_systems.jobengine.sources.sqlite import quoted

# A partition is read with its parent, not again by itself; what belongs to an extension is not data
# of the database.
OURS = """
n.nspname NOT LIKE 'pg!_%' ESCAPE '!' AND n.nspname <> 'information_schema'
AND c.relkind IN ('r', 'p') AND NOT c.relispartition
AND NOT EXISTS (
  SELECT 1 FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')"""
IS_READABLE = "has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
TABLES = f"{OURS} AND {IS_READABLE}"

COLUMNS = f"""
SELECT n.nspname, c.relname, c.relkind, a.attname,
  CASE t.typcategory WHEN 'A' THEN 'ARRAY' WHEN 'E' THEN 'ENUM' ELSE format_type(a.atttypid, a.atttypmod) END,
  NOT a.attnotnull, pg_get_expr(d.adbin, d.adrelid), format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE {TABLES} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY n.nspname, c.relname, a.attnum"""

CONSTRAINTS = f"""
SELECT n.nspname, c.relname, k.contype, COALESCE(other.nspname, ''), COALESCE(target.relname, ''),
  pg_get_constraintdef(k.oid),
  ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY p(number, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number ORDER BY p.place),
  ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY p(number, place)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = p.number ORDER BY p.place)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_class target ON target.oid = k.confrelid LEFT JOIN pg_namespace other ON other.oid = target.relnamespace
WHERE {TABLES} ORDER BY n.nspname, c.relname, k.conname"""

INDEXES = f"""
SELECT n.nspname, c.relname, i.indisunique AND i.indpred IS NULL,
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY p(number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number ORDER BY p.place)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_index i ON i.indrelid = c.oid
WHERE {TABLES} AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = c.oid)
  AND i.indexprs IS NULL ORDER BY n.nspname, c.relname, i.indexrelid"""

HIDDEN = f"""
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE {OURS} AND NOT ({IS_READABLE}) ORDER BY n.nspname, c.relname"""


@dataclass(slots=True)
class Declared:
    """A table, its name in queries, and the exact type of each column, for casts."""

    schema: TableSchema
    place: str
    types: dict[str, str] = field(default_factory=dict[str, str])


def read_schema(db: Any) -> dict[str, Declared]:
    """The tables of all schemas that may be read, by name; as `schema.table` if two schemas have
    the name.
    """
    tables: dict[Qualified, Declared] = {}
    for schema, table, relation, name, declared, nullable, default, exact in db.execute(COLUMNS):
        declared_table = tables.setdefault(
            (schema, table),
            Declared(TableSchema(table, namespace=schema), _place(schema, table, relation)),
        )
        declared_table.schema.columns.append(Column(name, declared, nullable, default))
        declared_table.types[name] = exact
    called = names_apart(tables)
    for key, declared in tables.items():
        declared.schema.name = called[key]
    for schema, table, kind, *target, definition, columns, targets in db.execute(CONSTRAINTS):
        if (schema, table) in tables:
            name = called.get((target[0], target[1]), ".".join(target))
            _constrain(
                tables[schema, table].schema, kind, name, definition, list(columns), list(targets)
            )
    for schema, table, is_unique, columns in db.execute(INDEXES):
        if (schema, table) in tables and columns:
            declared_table = tables[schema, table].schema
            (declared_table.unique if is_unique else declared_table.indexes).append(list(columns))
    return {entry.schema.name: entry for entry in tables.values()}


def hidden_tables(db: Any) -> list[Unread]:
    """Tables of the database that the user may not read."""
    hidden = [".".join(names) for names in db.execute(HIDDEN)]
    return (
        [Unread("tables", "the user has no right to SELECT", hidden[0], len(hidden))]
        if hidden
        else []
    )


def _place(schema: str, table: str, relation: str) -> str:
    """A table that inherits from another has its own rows; those of a partitioned table are in its
    partitions.
    """
    return f"{'ONLY ' if relation == 'r' else ''}{quoted(schema)}.{quoted(table)}"


def _constrain(
    table: TableSchema,
    kind: str,
    target: str,
    definition: str,
    columns: list[str],
    targets: list[str],
) -> None:
    if kind == "p":
        table.primary_key = columns
    elif kind == "u":
        table.unique.append(columns)
    elif kind == "f":
        table.foreign_keys.append(ForeignKey(columns, target, targets))
    elif kind == "c":
        table.checks.append(definition)
