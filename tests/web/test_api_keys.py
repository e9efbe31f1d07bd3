"""Keys of programs: shown once, kept as a hash, good for one system and one right, until they end
or are revoked.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sortkey import Store
from sortkey.errors import NotFound
from sortkey.testing import Faults, FrozenClock
from sortkey.web import ApiKeys, Refused
from sortkey.web.api_keys import ApiKey
from tests.web.test_errors import error_of


def test_a_key_lets_its_program_in(client: TestClient, keys: ApiKeys) -> None:
    # The answer names the key, so that an audit can.
    key = keys.create("nightly export", "shop", "read")
    answer = client.get("/shop/stock", headers={"X-Api-Key": key.text})
    assert answer.json() == {"asked by": "nightly export"}


def test_a_key_for_reading_changes_nothing(client: TestClient, keys: ApiKeys) -> None:
    # Two rights, as the documents' two policies have it.
    reader, writer = (keys.create("program", "shop", access).text for access in ("read", "full"))
    assert (
        error_of(client.delete("/shop/stock", headers={"X-Api-Key": reader}), 403)["code"]
        == "Forbidden"
    )
    assert client.delete("/shop/stock", headers={"X-Api-Key": writer}).status_code == 204
    assert client.get("/shop/stock", headers={"X-Api-Key": writer}).status_code == 200


def test_a_key_of_another_system_is_403(client: TestClient, keys: ApiKeys) -> None:
    # It is a good key; this is not its door.
    other = keys.create("program", "jobengine", "full").text
    assert (
        "jobengine"
        in error_of(client.get("/shop/stock", headers={"X-Api-Key": other}), 403)["message"]
    )


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "nonsense",
        "sk__",
        "sk_000000000000_secret",
        "sk_ABCDEFABCDEF_secret",
        "sk_ü",
        "pk_0_0",
    ],
)
def test_without_a_good_key_nobody_gets_in(client: TestClient, given: str | None) -> None:
    # 401, and how to do better.
    answer = client.get(
        "/shop/stock", headers={"X-Api-Key": given.encode()} if given is not None else {}
    )
    assert error_of(answer, 401)["code"] == "Unauthenticated"
    assert answer.headers["WWW-Authenticate"].startswith("ApiKey")


def test_a_key_with_another_secret_is_worthless(keys: ApiKeys) -> None:
    # The first half of a key is no secret: it stands in lists.
    made = keys.create("program", "shop")
    for wrong in (made.text[:-1], made.text + "x", made.text.upper(), f"sk_{made.record.key_id}_"):
        with pytest.raises(Refused, match="unknown"):
            keys.check(wrong, "shop")


def test_a_key_is_never_stored(keys: ApiKeys, store: Store) -> None:
    # Whoever reads the table, or a backup of it, gets in nowhere.
    made = keys.create("program", "shop")
    secret = made.text.split("_", 2)[2]
    assert len(secret) >= 43
    assert secret not in str(store.backend.call("Scan", {"TableName": "sortkey-api-keys"}))


@pytest.fixture
def signed(store: Store, clock: FrozenClock) -> ApiKeys:
    """Keys of a server that has a secret."""
    made = ApiKeys(store, clock, secret=b"s" * 32)
    assert made.ensure() == []
    return made


def test_a_row_that_somebody_wrote_into_the_table_opens_nothing(
    signed: ApiKeys, store: Store, clock: FrozenClock
) -> None:
    # Whoever may write items, by IAM or by restoring a table, knows the hash of a secret that they
    # made up.
    forged = ApiKeys(store, clock).create("forged", "shop", "full")
    stolen = ApiKeys(store, clock, secret=b"t" * 32).create("of another server", "shop", "full")
    for made in (forged, stolen):
        with pytest.raises(Refused, match="unknown"):
            signed.check(made.text, "shop")


@pytest.mark.parametrize(
    "change",
    [
        {"access": "full"},
        {"system": "jobengine"},
        {"user_id": "ada"},
        {"secret_sha256": "0" * 64},
        {"expires_at": datetime(2100, 1, 1, tzinfo=UTC)},
        {"proof": None},
        {"proof": "0" * 64},
    ],
)
def test_what_a_key_may_do_cannot_be_changed_in_the_table(
    signed: ApiKeys, store: Store, change: dict[str, Any]
) -> None:
    made = signed.create("program", "shop", "read", user_id="grace")
    assert signed.check(made.text, "shop").user_id == "grace"
    store.put(made.record.changed(**change))
    with pytest.raises(Refused, match="unknown"):
        signed.check(made.text, "shop")


def test_a_signed_key_is_good_after_a_restart_and_is_revoked_without_the_secret(
    signed: ApiKeys, store: Store, clock: FrozenClock
) -> None:
    # `sortkey keys revoke` on tables elsewhere has no secret, and needs none.
    made = signed.create("program", "shop")
    again = ApiKeys(store, clock, secret=b"s" * 32)
    assert again.check(made.text, "shop").name == "program"
    ApiKeys(store, clock).revoke(made.record.key_id)
    with pytest.raises(Refused, match="revoked"):
        again.check(made.text, "shop")


def test_a_key_ends(keys: ApiKeys, clock: FrozenClock) -> None:
    # A forgotten one does not stay open for ever.
    made = keys.create("program", "shop", days=30)
    clock.advance(30 * 86_400 - 1)
    assert keys.check(made.text, "shop").caller_id == made.record.key_id
    clock.advance(1)
    with pytest.raises(Refused, match="expired"):
        keys.check(made.text, "shop")


def test_a_revoked_key_is_worthless_at_once(keys: ApiKeys) -> None:
    # Somebody has put it on the internet.
    made, other = keys.create("program", "shop"), keys.create("program", "shop")
    revoked = keys.revoke(made.record.key_id)
    assert revoked.revoked_at is not None
    with pytest.raises(Refused, match="revoked"):
        keys.check(made.text, "shop")
    assert keys.check(other.text, "shop").name == "program"
    assert keys.revoke(made.record.key_id) == revoked
    with pytest.raises(NotFound):
        keys.revoke("000000000000")


def test_its_use_is_noted_once_a_minute(keys: ApiKeys, store: Store, clock: FrozenClock) -> None:
    # Who cleans up wants to know which keys are dead; a write for each request would cost more than
    # the request.
    made = keys.create("program", "shop")

    def used() -> float:
        at = store.get(ApiKey.key(key_id=made.record.key_id)).last_used_at
        assert at is not None
        return at.timestamp()

    first = clock()
    keys.check(made.text, "shop")
    clock.advance(59)
    keys.check(made.text, "shop")
    assert used() == first
    clock.advance(1)
    keys.check(made.text, "shop")
    assert used() == first + 60


def test_who_asks_is_let_in_also_where_the_use_cannot_be_noted(
    sortkey_store: Store, sortkey_faults: Faults
) -> None:
    # A throttled table must not close every door of the server for the sake of a note.
    keys = ApiKeys(sortkey_store)
    keys.ensure()
    made = keys.create("program", "shop", "full")
    sortkey_faults.throttle(1, "UpdateItem")
    assert keys.check(made.text, "shop", "full").name == "program"


def test_keys_are_listed_by_system(keys: ApiKeys) -> None:
    # With their ends, and without anything secret.
    made = [keys.create(name, "shop").record for name in ("a", "b")]
    keys.create("c", "jobengine")
    listed = keys.list("shop")
    assert sorted(each.key_id for each in listed) == sorted(each.key_id for each in made)
    assert all(
        each.expires_at - each.created_at == timedelta(days=365)
        for each in listed
        if each.created_at
    )
