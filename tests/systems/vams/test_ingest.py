"""An asset and its files in two requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.model import Database
from tests.systems.vams.host import ADMIN, READER, Requests, hosted

FIELDS = {"databaseId": "plant", "assetName": "Pump", "description": "Feed pump"}
FILE = {"relativeKey": "/model/pump.glb", "file_size": 5, "num_parts": 1}


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("ingest")) as opened:
        opened.make_database("plant")
        yield opened


def send(requests: Requests, started: dict[str, Any], data: bytes) -> list[dict[str, Any]]:
    """Send the parts of the files as a client does; gives what completes them."""
    sent: list[dict[str, Any]] = []
    for file in started["files"]:
        parts = [
            {
                "PartNumber": each["PartNumber"],
                "ETag": requests.client.put(each["UploadUrl"], content=data)
                .headers["ETag"]
                .strip('"'),
            }
            for each in file["partUploadUrls"]
        ]
        sent.append(
            {
                "relativeKey": file["relativeKey"],
                "uploadIdS3": file["uploadIdS3"],
                "parts": parts,
            }
        )
    return sent


@pytest.mark.parametrize("names_asset", [True, False])
def test_an_asset_comes_with_its_files(requests: Requests, names_asset: bool) -> None:
    # The second request repeats the fields, with or without the id that the first has made.
    started = requests("POST", "/ingest-asset", {**FIELDS, "files": [FILE]})
    assert started.status_code == 200, started.text
    asset_id = started.json()["assetId"]
    files = send(requests, started.json(), b"glTF.")
    body = {**FIELDS, "uploadId": started.json()["uploadId"], "files": files}
    done = requests("POST", "/ingest-asset", {**body, "assetId": asset_id} if names_asset else body)
    assert done.status_code == 200, done.text
    assert done.json()["overallSuccess"] is True
    assert done.json()["assetId"] == asset_id
    found = requests("GET", f"/database/plant/assets/{asset_id}").json()
    assert (found["assetType"], found["assetName"]) == (".glb", "Pump")


def test_more_files_come_to_an_asset_that_exists(requests: Requests) -> None:
    # A program that runs every night ingests the same asset again.
    body = {**FIELDS, "assetId": "nightly", "files": [FILE]}
    for number in range(2):
        started = requests("POST", "/ingest-asset", body).json()
        files = send(requests, started, b"%05d" % number)
        again = {**body, "uploadId": started["uploadId"], "files": files}
        assert requests("POST", "/ingest-asset", again).json()["overallSuccess"] is True
    asset = requests.service.assets.find("plant", "nightly")
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    assert place.objects.read(place.key("/model/pump.glb")) == b"00001"


@pytest.mark.parametrize(
    "change",
    [
        {"files": []},
        {"files": [{**FILE, "relativeKey": "/virus.exe"}]},
        {"files": [{**FILE, "relativeKey": "/no-extension"}]},
        {"files": [FILE, FILE]},
        {"files": [{"relativeKey": "/../a.glb", "file_size": 5}]},
        {"files": [{"file_size": 5}]},
        {"assetName": "a/b"},
        {"tags": ["unknown"]},
        {"uploadId": "a:b"},
    ],
)
def test_a_refused_ingest_leaves_no_asset(requests: Requests, change: Any) -> None:
    # Otherwise every wrong file name would leave an empty asset behind.
    store, key = requests.service.store, Database.key(database_id="plant")
    before = store.get(key).asset_count
    body = {**FIELDS, "assetId": "refused", "files": [FILE], **change}
    answer = requests("POST", "/ingest-asset", body)
    assert answer.status_code in (400, 404), answer.text
    assert requests.service.assets.find("plant", "refused") is None
    assert store.get(key).asset_count == before
    anonymous = {name: value for name, value in body.items() if name != "assetId"}
    assert requests("POST", "/ingest-asset", anonymous).status_code in (400, 404)
    assert store.get(key).asset_count == before


def test_ingest_asks_for_the_permissions_of_creation_and_of_uploads(requests: Requests) -> None:
    # Who may create assets but not change their files leaves none behind.
    body = {**FIELDS, "files": [FILE]}
    assert requests("POST", "/ingest-asset", body, user=READER).status_code == 403
    requests.add_user("half@example.com", "halves")
    requests.permit("halves", "api", "POST", route__path="/ingest-asset")
    requests.permit("halves", "asset", "PUT", databaseId="plant")
    half = {**body, "assetId": "half"}
    assert requests("POST", "/ingest-asset", half, user="half@example.com").status_code == 403
    assert requests.service.assets.find("plant", "half") is None
    requests.permit("halves", "asset", "POST", databaseId="plant")
    assert requests("POST", "/ingest-asset", half, user="half@example.com").status_code == 200
    unknown = {**body, "databaseId": "absent"}
    assert requests("POST", "/ingest-asset", unknown, user=ADMIN).status_code == 404
