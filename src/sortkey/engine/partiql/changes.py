"""INSERT, UPDATE, DELETE and EXISTS as writes. Each is first checked by itself, then bound to its
table, like PutItem and its siblings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortkey.engine.conditions import Guard, guard
from sortkey.engine.item_keys import (
    check_assigned_types,
    check_index_keys,
    check_own_key,
    check_updated_index_keys,
    encode_key,
)
from sortkey.engine.operations.update_item import apply_update, check_keys_untouched
from sortkey.engine.partiql.conditions import Translator
from sortkey.engine.partiql.keys import check_key_lengths, check_key_value, one_item
from sortkey.engine.partiql.selects import read_select
from sortkey.engine.partiql.sources import read_target
from sortkey.engine.partiql.syntax import Delete, Exists, Insert, Returning, Struct, Update
from sortkey.engine.partiql.updates import read_update
from sortkey.engine.partiql.values import Parameters
from sortkey.engine.tables import Table
from sortkey.engine.write_requests import Attributes, old_attributes
from sortkey.engine.writes import Bind, Change, Write
from sortkey.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ValidationException,
)
from sortkey.expressions.syntax import Condition as Tree
from sortkey.values.attributes import Item, check_nesting
from sortkey.values.sizes import check_item_size, item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

INSERT_INDEX = "FROM clause may only contain a single table name in data manipulation statements"
WRITE_INDEX = "This operation is not supported on an index"
NO_STRUCT = (
    "Unsupported format in item expression. Please use struct format {{...}} to express item "
    "values for insert "
    "statement. at {}"
)
EXISTS_CONDITION = "EXISTS() must contain a single item read with additional condition"


@dataclass(frozen=True, slots=True)
class Writing:
    """A write that was checked without its table. `attributes` selects what RETURNING shows of the
    change, None without it.
    """

    table_name: str
    bind: Bind
    attributes: Attributes | None = None


def read_write(
    statement: Insert | Update | Delete | Exists, parameters: Parameters, request: dict[str, Any]
) -> Writing:
    """Finds every error that does not depend on the table. `request` says what a failed condition
    returns.
    """
    match statement:
        case Insert():
            return _insert(statement, parameters)
        case Update():
            return _update(statement, parameters, request)
        case Delete():
            return _delete(statement, parameters, request)
        case Exists():
            return _exists(statement, parameters, request)


def _insert(statement: Insert, parameters: Parameters) -> Writing:
    if statement.refusal is not None:
        raise ValidationException(statement.refusal)
    name = read_target(statement.source, INSERT_INDEX)
    if not isinstance(statement.value, Struct):
        raise ValidationException(NO_STRUCT.format(statement.value.place))
    item = parameters.item(statement.value)
    check_nesting(item, item)
    size = item_size(item)
    check_item_size(size)

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(name)
        for key_name in table.key.names:
            if key_name not in item:
                raise ValidationException(
                    f"Key attribute should be present in the item: Key {key_name}"
                )
            check_key_value(table, key_name, item[key_name])
        check_key_lengths(table, item)
        check_own_key(table, item)
        return Write(
            table, table.encode(item), apply, size=size, check=lambda: check_index_keys(table, item)
        )

    def apply(old: Item | None) -> Item:
        if old is not None:
            raise DuplicateItemException("Duplicate primary key exists in table")
        return item

    return Writing(name, bind)


def _update(statement: Update, parameters: Parameters, request: dict[str, Any]) -> Writing:
    name = read_target(statement.source, WRITE_INDEX)
    _check_returning(statement.returning)
    translator = Translator(parameters)
    where = None if statement.where is None else translator.where(statement.where)
    if where is not None:
        translator.compile(where)
    update = read_update(statement.assignments, parameters)

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(name)
        key, rest = one_item(table, where, translator)
        refuse = _guard(rest, translator, request)
        encoded = encode_key(table, key)

        def apply(old: Item | None) -> Item | None:
            check_keys_untouched(table, update)
            if old is None:
                raise ConditionalCheckFailedException()  # PartiQL's UPDATE does not create an item
            return apply_update(table, key, update, refuse, old, _check_updated)

        return Write(table, encoded, apply)

    return Writing(
        name, bind, _returned(statement.returning, update.updated_old, update.updated_new)
    )


def _check_updated(table: Table, item: Item) -> None:
    """Check index keys after an UPDATE: types with the messages for items, the rest with those for
    update expressions.
    """
    check_assigned_types(table, item.items())
    check_updated_index_keys(table, item)


def _delete(statement: Delete, parameters: Parameters, request: dict[str, Any]) -> Writing:
    name = read_target(statement.source, WRITE_INDEX)
    returning = statement.returning
    _check_returning(returning)
    if returning is not None and (returning.what, returning.when) != ("ALL", "OLD"):
        raise ValidationException(
            f"Invalid returning clause: RETURNING {returning.what} {returning.when} *. "
            "Only RETURNING ALL OLD * is allowed in DELETE statements."
        )
    translator = Translator(parameters)
    where = None if statement.where is None else translator.where(statement.where)
    if where is not None:
        translator.compile(where)

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(name)
        key, rest = one_item(table, where, translator)
        refuse = _guard(rest, translator, request)

        def apply(old: Item | None) -> None:
            if (
                old is not None and refuse is not None
            ):  # nothing to delete is not a failure, whatever the condition
                refuse(old)

        return Write(table, encode_key(table, key), apply)

    return Writing(name, bind, None if returning is None else old_attributes)


def _exists(statement: Exists, parameters: Parameters, request: dict[str, Any]) -> Writing:
    selection = read_select(statement.select, parameters)
    translator = selection.translator

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(selection.table_name)
        try:
            key, rest = one_item(table, selection.where, translator)
        except ValidationException:
            raise ValidationException(EXISTS_CONDITION) from None
        refuse = _guard(rest, translator, request)
        if refuse is None or selection.index_name is not None:
            raise ValidationException(EXISTS_CONDITION)

        def apply(old: Item | None) -> Item | None:
            if old is None:
                raise ConditionalCheckFailedException()
            refuse(old)
            return old

        return Write(table, encode_key(table, key), apply, checks_only=True)

    return Writing(selection.table_name, bind)


def _guard(rest: Tree | None, translator: Translator, request: dict[str, Any]) -> Guard | None:
    return None if rest is None else guard(translator.compile(rest), request)


def _check_returning(returning: Returning | None) -> None:
    if returning is not None and returning.refusal is not None:
        raise ValidationException(returning.refusal)


_Part = Callable[[Item | None], Item]


def _returned(
    returning: Returning | None, modified_old: _Part, modified_new: _Part
) -> Attributes | None:
    if returning is None:
        return None

    def attributes(change: Change) -> dict[str, Any]:
        match returning.what, returning.when:
            case "ALL", "OLD":
                return old_attributes(change)
            case "ALL", _:
                return {"Attributes": change.new}
            case _, "OLD":
                modified = modified_old(change.old)
            case _:
                modified = modified_new(change.new)
        return {"Attributes": modified} if modified else {}

    return attributes
