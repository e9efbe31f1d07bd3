"""Who may change Sortkey's own tables over the wire: whoever opens the folder, and others only by
--own-tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

import sortkey
from sortkey.wire.access import Access, Credentials
from sortkey.wire.request import Request
from tests.faults.served import Served

OWN = {
    "TableName": "sortkey-api-keys",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
FORGED = {"TableName": OWN["TableName"], "Item": {"p": {"S": "forged"}}}
SIGNED = ("--access-key", "KEY", "--secret-key", "SECRET")


def client(served: Served) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{served.port}",
        region_name="us-east-1",
        aws_access_key_id="KEY",
        aws_secret_access_key="SECRET",
    )


@pytest.mark.parametrize("arguments", [(), SIGNED], ids=["open", "credentials"])
def test_callers_change_nothing_in_them_and_who_opens_the_folder_does(
    tmp_path: Path, arguments: tuple[str]
) -> None:
    # A key that anybody writes into the table would open REST. Credentials are for the data, not
    # for that.
    with Served(tmp_path / "data", *arguments) as served, sortkey.open(tmp_path / "data") as opened:
        second = opened.backend
        with pytest.raises(
            ClientError, match=r"AccessDeniedException.*belongs to Sortkey.*--own-tables"
        ):
            client(served).create_table(**OWN)
        second.call("CreateTable", OWN)
        with pytest.raises(ClientError, match="AccessDeniedException"):
            client(served).put_item(**FORGED)
        assert client(served).scan(TableName=OWN["TableName"])["Items"] == []
        second.call("PutItem", FORGED)
        assert client(served).scan(TableName=OWN["TableName"])["Items"] == [FORGED["Item"]]


def test_a_server_that_is_told_so_lets_every_caller_change_them(tmp_path: Path) -> None:
    # Jobs and streams of programs on other machines lie in this server, which they reach over the
    # wire only.
    with Served(tmp_path / "data", "--own-tables") as served:
        client(served).create_table(**OWN)
        client(served).put_item(**FORGED)
        assert client(served).scan(TableName=OWN["TableName"])["Count"] == 1


@pytest.mark.parametrize(
    ("token", "is_trusted"), [(b"token", True), (b"tokem", False), (b"", False), (None, False)]
)
@pytest.mark.parametrize("own_tables", [True, False])
def test_the_folders_token_is_what_makes_a_caller_trusted(
    token: bytes | None, is_trusted: bool, own_tables: bool
) -> None:
    headers = {} if token is None else {b"x-sortkey-token": token}
    access = Access(None, "us-east-1", lambda: 0.0, "token", own_tables=own_tables)
    assert access.check(Request(b"POST", b"/", headers, b"{}", keep_alive=True)) is (
        is_trusted or own_tables
    )


def test_without_a_token_of_the_folder_an_empty_one_opens_nothing() -> None:
    # The folder of a server in memory has none, and a caller could send an empty header.
    request = Request(b"POST", b"/", {b"x-sortkey-token": b""}, b"{}", keep_alive=True)
    assert Access(None, "us-east-1", lambda: 0.0, None).check(request) is False
    assert Access(None, "us-east-1", lambda: 0.0, "").check(request) is False


def test_credentials_are_still_asked_for_where_own_tables_are_open() -> None:
    access = Access(
        Credentials("KEY", "SECRET"), "us-east-1", lambda: 0.0, "token", own_tables=True
    )
    with pytest.raises(sortkey.errors.MissingAuthenticationTokenException):
        access.check(Request(b"POST", b"/", {}, b"{}", keep_alive=True))
