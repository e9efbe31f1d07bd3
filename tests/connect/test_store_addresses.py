"""`sortkey.open` and its kin: addresses that say more than is understood, and what is left where it
fails.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import open_objects, open_topics
from sortkey.connect.buckets import Buckets
from sortkey.errors import ModelError, NotConfigured


@pytest.mark.parametrize("settings", [{"objects": "no/place/for/a/name"}, {"nonsense": True}])
def test_a_store_that_cannot_be_made_leaves_the_folder_free(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    # Correcting the mistake in the same session, at a prompt for instance, must work.
    with pytest.raises((ModelError, TypeError)):
        sortkey.open(tmp_path, **settings)
    with pytest.raises((ModelError, TypeError)):
        sortkey.open_async(tmp_path, **settings)
    sortkey.open(tmp_path).close()
    asyncio.run(sortkey.open_async(tmp_path).close())


@pytest.mark.parametrize("open_it", [sortkey.open, sortkey.open_async, open_topics, open_objects])
@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8000/some/path",
        "aws://eu-west-1/table",
        "s3://bucket/key",
        "ftp://host",
        "http://[::1",
    ],
)
def test_an_address_that_says_more_than_is_understood_is_refused(
    open_it: Any, address: str
) -> None:
    # A path that is ignored was meant to lead somewhere.
    with pytest.raises(ModelError, match="is not an address"):
        open_it(address)


@pytest.mark.parametrize("name", ["../outside", "..", ".", "a/b", "", "a\\b", "x" * 256])
def test_the_name_of_a_bucket_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    # VAMS has the names of its buckets in a table: whoever may write there must not choose folders
    # of the machine.
    inside = tmp_path / "inside"
    with pytest.raises(NotConfigured, match="is not a bucket name"):
        Buckets(f"{inside}/{{bucket}}")[name]
    assert list(tmp_path.iterdir()) == []
