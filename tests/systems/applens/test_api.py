"""AppLens over HTTP, as a client sees it, in both homes: the whole way of a run, the walls, the
shape of refusals.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from urllib.request import Request, urlopen

import pytest
from fastapi.testclient import TestClient

from sortkey.web import Mount, Tokens, make_app
from sortkey_systems.applens.answers import EXAMPLE_RUN, RunAnswer
from sortkey_systems.applens.api import make_router
from sortkey_systems.applens.service import AppLens
from tests.systems.applens.uploading import OTHER, SHOP, SHOP_SAFER, USER, analyzed

TOKENS = Tokens(b"a secret of thirty-two bytes or so")


@pytest.fixture
def client(service: AppLens) -> Iterator[TestClient]:
    app = make_app([Mount("applens", make_router(service))], tokens=TOKENS)
    with TestClient(app, headers=signed(USER)) as made:
        yield made


def signed(user_id: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS.issue(user_id, system='applens')}"}


def ok(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def refused(answer: Any, status: int, code: str) -> str:
    """The message of a refusal, which has the one shape."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["requestId"]
    return error["message"]


@pytest.mark.accepts("AL-15", "AL-23", "AL-33")
def test_the_whole_way_of_a_run(service: AppLens, client: TestClient) -> None:
    # What the documentation promises to a client that has nothing but a token.
    wanted = {"environment": "prod", "filename": "main.tf", "size": len(SHOP)}
    link = ok(client.post("/applens/uploads", json=wanted), 201)
    headers = {"Content-Type": link["headers"]["Content-Type"]}
    with urlopen(Request(link["url"], SHOP, headers, method=link["method"])):
        pass
    made = client.post(
        "/applens/runs", json={"environment": "prod", "filename": "main.tf", "region": "eu-west-1"}
    )
    run = ok(made, 201)
    assert (run["status"], run["iacS3Key"], run["region"]) == (
        "UPLOADED",
        "uploads/prod/12345/main.tf",
        "eu-west-1",
    )
    here = made.headers["Location"]
    assert ok(client.get(f"{here}/progress"))["percent"] == 0
    service.worker().run_once()
    run = ok(client.get(here))
    assert (run["status"], run["nodeCount"], run["internetExposedCount"]) == ("COMPLETE", 3, 1)
    assert ok(client.get(f"{here}/progress"))["percent"] == 100
    assert ok(client.get("/applens/runs"))["items"] == [run]
    assert ok(client.get("/applens/runs/latest?environment=prod")) == run
    graph = client.get(f"{here}/graph").content
    assert run["graphHash"] == f"sha256:{sha256(graph).hexdigest()}"
    with urlopen(ok(client.get(f"{here}/artifacts"))["graph"]) as answer:
        assert answer.read() == graph


def test_what_is_made_of_a_run(service: AppLens, client: TestClient) -> None:
    # Report, SARIF, inventory and comparison.
    before, after = analyzed(service).run_id, analyzed(service, SHOP_SAFER).run_id
    report = ok(client.get(f"/applens/runs/{before}/report"))
    assert report["score"] > 0
    sarif = client.get(f"/applens/runs/{before}/sarif")
    assert sarif.headers["Content-Type"] == "application/sarif+json"
    assert len(ok(sarif)["runs"][0]["results"]) == len(report["findings"])
    changes = ok(client.get("/applens/compare", params={"before": before, "after": after}))
    assert changes["sameGraph"] is False
    assert changes["nodes"]["added"] == ["aws_s3_bucket.logs"]
    rows = ok(client.get(f"/applens/runs/{before}/inventory", params={"search": "type:lambda"}))
    assert [row["id"] for row in rows["items"]] == [
        "aws_lambda_function.orders",
        "aws_lambda_function_url.orders",
    ]


def test_lists_come_in_pages(service: AppLens, client: TestClient) -> None:
    # Runs by the store's cursors, the inventory by its own.
    run_ids = {analyzed(service).run_id for _ in range(3)}
    for path, field in (
        ("/applens/runs", "runId"),
        (f"/applens/runs/{next(iter(run_ids))}/inventory", "id"),
    ):
        seen: list[str] = []
        page: dict[str, Any] = {"cursor": ""}
        while page["cursor"] is not None:
            page = ok(
                client.get(
                    path,
                    params={"limit": 2} | ({"cursor": page["cursor"]} if page["cursor"] else {}),
                )
            )
            seen += [each[field] for each in page["items"]]
        assert len(seen) == len(set(seen)) == 3


def test_a_run_may_be_made_now_and_analysed_later(service: AppLens, client: TestClient) -> None:
    # Somebody else decides when.
    service.upload(USER, "dev", "main.tf", SHOP)
    run = ok(
        client.post(
            "/applens/runs", json={"environment": "dev", "filename": "main.tf", "analyze": False}
        ),
        201,
    )
    assert service.worker().run_once() is None
    assert ok(client.post(f"/applens/runs/{run['runId']}/analysis"), 202)["status"] == "UPLOADED"
    service.worker().run_once()
    assert ok(client.get(f"/applens/runs/{run['runId']}"))["status"] == "COMPLETE"


PATHS = ("", "/progress", "/artifacts", "/graph", "/report", "/sarif", "/inventory")


@pytest.mark.parametrize("path", PATHS)
def test_another_user_finds_nothing(service: AppLens, client: TestClient, path: str) -> None:
    # The answer is that for a run that does not exist.
    run_id = analyzed(service).run_id
    address = f"/applens/runs/{run_id}{path}"
    assert client.get(address).status_code == 200
    assert (
        refused(client.get(address, headers=signed(OTHER)), 404, "NotFound")
        == f"there is no run {run_id}"
    )
    assert ok(client.get("/applens/runs", headers=signed(OTHER))) == {"items": [], "cursor": None}


@pytest.mark.parametrize(
    "path",
    [*(f"/applens/runs/c8a91e{each}" for each in PATHS), "/applens/runs", "/applens/compare"],
)
def test_without_a_token_nobody_gets_in(client: TestClient, path: str) -> None:
    # Also with one that was made for another system.
    other = {"Authorization": f"Bearer {TOKENS.issue(USER, system='jobengine')}"}
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer nonsense"}, other):
        answer = client.get(path, headers=headers)
        refused(answer, 401, "Unauthenticated")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_refusals_say_what_to_do(service: AppLens, client: TestClient) -> None:
    # One shape, a code for programs, a sentence for people.
    file = {"environment": "prod", "filename": "main.tf"}
    assert "was not sent yet" in refused(
        client.post("/applens/runs", json=file), 409, "NotUploaded"
    )
    wrong = {**file, "filename": "../main.tf", "size": 2}
    assert "is not a valid file name" in refused(
        client.post("/applens/uploads", json=wrong), 422, "UploadRefused"
    )
    huge = {**file, "size": 10_000_001}
    refused(client.post("/applens/uploads", json=huge), 422, "InvalidRequest")
    refused(
        client.post("/applens/uploads", json={**file, "size": 2, "sise": 3}), 422, "InvalidRequest"
    )
    refused(client.get("/applens/runs?environment=test"), 422, "InvalidRequest")
    refused(client.get("/applens/runs?cursor=nonsense"), 422, "InvalidCursor")
    refused(client.get("/applens/runs/latest"), 404, "NotFound")
    waiting = service.upload(USER, "prod", "main.tf", SHOP).run_id
    assert "UPLOADED" in refused(client.get(f"/applens/runs/{waiting}/graph"), 409, "NotComplete")


def test_the_document_is_complete(client: TestClient) -> None:
    # Every route says what it does, who may call it, and what it answers; the example is a run.
    document = ok(client.get("/openapi.json"))
    routes = [
        route
        for path in document["paths"]
        if path.startswith("/applens")
        for route in document["paths"][path].values()
    ]
    assert len(routes) == 13
    for route in routes:
        assert route["summary"]
        assert not route["summary"].istitle()  # The Name Of A Function, made by FastAPI
        assert len(route["description"]) > 10
        assert route["security"]
        assert {"401", "422"} <= route["responses"].keys()
    assert RunAnswer.model_validate(EXAMPLE_RUN).run_id == "c8a91e"
    assert document["components"]["schemas"]["RunAnswer"]["examples"] == [EXAMPLE_RUN]
