"""Ten million small items beside ten thousand: a read must cost the same. Filled in the process, then served."""

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sortkey.engine
from bench import load
from bench.peers import Peer, started
from bench.workloads import Workload

_TABLE = "Large"
_ITEMS_PER_PARTITION = 25


@dataclass(frozen=True, slots=True)
class LargeResult:
    """Reads a second on a table of so many items."""

    items: int
    get: load.Measure
    query: load.Measure
    query_anywhere: load.Measure
    """Far more different requests than the pages that are kept in memory: most are made anew."""
    fill_seconds: float
    folder_mb: float


def measure(items: int, seconds: int) -> LargeResult:
    """Fill a table, serve its folder, read at random."""
    with tempfile.TemporaryDirectory(prefix="sortkey-large-") as name:
        folder = Path(name)
        begin = time.monotonic()
        _fill(folder / "data", items)
        filled = time.monotonic() - begin
        size = sum(file.stat().st_size for file in (folder / "data").rglob("*") if file.is_file()) / 1e6
        with started(Peer("large", lambda port, _: _serve(port, folder / "data"))) as server:
            reads = [_run(workload, server.port, server.pid, seconds, folder) for workload in _workloads(items)]
    return LargeResult(items, *reads, filled, size)


def _fill(folder: Path, items: int) -> None:
    engine = sortkey.engine.own(folder)
    engine.call("CreateTable", _DEFINITION)
    while engine.call("DescribeTable", {"TableName": _TABLE})["Table"]["TableStatus"] != "ACTIVE":
        engine.work()
    for partition in range(items // _ITEMS_PER_PARTITION):
        puts = [{"PutRequest": {"Item": _item(partition, n)}} for n in range(_ITEMS_PER_PARTITION)]
        engine.execute("BatchWriteItem", {"RequestItems": {_TABLE: puts}})
        if partition % 100 == 99:
            engine.flush()
        if partition % 40_000 == 39_999:
            print(f"  {(partition + 1) * _ITEMS_PER_PARTITION:,} items", file=sys.stderr, flush=True)
    engine.flush()
    engine.close()


def _run(workload: Workload, port: int, pid: int, seconds: int, folder: Path) -> load.Measure:
    load.run(workload, port, pid, 16, 8, folder)  # the page cache, and the caches of the server until they are full
    return load.run(workload, port, pid, 16, seconds, folder)


def _serve(port: int, data: Path) -> list[str]:
    return [sys.executable, "-m", "sortkey", "serve", "--port", str(port), "--data", str(data)]


def _workloads(items: int) -> tuple[Workload, ...]:
    partitions = items // _ITEMS_PER_PARTITION

    def get(source: random.Random) -> dict[str, Any]:
        item = _item(source.randrange(partitions), source.randrange(_ITEMS_PER_PARTITION))
        return {"TableName": _TABLE, "Key": {"pk": item["pk"], "sk": item["sk"]}}

    def query(source: random.Random) -> dict[str, Any]:
        values = {":pk": _item(source.randrange(partitions), 0)["pk"]}
        return {"TableName": _TABLE, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": values}

    return (
        Workload("LargeGet", "GetItem", 20_000, get),
        Workload("LargeQuery", "Query", 20_000, query),
        Workload("LargeQueryAnywhere", "Query", 200_000, query),
    )


def _item(partition: int, position: int) -> dict[str, Any]:
    return {
        "pk": {"S": f"P#{partition:08d}"},
        "sk": {"S": f"S#{position:04d}"},
        "n": {"N": str(position)},
        "s": {"S": "small"},
    }


_DEFINITION = {
    "TableName": _TABLE,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}
