"""Checks of our own for schemathesis, which loads this file by its name."""

from __future__ import annotations

import schemathesis
from schemathesis import Case, CheckContext, Response


@schemathesis.check
def what_fits_the_document_is_not_invalid(ctx: CheckContext, response: Response, case: Case) -> None:
    """Valid data may be refused by a rule that has a name. Refused as invalid, the document would be wrong."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if is_valid and response.status_code == 422:
        code = response.json()["error"]["code"]
        assert code != "InvalidRequest", f"fits the document, and was refused: {response.text}"


@schemathesis.check
def every_error_has_the_one_shape(ctx: CheckContext, response: Response, case: Case) -> None:
    """Code, message, details and the id of the request, whoever refused."""
    if response.status_code >= 400 and case.method != "HEAD":
        error = response.json()["error"]
        assert error.keys() == {"code", "message", "details", "requestId"}, response.text
        assert response.headers["x-request-id"] == [error["requestId"]], response.headers
