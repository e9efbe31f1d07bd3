"""Keys that nobody declared: which columns of a table tell its rows apart, judged by names and by
the rows.
"""

from __future__ import annotations

from itertools import combinations

from sortkey_systems.jobengine.sources import Source, TableSchema
from sortkey_systems.jobengine.stages.names import table_tokens, tokens

SAMPLE_ROWS = 100_000
CANDIDATES_MAX = 5
UNIQUE_SHARE_MIN = 0.98
"""A few rows twice are a flaw of the rows; many are a flaw of the guess."""

_KEY_WORDS = {"id", "code", "number", "key", "uuid", "guid", "sku", "position", "type", "name"}


def inferred_key(source: Source, table: TableSchema) -> tuple[list[str], float] | None:
    """The columns, and the share of rows that they tell apart; the fewest that reach the limit.
    None: none do.
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
    """One column that names a row of another table, as customer_id in reviews: unique only as long
    as there are few.
    """
    words = tokens(names[0])
    return (
        len(names) == 1
        and len(words) > 1
        and words[-1] == "id"
        and not set(words[:-1]) & {table_tokens(table)[-1]}
    )
