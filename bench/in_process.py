"""Typed entities in the process, beside the bare SQLite reads under them; and what
importing costs.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sortkey
from bench.clients.measuring import ITEM
from sortkey import Entity, Table, key, query
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import own
from sortkey.runtime.store import Store

ITEMS_PER_PARTITION = 100
PARTITIONS = 100
GET_RATIO_MAX, QUERY_RATIO_MAX, IMPORT_SECONDS_MAX = 6, 3, 0.15

table = Table("InProcess", key=("pk", "sk"), pitr=False)


class Order(Entity, table=table):
    """The item of 12 attributes."""

    pk: str
    sk: str
    status: str
    currency: str
    note: str
    created_at: str
    customer: str
    quantity: int
    total: int
    paid: bool
    tags: list[str]
    address: dict[str, str]

    @key("{pk}", "{sk}")
    def key(*, pk: str, sk: str): ...

    @query(key)
    def of(*, pk: str):
        """All orders of a customer."""


@dataclass(frozen=True, slots=True)
class InProcess:
    """Microseconds of CPU a call; the imports in seconds."""

    get: float
    bare_get: float
    query: float
    bare_range: float
    pydantic: float
    import_seconds: float
    loaded_seconds: float
    imports_boto3: bool


def measure() -> InProcess:
    with tempfile.TemporaryDirectory(prefix="sortkey-process-") as folder:
        engine = own(Path(folder) / "data")
        store = Store(EmbeddedBackend(engine))
        store.ensure(table)
        for partition in range(PARTITIONS):
            store.batch_write([_order(partition, n) for n in range(ITEMS_PER_PARTITION)])
        result = _measure(store, engine.database)
        store.close()
    return result


def _measure(store: Store, database: Any) -> InProcess:
    name = next(
        name
        for (name,) in database.execute("select name from sqlite_master where name glob 't[0-9]*'")
    )
    keys = [row_key for (row_key,) in database.execute(f"select key from {name} order by key")]
    one, many = (
        f"select item, size from {name} where key = ?",
        f"select item, size from {name} where key >= ? and key < ?",
    )
    values = [_read_values(store, partition) for partition in range(PARTITIONS)]
    validate = Order.__layout__.validate_many
    import_seconds, _ = _importing("")
    loaded_seconds, imports_boto3 = _importing("sortkey.Entity; sortkey.Table; sortkey.open; ")
    return InProcess(
        get=_cpu(lambda n: store.get(Order.key(pk=_partition(n), sk=_sort(n)))),
        bare_get=_cpu(lambda n: database.execute(one, (keys[n * 7 % len(keys)],)).fetchone()),
        query=_cpu(lambda n: store.query(Order.of(pk=_partition(n))), 100),
        bare_range=_cpu(lambda n: database.execute(many, _bounds(keys, n)).fetchall(), 300),
        pydantic=_cpu(lambda n: validate(values[n % PARTITIONS]), 100),
        import_seconds=import_seconds,
        loaded_seconds=loaded_seconds,
        imports_boto3=imports_boto3,
    )


def _read_values(store: Store, partition: int) -> list[dict[str, Any]]:
    """What pydantic is given for one partition: as it was read, not one set of values that stays in
    the CPU's cache.
    """
    return [
        Order.__layout__.reader(order.to_item())
        for order in store.query(Order.of(pk=_partition(partition)))
    ]


def _cpu(call: Callable[[int], object], calls: int = 3000) -> float:
    """Of seven rounds the cheapest: noise only ever adds."""
    best = float("inf")
    for _ in range(7):
        began = time.process_time()
        for number in range(calls):
            call(number)
        best = min(best, (time.process_time() - began) / calls * 1e6)
    return best


def _importing(use: str) -> tuple[float, bool]:
    program = (
        f"import time, sys; began = time.process_time(); import sortkey; {use}"
        "print(time.process_time() - began, 'boto3' in sys.modules or 'botocore' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    seconds, boto3 = min(run.stdout.split() for run in runs)
    return float(seconds), boto3 == "True"


def _order(partition: int, number: int) -> Order:
    values: dict[str, Any] = {**ITEM, "pk": _partition(partition), "sk": _sort(number)}
    return Order(**values)


def _partition(number: int) -> str:
    return f"CUSTOMER#{number % PARTITIONS:04d}"


def _sort(number: int) -> str:
    return f"ORDER#{number * 7 % ITEMS_PER_PARTITION:06d}"


def _bounds(keys: list[bytes], number: int) -> tuple[bytes, bytes]:
    start = number % (PARTITIONS - 1) * ITEMS_PER_PARTITION
    return keys[start], keys[start + ITEMS_PER_PARTITION]


if __name__ == "__main__":
    print(sortkey.__version__, measure())
