"""TransactWriteItems: up to 100 puts, updates, deletes and checks, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import item_collections, transactions
from sortkey.engine.capacity import Meter, arns_by_name
from sortkey.engine.conditions import guard
from sortkey.engine.item_keys import check_scalar_keys, encode_key
from sortkey.engine.operations import delete_item, put_item, update_item
from sortkey.engine.parameters import has_condition, read_condition
from sortkey.engine.writes import Bind, Change, Write
from sortkey.errors import ValidationException
from sortkey.values.attributes import Item, read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    actions = [_action(entry) for entry in request["TransactItems"]]
    table_names = [body["TableName"] for _, body in actions]
    meter = Meter(request.get("ReturnConsumedCapacity"), table_names, transactional=True)
    parsed = [_PARSERS[name](body) for name, body in actions]
    token = transactions.Token.of(engine, request, request["TransactItems"])
    if token is not None and token.used():
        transactions.read_again(engine, parsed, meter)
        return meter.report_list()
    changes = transactions.write_all(engine, parsed, meter.on)
    if token is not None:
        token.remember()
    return _answer(request, changes, meter, arns_by_name(table_names))


def _answer(
    request: dict[str, Any], changes: list[Change], meter: Meter, arns: dict[str, str]
) -> dict[str, Any]:
    metrics: dict[str, list[Any]] = {}
    for change, action in zip(changes, request["TransactItems"], strict=True):
        meter.write(change)
        if change.table.has_lsi and action.get("ConditionCheck") is None:
            name = arns.get(change.table.name, change.table.name)
            metrics.setdefault(name, []).append(item_collections.metrics(change))
    answer = meter.report_list()
    if request.get("ReturnItemCollectionMetrics") == "SIZE" and metrics:
        answer["ItemCollectionMetrics"] = metrics
    return answer


def _action(entry: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and the members of an entry's only action."""
    actions = [name for name in _PARSERS if entry.get(name) is not None]
    if not actions:
        raise ValidationException(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    if len(actions) > 1:
        raise ValidationException(
            "TransactItems can only contain one of Check, Put, Update or Delete"
        )
    return actions[0], entry[actions[0]]


def _parse_check(request: dict[str, Any]) -> Bind:
    """A ConditionCheck is a write that leaves the item as it is."""
    conditional = has_condition(request)
    key, _ = read_item(request["Key"])
    condition = read_condition(request) if conditional else None
    refuse = guard(condition, request)

    def bind(engine: Engine) -> Write:
        table = engine.catalog.table(request["TableName"])
        item_write = Write(table, encode_key(table, key), apply, checks_only=True)
        if condition is not None:
            paths = condition.paths
            item_write.check = lambda: check_scalar_keys(table, paths)
        return item_write

    def apply(old: Item | None) -> Item | None:
        if refuse is not None:
            refuse(old)
        return old

    return bind


def _parse_update(request: dict[str, Any]) -> Bind:
    parsed = update_item.parse(request)
    return lambda engine: update_item.bind(engine, parsed)


_PARSERS = {
    "ConditionCheck": _parse_check,
    "Put": put_item.parse,
    "Delete": delete_item.parse,
    "Update": _parse_update,
}
