"""aiodynamo over httpx: an asynchronous client that signs by itself."""

import asyncio

import httpx
import pytest
from aiodynamo.client import Client
from aiodynamo.credentials import Credentials
from aiodynamo.errors import ConditionalCheckFailed
from aiodynamo.expressions import F, HashKey
from aiodynamo.http.httpx import HTTPX
from aiodynamo.models import KeySchema, KeySpec, KeyType, PayPerRequest
from yarl import URL


def test_aiodynamo_runs_a_short_life_of_a_table(open_endpoint: str) -> None:
    # No botocore anywhere. It signs the host without the port that it sends, so no server on a port
    # of its own that checks signatures can accept them; the open one can.
    asyncio.run(_scenario(open_endpoint))


async def _scenario(endpoint: str) -> None:
    async with httpx.AsyncClient() as connection:
        client = Client(HTTPX(connection), Credentials.auto(), "us-east-1", URL(endpoint))
        table = client.table("aio")
        keys = KeySchema(
            hash_key=KeySpec("pk", KeyType.string), range_key=KeySpec("sk", KeyType.number)
        )
        await table.create(PayPerRequest(), keys, wait_for_active=True)
        for number in range(4):
            await table.put_item(
                {"pk": "a", "sk": number, "data": b"\x00\xff", "list": [1, "two", None]}
            )
        item = await table.get_item({"pk": "a", "sk": 2})
        assert (item["data"], item["list"]) == (b"\x00\xff", [1, "two", None])
        found = [each["sk"] async for each in table.query(HashKey("pk", "a"), limit=3)]
        assert found == [0, 1, 2]
        await table.update_item({"pk": "a", "sk": 2}, F("count").set(5))
        with pytest.raises(ConditionalCheckFailed):
            await table.delete_item({"pk": "a", "sk": 2}, condition=F("count").equals(6))
        await table.delete()
