"""Every error that Sortkey raises.

    SortkeyError
    ├── FolderInUse                               another process owns the data folder
    ├── NotConfigured                             no region, no credentials, an address that is none: mend the settings
    ├── ModelError                                a model, or a call of it, that cannot be right: mend the program
    │   ├── KeyValueError                         a value that cannot stand in a key
    │   └── StoredValueError                      a value that DynamoDB cannot hold
    ├── StoreError                                what a store could not do
    │   ├── NotFound
    │   │   └── ObjectNotFound                    no such object, or not in that version
    │   ├── TableMissing
    │   ├── ConditionFailed                       carries the item that failed it
    │   │   ├── AlreadyExists
    │   │   ├── StaleVersion                      somebody else has saved in between
    │   │   ├── TransitionRefused                 a status that cannot follow the present one
    │   │   └── PreconditionFailed                an object that is there already, or is not as it was read
    │   ├── ObjectCorrupt                         what was read is not what was written
    │   ├── LinkRefused                           a presigned URL that is not ours, too old, or for something else
    │   ├── TransactionFailed                     which operation, why, and with which item
    │   ├── BatchIncomplete                       carries what was left over
    │   ├── ItemTooLarge                          with the sizes of the largest attributes
    │   ├── Throttled                             also after all retries
    │   ├── Unreachable                           no answer, also after all retries
    │   ├── StorageFailed                         the disk is full or broken: nothing of the call was written
    │   ├── InvalidItem                           a stored item that its entity cannot read
    │   ├── BadCursor                             not ours, or of another query
    │   └── LeaseLost                             another process does now what this one was doing
    ├── ChangeRefused                             raised by a handler that wants no second try of a change
    ├── MessageTooLarge                           more than a topic carries
    ├── JobError                                  what is wrong with a job
    │   ├── JobConflict                           one idempotency key, two different jobs
    │   ├── JobNotEnded                           `wait` has waited long enough
    │   ├── GiveUp                                raised by a job function: trying again is of no use
    │   └── JobStopped                            raised inside a job function, at a safe point
    │       ├── JobCancelled
    │       ├── JobTimedOut
    │       ├── JobInterrupted                    its worker is being stopped; the job goes on elsewhere
    │       └── JobLost                           the worker was silent for too long; another may run the job
    ├── SandboxError                              what ended a function in a process of its own
    │   ├── MemoryLimitExceeded
    │   ├── TimeLimitExceeded
    │   └── ProcessDied                           by a signal, or by leaving
    ├── SearchError                               what a search index could not do
    │   ├── SearchIndexMissing                    or one that does not fit its declaration: ensure() mends both
    │   ├── SearchIndexInUse                      another process writes it
    │   └── SearchWritesFailed                    carries the ids: write them again, or mend them
    ├── TransferRefused                           an export, import, backup, restore or copy that cannot begin
    ├── TransferFailed                            one that broke off
    └── ServiceError                              answered to a client in DynamoDB's own shape
        ├── ClientError                  400
        │   ├── ValidationException
        │   ├── SerializationException            the body is not of the operation's shape
        │   ├── UnknownOperationException         no such operation, or no target at all
        │   ├── ConditionalCheckFailedException   carries the item when asked for
        │   ├── TransactionCanceledException      carries the reasons, in order
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
