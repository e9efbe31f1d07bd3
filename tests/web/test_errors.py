"""Every answer that is no success has one shape, says what to do, and tells nothing that it should
not.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from sortkey import errors
from sortkey.web import Refused
from sortkey.web.document import methods_at
from sortkey.web.refusals import STATUSES, status_of

Headers = dict[str, str]


def error_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    """What an answer says of its error, in the one shape."""
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"error"}
    error = answer.json()["error"]
    assert error.keys() == {"code", "message", "details", "requestId"}
    assert error["requestId"] == answer.headers["X-Request-Id"]
    return error


def test_what_is_not_there_is_404(client: TestClient, ada: Headers) -> None:
    # The store's own error, without a line in the system that translates it.
    assert error_of(client.get("/shop/orders/7", headers=ada), 404)["code"] == "NotFound"


def test_what_is_there_already_is_409(client: TestClient, ada: Headers) -> None:
    # Ordering twice must not look like success.
    assert client.post("/shop/orders", json={"number": 1}, headers=ada).status_code == 201
    assert (
        error_of(client.post("/shop/orders", json={"number": 1}, headers=ada), 409)["code"]
        == "AlreadyExists"
    )


def test_a_system_refuses_with_its_own_code_and_details(client: TestClient, ada: Headers) -> None:
    # A program acts on the code and the details; people read the message.
    error = error_of(client.post("/shop/orders", json={"number": 13}, headers=ada), 409)
    assert (error["code"], error["details"]) == ("SoldOut", {"number": 13})
    assert error["message"] == "13 is sold out: order another"


def test_a_wrong_value_is_422_and_is_not_repeated(client: TestClient, ada: Headers) -> None:
    # FastAPI repeats what was sent; a password would then stand in every log of answers.
    error = error_of(client.post("/shop/orders", json={"number": "swordfish"}, headers=ada), 422)
    assert error["code"] == "InvalidRequest"
    assert error["details"]["problems"][0]["where"] == "body.number"
    assert "swordfish" not in str(error)


def test_a_value_that_breaks_a_rule_is_distinguished_from_one_of_the_wrong_type(
    client: TestClient, ada: Headers
) -> None:
    # The one is a mistake of a person, the other of a program.
    assert (
        error_of(client.post("/shop/orders", json={"number": 666}, headers=ada), 422)["code"]
        == "InvalidValue"
    )
    assert (
        error_of(client.post("/shop/orders", json={}, headers=ada), 422)["code"] == "InvalidRequest"
    )


def test_a_cursor_that_is_none_is_422(client: TestClient, ada: Headers) -> None:
    # Cursors are signed: a made-up one must not reach the store.
    assert (
        error_of(client.get("/shop/orders?cursor=made-up", headers=ada), 422)["code"]
        == "InvalidCursor"
    )


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("PATCH", "/shop/orders", 405)]
)
def test_paths_and_methods_that_are_none_have_the_shape_too(
    client: TestClient, method: str, path: str, status: int
) -> None:
    # These are answered before any code of ours is asked.
    assert "/docs" in error_of(client.request(method, path), status)["message"]


def test_a_method_that_is_none_names_those_that_are(client: TestClient) -> None:
    # All of the path, not only those of the route that stands first.
    assert client.patch("/shop/orders").headers["Allow"] == "GET, POST"
    assert client.post("/shop/orders/7").headers["Allow"] == "GET"
    assert client.post("/health").headers["Allow"] == "GET"
    assert client.post("/docs").headers["Allow"] == "GET"


def test_a_path_with_a_name_is_not_taken_for_one_with_an_id() -> None:
    # reports/make is no report with the id "make".
    document = {
        "paths": {"/reports/{id}": {"get": {}, "delete": {}}, "/reports/make": {"post": {}}}
    }
    assert methods_at(document, "/reports/make") == ["POST"]
    assert methods_at(document, "/reports/7") == ["GET", "DELETE"]
    assert methods_at(document, "/reports/7/pages") == []


@pytest.mark.parametrize("text", ["1e-243", "1e200", '{"": 1}', '{"a":' * 40 + "1" + "}" * 40])
def test_what_dynamodb_cannot_hold_is_422(client: TestClient, ada: Headers, text: str) -> None:
    # Any JSON can come; not all of it can be stored. That is no fault of the server.
    headers = {**ada, "Content-Type": "application/json"}
    answer = client.put("/shop/notes", content=f'{{"note": {text}}}', headers=headers)
    assert error_of(answer, 422)["code"] == "InvalidValue"


def test_errors_are_documented_as_the_json_that_they_are(client: TestClient) -> None:
    # Also of a route that answers with a file.
    receipt = client.get("/openapi.json").json()["paths"]["/shop/receipt"]["get"]["responses"]
    assert list(receipt["200"]["content"]) == ["text/csv"]
    assert (
        list(receipt["default"]["content"])
        == list(receipt["422"]["content"])
        == ["application/json"]
    )


def test_a_fault_of_ours_tells_its_id_and_nothing_else(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    # A stack trace is a map for whoever wants in; the log has it.
    error = error_of(client.get("/shop/broken"), 500)
    assert error["code"] == "InternalError"
    assert "swordfish" not in str(error)
    assert "swordfish" in caplog.text
    assert error["requestId"] in caplog.text


def test_an_error_has_the_status_of_its_nearest_class() -> None:
    # Somebody who adds an error below another need not know this table.
    class RunMissing(errors.NotFound):
        pass

    assert status_of(RunMissing("")) == (404, "NotFound")
    assert status_of(errors.PreconditionFailed("")) == (409, "PreconditionFailed")
    assert status_of(errors.ObjectCorrupt("")) is None
    assert all(400 <= status < 600 for status, _ in STATUSES.values())


def test_a_refusal_can_be_said_in_one_line() -> None:
    # Not every refusal is worth a class.
    refused = Refused(409, "NotReady", "wait", runId="r1")
    assert (status_of(refused), str(refused), refused.details) == (
        (409, "NotReady"),
        "wait",
        {"runId": "r1"},
    )
