"""ListExports: the exports of the last 90 days in reverse order of their ARNs, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import exports, job_pages

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

MEMBERS = ("ExportArn", "ExportStatus", "ExportType")


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    limit = request.get("MaxResults") or job_pages.PAGE
    return job_pages.page(engine, exports.KIND, request, limit, "ExportSummaries", MEMBERS, _place)


def _place(description: dict[str, Any]) -> str:
    return description["ExportArn"]
