"""DynamoDB's errors, which a server answers and a client raises. The tree is drawn in
`sortkey.errors`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sortkey.errors.library import SortkeyError

DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
CORAL = "com.amazon.coral.service#"
CORAL_VALIDATE = "com.amazon.coral.validate#"


class ServiceError(SortkeyError):
    """An error answer. `extra` holds the members of the body besides the message."""

    status: ClassVar[int] = 400
    namespace: ClassVar[str] = DYNAMODB

    def __init__(self, message: str = "", **extra: Any) -> None:
        super().__init__(message)
        self.message = message
        self.extra = extra

    @property
    def code(self) -> str:
        return type(self).__name__

    @property
    def wire_type(self) -> str:
        return self.namespace + self.code


class ClientError(ServiceError):
    """The request is at fault."""


class ValidationException(ClientError):
    namespace = CORAL_VALIDATE


class SerializationException(ClientError):
    namespace = CORAL


class UnknownOperationException(ClientError):
    namespace = CORAL


class ConditionalCheckFailedException(ClientError):
    """`Item` is in `extra` if ReturnValuesOnConditionCheckFailure requested it."""

    def __init__(self, message: str = "The conditional request failed", **extra: Any) -> None:
        super().__init__(message, **extra)


class TransactionCanceledException(ClientError):
    """`CancellationReasons` is in `extra`, one per operation, in their order."""

    def __init__(self, reasons: list[dict[str, Any]]) -> None:
        codes = ", ".join(reason["Code"] for reason in reasons)
        super().__init__(
            "Transaction cancelled, please refer cancellation reasons for specific reasons ["
            + codes
            + "]",
            CancellationReasons=reasons,
        )


class TransactionConflictException(ClientError):
    pass


class IdempotentParameterMismatchException(ClientError):
    pass


class DuplicateItemException(ClientError):
    pass


class ItemCollectionSizeLimitExceededException(ClientError):
    pass


class ResourceNotFoundException(ClientError):
    pass


class ResourceInUseException(ClientError):
    pass


class LimitExceededException(ClientError):
    pass


class TableNotFoundException(ClientError):
    pass


class TableAlreadyExistsException(ClientError):
    pass


class TableInUseException(ClientError):
    pass


class BackupNotFoundException(ClientError):
    pass


class BackupInUseException(ClientError):
    pass


class ContinuousBackupsUnavailableException(ClientError):
    pass


class PointInTimeRecoveryUnavailableException(ClientError):
    pass


class InvalidRestoreTimeException(ClientError):
    pass


class InvalidExportTimeException(ClientError):
    pass


class ExportNotFoundException(ClientError):
    pass


class ExportConflictException(ClientError):
    pass


class ImportNotFoundException(ClientError):
    pass


class ImportConflictException(ClientError):
    pass


class PolicyNotFoundException(ClientError):
    pass


class GlobalTableNotFoundException(ClientError):
    pass


class ExpiredIteratorException(ClientError):
    pass


class TrimmedDataAccessException(ClientError):
    pass


class ProvisionedThroughputExceededException(ClientError):
    pass


class ThrottlingException(ClientError):
    pass


class AccessDeniedException(ClientError):
    namespace = CORAL


class UnrecognizedClientException(ClientError):
    namespace = CORAL


class InvalidSignatureException(ClientError):
    namespace = CORAL


class IncompleteSignatureException(ClientError):
    namespace = CORAL


class MissingAuthenticationTokenException(ClientError):
    namespace = CORAL


class RequestEntityTooLarge(ClientError):
    status = 413
    namespace = CORAL


class InternalServerError(ServiceError):
    status = 500
