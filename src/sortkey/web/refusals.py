"""Errors that a system answers with, and the HTTP status of every error of Sortkey. Does not import
FastAPI.
"""

from __future__ import annotations

from typing import Any, ClassVar, overload

from sortkey import errors
from sortkey.errors import SortkeyError


class Refused(SortkeyError):
    """An error response. The message says what to do. The details are sent unchanged.

    raise Refused(409, "RunNotReady", "the run is still processing: try again later", runId=run_id)

    A subclass can set the status. Its name is the code: `raise RunNotReady("…", runId=run_id)`.
    """

    status: ClassVar[int] = 400

    @overload
    def __init__(self, message: str, /, **details: Any) -> None: ...
    @overload
    def __init__(self, status: int, code: str, message: str, /, **details: Any) -> None: ...
    def __init__(self, *arguments: Any, **details: Any) -> None:
        status, code, message = (
            arguments if len(arguments) == 3 else (self.status, type(self).__name__, *arguments)
        )
        super().__init__(message)
        self.status = status  # pyright: ignore[reportAttributeAccessIssue]
        self.code: str = code
        self.message: str = message
        self.details = details
        self.headers: dict[str, str] = {}


STATUSES: dict[type[SortkeyError], tuple[int, str]] = {
    errors.NotFound: (404, "NotFound"),
    errors.AlreadyExists: (409, "AlreadyExists"),
    errors.StaleVersion: (409, "StaleVersion"),
    errors.TransitionRefused: (409, "WrongState"),
    errors.PreconditionFailed: (409, "PreconditionFailed"),
    errors.ConditionFailed: (409, "ConditionFailed"),
    errors.TransactionFailed: (409, "TransactionFailed"),
    errors.LeaseLost: (409, "LeaseLost"),
    errors.JobConflict: (409, "JobConflict"),
    errors.KeyValueError: (422, "InvalidValue"),
    errors.StoredValueError: (422, "InvalidValue"),
    # DynamoDB rejected a value: nested too deeply, an empty name
    errors.ValidationException: (422, "InvalidValue"),
    errors.BadCursor: (422, "InvalidCursor"),
    errors.ItemTooLarge: (413, "TooLarge"),
    errors.MessageTooLarge: (413, "TooLarge"),
    errors.LinkRefused: (403, "LinkRefused"),
    errors.Throttled: (429, "Throttled"),
    errors.BatchIncomplete: (503, "Unavailable"),
    errors.Unreachable: (503, "Unavailable"),
    errors.SearchIndexMissing: (503, "Unavailable"),
    errors.SearchIndexInUse: (503, "Unavailable"),
    errors.JobNotEnded: (504, "NotEnded"),
}
"""Errors that a caller can act on. All others are answered with 500, without the reason."""


def status_of(error: SortkeyError) -> tuple[int, str] | None:
    """The status and code of an error: those of its class or the nearest base class."""
    if isinstance(error, Refused):
        return error.status, error.code
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), None)
