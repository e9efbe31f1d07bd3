"""ListImports: the imports of the last 90 days, the newest first, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import imports, job_pages

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

MEMBERS = (
    "ImportArn",
    "ImportStatus",
    "TableArn",
    "S3BucketSource",
    "InputFormat",
    "StartTime",
    "EndTime",
)


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    limit = request.get("PageSize") or job_pages.PAGE
    return job_pages.page(
        engine, imports.KIND, request, limit, "ImportSummaryList", MEMBERS, _place
    )


def _place(description: dict[str, Any]) -> str:
    """Its id begins with its instant."""
    return description["ImportArn"].rsplit("/", 1)[-1]
