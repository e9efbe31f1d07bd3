"""The server on the real engine with boto3 and many writers, and how it stops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import pytest

import sortkey.engine
from sortkey.origins import OriginPolicy
from sortkey.wire.access import Access
from sortkey.wire.addresses import bind
from sortkey.wire.server import Limits, Server
from tests.wire.harness import RawClient, Running, Start, http


@pytest.fixture
def port(tmp_path: Path) -> Generator[int]:
    """A server on a folder of its own, in a thread."""
    loop = asyncio.new_event_loop()
    engine = sortkey.engine.own(tmp_path / "data")
    policy = OriginPolicy(hosts=frozenset({"database.example"}))
    server = Server(engine, Access(None, "us-east-1", time.time), origins=policy)
    sockets = bind("127.0.0.1", 0)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(sockets), loop).result(10)
    yield sockets[0].getsockname()[1]
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
    engine.close()


@pytest.fixture
def dynamodb(port: int) -> Any:
    client = boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )
    client.create_table(
        TableName="things",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    return client


def test_the_endpoint_is_what_the_client_called(port: int) -> None:
    # A client with endpoint discovery, on another machine, would otherwise look for us on its own.
    client = RawClient(port)
    client.send(http("DescribeEndpoints", host="database.example:8000"))
    assert client.read().json()["Endpoints"] == [
        {"Address": "database.example:8000", "CachePeriodInMinutes": 1440}
    ]
    client.close()


def test_boto3_puts_gets_and_is_refused(dynamodb: Any) -> None:
    item = {
        "pk": {"S": "ä"},
        "n": {"N": "1.5"},
        "b": {"B": b"\x00\xff"},
        "l": {"L": [{"NULL": True}]},
    }
    dynamodb.put_item(TableName="things", Item=item)
    assert dynamodb.get_item(TableName="things", Key={"pk": {"S": "ä"}})["Item"] == item
    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException) as refused:
        dynamodb.put_item(
            TableName="things",
            Item=item,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Item"] == item
    with pytest.raises(dynamodb.exceptions.ResourceNotFoundException):
        dynamodb.get_item(TableName="nothing", Key={"pk": {"S": "a"}})


@pytest.mark.usefixtures("dynamodb")
def test_a_counter_raised_by_many_clients_at_once_loses_nothing(port: int) -> None:
    # They share commits; each must still see the write before it.
    body = (
        b'{"TableName":"things","Key":{"pk":{"S":"n"}},"UpdateExpression":"ADD n :one",'
        b'"ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}'
    )

    def raise_50_times(_: int) -> list[int]:
        client = RawClient(port)
        client.send(http("UpdateItem", body) * 50)
        seen = [int(client.read().json()["Attributes"]["n"]["N"]) for _ in range(50)]
        client.close()
        return seen

    with ThreadPoolExecutor(8) as pool:
        seen = [number for numbers in pool.map(raise_50_times, range(8)) for number in numbers]
    assert sorted(seen) == list(range(1, 401))


def begin_stop(running: Running) -> asyncio.Future[None]:
    return running.run(lambda: asyncio.ensure_future(running.server.stop()))


def wait(running: Running, future: asyncio.Future[None]) -> None:
    running.run(asyncio.wait_for(future, 10))


def test_idle_connections_are_closed_and_new_ones_refused(running: Running) -> None:
    client = running.client()
    client.send(http())
    client.read()
    wait(running, begin_stop(running))
    assert client.closed()
    with pytest.raises(ConnectionRefusedError):
        running.client()


def test_a_request_under_way_is_answered_and_then_closed(running: Running) -> None:
    # A rolling restart must not show as an error.
    client = running.client()
    request = http("PutItem", b'{"Name":"late"}')
    client.send(request[:-3])
    while not any(connection.receiving for connection in running.server.connections):
        running.run(lambda: None)
    stopped = begin_stop(running)
    client.send(request[-3:])
    answer = client.read()
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    wait(running, stopped)
    assert running.engine.committed == ["late"]


def test_a_busy_client_is_reported_before_its_connection_is_closed(running: Running) -> None:
    # It sends the next request as soon as it has an answer: closing in between would lose that.
    client = running.client()
    client.send(http("PutItem", b'{"Name":"a"}'))
    assert client.read().headers["connection"] == "keep-alive"
    stopped = begin_stop(running)
    client.send(http("PutItem", b'{"Name":"b"}'))
    assert client.read().headers["connection"] == "close"
    assert client.closed()
    wait(running, stopped)


def test_a_quiet_connection_does_not_hold_up_the_stop(start: Start) -> None:
    running = start(limits=Limits(linger_seconds=60, stop_seconds=60))
    client = running.client()
    client.send(http())
    client.read()
    for _ in range(2):
        running.run(running.server.sweep)
    wait(running, begin_stop(running))
    assert client.closed()


def test_a_client_that_does_not_finish_is_not_waited_for_forever(start: Start) -> None:
    running = start(limits=Limits(stop_seconds=0))
    client = running.client()
    client.send(http()[:-1])
    while not any(connection.receiving for connection in running.server.connections):
        running.run(lambda: None)
    wait(running, begin_stop(running))
    assert client.closed()
