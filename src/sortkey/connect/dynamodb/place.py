"""Endpoint, region and credentials: explicit ones, else those that botocore finds for the AWS CLI
and boto3.
"""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass
from typing import Any

from sortkey.connect.dynamodb.endpoints import Endpoint
from sortkey.connect.sigv4 import Credentials, CredentialSource
from sortkey.errors import NotConfigured

ANYONE = Credentials("anyone", "anyone")
ANY_REGION = "us-east-1"

Failures = tuple[type[Exception], ...]

# Partitions whose host names do not end in amazonaws.com; botocore knows their suffixes.
_OTHER_PARTITIONS = ("cn-", "us-iso", "eu-iso", "eusc-")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client's requests go, and who signs them. `ca_file` is the one that the AWS
    configuration names, if it was read.
    """

    region: str
    main: Endpoint
    streams: Endpoint
    credentials: CredentialSource
    ca_file: str | None = None


def locate(
    endpoint: str | None,
    region: str | None,
    credentials: CredentialSource | None,
    profile: str | None = None,
) -> Place:
    """Use the explicit settings and look up the rest. botocore is imported only if necessary."""
    explicit = Endpoint.parse(endpoint) if endpoint is not None else None
    if explicit is not None and profile is None and _is_local(explicit):
        region = (
            region
            or os.environ.get("AWS_REGION")
            or os.environ.get("AWS_DEFAULT_REGION")
            or ANY_REGION
        )
        credentials = credentials or _of_environment() or ANYONE
    session = None
    if (
        region is None
        or credentials is None
        or profile is not None
        or _needs_lookup(explicit, region)
    ):
        session = _Session(profile)
        region = region or session.region()
        credentials = credentials or session.credentials()
    if not re.fullmatch(r"[A-Za-z0-9-]+", region):
        raise NotConfigured(f"{region!r} is not the name of a region")
    ca_file = session.ca_file() if session else None
    if explicit is not None:
        return Place(region, explicit, explicit, credentials, ca_file)  # it answers for Streams too
    if session is None:
        main, streams = (
            f"https://{name}.{region}.amazonaws.com" for name in ("dynamodb", "streams.dynamodb")
        )
    else:
        main, streams = (
            session.endpoint(service, region) for service in ("dynamodb", "dynamodbstreams")
        )
    return Place(region, Endpoint.parse(main), Endpoint.parse(streams), credentials, ca_file)


def _is_local(endpoint: Endpoint) -> bool:
    """Plain HTTP, and not AWS's: a development server. Most accept any key, so no role is looked
    up.
    """
    return not endpoint.tls and not endpoint.host.endswith((".amazonaws.com", ".amazonaws.com.cn"))


def _of_environment() -> Credentials | None:
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    return (
        Credentials(key, secret, os.environ.get("AWS_SESSION_TOKEN") or None)
        if key and secret
        else None
    )


def _needs_lookup(explicit: Endpoint | None, region: str) -> bool:
    return explicit is None and region.startswith(_OTHER_PARTITIONS)


class _Session:
    """botocore's session. Its errors are converted to ours, which say what to do."""

    def __init__(self, profile: str | None) -> None:
        try:
            module: Any = importlib.import_module("botocore.session")
            exceptions: Any = importlib.import_module("botocore.exceptions")
        except ModuleNotFoundError as error:
            raise NotConfigured(
                "region, endpoint or credentials are missing, and botocore, which would find them, "
                "is not installed: "
                'pip install "sortkey[aws]", or pass endpoint, region and credentials'
            ) from error
        # A role that may not be taken is a ClientError; credentials that came back expired a
        # RuntimeError.
        self._failures: Failures = (exceptions.BotoCoreError, exceptions.ClientError, RuntimeError)
        self._session: Any = module.Session(profile=profile)

    def region(self) -> str:
        region = self._config("region") or os.environ.get("AWS_REGION")
        if not region:
            raise NotConfigured(
                "no region: pass one, set AWS_DEFAULT_REGION, or add it to the AWS profile"
            )
        return region

    def credentials(self) -> CredentialSource:
        try:
            provider = self._session.get_credentials()
        except self._failures as error:
            raise NotConfigured(f"the AWS credentials cannot be read: {error}") from error
        if provider is None:
            raise NotConfigured(
                "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile"
            )
        credentials: Any = importlib.import_module("botocore.credentials")
        return _BotocoreCredentials(
            provider,
            self._failures,
            expires=isinstance(provider, credentials.RefreshableCredentials),
        )

    def endpoint(self, service: str, region: str) -> str:
        """The service's URL in any partition, or the one that AWS_ENDPOINT_URL or the profile
        sets.
        """
        unsigned = {
            "aws_access_key_id": "-",
            "aws_secret_access_key": "-",
        }  # only its address is used
        try:
            return self._session.create_client(
                service, region_name=region, **unsigned
            ).meta.endpoint_url
        except (*self._failures, ValueError) as error:
            raise NotConfigured(f"no endpoint of {service} in {region}: {error}") from error

    def ca_file(self) -> str | None:
        return self._config("ca_bundle")

    def _config(self, name: str) -> str | None:
        try:
            return self._session.get_config_variable(name)
        except self._failures as error:
            raise NotConfigured(f"the AWS configuration cannot be read: {error}") from error


class _BotocoreCredentials:
    """Credentials that botocore renews by itself: of a role, of SSO or of an instance."""

    def __init__(self, provider: Any, failures: Failures, *, expires: bool) -> None:
        self._provider = provider
        self._failures = failures
        self._expires = expires
        self._last: tuple[Any, Credentials] | None = None

    def current(self) -> Credentials:
        try:
            frozen = self._provider.get_frozen_credentials()
        except self._failures as error:
            raise NotConfigured(f"the AWS credentials cannot be renewed: {error}") from error
        last = self._last
        if last is None or frozen != last[0]:
            last = self._last = (
                frozen,
                Credentials(frozen.access_key, frozen.secret_key, frozen.token),
            )
        return last[1]

    def due(self) -> bool:
        return self._expires and self._provider.refresh_needed()
