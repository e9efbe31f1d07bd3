"""Random PartiQL on random tables: selects, inserts, updates and deletes, alone, in a batch and in
a transaction.
"""

import random
from typing import Any

from tests.oracle.random_tables import PLAIN, Index, Table
from tests.oracle.random_values import scalar, value

_COMPARATORS = ("=", "<", "<=", ">", ">=", "<>")
_NAMES = tuple(name for name in PLAIN if name not in ("m", "l"))


def statement(table: Table, source: random.Random) -> dict[str, Any]:
    """A statement with its parameters."""
    made = source.choices((select, insert, update, delete), weights=(4, 3, 3, 1))[0]
    text, parameters = made(table, source)
    return {"Statement": text} | ({"Parameters": parameters} if parameters else {})


def select(table: Table, source: random.Random) -> tuple[str, list[Any]]:
    index: Index | None = source.choice([None, *table.indexes]) if source.random() < 0.3 else None
    hash_name, sort_name = (index.hash, index.sort) if index else (table.hash, table.sort)
    columns = "*" if source.random() < 0.7 else ", ".join(f'"{name}"' for name in table.key_names())
    where, parameters = [f'"{hash_name}" = ?'], [scalar(source, table.types[hash_name])]
    if sort_name and source.random() < 0.5:
        where.append(f'"{sort_name}" {source.choice(_COMPARATORS[:5])} ?')
        parameters.append(scalar(source, table.types[sort_name]))
    if index is None and source.random() < 0.3:
        test, more = _test(source)
        where.append(test)
        parameters += more
    whence = f'"{table.name}"."{index.name}"' if index else f'"{table.name}"'
    return f"SELECT {columns} FROM {whence} WHERE {' AND '.join(where)}", parameters


def insert(table: Table, source: random.Random) -> tuple[str, list[Any]]:
    item = table.item(source)
    members = ", ".join(f"'{name}': ?" for name in item)
    return f'INSERT INTO "{table.name}" VALUE {{{members}}}', list(item.values())


def update(table: Table, source: random.Random) -> tuple[str, list[Any]]:
    clauses: list[str] = []
    parameters: list[Any] = []
    for name in source.sample(_NAMES, source.randint(1, 3)):
        if source.random() < 0.25:
            clauses.append(f'REMOVE "{name}"')
        else:
            clauses.append(f'SET "{name}" = ?')
            parameters.append(value(source))
    where, keys = _where_key(table, source)
    returning = source.choice(
        ("", "", " RETURNING ALL NEW *", " RETURNING ALL OLD *", " RETURNING MODIFIED NEW *")
    )
    return f'UPDATE "{table.name}" {" ".join(clauses)} WHERE {where}{returning}', parameters + keys


def delete(table: Table, source: random.Random) -> tuple[str, list[Any]]:
    where, keys = _where_key(table, source)
    returning = source.choice(("", " RETURNING ALL OLD *"))
    return f'DELETE FROM "{table.name}" WHERE {where}{returning}', keys


def _where_key(table: Table, source: random.Random) -> tuple[str, list[Any]]:
    key = table.key(source)
    where, parameters = [f'"{name}" = ?' for name in key], list(key.values())
    if source.random() < 0.2:
        test, more = _test(source)
        where.append(test)
        parameters += more
    return " AND ".join(where), parameters


def _test(source: random.Random) -> tuple[str, list[Any]]:
    name = source.choice(_NAMES)
    match source.randrange(5):
        case 0:
            return f'"{name}" IS MISSING', []
        case 1:
            return f'"{name}" IS NOT MISSING', []
        case 2:
            return f'begins_with("{name}", ?)', [{"S": source.choice("ab")}]
        case 3:
            return f'"{name}" IN [?, ?]', [scalar(source, "S"), scalar(source, "N")]
        case _:
            return f'"{name}" {source.choice(_COMPARATORS)} ?', [
                scalar(source, source.choice("SN"))
            ]
