"""Calls to S3 through boto3, which is loaded when the first bucket is opened. Its errors are
converted to ours.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from sortkey.errors import (
    NotConfigured,
    ObjectCorrupt,
    ObjectNotFound,
    PreconditionFailed,
    StoreError,
    Throttled,
    Unreachable,
)

ATTEMPTS = 5

_MISSING = {"404", "NoSuchKey", "NoSuchVersion", "NoSuchUpload", "405", "MethodNotAllowed"}
_BAD_VERSION = {"400", "InvalidArgument"}
"""S3's answers to a version id that it never issued."""
_REFUSED = {"412", "PreconditionFailed"}
_CONFLICT = {"409", "ConditionalRequestConflict", "OperationAborted"}
_DAMAGED = {
    "BadDigest",
    "XAmzContentChecksumMismatch",
    "XAmzContentSHA256Mismatch",
    "InvalidDigest",
}
_BUSY = {"SlowDown", "503", "ServiceUnavailable", "RequestLimitExceeded", "Throttling"}
_SETTINGS = {
    "NoSuchBucket",
    "InvalidBucketName",
    "AccessDenied",
    "403",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "PermanentRedirect",
}


class Conflict(PreconditionFailed):
    """Another client is writing the same key: S3 asks to try again."""


def client(region: str | None, endpoint: str | None, profile: str | None) -> Any:
    """A boto3 client. Its presigned URLs use Signature Version 4, so they bind size and type."""
    try:
        boto3: Any = importlib.import_module("boto3")
        config: Any = importlib.import_module("botocore.config")
    except ImportError:
        raise NotConfigured(
            "objects on S3 need boto3, which is not installed: pip install 'sortkey[aws]'"
        ) from None
    settings = config.Config(
        signature_version="s3v4",
        retries={"mode": "standard", "max_attempts": ATTEMPTS},
        # We send the SHA-256 and verify what we read ourselves: once is enough.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if endpoint else "auto"},
    )
    session = _configured(
        lambda: boto3.Session(profile_name=profile, region_name=region, botocore_session=_core())
    )
    return _configured(lambda: session.client("s3", endpoint_url=endpoint, config=settings))


def _core() -> Any:
    """The botocore session under a boto3 session. All share one description of S3, which costs
    0.1 s and 20 MB to read.
    """
    core: Any = importlib.import_module("botocore.session").get_session()
    core.register_component("data_loader", _descriptions())
    return core


@cache
def _descriptions() -> Any:
    return importlib.import_module("botocore.loaders").create_loader()


def call(what: str, function: Callable[..., Any], /, **request: Any) -> Any:
    """Send one request. `what` names its subject in error messages."""
    exceptions: Any = importlib.import_module("botocore.exceptions")
    try:
        return function(**request)
    except exceptions.ClientError as error:
        _refuse(what, error, has_version=request.get("VersionId") is not None)
    except (exceptions.HTTPClientError, exceptions.ConnectionError) as error:
        raise Unreachable(f"{what}: S3 gave no answer: {error}") from error
    except exceptions.BotoCoreError as error:
        raise NotConfigured(f"{what}: {error}") from error


def code_of(error: StoreError) -> str:
    """S3's own name for what was wrong."""
    exceptions: Any = importlib.import_module("botocore.exceptions")
    cause: Any = error.__cause__
    return (
        str(cause.response.get("Error", {}).get("Code", ""))
        if isinstance(cause, exceptions.ClientError)
        else ""
    )


def _configured(function: Callable[[], Any]) -> Any:
    exceptions: Any = importlib.import_module("botocore.exceptions")
    try:
        return function()
    except (exceptions.BotoCoreError, ValueError) as error:
        raise NotConfigured(f"S3 cannot be used: {error}") from None


def _refuse(what: str, error: Any, *, has_version: bool) -> NoReturn:
    details: dict[str, Any] = error.response.get("Error", {})
    code, message = str(details.get("Code", "")), f"{what}: {details.get('Message') or error}"
    if code in _SETTINGS:
        raise NotConfigured(f"{message} ({code})") from error
    if code in _MISSING or (has_version and code in _BAD_VERSION):
        raise ObjectNotFound(message) from error
    if code in _REFUSED:
        raise PreconditionFailed(message) from error
    if code in _CONFLICT:
        raise Conflict(message) from error
    if code in _DAMAGED:
        raise ObjectCorrupt(message) from error
    if code in _BUSY:
        raise Throttled(message) from error
    raise StoreError(f"{message} ({code})") from error
