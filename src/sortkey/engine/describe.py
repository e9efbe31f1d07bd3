"""A table as the API describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import encryption, throughput
from sortkey.engine.figures import Figures
from sortkey.engine.tables import Index, Table

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def describe(engine: Engine, table: Table) -> dict[str, Any]:
    figures = engine.counts.of(engine, table)
    mode = throughput.billing_mode(table.settings)
    return {
        "AttributeDefinitions": [
            {"AttributeName": n, "AttributeType": t} for n, t in sorted(table.types.items())
        ],
        "TableName": table.name,
        "KeySchema": table.key.describe(),
        "TableStatus": table.status,
        "CreationDateTime": round(table.created, 3),
        **throughput.describe(table.settings, mode, engine.clock()),
        "TableSizeBytes": figures.size,
        "ItemCount": figures.count,
        "TableArn": engine.catalog.arn(table.name),
        "TableId": table.id,
        **throughput.describe_billing(table),
        **_indexes(engine, table, figures),
        **_stream(engine, table),
        **encryption.describe(table.settings),
        **_table_class(table),
        **_restore(table),
        "DeletionProtectionEnabled": table.settings.get("DeletionProtection", False),
    }


def projection(index: Index) -> dict[str, Any]:
    """AWS lists attribute names sorted, here and in the definitions."""
    names = index.projection.get("NonKeyAttributes")
    return (
        index.projection
        if names is None
        else {**index.projection, "NonKeyAttributes": sorted(names)}
    )


def _indexes(engine: Engine, table: Table, figures: Figures) -> dict[str, Any]:
    local = [_index(engine, table, index, figures) for index in table.of_kind("LSI")]
    wide = [_global(engine, table, index, figures) for index in table.of_kind("GSI")]
    return {
        **({"LocalSecondaryIndexes": local} if local else {}),
        **({"GlobalSecondaryIndexes": wide} if wide else {}),
    }


def _index(engine: Engine, table: Table, index: Index, figures: Figures) -> dict[str, Any]:
    count, size = figures.index(index.name)
    return {
        "IndexName": index.name,
        "KeySchema": index.key.describe(),
        "Projection": projection(index),
        "IndexSizeBytes": size,
        "ItemCount": count,
        "IndexArn": f"{engine.catalog.arn(table.name)}/index/{index.name}",
    }


def _global(engine: Engine, table: Table, index: Index, figures: Figures) -> dict[str, Any]:
    mode = throughput.billing_mode(table.settings)
    return {
        **_index(engine, table, index, figures),
        "IndexStatus": "CREATING" if table.status == "CREATING" else index.status,
        **({"Backfilling": index.backfilling} if index.status == "CREATING" else {}),
        **throughput.describe(index.settings, mode, engine.clock()),
    }


def _stream(engine: Engine, table: Table) -> dict[str, Any]:
    """The newest stream's ARN stays here after it was disabled."""
    stream = table.stream
    if stream is None:
        return {}
    specification = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": stream.view}}
    return {
        **(specification if stream.enabled else {}),
        "LatestStreamLabel": stream.label,
        "LatestStreamArn": f"{engine.catalog.arn(table.name)}/stream/{stream.label}",
    }


def _table_class(table: Table) -> dict[str, Any]:
    """Described only if it was set."""
    name, since = table.settings.get("TableClass"), table.settings.get("TableClassSince")
    if name is None:
        return {}
    return {
        "TableClassSummary": {
            "TableClass": name,
            **({"LastUpdateDateTime": round(since, 3)} if since else {}),
        }
    }


def _restore(table: Table) -> dict[str, Any]:
    """The summary that a restore wrote into the settings."""
    summary = table.settings.get("RestoreSummary")
    return {"RestoreSummary": summary} if summary else {}
