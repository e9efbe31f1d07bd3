"""What callers give: journeys, stages and rules that are new or are to change. What is not known is refused."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sortkey import camel
from sortkey_systems.jobengine.parts import JourneyConfiguration, Name, Priority, RuleType, Source, TextOrObject

V = TypeVar("V")
Title = Annotated[str, Field(min_length=1, max_length=500)]
Text = Annotated[str, Field(max_length=20_000)]
DEPTH_MAX = 20
NUMBER_MAX, NUMBER_MIN, DIGITS_MAX = 9.99e125, 1e-130, 38
"""What an item of DynamoDB holds."""


def storable(value: V, depth: int = DEPTH_MAX) -> V:
    """The value, if an item can hold it. Raises ValueError: for names that are empty, numbers that are too large."""
    _check(value, depth)
    return value


def _check(value: object, depth: int) -> None:
    if depth == 0:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        for name, each in cast("dict[str, object]", value).items():
            if not name:
                raise ValueError("a name in it is empty")
            _check_text(name)
            _check(each, depth - 1)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            _check(each, depth - 1)
    elif isinstance(value, str):
        _check_text(value)
    elif isinstance(value, (int, float)):
        _check_number(value)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text in it is no Unicode: half of a pair of surrogates") from None


def _check_number(number: float) -> None:
    fits = not isinstance(number, int) or len(str(abs(number)).rstrip("0")) <= DIGITS_MAX
    if not math.isfinite(number) or not fits or (number and not NUMBER_MIN <= abs(number) <= NUMBER_MAX):
        raise ValueError(f"a number in it has more than {DIGITS_MAX} digits, or is too large or too small")


Content = Annotated[TextOrObject, AfterValidator(storable)]
Scope = Literal["global", "project", "stage"]
RuleStatus = Literal["active", "inactive", "deprecated"]

RULE_EXAMPLE: dict[str, Any] = {
    "stageId": "tmf_mapping",
    "title": "Map product SKU to TMF product number",
    "type": "field_mapping",
    "priority": "high",
    "content": {"naturalLanguage": "Map the SKU.", "jsonRule": {"fieldMappings": {"products.sku": "productNumber"}}},
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
    """Members in camelCase, of just their types; one that is not known is refused."""

    model_config = ConfigDict(alias_generator=camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)

    def given(self) -> dict[str, Any]:
        """The members that are not None, by the names of their fields."""
        return {name: value for name in type(self).model_fields if (value := getattr(self, name)) is not None}


class RuleDraft(Input):
    """A rule that is not there yet: it gets its id and its index when it is added."""

    model_config = ConfigDict(json_schema_extra={"examples": [RULE_EXAMPLE]})

    stage_id: Name
    title: Title
    description: Text = ""
    type: RuleType
    priority: Priority = "medium"
    scope: Scope = "stage"
    status: RuleStatus = "active"
    context: Content = ""
    content: Content
    tags: list[str] = []
    applicable_stages: list[Name] = []
    version: str = "1.0"


class RuleChange(Input):
    """What of a rule is to change. Its stage, type, id and index are in its keys, and stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"priority": "critical", "status": "active"}]})

    title: Title | None = None
    description: Text | None = None
    priority: Priority | None = None
    scope: Scope | None = None
    status: RuleStatus | None = None
    context: Content | None = None
    content: Content | None = None
    tags: list[str] | None = None
    applicable_stages: list[Name] | None = None
    version: str | None = None


class SourceDraft(Source):
    """What the journey transforms. `address` is a file, a dump, or `postgresql://user@host/name`."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ConfigurationDraft(JourneyConfiguration):
    """How the journey's jobs run. `timeout` is in seconds; `target` is a SQLite file, or a folder for JSON Lines."""

    model_config = ConfigDict(extra="forbid", strict=True)


class JourneyDraft(Input):
    """A journey that is not there yet. It gets its id and the six default stages."""

    model_config = ConfigDict(json_schema_extra={"examples": [JOURNEY_EXAMPLE]})

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
    """What of a journey is to change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"priority": "critical"}]})

    name: Title | None = None
    description: Text | None = None
    priority: Priority | None = None


class StageChange(Input):
    """What of a stage is to change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"canSkip": True}]})

    can_skip: bool | None = None
    second_brain_enabled: bool | None = None
