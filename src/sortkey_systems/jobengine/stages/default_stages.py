"""The six default stages of a journey, in order, with their steps.

The document gives the stages, and the steps of raw_analysis; which rule types serve the other five,
and which of their steps are AI-assisted, is decided here.
"""

from __future__ import annotations

from sortkey_systems.jobengine.model import Stage
from sortkey_systems.jobengine.parts import RuleType, Step

RAW_ANALYSIS_STEPS = [
    Step(
        step_id="schema_extraction",
        name="Schema Extraction",
        description="Extract schema from source database",
        ai_assisted=True,
        estimated_duration="10m",
    ),
    Step(
        step_id="metadata_analysis",
        name="Metadata Analysis",
        description="Analyze table relationships and constraints",
        ai_assisted=True,
        estimated_duration="15m",
    ),
    Step(
        step_id="data_profiling",
        name="Data Profiling",
        description="Profile data patterns and quality",
        ai_assisted=False,
        estimated_duration="5m",
    ),
]


def default_stages(journey_id: str) -> list[Stage]:
    """The stages of a new journey."""
    return [
        _raw_analysis(journey_id),
        _stage(
            journey_id,
            2,
            "stripped_schema",
            "Extract and clean schema structure",
            _steps("schema_stripping", "core_structure_extraction", "data_model_simplification"),
            ["data_interpretation", "business_logic"],
        ),
        _stage(
            journey_id,
            3,
            "tmf_mapping",
            "Map to TMF API specifications",
            [
                *_steps(
                    "tmf_api_matching",
                    "attribute_mapping",
                    "relationship_mapping",
                    ai_assisted=True,
                ),
                *_steps("api_coverage_analysis", "gap_identification"),
            ],
            ["field_mapping", "contextual_recommendations"],
        ),
        _stage(
            journey_id,
            4,
            "migration_planning",
            "Plan data migration strategy",
            _steps("strategy", "etl_script", "validation_rules", "rollback"),
            ["contextual_recommendations", "business_logic"],
        ),
        _stage(
            journey_id,
            5,
            "data_migration",
            "Execute data transformation",
            _steps("dataset_selection", "transfer", "compliance_test", "mark_completion"),
            ["business_logic", "compliance_check"],
        ),
        _stage(
            journey_id,
            6,
            "verification_validation",
            "Validate transformed data",
            _steps(
                "mapping_validation", "compliance_check", "integrity", "performance", "final_report"
            ),
            ["validation_rules", "compliance_check"],
        ),
    ]


def _raw_analysis(journey_id: str) -> Stage:
    return Stage(
        journey_id=journey_id,
        order=1,
        stage_id="raw_analysis",
        name="Raw Analysis",
        description="Analyze source schema and extract metadata",
        estimated_duration="30m",
        rule_types=["field_mapping", "data_interpretation"],
        steps=RAW_ANALYSIS_STEPS,
    )


def _stage(
    journey_id: str,
    order: int,
    stage_id: str,
    description: str,
    steps: list[Step],
    rule_types: list[RuleType],
) -> Stage:
    return Stage(
        journey_id=journey_id,
        order=order,
        stage_id=stage_id,
        name=title_of(stage_id),
        description=description,
        rule_types=rule_types,
        steps=steps,
    )


def _steps(*step_ids: str, ai_assisted: bool = False) -> list[Step]:
    return [
        Step(step_id=step_id, name=title_of(step_id), ai_assisted=ai_assisted)
        for step_id in step_ids
    ]


def title_of(name: str) -> str:
    """`tmf_mapping` → `TMF Mapping`."""
    return " ".join(
        word.upper() if word in ("tmf", "api", "etl") else word.capitalize()
        for word in name.split("_")
    )
