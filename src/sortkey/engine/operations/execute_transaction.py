"""ExecuteTransaction: up to 100 PartiQL statements on one item each, all reads of one instant, or
all writes or none.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sortkey.engine import transactions
from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.partiql.changes import read_write
from sortkey.engine.partiql.selects import Plan, fetch, plan, read_select
from sortkey.engine.partiql.statements import parse
from sortkey.engine.partiql.syntax import Delete, Exists, Insert, Other, Select, Statement, Update
from sortkey.engine.partiql.values import Parameters
from sortkey.engine.writes import Bind
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

MIXED = (
    "ExecuteTransaction API does not support both read and write operations in the same request."
)
NO_KEY = (
    "Select statements within ExecuteTransaction must specify the primary key in the where clause."
)
NO_INDEX = "Reads on indices are not supported within transactions."
NO_RETURNING = "RETURNING clause is not supported in ExecuteTransaction."


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    requests = request["TransactStatements"]
    parameters = [Parameters(entry.get("Parameters")) for entry in requests]
    statements = [parse(entry["Statement"]) for entry in requests]
    _check_kinds(statements)
    meter = Meter(request.get("ReturnConsumedCapacity"), transactional=True)
    if isinstance(statements[0], Select):
        return _read(engine, statements, parameters, meter)
    binds = _read_writes(engine, statements, parameters, requests)
    token = transactions.Token.of(engine, request, requests)
    if token is not None and token.used():
        transactions.read_again(engine, binds, meter)
        return {"Responses": [], **meter.report_list()}
    changes = transactions.write_all(engine, binds, meter.on)
    if token is not None:
        token.remember()
    for change in changes:
        meter.write(change)
    return {"Responses": [], **meter.report_list()}


def _read(
    engine: Engine, statements: list[Statement], parameters: list[Parameters], meter: Meter
) -> dict[str, Any]:
    plans: list[Plan] = []
    for number, statement in enumerate(statements):
        assert isinstance(statement, Select)
        with _names_statement(number):
            selection = read_select(statement, parameters[number])
            if selection.index_name is not None:
                raise ValidationException(NO_INDEX)
            planned = plan(engine, selection)
            if planned.key is None:
                raise ValidationException(NO_KEY)
            plans.append(planned)
    if len({(planned.table.name, planned.key) for planned in plans}) < len(plans):
        raise ValidationException(transactions.SAME_ITEM)
    items = [fetch(planned) for planned in plans]
    transactions.check_size(size for _, size in items)
    for planned, (_, size) in zip(plans, items, strict=True):
        meter.read(planned.table, read_units(size, True))
    responses = [{} if item is None else {"Item": item} for item, _ in items]
    return {"Responses": responses, **meter.report_list()}


def _read_writes(
    engine: Engine,
    statements: list[Statement],
    parameters: list[Parameters],
    requests: list[dict[str, Any]],
) -> list[Bind]:
    binds: list[Bind] = []
    for number, statement in enumerate(statements):
        assert isinstance(statement, Insert | Update | Delete | Exists)
        with _names_statement(number):
            if isinstance(statement, Update | Delete) and statement.returning is not None:
                raise ValidationException(NO_RETURNING)
            bind = read_write(statement, parameters[number], requests[number]).bind
            if isinstance(statement, Exists):
                bind(engine)  # an invalid EXISTS is a request error, not a cancellation
        binds.append(bind)
    return binds


@contextmanager
def _names_statement(number: int) -> Generator[None]:
    """Add the statement's number to errors, as AWS does."""
    try:
        yield
    except ValidationException as error:
        raise ValidationException(
            f"Validation failed in TransactStatements[{number}]: {error.message}"
        ) from None


def _check_kinds(statements: list[Statement]) -> None:
    for statement in statements:
        if isinstance(statement, Other):
            raise ValidationException(
                "Unsupported operation in transaction."
                if statement.calls
                else f"Unsupported operation: {statement.word}"
            )
    if len({isinstance(statement, Select) for statement in statements}) > 1:
        raise ValidationException(MIXED)
