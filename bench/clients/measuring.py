"""What every client script shares: the item, the arguments, the measure. Stands alone: peers run
without Sortkey.
"""

import json
import sys
import time
from collections.abc import Callable

TABLE = "Clients"
QUERIED = "CUSTOMER#0001"
"""A partition of 100 items."""

ITEM = {
    "pk": QUERIED,
    "sk": "ORDER#000001",
    "status": "open",
    "currency": "EUR",
    "note": "n" * 100,
    "created_at": "2026-02-22T19:12:11Z",
    "customer": "Ada Lovelace",
    "quantity": 3,
    "total": 1250,
    "paid": True,
    "tags": ["blue", "green"],
    "address": {"city": "Berlin", "zip": "10115"},
}


def endpoint() -> str:
    return f"http://127.0.0.1:{sys.argv[1]}"


def seconds() -> float:
    return float(sys.argv[2])


def sort_key(number: int) -> str:
    return f"ORDER#{number % 100:06d}"


def report(**operations: Callable[[int], object]) -> None:
    """Call each operation for some time, with a rising number; print CPU time and calls."""
    result: dict[str, dict[str, float]] = {}
    for name in ("put", "get", "query"):  # the puts fill what the others read
        operation = operations[name]
        for number in range(100):
            operation(number)
        calls, began, cpu = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - began < seconds():
            operation(calls)
            calls += 1
        spent = time.process_time() - cpu
        result[name] = {
            "cpu_us": spent / calls * 1e6,
            "per_second": calls / (time.perf_counter() - began),
        }
    print("RESULT " + json.dumps(result))
