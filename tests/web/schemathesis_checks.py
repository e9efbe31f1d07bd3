"""Checks of our own for schemathesis, which loads this file by its name."""

from __future__ import annotations

import schemathesis
from schemathesis import Case, CheckContext, Response

OTHER_SHAPES = {
    "/wallcrawler/v1/": {"statusCode", "error", "message", "code"},
    "/vams": {"message"},
}
"""Systems whose clients are published, and read errors in a shape of theirs."""


@schemathesis.check
def what_fits_the_document_is_not_invalid(
    ctx: CheckContext, response: Response, case: Case
) -> None:
    """Valid data may be refused by a rule that says so. Refused for its type, the document would be
    wrong.
    """
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if is_valid and response.status_code == 422:
        problems = response.json()["error"]["details"].get("problems", ())
        wrong = [each for each in problems if not each["message"].startswith("Value error")]
        if _has_whole_float(
            case.body
        ):  # JSON Schema takes 5.0 for an integer, and most programs do not
            wrong = [each for each in wrong if "valid integer" not in each["message"]]
        assert not wrong, f"fits the document, and was refused: {response.text}"


def _has_whole_float(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


@schemathesis.check
def every_error_has_the_one_shape(ctx: CheckContext, response: Response, case: Case) -> None:
    """Code, message, details and the id of the request, whoever refused."""
    if response.status_code < 400 or case.method == "HEAD":
        return
    shapes = [keys for path, keys in OTHER_SHAPES.items() if case.path.startswith(path)]
    body = response.json()
    if shapes and "requestId" not in body.get("error", ()):  # the host itself refuses in its own
        assert body.keys() in (*shapes, {"__type", "message"}), response.text
        assert body.get("statusCode", response.status_code) == response.status_code
    else:
        error = response.json()["error"]
        assert error.keys() == {"code", "message", "details", "requestId"}, response.text
        assert response.headers["x-request-id"] == [error["requestId"]], response.headers
