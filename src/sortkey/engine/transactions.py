"""Transactions: all writes are prepared before any is stored. Failures are listed in the order of
the request.

A client request token makes a transaction idempotent for ten minutes. It is stored with the data,
in the same commit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.item_keys import EMPTY_INDEX_KEY, EMPTY_KEY
from sortkey.engine.writes import Bind, Change, Write, prepare, store
from sortkey.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    IdempotentParameterMismatchException,
    ItemCollectionSizeLimitExceededException,
    TransactionCanceledException,
    ValidationException,
)

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "token"
TOKEN_SECONDS = 600
TRIM_ROWS = 2000
TRIM_SECONDS = 60.0
SAME_ITEM = "Transaction request cannot include multiple operations on one item"
_EMPTY_KEYS = tuple(
    text.partition("The AttributeValue")[0] + "The AttributeValue"
    for text in (EMPTY_KEY, EMPTY_INDEX_KEY)
)
TRANSACTION_BYTES_MAX = 4 * 1024 * 1024


def write_all(engine: Engine, parsed: list[Bind], reads_old: bool = False) -> list[Change]:
    """Store all writes or none. Raises TransactionCanceledException with a reason for each."""
    reasons = Reasons(len(parsed))
    item_writes: dict[int, Write] = {}
    for position, bind in enumerate(parsed):
        with reasons.collect(position):
            item_writes[position] = bind(engine)
    if (
        len({(item_write.table.name, item_write.key) for item_write in item_writes.values()})
        < len(item_writes)
        == len(parsed)
    ):
        raise ValidationException(SAME_ITEM)
    changes: list[Change] = []
    for position, item_write in item_writes.items():
        item_write.reads_old = item_write.reads_old or reads_old
        with reasons.collect(position):
            changes.append(prepare(engine, item_write))
    reasons.raise_if_any()
    check_size(change.new_size for change in changes)  # old items are not always read
    for item_write, change in zip(item_writes.values(), changes, strict=True):
        if not item_write.checks_only:
            store(engine, change)
    return changes


def check_size(sizes: Iterable[int]) -> None:
    """Refuse a transaction of more than 4 MB of items, written or read."""
    if sum(sizes) > TRANSACTION_BYTES_MAX:
        raise ValidationException(
            "Collection size of items in transaction has exceeded the maximum allowed size: 4 MB"
        )


def read_again(engine: Engine, parsed: list[Bind], meter: Meter) -> None:
    """The capacity of a repeated token: the items are read, and nothing is written."""
    if not meter.on:
        return
    for bind in parsed:
        item_writes = bind(engine)
        row = item_writes.table.rows.get(item_writes.key)
        meter.read(item_writes.table, read_units(0 if row is None else row[1], True))


class Reasons:
    """The reasons of all operations of a transaction, None for those that did not fail."""

    def __init__(self, count: int, *, empty_keys_cancel: bool = False) -> None:
        """AWS checks the empty keys of writes before the transaction. Those of reads cancel it."""
        self._empty_keys_cancel = empty_keys_cancel
        self._reasons: list[dict[str, Any]] = [{"Code": "None"} for _ in range(count)]
        self._failed = False

    @contextmanager
    def collect(self, position: int) -> Generator[None]:
        """Record the error of one operation as its reason, and continue."""
        try:
            yield
        except ConditionalCheckFailedException as error:
            self._fail(position, "ConditionalCheckFailed", error.message, error.extra)
        except DuplicateItemException as error:
            self._fail(position, "DuplicateItem", error.message, {})
        except ItemCollectionSizeLimitExceededException as error:
            self._fail(position, "ItemCollectionSizeLimitExceeded", error.message, {})
        except ValidationException as error:
            if error.message.startswith(_EMPTY_KEYS) and not self._empty_keys_cancel:
                raise
            self._fail(position, "ValidationError", error.message, {})

    def raise_if_any(self) -> None:
        if self._failed:
            raise TransactionCanceledException(self._reasons)

    def _fail(self, position: int, code: str, message: str, extra: dict[str, Any]) -> None:
        self._reasons[position] = {"Code": code, "Message": message, **extra}
        self._failed = True


class Token:
    """A ClientRequestToken and its request."""

    def __init__(self, engine: Engine, token: str, content: Any) -> None:
        self._engine = engine
        self._token = token
        self._hash = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()

    @staticmethod
    def of(engine: Engine, request: dict[str, Any], content: Any) -> Token | None:
        token = request.get("ClientRequestToken")
        return Token(engine, token, content) if token else None

    def used(self) -> bool:
        """Whether this transaction was done already. Raises if the token belongs to another one."""
        records, now = self._engine.records, self._engine.clock()
        record = records.get(_kind(now), self._token) or records.get(
            _kind(now - TOKEN_SECONDS), self._token
        )
        if record is None or record["until"] <= now:
            return False
        if record["hash"] != self._hash:
            raise IdempotentParameterMismatchException(
                "The provided ClientRequestToken was used with different parameters"
            )
        return True

    def remember(self) -> None:
        self._engine.database.begin()
        now = self._engine.clock()
        record = {"hash": self._hash, "until": now + TOKEN_SECONDS}
        self._engine.records.put(_kind(now), self._token, record)


def trim_tokens(engine: Engine) -> float:
    """Chore: delete expired tokens."""
    engine.database.begin()
    deleted_rows = engine.records.delete_kinds(
        KIND, _kind(engine.clock() - TOKEN_SECONDS), TRIM_ROWS
    )
    return 0.0 if deleted_rows == TRIM_ROWS else TRIM_SECONDS


def _kind(at: float) -> str:
    """Tokens are grouped by the ten minutes of their arrival, so that expired ones are found
    without reading each.
    """
    return f"{KIND}/{int(at // TOKEN_SECONDS):012d}"
