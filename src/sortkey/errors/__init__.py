"""Every error that Sortkey raises.

    SortkeyError
    ├── FolderInUse                               another process owns the data folder
    ├── NotConfigured                             a wrong or missing setting: region, address …
    ├── ModelError                                a wrong model, or a wrong use of it
    │   ├── KeyValueError                         a value that cannot be part of a key
    │   └── StoredValueError                      a value that DynamoDB cannot store
    ├── StoreError                                an operation of a store failed
    │   ├── NotFound
    │   │   └── ObjectNotFound                    no such object or version
    │   ├── TableMissing
    │   ├── ConditionFailed                       has the item that failed it
    │   │   ├── AlreadyExists
    │   │   ├── StaleVersion                      another writer has saved since
    │   │   ├── TransitionRefused                 the status cannot follow the current one
    │   │   └── PreconditionFailed                the object exists already, or has changed
    │   ├── ObjectCorrupt                         the bytes are not those that were written
    │   ├── LinkRefused                           a presigned URL is foreign, expired or misused
    │   ├── TransactionFailed                     has the failed operations and their reasons
    │   ├── BatchIncomplete                       has the operations that were not done
    │   ├── ItemTooLarge                          has the sizes of the largest attributes
    │   ├── Throttled                             after all retries
    │   ├── Unreachable                           no answer after all retries
    │   ├── StorageFailed                         the disk is full or broken; nothing was written
    │   ├── InvalidItem                           a stored item does not match its entity
    │   ├── BadCursor                             a foreign cursor, or one of another query
    │   └── LeaseLost                             another process has taken over the work
    ├── ChangeRefused                             raised by a stream handler to skip retries
    ├── MessageTooLarge                           more than a topic accepts
    ├── JobError                                  a problem with a job
    │   ├── JobConflict                           one idempotency key for two different jobs
    │   ├── JobNotEnded                           `wait` timed out
    │   ├── GiveUp                                raised by a job function to skip retries
    │   └── JobStopped                            raised inside a job function, at a safe point
    │       ├── JobCancelled
    │       ├── JobTimedOut
    │       ├── JobInterrupted                    its worker stops; the job continues later
    │       └── JobLost                           its lease expired; another worker may run it
    ├── SandboxError                              a function in a separate process failed
    │   ├── MemoryLimitExceeded
    │   ├── TimeLimitExceeded
    │   └── ProcessDied                           by a signal or an exit
    ├── SearchError                               an operation of a search index failed
    │   ├── SearchIndexMissing                    or it does not match; ensure() repairs it
    │   ├── SearchIndexInUse                      another process writes it
    │   └── SearchWritesFailed                    has the ids and reasons
    ├── TransferRefused                           an export, import, backup … cannot start
    ├── TransferFailed                            it was interrupted
    └── ServiceError                              an error in DynamoDB's own shape
        ├── ClientError                  400
        │   ├── ValidationException
        │   ├── SerializationException            the body does not match the operation
        │   ├── UnknownOperationException         no such operation, or no target at all
        │   ├── ConditionalCheckFailedException   has the item if requested
        │   ├── TransactionCanceledException      has the reasons, in order
        │   ├── TransactionConflictException
        │   ├── IdempotentParameterMismatchException
        │   ├── DuplicateItemException            PartiQL INSERT of a key that exists
        │   ├── ItemCollectionSizeLimitExceededException
        │   ├── ResourceNotFoundException
        │   ├── ResourceInUseException
        │   ├── LimitExceededException
        │   ├── TableNotFoundException, TableAlreadyExistsException, TableInUseException
        │   ├── BackupNotFoundException, BackupInUseException
        │   ├── ContinuousBackupsUnavailableException, PointInTimeRecoveryUnavailableException
        │   ├── InvalidRestoreTimeException, InvalidExportTimeException
        │   ├── ExportNotFoundException, ExportConflictException
        │   ├── ImportNotFoundException, ImportConflictException
        │   ├── PolicyNotFoundException, GlobalTableNotFoundException
        │   ├── ExpiredIteratorException, TrimmedDataAccessException
        │   ├── ProvisionedThroughputExceededException, ThrottlingException
        │   ├── AccessDeniedException, UnrecognizedClientException, InvalidSignatureException,
        │   │   IncompleteSignatureException, MissingAuthenticationTokenException
        │   └── RequestEntityTooLarge    413
        └── InternalServerError          500

A ServiceError knows its name on the wire and its HTTP status; only `sortkey.wire` formats it.
"""

from __future__ import annotations

from sortkey.errors.library import *  # noqa: F403
from sortkey.errors.service import *  # noqa: F403
