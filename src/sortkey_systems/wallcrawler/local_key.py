"""The API key that `sortkey up` prints, so that a newcomer can start a browser at once.

It is derived from the secret of the data folder: the same after every restart, another on every
machine, and as every key stored only as a hash. Revoking it in the console or with `sortkey
wallcrawler keys revoke` is final.
"""

from __future__ import annotations

from contextlib import suppress

from sortkey import Store
from sortkey.errors import AlreadyExists
from sortkey.systems import Resources
from sortkey_systems.wallcrawler.model import ApiKey, Project, api_key_hash

PROJECT = "project_default"
KEY_ID = "key_local"


def local_key(resources: Resources) -> str:
    """The raw key."""
    return f"wc_local_{resources.derive_secret('local API key').hex()[:40]}"


def offer_local_key(resources: Resources) -> str:
    """Store the key if it was never there. Gives what to print: the key and where it works, or why
    it does not.
    """
    raw = local_key(resources)
    if not ensure_key(resources.store, raw):
        return (
            "the key for this machine was revoked; `sortkey wallcrawler keys create NAME` makes "
            "another"
        )
    return f"API key {raw}, base URL {resources.url}"


def ensure_key(store: Store, raw: str) -> bool:
    """Store the hash of a key unless it is there, with its project. Returns whether it is
    active.
    """
    with suppress(AlreadyExists):  # with settings of its own
        store.create(Project(project_id=PROJECT, name="First steps", concurrency=5))
    key = ApiKey.key(api_key_hash=api_key_hash(raw))
    try:
        store.create(
            ApiKey(
                api_key_hash=api_key_hash(raw),
                key_id=KEY_ID,
                name="This machine",
                project_id=PROJECT,
            )
        )
    except AlreadyExists:
        return store.get(key).status == "ACTIVE"
    return True
