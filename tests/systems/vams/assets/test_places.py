"""Where the files of assets are: keys of the document, in buckets with and without a prefix."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sortkey_systems.vams.assets.places import place_of
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.model import Asset, Location, S3AssetBucket
from tests.systems.vams.host import Requests, hosted


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("places")) as opened:
        yield opened


@pytest.mark.accepts("VA-27", "VA-28")
@pytest.mark.parametrize(("prefix", "start"), [("/", ""), ("assets/2026/", "assets/2026/")])
def test_VA_27_a_key_is_the_prefix_of_the_bucket_the_asset_and_the_path(
    requests: Requests, prefix: str, start: str
) -> None:
    # Other programs read the bucket by these keys; the root has no leading slash.
    bucket_id = f"bucket-{len(prefix)}"
    requests.service.store.put(
        S3AssetBucket(bucket_id=bucket_id, bucket_name="vams-places", base_assets_prefix=prefix)
    )
    database_id = requests.make_database(f"places-{len(prefix)}", defaultBucketId=bucket_id)
    asset_id = requests.make_asset(database_id)
    asset = requests.service.assets.find(database_id, asset_id)
    assert asset is not None
    assert asset.asset_location == Location(key=f"{start}{asset_id}/")
    place = requests.service.assets.place_of(asset)
    assert place.key("/model/pump.glb") == f"{start}{asset_id}/model/pump.glb"
    assert place.relative(place.key("/model/pump.glb")) == "/model/pump.glb"
    assert place.objects.name == "vams-places"


def test_an_asset_of_another_program_without_a_location_has_the_default_one(
    requests: Requests,
) -> None:
    # Its files are under its id all the same.
    requests.service.store.put(S3AssetBucket(bucket_id="bucket-x", bucket_name="vams-places"))
    asset = Asset(database_id="plant", asset_id="pump", asset_name="Pump", bucket_id="bucket-x")
    assert place_of(asset, requests.service.buckets).prefix == "pump/"


@pytest.mark.parametrize("bucket_id", [None, "unknown"])
def test_an_asset_whose_bucket_is_not_known_has_no_place(
    requests: Requests, bucket_id: str | None
) -> None:
    # The message names the reason; files cannot be read or written.
    asset = Asset(database_id="plant", asset_id="pump", asset_name="Pump", bucket_id=bucket_id)
    with pytest.raises(NotThere):
        place_of(asset, requests.service.buckets)
