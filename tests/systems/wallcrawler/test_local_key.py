"""The key that `sortkey up` prints."""

from pathlib import Path

from sortkey import Store, attr
from sortkey.systems import Addresses, Resources, open_resources
from sortkey_systems.wallcrawler.local_key import local_key, offer_local_key
from sortkey_systems.wallcrawler.model import ApiKey, Project, api_key_hash, model
from sortkey_systems.wallcrawler.sample import load_into


def _opened(folder: Path):
    return open_resources(Addresses(str(folder)), [model], url="http://127.0.0.1:8080")


def _stored(store: Store, resources: Resources) -> ApiKey:
    return store.get(ApiKey.key(api_key_hash=api_key_hash(local_key(resources))))


def test_the_printed_key_is_active_and_the_same_after_a_restart(tmp_path: Path) -> None:
    # It stands in a newcomer's script: a restart must not break that.
    said: list[str] = []
    for _ in range(2):
        with _opened(tmp_path / "data") as shared:
            resources = shared.of("wallcrawler")
            resources.store.ensure(model)
            said.append(load_into(resources))
            assert _stored(resources.store, resources).status == "ACTIVE"
            assert local_key(resources) in said[-1]
            assert "http://127.0.0.1:8080/wallcrawler" in said[-1]
    assert said[0] == said[1]


def test_two_folders_have_different_keys_and_neither_is_stored(tmp_path: Path) -> None:
    # A key that is the same everywhere would open every server on a network.
    keys: list[str] = []
    for name in ("a", "b"):
        with _opened(tmp_path / name) as shared:
            resources = shared.of("wallcrawler")
            resources.store.ensure(model)
            offer_local_key(resources)
            keys.append(local_key(resources))
            assert all(
                keys[-1] not in each.model_dump_json() for each in resources.store.scan(ApiKey)
            )
    assert keys[0] != keys[1]


def test_a_revoked_key_stays_revoked_and_changed_settings_stay(tmp_path: Path) -> None:
    # `up` offers the key at every start; it must not undo what somebody decided.
    with _opened(tmp_path / "data") as shared:
        resources = shared.of("wallcrawler")
        resources.store.ensure(model)
        offer_local_key(resources)
        found = _stored(resources.store, resources)
        resources.store.update(
            ApiKey.key(api_key_hash=found.api_key_hash), attr(ApiKey.status).set("INACTIVE")
        )
        resources.store.update(
            Project.key(project_id="project_default"), attr(Project.concurrency).set(2)
        )
        message = offer_local_key(resources)
        assert "revoked" in message
        assert local_key(resources) not in message
        assert _stored(resources.store, resources).status == "INACTIVE"
        assert resources.store.get(Project.key(project_id="project_default")).concurrency == 2
