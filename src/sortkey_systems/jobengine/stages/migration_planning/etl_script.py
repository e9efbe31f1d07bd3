"""migration_planning, etl_script: the migration plan as data: how a row of each table becomes a
document.

The transfer reads nothing but the plan. A fingerprint identifies the plan when work is resumed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import orjson

from sortkey_systems.jobengine.stages.migration_planning.strategy import Strategy
from sortkey_systems.jobengine.stages.stripped_schema.data_model_simplification import SimpleModel
from sortkey_systems.jobengine.stages.tmf_mapping.attribute_mapping import (
    AttributeMappings,
    FieldMapping,
)
from sortkey_systems.jobengine.stages.tmf_mapping.relationship_mapping import (
    ReferenceMapping,
    RelationshipMappings,
)
from sortkey_systems.jobengine.stages.work import StepContext, Work, to_json
from sortkey_systems.jobengine.tmf import resources


@dataclass(slots=True)
class Dataset:
    """One table and the documents made from its rows."""

    table: str
    resource: str
    key: list[str]
    """The columns of the id. None: the id is a hash of the row."""
    id_prefix: str
    fields: list[FieldMapping]
    references: list[ReferenceMapping]
    characteristics: list[str]
    defaults: dict[str, str]
    undecided: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Attributes that get no default, because one of these columns may hold the value."""


@dataclass(slots=True)
class EtlPlan:
    """All datasets in transfer order."""

    datasets: list[Dataset]
    fingerprint: str = ""
    excluded: list[str] = field(default_factory=list[str])

    def dataset(self, table: str) -> Dataset | None:
        return next((dataset for dataset in self.datasets if dataset.table == table), None)


def etl_script(work: Work, ctx: StepContext) -> EtlPlan:
    """Assemble the mapping, so that no decision is left for the transfer."""
    model, order = (
        work.result("data_model_simplification", SimpleModel),
        work.result("strategy", Strategy).order,
    )
    mappings = work.result("attribute_mapping", AttributeMappings)
    links = work.result("relationship_mapping", RelationshipMappings)
    plan = EtlPlan([])
    used = [mapped_table.resource for mapped_table in mappings.tables]
    for table in order:
        mapping, entity = mappings.of(table), model.entity(table)
        assert mapping is not None
        assert entity is not None
        resource = resources()[mapping.resource]
        filled = {
            "id",
            *(field.path for field in mapping.fields),
            *(link.path for link in links.of(table)),
        }
        plan.datasets.append(
            Dataset(
                table,
                resource.name,
                entity.key,
                # Two tables of one resource would have the same ids.
                f"{table}-" if used.count(resource.name) > 1 else "",
                mapping.fields,
                links.of(table),
                mapping.characteristics,
                {path: default for path, default in mapping.defaults.items() if path not in filled},
                mapping.undecided,
            )
        )
        ctx.log("INFO", f"{table} → {resource.name}: {len(mapping.fields)} fields", table=table)
    plan.excluded = [
        unplanned.table for unplanned in model.entities if unplanned.table not in order
    ]
    plan.fingerprint = hashlib.sha256(
        orjson.dumps(to_json(plan.datasets), option=orjson.OPT_SORT_KEYS)
    ).hexdigest()
    ctx.log("INFO", f"plan {plan.fingerprint[:12]} with {len(plan.datasets)} datasets")
    ctx.progress(100)
    return plan
