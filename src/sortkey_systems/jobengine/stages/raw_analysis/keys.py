"""Infers undeclared keys: which columns identify a table's rows, by names and by rows."""

from __future__ import annotations

from itertools import combinations

from sortkey_systems.jobengine.sources import Source, TableSchema
from sortkey_systems.jobengine.stages.names import table_tokens, tokens

SAMPLE_ROWS = 100_000
CANDIDATES_MAX = 5
UNIQUE_SHARE_MIN = 0.98
"""A few duplicates are a flaw of the data. Many mean that the guess is wrong."""

_KEY_WORDS = {"id", "code", "number", "key", "uuid", "guid", "sku", "position", "type", "name"}


def inferred_key(source: Source, table: TableSchema) -> tuple[list[str], float] | None:
    """The fewest columns that identify enough rows, with the share they identify. None if no
    columns do.
    """
    candidates = [column.name for column in table.columns if tokens(column.name)[-1] in _KEY_WORDS][
        :CANDIDATES_MAX
    ]
    choices = [
        list(combination) for size in (1, 2, 3) for combination in combinations(candidates, size)
    ]
    seen: list[set[int]] = [set() for _ in choices]
    missing, rows = set[int](), 0
    for batch in source.batches(table.name, 1000):
        for row in batch.rows:
            rows += 1
            for number, names in enumerate(choices):
                values = tuple(row[name] for name in names)
                if None in values:
                    missing.add(number)
                seen[number].add(hash(values))
        if rows >= SAMPLE_ROWS:
            break
    shares = [
        len(distinct) / rows if rows and number not in missing else 0.0
        for number, distinct in enumerate(seen)
    ]
    for size in (1, 2, 3):
        fits = [
            (share, -n)
            for n, share in enumerate(shares)
            if len(choices[n]) == size
            and share >= UNIQUE_SHARE_MIN
            and not _is_of_others(choices[n], table.name)
        ]
        if fits:
            share, number = max(fits)
            return choices[-number], share
    return None


def _is_of_others(names: list[str], table: str) -> bool:
    """Whether a single column refers to another table, such as customer_id in reviews. It is unique
    only while there are few rows.
    """
    words = tokens(names[0])
    return (
        len(names) == 1
        and len(words) > 1
        and words[-1] == "id"
        and not set(words[:-1]) & {table_tokens(table)[-1]}
    )
