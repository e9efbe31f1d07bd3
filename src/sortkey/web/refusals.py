"""What a system refuses, and which status every error of Sortkey has over HTTP. Knows nothing of
FastAPI.
"""

from __future__ import annotations

from typing import Any, ClassVar, overload

from sortkey import errors
from sortkey.errors import SortkeyError


class Refused(SortkeyError):
    """An answer that is no success. The message says what to do; details go out as they are.

    raise Refused(409, "RunNotReady", "the run is still processing: ask again later", runId=run_id)

    A subclass may give the status, and its name is the code: `raise RunNotReady("…",
    runId=run_id)`.
    """

    status: ClassVar[int] = 400

    @overload
    def __init__(self, message: str, /, **details: Any) -> None: ...
    @overload
    def __init__(self, status: int, code: str, message: str, /, **details: Any) -> None: ...
    def __init__(self, *said: Any, **details: Any) -> None:
        status, code, message = (
            said if len(said) == 3 else (self.status, type(self).__name__, *said)
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
    errors.ValidationException: (
        422,
        "InvalidValue",
    ),  # DynamoDB's word: nested too deeply, a name without letters
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
"""Errors that a caller can do something about. All others are ours: 500, without a word of what
happened.
"""


def status_of(error: SortkeyError) -> tuple[int, str] | None:
    """The status and the code of an error: those of its class, or of the next one above that has
    some.
    """
    if isinstance(error, Refused):
        return error.status, error.code
    return next((STATUSES[each] for each in type(error).__mro__ if each in STATUSES), None)
