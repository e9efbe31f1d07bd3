"""Keys in requests: whether they match the table's schema, with AWS's message for each mismatch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sortkey.engine.tables import HASH_BYTES_MAX, RANGE_BYTES_MAX, Index, Table
from sortkey.errors import ValidationException
from sortkey.expressions.paths import Parts, check_key_paths
from sortkey.values.attributes import INVALID, AttributeValue, Item, read_item
from sortkey.values.sizes import value_size

SHORT = 255
"""Text of up to so many characters fits any key. Only longer text needs its bytes counted."""

MISMATCH = "The provided key element does not match the schema"
HASH_TOO_LONG = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"  # sic
RANGE_TOO_LONG = (
    INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
)
JOINT_TOO_LONG = (
    "Aggregate size for {} key attributes {} of index {} has exceeded limit {} bytes, with actual "
    "size {} bytes"
)
EMPTY_KEY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
    "contain an "
    "empty {} value. Key: {}"
)
EMPTY_INDEX_KEY = (
    "One or more parameter values are not valid. A value specified for a secondary index key is "
    "not supported. "
    "The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, "
    "IndexKey: {}"
)
UPDATED_TO_TYPE = (
    "The update expression attempted to update the secondary index key to unsupported type"
)
UPDATED_TOO_LONG = (
    "The update expression attempted to update the secondary index key beyond allowed size limits"
)
UPDATED_TO_EMPTY = (
    "One or more parameter values are not valid. The update expression attempted to update a "
    "secondary index key to "
    "a value that is not supported. The AttributeValue for a key attribute cannot contain an empty "
    "{} value."
)
_EMPTY = {"S": "string", "B": "binary"}


def read_key(table: Table, raw: dict[str, Any]) -> tuple[Item, bytes]:
    """The `Key` of a request, with exactly the table's key attributes, and its row key."""
    key, _ = read_item(raw)
    return key, encode_key(table, key)


def encode_key(table: Table, key: Item) -> bytes:
    """The row key of a canonical `Key`."""
    names = table.key.names
    if len(key) != len(names):
        raise ValidationException(MISMATCH)
    is_long = False
    for name in names:
        value = key.get(name)
        content = None if value is None else value.get(table.types[name])
        if content is None:
            raise ValidationException(MISMATCH)
        if not content:
            raise ValidationException(EMPTY_KEY.format(_EMPTY[table.types[name]], name))
        is_long = is_long or len(content) > SHORT
    if is_long:
        check_lengths(table, key)
    return table.encode(key)


def check_scalar_keys(table: Table, paths: Sequence[Parts]) -> None:
    """Refuse paths into keys of the table or of an index."""
    for parts in paths:
        if len(parts) > 1:
            check_key_paths(paths, table.key.names)
            check_key_paths(paths, [name for name, _, _ in table.index_key_names], "IndexKey")
            return


def check_item(table: Table, item: Item) -> None:
    """Check an item to put: it has the table's key, and its index keys are valid."""
    check_own_key(table, item)
    if table.indexes:
        check_index_keys(table, item)


def check_own_key(table: Table, item: Item) -> None:
    """Check that an item to put has the table's key."""
    is_long = False
    for name in table.key.names:
        value, kind = item.get(name), table.types[name]
        if value is None:
            raise ValidationException(f"{INVALID}Missing the key {name} in the item")
        content = value.get(kind)
        if content is None:
            raise ValidationException(
                f"{INVALID}Type mismatch for key {name} expected: {kind} actual: {_kind(value)}"
            )
        if not content:
            raise ValidationException(EMPTY_KEY.format(_EMPTY[kind], name))
        is_long = is_long or len(content) > SHORT
    if is_long:
        check_lengths(table, item)


def check_batched_key(table: Table, item: Item) -> None:
    """The same for a put of a batch, where AWS's messages say less."""
    for name in table.key.names:
        if table.types[name] not in item.get(name, ()):
            raise ValidationException(MISMATCH)
    check_own_key(table, item)


def check_index_keys(table: Table, item: Item) -> None:
    """Check the item's index key attributes: first their types, then that they are not empty or too
    long.
    """
    check_hashes_that_sort(table, item)
    odd: list[tuple[str, str, Index]] = []
    for name, kind, index in table.index_key_names:
        value = item.get(name)
        if value is None:
            continue
        content = value.get(kind)
        if content is None:
            raise _wrong_type(name, kind, value, index)
        if not 0 < len(content) <= SHORT:
            odd.append((name, kind, index))
    for name, kind, index in odd:
        if not item[name][kind]:
            raise ValidationException(EMPTY_INDEX_KEY.format(_EMPTY[kind], index.name, name))
        _check_index_length(index, name, item[name])
    for index, side, names, size, most in _joint_sizes(table, item):
        if size > most:
            raise ValidationException(
                JOINT_TOO_LONG.format(side, ", ".join(names), index.name, most, size)
            )


def check_hashes_that_sort(table: Table, item: Item) -> None:
    """Check that the table's hash attribute is short enough for an index that sorts by it."""
    for name in table.hashes_that_sort:
        if _too_long(item[name], RANGE_BYTES_MAX):
            raise ValidationException(RANGE_TOO_LONG)


def check_assigned_types(table: Table, assigned: Iterable[tuple[str, AttributeValue]]) -> None:
    """Check the types of index keys that an update assigns directly, before it runs."""
    values = dict(assigned)
    for name, kind, index in table.index_key_names:
        value = values.get(name)
        if value is not None and kind not in value:
            raise _wrong_type(name, kind, value, index)


def check_updated_index_keys(table: Table, item: Item) -> None:
    """`check_index_keys` for the result of an update expression, with AWS's messages for that."""
    for name, kind, index in table.index_key_names:
        value = item.get(name)
        if value is None:
            continue
        content = value.get(kind)
        if content is None:
            raise ValidationException(UPDATED_TO_TYPE)
        if not content:
            raise ValidationException(UPDATED_TO_EMPTY.format(_EMPTY[kind]))
        if _too_long(value, HASH_BYTES_MAX if name in index.key.hash else RANGE_BYTES_MAX):
            raise ValidationException(UPDATED_TOO_LONG)
    if any(size > most for _, _, _, size, most in _joint_sizes(table, item)):
        raise ValidationException(UPDATED_TOO_LONG)


def _joint_sizes(
    table: Table, item: Item
) -> Iterator[tuple[Index, str, tuple[str, ...], int, int]]:
    """For each side of an index with several attributes: their total bytes, and the limit."""
    for index, side, names, most in table.joint_keys:
        if all(name in item for name in names):
            yield index, side, names, sum(value_size(item[name]) for name in names), most


def check_lengths(table: Table, key: Item) -> None:
    (hash_name,) = table.key.hash
    if _too_long(key[hash_name], HASH_BYTES_MAX):
        raise ValidationException(HASH_TOO_LONG)
    for name in table.key.range:
        if _too_long(key[name], RANGE_BYTES_MAX):
            raise ValidationException(RANGE_TOO_LONG)


def _check_index_length(index: Index, name: str, value: AttributeValue) -> None:
    if name in index.key.hash and _too_long(value, HASH_BYTES_MAX):
        raise ValidationException(HASH_TOO_LONG)
    if name in index.key.range and _too_long(value, RANGE_BYTES_MAX):
        raise ValidationException(RANGE_TOO_LONG)


def _too_long(value: AttributeValue, limit: int) -> bool:
    (content,) = value.values()
    # Text of n characters has at most 4n bytes; only a long one needs counting.
    return len(content) * 4 > limit and value_size(value) > limit


def _wrong_type(name: str, kind: str, value: AttributeValue, index: Index) -> ValidationException:
    return ValidationException(
        f"{INVALID}Type mismatch for Index Key {name} Expected: {kind} Actual: {_kind(value)} "
        f"IndexName: {index.name}"
    )


def _kind(value: AttributeValue) -> str:
    return next(iter(value))
