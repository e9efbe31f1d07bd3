"""Projects and keys, as operators make them."""

from collections.abc import Iterator

import pytest

import sortkey
from sortkey import Store
from sortkey.errors import AlreadyExists, NotFound
from sortkey.web import Refused
from sortkey_systems.wallcrawler.model import ApiKey, api_key_hash, model
from sortkey_systems.wallcrawler.tenants import Tenants


@pytest.fixture
def announced() -> list[dict[str, str]]:
    return []


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(model)
        yield opened


@pytest.fixture
def tenants(store: Store, announced: list[dict[str, str]]) -> Tenants:
    made = Tenants(store, lambda **what: announced.append(what))
    made.create_project("project_a", concurrency=2)
    return made


@pytest.mark.accepts("WC-32", "WC-43")
def test_a_raw_key_is_given_once_and_only_its_hash_is_stored(
    tenants: Tenants, store: Store
) -> None:
    # Who reads the table, a log or a traceback must not be able to call the API.
    made = tenants.create_key("project_a", name="laptop")
    stored = store.get(ApiKey.key(api_key_hash=api_key_hash(made.raw)))
    assert stored == made.record
    assert made.raw not in stored.model_dump_json()
    assert made.raw not in repr(made)
    assert tenants.create_key("project_a", name="laptop").raw != made.raw


def test_a_key_needs_projects_that_exist(tenants: Tenants) -> None:
    # A key for a project with a typing error would be refused at every request, and nobody would
    # know why.
    with pytest.raises(NotFound):
        tenants.create_key("project_b", name="x")
    with pytest.raises(NotFound):
        tenants.create_key("project_a", name="x", more_projects=["project_b"])
    assert tenants.keys() == []


def test_a_revoked_key_is_announced_and_stays_revoked(
    tenants: Tenants, announced: list[dict[str, str]]
) -> None:
    # Servers cache keys for minutes: without the announcement a revoked one would open browsers
    # until then.
    made = tenants.create_key("project_a", name="laptop")
    assert made.record.key_id is not None
    assert announced == []
    for _ in range(2):
        assert tenants.revoke_key(made.record.key_id).status == "INACTIVE"
    assert announced == [{"apiKeyHash": made.record.api_key_hash}] * 2
    with pytest.raises(NotFound):
        tenants.revoke_key("key_unknown")


def test_a_project_that_is_switched_off_is_announced(
    tenants: Tenants, announced: list[dict[str, str]]
) -> None:
    changed = tenants.change_project("project_a", is_active=False, concurrency=7)
    assert (changed.status, changed.concurrency, changed.default_timeout) == ("INACTIVE", 7, 3600)
    assert announced == [{"projectId": "project_a"}]
    assert tenants.change_project("project_a", default_timeout=60).status == "INACTIVE"


def test_keys_are_listed_by_project(tenants: Tenants) -> None:
    tenants.create_project("project_b")
    first = tenants.create_key("project_a", name="one", more_projects=["project_b"])
    second = tenants.create_key("project_b", name="two")
    every = tenants.keys()
    assert {each.key_id for each in every} == {first.record.key_id, second.record.key_id}
    assert [each.key_id for each in tenants.keys("project_b")] == [second.record.key_id]


@pytest.mark.parametrize("project_id", ["", "../other", "a/b", "a b", "-a", "x" * 65])
def test_a_project_id_that_could_lead_elsewhere_is_refused(
    tenants: Tenants, project_id: str
) -> None:
    # It is a folder of the bucket, and a part of URLs.
    with pytest.raises(Refused):
        tenants.create_project(project_id)


def test_a_project_is_created_once_and_within_limits(tenants: Tenants) -> None:
    # Creating it again would reset the count of what runs, and with it the limit.
    with pytest.raises(AlreadyExists):
        tenants.create_project("project_a")
    for limits in ({"concurrency": -1}, {"concurrency": 1001}, {"default_timeout": 0}):
        with pytest.raises(Refused):
            tenants.create_project("project_c", **limits)
        with pytest.raises(Refused):
            tenants.change_project("project_a", **limits)
    with pytest.raises(Refused):
        tenants.create_project("project_c", name="n" * 101)
