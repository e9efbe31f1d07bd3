"""The sample of jobengine: a journey that migrates the sample shop, with its rules and losses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortkey_systems.jobengine.inputs import RuleDraft
from sortkey_systems.jobengine.parts import AllowedLosses, JourneyConfiguration, Source
from sortkey_systems.jobengine.sample_shop import FLAWS, make_shop

if TYPE_CHECKING:
    from sortkey_systems.jobengine.model import Journey
    from sortkey_systems.jobengine.service import JobEngine

CREATOR = "sample"
LOSSES = AllowedLosses(
    tables={
        "customers": str(FLAWS.nameless_customers),
        "customer_contacts": str(FLAWS.repeated_contacts),
        "order_items": str(FLAWS.repeated_order_lines),
    },
    values=str(FLAWS.broken_dates),
    references="2%",
)
"""The allowed losses of the shop: its known flaws, and references to the rows they cost."""

RULES: tuple[dict[str, Any], ...] = (
    {
        "stage_id": "stripped_schema",
        "title": "The rest stays in the old system",
        "type": "business_logic",
        "priority": "medium",
        "content": {
            "naturalLanguage": "Payments, suppliers and stock belong to the ERP; logs and old imports are not needed.",
            "jsonRule": {
                "remove": [
                    "payments",
                    "suppliers",
                    "warehouses",
                    "stock_levels",
                    "audit_log",
                    "tmp_import_products",
                ]
            },
        },
    },
    {
        "stage_id": "stripped_schema",
        "title": "Reviews stay behind",
        "type": "business_logic",
        "priority": "high",
        "content": "The new shop starts its reviews from scratch. Drop 'reviews'.",
    },
    {
        "stage_id": "tmf_mapping",
        "title": "The SKU is the product number",
        "type": "field_mapping",
        "priority": "critical",
        "content": {
            "naturalLanguage": "Our SKU is what TMF620 calls productNumber.",
            "jsonRule": {
                "fieldMappings": {"products.sku": "productNumber"},
                "thresholds": {"coverage": 0.9},
            },
        },
    },
    {
        "stage_id": "verification_validation",
        "title": "Order numbers have six digits",
        "type": "compliance_check",
        "priority": "medium",
        "content": {"patterns": {"ProductOrder.externalId": "^O-[0-9]{6}$"}},
    },
)
"""Second Brain rules for the shop: in plain English, as JSON, and as both."""


def load(service: JobEngine) -> Journey | None:
    """The shop as a running journey, unless there are journeys already, so that its workers can be
    watched.

    One that was created but not started, because the program ended in between, is started.
    """
    (journey,) = service.journeys.page(size=1).items or [_journey(service)]
    if journey.created_by != CREATOR or journey.status != "pending" or journey.current_jobs:
        return None
    service.run_journey(journey.journey_id)
    return journey


def _journey(service: JobEngine) -> Journey:
    root = service.places.root or Path()
    make_shop(root / "shop.sqlite")
    about: dict[str, Any] = {
        "type": "database",
        "schema_id": "shop",
        "schema_name": "shop",
        "schema_version": "1",
    }
    return service.journeys.create(
        name="The sample shop",
        description="Fifteen years of a shop, on their way to TM Forum resources",
        created_by=CREATOR,
        oda_component_type="PRODUCTCATALOG",
        source=Source(
            **about, address="shop.sqlite" if service.places.root else str(root / "shop.sqlite")
        ),
        configuration=JourneyConfiguration(allowed_losses=LOSSES),
        priority="high",
        rules=[RuleDraft(**rule) for rule in RULES],
    )
