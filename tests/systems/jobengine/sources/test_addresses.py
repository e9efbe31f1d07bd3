"""A password in the address of a source is stored nowhere and shown nowhere, whichever way libpq
takes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import sortkey
from sortkey import Store
from sortkey.web import ApiKeys, Mount, make_app
from sortkey_systems.jobengine.api import make_router
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import JOURNEY_EXAMPLE, JourneyDraft
from sortkey_systems.jobengine.journeys.backup import get_journey_complete
from sortkey_systems.jobengine.parts import Source
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.sources.addresses import check_address, database_name, stored_address

ABOUT = {"type": "database", "schema_id": "shop", "schema_name": "Shop", "schema_version": "1"}

WITH_PASSWORD = [
    "postgresql://shop:s3cret@db/shop",
    "postgres://shop:s3%20cret@db:5432,db2:5433/shop",
    "postgresql://shop:s3@cret@db/shop",
    "postgresql://shop@db/shop?password=s3cret",
    "postgresql://db/shop?sslmode=require&PASSWORD=s3cret&user=shop",
    "postgresql://shop@db/shop?pass%77ord=s3cret",
    "postgresql://shop@db/shop?sslpassword=s3cret",
    "host=db password=s3cret dbname=shop",
    "host=db PASSWORD = 's3\\'cret' dbname=shop",
    "sslpassword=s3cret host=db",
]
BROKEN_BY_PASSWORD = [
    "postgresql://shop:s3/cret@db/shop",
    "postgresql://shop:s3?cret@db/shop",
    "postgresql://a:1/s3cret@b",
]
WITHOUT = [
    "shop.sqlite",
    "/data/2026/dump.sql",
    "postgresql://shop@db/shop",
    "postgresql://shop@db1:5432,db2:5433/shop?target_session_attrs=any",
    "postgresql://shop@[::1]:5432/shop?passfile=/run/secrets/pgpass",
    "postgresql:///shop?host=/var/run/postgresql&user=a@b",
]


@pytest.mark.parametrize("address", WITH_PASSWORD + BROKEN_BY_PASSWORD)
def test_a_password_is_refused_wherever_it_stands_and_not_repeated(address: str) -> None:
    # It would stand in the table, in its backups and in every answer of the service.
    with pytest.raises(ValueError, match="PGPASSWORD") as refused:
        Source(**ABOUT, address=address)
    assert "cret" not in str(refused.value)
    with pytest.raises(ValueError, match="PGPASSWORD") as refused:
        JourneyDraft(
            **JOURNEY_EXAMPLE | {"source": {**JOURNEY_EXAMPLE["source"], "address": address}}
        )
    assert "cret" not in str(refused.value)


@pytest.mark.parametrize("address", WITHOUT)
def test_an_address_without_one_stays_as_it_is(address: str) -> None:
    assert (
        check_address(address)
        == stored_address(address)
        == Source(**ABOUT, address=address).address
        == address
    )


@pytest.mark.parametrize("address", WITH_PASSWORD + BROKEN_BY_PASSWORD)
def test_what_an_older_version_has_stored_comes_out_without_it(address: str) -> None:
    assert "cret" not in (stored_address(address) or "")


def test_a_database_is_named_without_its_parameters() -> None:
    assert database_name("postgresql://shop@db:5432/orders?sslmode=require") == "orders"
    assert database_name("postgresql://shop@db") == "db"


def test_rest_neither_stores_nor_shows_a_password(tmp_path: Path) -> None:
    with sortkey.open(tmp_path / "data") as store:
        engine, keys = _engine(store, tmp_path), ApiKeys(store)
        keys.ensure()
        headers = {"X-Api-Key": keys.create("tests", "jobengine", "full").text}
        client = TestClient(make_app([Mount("jobengine", make_router(engine))], keys=keys))
        for address in WITH_PASSWORD + BROKEN_BY_PASSWORD:
            body = JOURNEY_EXAMPLE | {"source": {**JOURNEY_EXAMPLE["source"], "address": address}}
            answer = client.post("/jobengine/journeys", json=body, headers=headers)
            assert (answer.status_code, "cret" in answer.text) == (422, False)
        assert engine.journeys.list() == []


def test_a_journey_that_was_stored_with_a_password_can_be_read_and_does_not_show_it(
    tmp_path: Path,
) -> None:
    # Of an older version: the list of journeys must not fail because of it.
    with sortkey.open(tmp_path / "data") as store:
        engine = _engine(store, tmp_path)
        source = {**JOURNEY_EXAMPLE["source"], "address": "postgresql://shop@db/shop"}
        made = engine.create_journey(
            JourneyDraft(**JOURNEY_EXAMPLE | {"source": source}), created_by="tests"
        )
        _put_address(store, made.journey_id, "postgresql://shop@db/shop?password=s3cret")
        (read,) = engine.journeys.list()
        assert read.source.address == "postgresql://shop@db/shop"
        assert "s3cret" not in str(get_journey_complete(store, made.journey_id))


def _engine(store: Store, folder: Path) -> JobEngine:
    engine = JobEngine(store, Buckets.open(str(folder / "buckets" / "{bucket}")))
    engine.ensure()
    return engine


def _put_address(store: Store, journey_id: str, address: str) -> None:
    """Past the model, as an older version did."""
    call: Any = store.backend.call
    call(
        "UpdateItem",
        {
            "TableName": "TransformationSystem",
            "Key": {"PK": {"S": f"JOURNEY#{journey_id}"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "SET #d.#s.address = :a",
            "ExpressionAttributeNames": {"#d": "Data", "#s": "source"},
            "ExpressionAttributeValues": {":a": {"S": address}},
        },
    )
