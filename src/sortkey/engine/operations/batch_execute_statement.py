"""BatchExecuteStatement: up to 25 statements on one item each, all reads or all writes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.operations.execute_statement import ONLY_IN_TRANSACTIONS
from sortkey.engine.partiql.changes import Writing, read_write
from sortkey.engine.partiql.keys import is_of_value
from sortkey.engine.partiql.selects import Plan, fetch, plan, read_select
from sortkey.engine.partiql.statements import parse
from sortkey.engine.partiql.syntax import Exists, Other, Select, Statement
from sortkey.engine.partiql.values import Parameters
from sortkey.engine.writes import Write, write
from sortkey.errors import (
    AccessDeniedException,
    ConditionalCheckFailedException,
    DuplicateItemException,
    ItemCollectionSizeLimitExceededException,
    ResourceNotFoundException,
    ServiceError,
    ValidationException,
)

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

NO_KEY = (
    "Select statements within BatchExecuteStatement must specify the primary key in the where "
    "clause."
)
CODES: dict[type[ServiceError], str] = {
    ValidationException: "ValidationError",
    ResourceNotFoundException: "ResourceNotFound",
    ConditionalCheckFailedException: "ConditionalCheckFailed",
    DuplicateItemException: "DuplicateItem",
    ItemCollectionSizeLimitExceededException: "ItemCollectionSizeLimitExceeded",
    AccessDeniedException: "AccessDenied",
}


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    requests = request["Statements"]
    parameters = [Parameters(entry.get("Parameters")) for entry in requests]
    responses: list[dict[str, Any]] = [{} for _ in requests]
    parsed: list[Statement | None] = [None] * len(requests)
    for number, entry in enumerate(requests):
        with _collect(responses[number]):
            parsed[number] = parse(entry["Statement"])
    _check_kinds(parsed)
    planned: list[Plan | tuple[Write, Writing] | None] = [None] * len(requests)
    for number, statement in enumerate(parsed):
        if statement is not None:
            with _collect(responses[number]):
                planned[number] = _plan(
                    engine, statement, parameters[number], requests[number], responses[number]
                )
    _check_distinct(planned)
    meter = Meter(request.get("ReturnConsumedCapacity"))
    for number, statement_plan in enumerate(planned):
        if statement_plan is not None:
            with _collect(responses[number]):
                _run_one(engine, statement_plan, requests[number], meter, responses[number])
    return {"Responses": responses, **meter.report_list()}


def _plan(
    engine: Engine,
    statement: Statement,
    parameters: Parameters,
    request: dict[str, Any],
    response: dict[str, Any],
) -> Plan | tuple[Write, Writing]:
    match statement:
        case Select():
            planned = plan(engine, read_select(statement, parameters))
            if planned.key is None:
                response["TableName"] = planned.table.name
                raise ValidationException(NO_KEY)
            return planned
        case Exists() | Other(calls=True):
            raise ValidationException(ONLY_IN_TRANSACTIONS)
        case Other():
            raise ValidationException(
                "Invalid operation. Only select, insert, update and delete operations are valid"
            )
        case _:
            writing = read_write(statement, parameters, request)
            try:
                return writing.bind(engine), writing
            except ValidationException as error:
                if is_of_value(
                    error.message
                ):  # AWS reports it as an error of the item, with its table
                    response["TableName"] = engine.catalog.table(writing.table_name).name
                raise


def _run_one(
    engine: Engine,
    planned: Plan | tuple[Write, Writing],
    request: dict[str, Any],
    meter: Meter,
    response: dict[str, Any],
) -> None:
    if isinstance(planned, Plan):
        response["TableName"] = planned.table.name
        item, size = fetch(planned)
        meter.read(planned.table, read_units(size, bool(request.get("ConsistentRead"))))
    else:
        item_write, writing = planned
        response["TableName"] = item_write.table.name
        change = write(engine, item_write)
        meter.write(change)
        item = writing.attributes(change).get("Attributes") if writing.attributes else None
    if item is not None:
        response["Item"] = item


@contextmanager
def _collect(response: dict[str, Any]) -> Generator[None]:
    """Record a statement's error as its answer. The others continue."""
    try:
        yield
    except tuple(CODES) as error:
        response["Error"] = {"Code": CODES[type(error)], "Message": error.message, **error.extra}


def _check_kinds(parsed: list[Statement | None]) -> None:
    reads = sum(isinstance(statement, Select) for statement in parsed)
    writes = sum(
        statement is not None and not isinstance(statement, Select | Other | Exists)
        for statement in parsed
    )
    if reads and writes:
        raise ValidationException(
            "Read and write requests together in the same batch is not supported."
        )


def _check_distinct(planned: list[Plan | tuple[Write, Writing] | None]) -> None:
    keys: list[tuple[str, bytes | None]] = []
    for plan_or_write in planned:
        if isinstance(plan_or_write, Plan):
            keys.append((plan_or_write.table.name, plan_or_write.key))
        elif plan_or_write is not None:
            keys.append((plan_or_write[0].table.name, plan_or_write[0].key))
    if len(set(keys)) < len(keys):
        raise ValidationException("Provided list of item keys contains duplicates")
