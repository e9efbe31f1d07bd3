"""Streams, topics and the audit: handlers and calls that a type checker must refuse, between some
that it must not.
"""

from collections.abc import Sequence
from typing import Any

from journeys import Journey, Stage

import sortkey
from sortkey import (
    Change,
    Retries,
    Store,
    StreamWorker,
    apply_once,
    audit,
    lambda_handler,
    on_change,
    on_changes,
)


@on_change(Stage, when=lambda change: change.became(Stage.status, "running"))
def right(change: Change[Stage]) -> None:
    new: Stage | None = change.new
    key: sortkey.ItemKey[Stage] = change.key
    print(new, key)


@on_change(Stage, Journey, kinds=["created"], when=Stage.status == "running")
async def right_of_both(change: Change[Stage | Journey]) -> None:
    latest: Stage | Journey | None = change.latest
    print(latest)


@on_changes(Stage)
def right_in_batches(changes: Sequence[Change[Stage]]) -> None:
    orders: list[int] = [change.new.order for change in changes if change.new]
    print(orders)


@on_change(Stage)  # error: reportArgumentType
def of_another_kind(change: Change[Journey]) -> None: ...


@on_changes(Stage)  # error: reportArgumentType
def one_by_one(change: Change[Stage]) -> None: ...


@on_change(Stage, kinds=["gone"])  # error: reportArgumentType
def of_no_kind(change: Change[Stage]) -> None: ...


@on_change("Stage")  # error: reportArgumentType
def of_a_name(change: Change[Any]) -> None: ...


@on_change(Stage)
def careless(change: Change[Stage]) -> None:
    print(change.new.order)  # error: reportOptionalMemberAccess
    print(change.newer)  # error: reportAttributeAccessIssue
    change.kind = "deleted"  # error: reportAttributeAccessIssue


def run(store: Store, change: Change[Stage]) -> None:
    StreamWorker(
        store, [right, right_of_both, right_in_batches], name="w", retries=Retries(attempts=3)
    ).run_once()
    StreamWorker(store, [right])  # error: reportCallIssue
    StreamWorker(store, [run], name="w")  # error: reportArgumentType
    StreamWorker(store, [right], name="w", start=7)  # error: reportArgumentType
    lambda_handler(right)  # error: reportArgumentType
    applied: str = apply_once(store, change, "count")  # error: reportAssignmentType
    audit(store, "ada", "stage.run", "stage/1", outcome="maybe")  # error: reportArgumentType
    message = sortkey.open_topics("data").wait_for("ready", {"id": 1}, timeout=3)
    print(message.body, applied)  # error: reportOptionalMemberAccess
