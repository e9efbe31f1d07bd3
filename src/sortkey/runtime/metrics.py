"""What was read and written, by access pattern, in DynamoDB's own units."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey.runtime.steps import Call

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
METERED = READS | {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}


@dataclass(slots=True)
class Used:
    """What one access pattern has used so far."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0


@dataclass
class Metrics:
    """Counts capacity by access pattern. Give one to a store; several stores may share it."""

    patterns: dict[str, Used] = field(default_factory=dict[str, Used])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def asked(self, call: Call) -> Call:
        """The call, asking for its capacity."""
        if call.operation not in METERED:
            return call
        return Call(call.operation, {**call.request, "ReturnConsumedCapacity": "TOTAL"}, call.pattern)

    def count(self, call: Call, answer: dict[str, Any]) -> None:
        told: Any = answer.get("ConsumedCapacity")
        if told is None:
            return
        several = cast(list[dict[str, Any]], told if isinstance(told, list) else [told])
        units = sum(each["CapacityUnits"] for each in several)
        with self._lock:
            used = self.patterns.setdefault(call.pattern or call.operation, Used())
            used.requests += 1
            if call.operation in READS:
                used.read_units += units
            else:
                used.write_units += units
