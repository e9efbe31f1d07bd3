"""Arguments that many routes take: the caller, ids in the path, pages."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Query

from sortkey.web import Access, api_key_access, errors_for

NAME = "jobengine"

Reader = Annotated[Access, Depends(api_key_access(NAME, "read"))]
"""A read-only request: it writes no item, no object and no job."""
Writer = Annotated[Access, Depends(api_key_access(NAME, "full"))]

JourneyPath = Annotated[
    str,
    Path(
        alias="journeyId",
        pattern=r"^JRN-[0-9A-Z]{12}$",
        description="A journey",
        examples=["JRN-ABC123456789"],
    ),
]
StagePath = Annotated[
    str,
    Path(
        alias="stageId",
        pattern=r"^[0-9A-Za-z_-]{1,100}$",
        description="A stage",
        examples=["raw_analysis"],
    ),
]
JobPath = Annotated[
    str,
    Path(
        alias="jobId",
        pattern=r"^JOB-[0-9A-Za-z_-]{1,100}$",
        description="An execution",
        examples=["JOB-456"],
    ),
]
RulePath = Annotated[
    str,
    Path(
        alias="ruleId",
        pattern=r"^rule-[0-9A-Za-z_-]{1,200}$",
        description="A rule",
        examples=["rule-raw_analysis-field_mapping-a1b2c3d4"],
    ),
]
ReportPath = Annotated[
    str,
    Path(
        alias="reportId",
        pattern=r"^[0-9A-Za-z_.-]{1,200}$",
        description="A report",
        examples=["RPT-ABC"],
    ),
]

StageQuery = Annotated[
    str | None,
    Query(
        alias="stageId",
        pattern=r"^[0-9A-Za-z_-]{1,100}$",
        description="Only of this stage",
        examples=["tmf_mapping"],
    ),
]
Cursor = Annotated[
    str | None, Query(max_length=4096, description="The cursor of the previous page")
]
Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of results")]

READ = errors_for(401, 403, 404)
LISTED = errors_for(401, 403)
WRITE = errors_for(401, 403, 404, 409)


def example(
    of: Any, status: int = 200, also: dict[int | str, dict[str, Any]] | None = None
) -> dict[int | str, Any]:
    """The `responses` of a route: an example of its success, and its errors."""
    response = {
        "description": "Successful Response",
        "content": {"application/json": {"example": of}},
    }
    return {**(also or {}), status: response}
