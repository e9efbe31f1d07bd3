"""Versions of assets: a record of its own, with the files as they were, and keys under the prefix
of their bucket.
"""

from typing import Any

import pytest

from sortkey import Put, Store
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.model import AssetFileVersion, AssetVersion, S3AssetBucket
from sortkey_systems.vams.model.documents import prefix_of

PUMP: dict[str, Any] = {"database_id": "d", "asset_id": "pump"}


def version(number: str, **files: str) -> list[Put[AssetVersion] | Put[AssetFileVersion]]:
    """A version with its files, each with its object version."""
    recorded = [
        AssetFileVersion(
            **PUMP, asset_version_id=number, file_key=f"pump/{name}.e57", s3_version_id=stored
        )
        for name, stored in files.items()
    ]
    made = AssetVersion(**PUMP, asset_version_id=number, comment="scan")
    return [Put(made, "create"), *(Put(each, "create") for each in recorded)]


@pytest.mark.accepts("VA-45")
def test_a_version_has_an_id_of_its_own_and_files_as_they_were(store: Store) -> None:
    # A later upload changes what the bucket has, not what a version says; and no version replaces
    # another.
    store.transact(*version("1", hall="v1", pump="v1"))
    store.transact(*version("2", hall="v2", pump="v1"))
    for number, stored in (("1", ["v1", "v1"]), ("2", ["v2", "v1"])):
        files = store.query(AssetFileVersion.of_version(**PUMP, asset_version_id=number))
        assert [each.s3_version_id for each in files] == stored
    with pytest.raises(TransactionFailed):
        store.transact(*version("2", hall="v3"))
    assert (
        store.get(
            AssetFileVersion.key(**PUMP, asset_version_id="2", file_key="pump/hall.e57")
        ).s3_version_id
        == "v2"
    )


@pytest.mark.accepts("VA-28")
@pytest.mark.parametrize(
    ("given", "prefix"), [({}, ""), ({"base_assets_prefix": "2026/"}, "2026/")]
)
def test_the_prefix_of_a_bucket_is_its_root_unless_it_says_otherwise(
    given: dict[str, str], prefix: str
) -> None:
    # The root is written as a slash, and no key begins with one.
    assert prefix_of(S3AssetBucket(bucket_id="b", bucket_name="plant", **given)) == prefix
