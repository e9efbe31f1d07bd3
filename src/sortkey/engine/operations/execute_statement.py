"""ExecuteStatement: one PartiQL statement, a read of many items or a write of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.partiql.changes import read_write
from sortkey.engine.partiql.next_tokens import read_token, write_token
from sortkey.engine.partiql.selects import plan, read_page, read_select
from sortkey.engine.partiql.statements import parse
from sortkey.engine.partiql.syntax import Exists, Other, Select
from sortkey.engine.partiql.values import Parameters
from sortkey.engine.write_requests import run_write
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

ONLY_IN_TRANSACTIONS = "EXISTS can only be used in ExecuteTransaction write requests."


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    parameters = Parameters(request.get("Parameters"))
    statement = parse(request["Statement"])
    match statement:
        case Select():
            return _select(engine, statement, parameters, request)
        case Exists() | Other(calls=True):
            raise ValidationException(ONLY_IN_TRANSACTIONS)
        case Other(word):
            raise ValidationException(f"Unsupported operation: {word}")
        case _:
            writing = read_write(statement, parameters, request)
            answer = run_write(engine, request, writing.bind(engine), writing.attributes)
            attributes = answer.pop("Attributes", None)
            return {"Items": [] if attributes is None else [attributes], **answer}


def _select(
    engine: Engine, statement: Select, parameters: Parameters, request: dict[str, Any]
) -> dict[str, Any]:
    planned = plan(engine, read_select(statement, parameters), bool(request.get("ConsistentRead")))
    start = read_token(planned.table, request)
    items, last, meter = read_page(planned, request, start)
    answer: dict[str, Any] = {"Items": items}
    if last is not None:
        answer["NextToken"] = write_token(planned.table, request, last)
        answer["LastEvaluatedKey"] = last
    answer.update(meter.report())
    return answer
