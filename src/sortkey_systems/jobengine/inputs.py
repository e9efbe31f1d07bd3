"""Input of callers: new journeys, stages and rules, and changes to them. Unknown members are
refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sortkey import camel
from sortkey_systems.jobengine.parts import (
    AllowedLosses,
    JourneyConfiguration,
    Name,
    Priority,
    RuleType,
    Source,
    TextOrObject,
)

Title = Annotated[str, Field(min_length=1, max_length=500)]
Text = Annotated[str, Field(max_length=20_000)]
Scope = Literal["global", "project", "stage"]
RuleStatus = Literal["active", "inactive", "deprecated"]

RULE_EXAMPLE: dict[str, Any] = {
    "stageId": "tmf_mapping",
    "title": "Map product SKU to TMF product number",
    "type": "field_mapping",
    "priority": "high",
    "content": {
        "naturalLanguage": "Map the SKU.",
        "jsonRule": {"fieldMappings": {"products.sku": "productNumber"}},
    },
}
JOURNEY_EXAMPLE: dict[str, Any] = {
    "name": "Product Catalog Migration to TMF620",
    "description": "Transform legacy product catalog to TMF620 API standard",
    "priority": "high",
    "createdBy": "data_team",
    "odaComponentType": "PRODUCTCATALOG",
    "source": {
        "type": "schema-based",
        "schemaId": "schema-PRODUCTCATALOG-001",
        "schemaName": "Legacy Product Database",
        "schemaVersion": "1.0.0",
        "address": "shop.sqlite",
    },
    "configuration": {"timeout": 1800, "retryAttempts": 3, "target": "migrated"},
    "rules": [RULE_EXAMPLE],
}


class Input(BaseModel):
    """Members in camelCase, strictly typed. Unknown ones are refused."""

    model_config = ConfigDict(
        alias_generator=camel, populate_by_name=True, extra="forbid", frozen=True, strict=True
    )

    def given(self) -> dict[str, Any]:
        """The members that are not None, by field name."""
        return {
            name: value
            for name in type(self).model_fields
            if (value := getattr(self, name)) is not None
        }


class RuleDraft(Input):
    """A new rule. It gets its id and index when it is added."""

    model_config = ConfigDict(json_schema_extra={"examples": [RULE_EXAMPLE]})

    stage_id: Name
    title: Title
    description: Text = ""
    type: RuleType
    priority: Priority = "medium"
    scope: Scope = "stage"
    status: RuleStatus = "active"
    context: TextOrObject = ""
    content: TextOrObject
    tags: list[str] = []
    applicable_stages: list[Name] = []
    version: str = "1.0"


class RuleChange(Input):
    """Changes to a rule. Its stage, type, id and index are part of its keys and stay."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"priority": "critical", "status": "active"}]}
    )

    title: Title | None = None
    description: Text | None = None
    priority: Priority | None = None
    scope: Scope | None = None
    status: RuleStatus | None = None
    context: TextOrObject | None = None
    content: TextOrObject | None = None
    tags: list[str] | None = None
    applicable_stages: list[Name] | None = None
    version: str | None = None


class SourceDraft(Source):
    """What the journey transforms. `address` is a file, a dump, or
    `postgresql://user@host/name`.
    """

    model_config = ConfigDict(extra="forbid", strict=True)


class AllowedLossesDraft(AllowedLosses):
    """What a journey may lose and still complete. By default nothing."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ConfigurationDraft(JourneyConfiguration):
    """How the journey's jobs run. `timeout` is in seconds; `target` is a SQLite file, or a folder
    for JSON Lines.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    allowed_losses: AllowedLossesDraft | None = None  # pyright: ignore[reportIncompatibleVariableOverride]  (frozen)

    @field_validator("*", mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        """In JSON, 5.0 is a whole number."""
        return int(value) if isinstance(value, float) and value.is_integer() else value


class JourneyDraft(Input):
    """A new journey. It gets its id and the six default stages."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [JOURNEY_EXAMPLE]}, hide_input_in_errors=True
    )

    name: Title
    description: Text = ""
    priority: Priority = "medium"
    created_by: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    oda_component_type: Annotated[str, Field(min_length=1, max_length=200)]
    source: SourceDraft
    configuration: ConfigurationDraft = ConfigurationDraft()
    rules: list[RuleDraft] = []
    skippable: list[Name] = Field(default=[], description="The stages that may be skipped")


class JourneyChange(Input):
    """Changes to a journey."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"priority": "critical"}]})

    name: Title | None = None
    description: Text | None = None
    priority: Priority | None = None
    allowed_losses: AllowedLossesDraft | None = None


class StageChange(Input):
    """Changes to a stage."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"canSkip": True}]})

    can_skip: bool | None = None
    second_brain_enabled: bool | None = None
