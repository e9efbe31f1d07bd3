"""ListStreams: the streams of one table or all, including those that ended in the last day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import streams
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LIMIT_MAX = 100


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    limit = request.get("Limit") or LIMIT_MAX
    if limit > LIMIT_MAX:
        raise ValidationException(
            "One or more parameter values were invalid: "
            f"Limit cannot be greater than the maximum allowed size: {LIMIT_MAX}"
        )
    feeds = streams.feeds(engine)
    if "TableName" in request:
        feeds = [feed for feed in feeds if feed.table == request["TableName"]]
    start = request.get("ExclusiveStartStreamArn")
    if start is not None:
        feeds = feeds[
            1 + next((n for n, feed in enumerate(feeds) if feed.arn == start), len(feeds)) :
        ]
    answer: dict[str, Any] = {
        "Streams": [
            {"StreamArn": feed.arn, "TableName": feed.table, "StreamLabel": feed.label}
            for feed in feeds[:limit]
        ]
    }
    if len(feeds) > limit:
        answer["LastEvaluatedStreamArn"] = feeds[limit - 1].arn
    return answer
