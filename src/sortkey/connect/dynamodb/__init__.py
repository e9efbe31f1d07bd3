"""A lean client for DynamoDB, or anything that speaks its protocol: sync and async, signed, retried as AWS retries.

    Client("http://127.0.0.1:8000", "us-east-1", Credentials("key", "secret")).call("GetItem", {...})
    Client.aws("eu-west-1")

Proxies (HTTPS_PROXY and the like) are not used. botocore is imported only where credentials, region or endpoint
are not given.
"""

from sortkey.connect.dynamodb.client import AsyncClient, Client
from sortkey.connect.dynamodb.settings import Settings
from sortkey.connect.sigv4 import Credentials, CredentialSource

__all__ = ["AsyncClient", "Client", "CredentialSource", "Credentials", "Settings"]
