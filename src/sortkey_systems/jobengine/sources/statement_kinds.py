"""What a statement of a dump is about, by its first words: one that is read, one known to carry
nothing, or another.

Any other statement may carry rows or tables, so it counts as unread. It is named by its verb and
table, never by its text, which may contain values.
"""

from __future__ import annotations

import re

from sortkey_systems.jobengine.sources.identifiers import NAME, qualified

_FLAGS = re.IGNORECASE | re.DOTALL | re.VERBOSE
_OBJECTS = r"""(?:FUNCTION|PROC(?:EDURE)?|TRIGGER|VIEW|EXTENSION|SEQUENCE|DATABASE|TYPE|DOMAIN|USER|ROLE|LOGIN
  |SCHEMA\b(?!.*\bCREATE\s+TABLE)|RULE|POLICY|AGGREGATE|OPERATOR|CAST|COLLATION|CONVERSION|SERVER
  |FOREIGN\s+DATA\s+WRAPPER|PUBLICATION|SUBSCRIPTION|STATISTICS
  |TEXT\s+SEARCH|ACCESS\s+METHOD|LANGUAGE|EVENT|SYNONYM|PARTITION\s+(?:FUNCTION|SCHEME)|FULLTEXT\s+CATALOG|ASSEMBLY
  |XML\s+SCHEMA|DEFAULT\s+PRIVILEGES|LARGE\s+OBJECT|TABLESPACE)"""
_BEFORE_OBJECT = r"""(?:(?:OR\s+(?:REPLACE|ALTER)|TEMP(?:ORARY)?|TRUSTED|PROCEDURAL|CONSTRAINT|MATERIALIZED|RECURSIVE
  |UNIQUE|CLUSTERED|NONCLUSTERED|DEFAULT|(?:DEFINER|ALGORITHM)\s*=\s*\S+|SQL\s+SECURITY\s+\w+)\s+)*"""
_HARMLESS = re.compile(
    rf"""(?:SET|USE|PRAGMA|GRANT|REVOKE|DENY|ANALYZE|VACUUM|REINDEX|CLUSTER|CHECKPOINT|FLUSH|PRINT|RESET|LOCK|UNLOCK|REFRESH
    |COMMENT\s+ON|SECURITY\s+LABEL|START\s+TRANSACTION|SAVEPOINT|RELEASE|COMMIT)\b
    |(?:BEGIN|END)(?:\s+(?:TRAN(?:SACTION)?|WORK|DEFERRED|IMMEDIATE|EXCLUSIVE))?\s*\Z
    |SELECT\s+(?:pg_catalog\s*\.\s*)?(?:setval|set_config)\s*\(
    |EXEC(?:UTE)?\s+(?:sys\s*\.\s*)?\[?sp_(?:add|update|drop)extendedproperty\b
    |(?:INSERT\s+INTO|DELETE\s+FROM|CREATE\s+TABLE)\s+["'`\[]?sqlite_(?:sequence|stat\d)\b
    |(?:CREATE|ALTER|DROP)\s+{_BEFORE_OBJECT}{_OBJECTS}\b
    |(?:ALTER|DROP)\s+(?:INDEX|VIEW|MATERIALIZED\s+VIEW)\b
    |ALTER\s+(?:FOREIGN\s+)?TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?{NAME}\s+(?:
        OWNER\s+TO|CLUSTER\s+ON|REPLICA\s+IDENTITY|ATTACH\s+PARTITION|INHERIT|VALIDATE\s+CONSTRAINT
        |(?:NO\s+)?FORCE\s+ROW|(?:DIS|EN)ABLE\s|(?:NO)?CHECK\s+CONSTRAINT|AUTO_INCREMENT\b|COMMENT\b|ENGINE\b
        |SET\s+(?:\(|LOGGED|UNLOGGED|TABLESPACE|ACCESS|WITHOUT)
        |DROP\s+(?:CONSTRAINT|FOREIGN\s+KEY|INDEX|KEY)\b
        |ADD\s+(?:CONSTRAINT\s+\S+\s+)?DEFAULT\b
        |ALTER\s+(?:COLUMN\s+)?{NAME}\s+(?:
            ADD\s+GENERATED|DROP\s+DEFAULT|SET\s+(?:DEFAULT|STATISTICS|STORAGE|COMPRESSION|GENERATED|\()))
    """,
    _FLAGS,
)
_CONDITIONAL = re.compile(r"/\*!\d*")
_COMMENTS = re.compile(r"(?:\s+|/\*.*?\*/|--[^\n]*(?:\n|\Z))+", re.DOTALL)
_OF_TABLE = re.compile(
    rf"""(INSERT(?:\s+IGNORE|\s+OR\s+\w+)?(?:\s+INTO)?|REPLACE(?:\s+INTO)?|MERGE(?:\s+INTO)?|UPDATE|DELETE\s+FROM|COPY
    |TRUNCATE(?:\s+TABLE)?|(?:CREATE|DROP)\s+(?:\w+\s+)?TABLE(?:\s+IF\s+(?:NOT\s+)?EXISTS)?
    |ALTER\s+(?:FOREIGN\s+)?TABLE(?:\s+IF\s+EXISTS)?)\s+(?:ONLY\s+)?({NAME})""",
    _FLAGS,
)
_VERB = re.compile(
    r"""(INSERT|REPLACE|MERGE|UPDATE|DELETE|COPY|TRUNCATE|CREATE|DROP|ALTER|SELECT|WITH|DO|CALL|EXEC|EXECUTE|DECLARE|IF
    |BEGIN|END|LOAD|BULK|IMPORT|ATTACH|RENAME|ROLLBACK|VALUES|TABLE|RESTORE|BACKUP|DBCC|WHILE|RETURN)\b""",
    _FLAGS,
)


def plain(text: str) -> str:
    """A statement without the comments before it. MySQL's `/*! … */` counts as part of it."""
    if not text.startswith(("/*", "--")):
        return text
    if text.startswith("/*!"):
        text = _CONDITIONAL.sub(" ", text).replace("*/", " ")
    comments = _COMMENTS.match(text)
    return (text[comments.end() :] if comments else text).strip()


def is_harmless(text: str) -> bool:
    """Whether a statement is known to carry neither rows nor tables."""
    return _HARMLESS.match(text) is not None


def kind_of(text: str) -> str:
    """`INSERT INTO a.users`, or the verb alone: only SQL words and names of the statement."""
    if match := _OF_TABLE.match(text):
        schema, table = qualified(match[2])
        return f"{' '.join(match[1].upper().split())} {f'{schema}.{table}' if schema else table}"
    if text.startswith("\\"):
        return text.split(maxsplit=1)[0]
    verb = _VERB.match(text)
    return verb[1].upper() if verb else "text that is not a statement"
