"""aiodynamo, over httpx."""

import asyncio

import httpx
from aiodynamo.client import Client
from aiodynamo.credentials import Key, StaticCredentials
from aiodynamo.expressions import HashKey
from aiodynamo.http.httpx import HTTPX
from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key
from yarl import URL

loop = asyncio.new_event_loop()
client = Client(
    HTTPX(httpx.AsyncClient()),
    StaticCredentials(Key("a", "b")),
    "us-east-1",
    endpoint=URL(endpoint()),
)
table = client.table(TABLE)


async def query() -> list[object]:
    return [item async for item in table.query(HashKey("pk", QUERIED))]


report(
    get=lambda n: loop.run_until_complete(table.get_item({"pk": QUERIED, "sk": sort_key(n)})),
    put=lambda n: loop.run_until_complete(table.put_item({**ITEM, "sk": sort_key(n)})),
    query=lambda n: loop.run_until_complete(query()),
)
