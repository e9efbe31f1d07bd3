"""raw_analysis, metadata_analysis: relationships, declared and inferred, and constraints, declared
and missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sortkey_systems.jobengine.sources import Source, TableSchema
from sortkey_systems.jobengine.stages.names import table_tokens, tokens
from sortkey_systems.jobengine.stages.raw_analysis.keys import inferred_key
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import ExtractedSchema
from sortkey_systems.jobengine.stages.work import StepContext, Work

SAMPLE_VALUES = 400
VALUES_MAX = 200_000
CONTAINED_SHARE_MIN = 0.9


@dataclass(slots=True)
class Relationship:
    """A column whose values refer to rows of another table."""

    table: str
    column: str
    target: str
    target_column: str
    origin: Literal["declared", "inferred"]
    confidence: float = 1.0
    orphans: int = 0
    """How many of the sampled values refer to no row."""


@dataclass(slots=True)
class TableFacts:
    """Facts about a table: the key that identifies its rows, and where the key comes from."""

    table: str
    key: list[str]
    key_origin: Literal["declared", "inferred", "none"]
    key_share: float = 1.0
    kind: Literal["entity", "junction", "detail", "reference"] = "entity"
    constraints: list[str] = field(default_factory=list[str])
    issues: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Metadata:
    """The relationships of the source and the facts of its tables."""

    relationships: list[Relationship]
    tables: list[TableFacts]

    def facts(self, table: str) -> TableFacts:
        return next(facts for facts in self.tables if facts.table == table)

    def of(self, table: str) -> list[Relationship]:
        return [relationship for relationship in self.relationships if relationship.table == table]


def metadata_analysis(work: Work, ctx: StepContext) -> Metadata:
    """Find keys and relationships. Guesses are verified against the rows."""
    schema = work.result("schema_extraction", ExtractedSchema)
    metadata = Metadata([], [])
    for number, table in enumerate(schema.tables, 1):
        ctx.check_cancelled()
        facts = _facts(work.source, table, schema.rows[table.name])
        metadata.tables.append(facts)
        for issue in facts.issues:
            ctx.log("WARNING", f"{table.name}: {issue}", table=table.name)
        ctx.progress(50 * number // len(schema.tables))
    for number, table in enumerate(schema.tables, 1):
        ctx.check_cancelled()
        metadata.relationships += _relationships(work.source, schema, metadata, table, ctx)
        ctx.progress(50 + 50 * number // len(schema.tables))
    for facts in metadata.tables:
        facts.kind = _kind(schema.table(facts.table), metadata)
    inferred = sum(relationship.origin == "inferred" for relationship in metadata.relationships)
    ctx.log(
        "INFO",
        f"{len(metadata.relationships)} relationships, {inferred} of them inferred",
        foreign_keys_found=len(metadata.relationships) - inferred,
        inferred=inferred,
        indexes_found=sum(len(table.indexes) for table in schema.tables),
    )
    return metadata


def _facts(source: Source, table: TableSchema, rows: int) -> TableFacts:
    facts = TableFacts(table.name, table.primary_key, "declared", constraints=_constraints(table))
    if table.primary_key:
        return facts
    guess = inferred_key(source, table) if rows else None
    if guess is None:
        facts.key_origin = "none"
        facts.issues.append("no primary key, and no columns that tell its rows apart")
        return facts
    facts.key, facts.key_share, facts.key_origin = guess[0], round(guess[1], 4), "inferred"
    repeated = "" if guess[1] == 1 else f", though {1 - guess[1]:.1%} of the rows repeat it"
    facts.issues.append(f"no primary key: {', '.join(guess[0])} tells its rows apart{repeated}")
    return facts


def _constraints(table: TableSchema) -> list[str]:
    required = [column.name for column in table.columns if not column.nullable]
    constraints = [f"{name} is required" for name in required]
    constraints += [f"{', '.join(names)} is unique" for names in table.unique]
    return constraints + [f"check {text}" for text in table.checks]


def _relationships(
    source: Source,
    schema: ExtractedSchema,
    metadata: Metadata,
    table: TableSchema,
    ctx: StepContext,
) -> list[Relationship]:
    relationships: list[Relationship] = []
    for key in table.foreign_keys:
        if (
            len(key.columns) == 1
            and key.target_columns
            and any(other.name == key.table for other in schema.tables)
        ):
            share, orphans = _contained(
                source, table.name, key.columns[0], key.table, key.target_columns[0]
            )
            link = Relationship(
                table.name, key.columns[0], key.table, key.target_columns[0], "declared"
            )
            link.orphans = orphans if share < 1 else 0
            relationships.append(link)
    columns = {relationship.column for relationship in relationships}
    for column in table.columns:
        if column.name not in columns and [column.name] != metadata.facts(table.name).key:
            relationships += _inferred(source, schema, metadata, table, column.name)
    for link in relationships:
        if link.orphans:
            text = f"{link.table}.{link.column}: {link.orphans} values name no row of {link.target}"
            ctx.log("WARNING", text, table=link.table, orphans=link.orphans)
    return relationships


def _inferred(
    source: Source, schema: ExtractedSchema, metadata: Metadata, table: TableSchema, column: str
) -> list[Relationship]:
    """Relationships inferred from names, such as `cust_id`, and confirmed by values."""
    words = tokens(column)
    if len(words) < 2 or words[-1] not in ("id", "code", "number", "key"):
        return []
    # Where two schemas have such a table, a column means that of its own.
    for other in sorted(
        schema.tables, key=lambda candidate: candidate.namespace != table.namespace
    ):
        key = metadata.facts(other.name).key
        if other.name == table.name or len(key) != 1 or not _names(words[:-1], key[0], other.name):
            continue
        share, orphans = _contained(source, table.name, column, other.name, key[0])
        if share >= CONTAINED_SHARE_MIN:
            link = Relationship(
                table.name,
                column,
                other.name,
                key[0],
                "inferred",
                round(0.5 + share * 0.45, 3),
                orphans,
            )
            return [link]
    return []


def _names(words: tuple[str, ...], key: str, table: str) -> bool:
    """Whether `offer` refers to product_offers: its key is offer_id, or its last word is offer."""
    return words == table_tokens(table) or words == tokens(key)[:-1]


def _contained(
    source: Source, table: str, column: str, target: str, target_column: str
) -> tuple[float, int]:
    """The share of values in the first and last rows that refer to a row, and how many values do
    not.
    """
    values: set[object] = set()
    for batch in source.batches(table, 2000):
        values |= {row[column] for row in batch.rows if row[column] is not None}
        if len(values) > VALUES_MAX:
            break
    if not values:
        return 0.0, 0
    # The ends of the range are where strangers stand.
    ordered = sorted(values, key=lambda value: (str(type(value)), value))
    half = SAMPLE_VALUES // 2
    sample = ordered if len(ordered) <= SAMPLE_VALUES else [*ordered[:half], *ordered[-half:]]
    targets = {row[target_column] for row in source.related(target, target_column, sample)}
    return len(targets) / len(sample), len(sample) - len(targets)


def _kind(
    table: TableSchema, metadata: Metadata
) -> Literal["entity", "junction", "detail", "reference"]:
    links = metadata.of(table.name)
    linked = {link.column for link in links}
    facts = metadata.facts(table.name)
    if len(linked) >= 2 and len(table.columns) - len(linked) <= 1 and set(facts.key) <= linked:
        return "junction"
    if linked & set(facts.key) or (links and facts.key_origin != "declared"):
        return "detail"
    return "reference" if len(table.columns) <= 3 and not links else "entity"
