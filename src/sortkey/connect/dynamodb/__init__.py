"""A lean client for DynamoDB, or anything that speaks its protocol: sync and async, signed, retried
as AWS retries.

    Client("http://127.0.0.1:8000").call("GetItem", {...})
    Client("https://db.example", "eu-west-1", Credentials("key", "secret"))
    Client.aws("eu-west-1")

Missing settings are looked up. For an address in plain HTTP, credentials come from the environment,
or are made up if there are none. For all others botocore finds them, as it does for the AWS CLI.
Proxies (HTTPS_PROXY and the like) are not used.
"""

from sortkey.connect.dynamodb.client import AsyncClient, Client
from sortkey.connect.dynamodb.settings import Settings
from sortkey.connect.sigv4 import Credentials, CredentialSource

__all__ = ["AsyncClient", "Client", "CredentialSource", "Credentials", "Settings"]
