"""The reserved words of PartiQL, which need double quotes as attribute names: those that DynamoDB
Local refuses.
"""

from __future__ import annotations

RESERVED = frozenset(
    """
    absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between bit
    bit_length blob bool boolean by cascade cascaded case cast catalog char char_length character character_length
    check clob close coalesce collate collation column commit conflict connect connection constraint constraints
    continue convert corresponding count create cross current current_date current_time current_timestamp current_user
    cursor date date_add date_diff deallocate dec decimal declare default deferrable deferred delete desc describe
    descriptor diagnostics disconnect distinct do domain double drop else end escape except exception exec
    execute exists external extract false fetch first float for foreign found from full get global go goto grant group
    having identity immediate in index indicator initially inner input insensitive insert int integer intersect
    interval into is isolation join key language last left let level like limit list local lower match max min missing
    modified module names national natural nchar new next no not nothing null nullif numeric octet_length of old on
    only open option or order outer output overlaps pad partial pivot position precision prepare preserve primary prior
    privileges procedure public read real references relative remove restrict returning revoke right rollback rows
    schema scroll section select session session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate
    string struct substring sum symbol system_user table temporary then time timestamp to transaction translate
    translation trim true tuple union unique unknown unpivot update upper usage user using value values varchar varying
    view when whenever where with work write zone
    """.split()  # noqa: SIM905
)

# Reserved words that are functions where a parenthesis follows.
FUNCTIONS = frozenset(
    """
    size avg count max min sum char_length character_length upper lower substring trim extract date_add date_diff
    coalesce nullif bit_length octet_length position convert translate
    """.split()  # noqa: SIM905
)

# What is allowed after IS, and AWS's name for it.
TYPES = {
    "missing": "MISSING",
    "null": "NULL",
    "bool": "BOOLEAN",
    "boolean": "BOOLEAN",
    "blob": "BLOB",
    "string": "STRING",
    "numeric": "NUMERIC",
    "struct": "STRUCT",
    "tuple": "TUPLE",
    "list": "LIST",
    "int": "INTEGER",
    "integer": "INTEGER",
    "smallint": "SMALLINT",
    "float": "FLOAT",
    "real": "REAL",
    "decimal": "DECIMAL",
    "dec": "DECIMAL",
    "timestamp": "TIMESTAMP",
    "char": "CHAR",
    "character": "CHARACTER",
    "varchar": "CHARACTER_VARYING",
    "symbol": "SYMBOL",
    "clob": "CLOB",
    "sexp": "SEXP",
    "bag": "BAG",
    "date": "DATE",
    "time": "TIME",
}
