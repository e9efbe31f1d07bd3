"""Which endpoint, region and credentials a client takes: as given, from the environment, by
botocore, or a clear no.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sortkey.connect.dynamodb import Client, Credentials
from sortkey.connect.dynamodb.place import ANYONE, Place, locate
from sortkey.errors import NotConfigured
from tests.connect.conftest import Connect
from tests.connect.scripted import answer, scripted

DONE = answer(b'{"done":true}')
KEYS = Credentials("key", "secret")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No AWS configuration but what a test writes into the file that this gives."""
    for name in [
        name for name in os.environ if name.startswith("AWS_") or name == "REQUESTS_CA_BUNDLE"
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path / "config"


def _urls(place: Place) -> list[str]:
    return [place.main.url, place.streams.url]


@pytest.mark.parametrize(
    ("region", "urls"),
    [
        (
            "eu-west-1",
            [
                "https://dynamodb.eu-west-1.amazonaws.com",
                "https://streams.dynamodb.eu-west-1.amazonaws.com",
            ],
        ),
        (
            "cn-north-1",
            [
                "https://dynamodb.cn-north-1.amazonaws.com.cn",
                "https://streams.dynamodb.cn-north-1.amazonaws.com.cn",
            ],
        ),
        (
            "us-gov-west-1",
            [
                "https://dynamodb.us-gov-west-1.amazonaws.com",
                "https://streams.dynamodb.us-gov-west-1.amazonaws.com",
            ],
        ),
    ],
)
def test_aws_is_found_by_its_region(
    region: str, urls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # With everything given and with botocore's help: the same hosts.
    assert _urls(locate(None, region, KEYS)) == urls
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    looked_up = locate(None, region, None)
    assert _urls(looked_up) == urls
    assert looked_up.credentials.current() == KEYS


def test_where_all_is_given_botocore_is_not_imported() -> None:
    # It takes longer to import than a thousand calls take to make.
    program = (
        "import sys\n"
        "from sortkey.connect.dynamodb import AsyncClient, Client, Credentials\n"
        "Client('http://127.0.0.1:8000')\n"
        "Client('https://db.example', 'eu-west-1', Credentials('a', 'b'))\n"
        "AsyncClient(region='eu-west-1', credentials=Credentials('a', 'b'))\n"
        "assert not any(name.startswith(('boto', 'urllib3')) for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_local_server_needs_no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first thing anybody tries. What the environment has is used all the same: the server may
    # ask for it.
    place = locate("http://localhost:8000", None, None)
    assert (place.region, place.credentials) == ("us-east-1", ANYONE)
    for name, value in {
        "ACCESS_KEY_ID": "k",
        "SECRET_ACCESS_KEY": "s",
        "SESSION_TOKEN": "t",
        "REGION": "r-1",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    place = locate("http://localhost:8000", None, None)
    assert (place.region, place.credentials) == ("r-1", Credentials("k", "s", "t"))
    place = locate("http://localhost:8000", "given-1", KEYS)
    assert (place.region, place.credentials) == ("given-1", KEYS)


@pytest.mark.parametrize(
    "endpoint", ["https://db.example", "http://dynamodb.eu-west-1.amazonaws.com", None]
)
def test_elsewhere_credentials_are_never_made_up(endpoint: str | None) -> None:
    # A refusal by the service would say nothing of the setting that is missing.
    with pytest.raises(NotConfigured, match="no AWS credentials: set AWS_ACCESS_KEY_ID"):
        locate(endpoint, "eu-west-1", None)


def test_no_region_is_a_setting_to_mend() -> None:
    with pytest.raises(NotConfigured, match="no region: pass one, set AWS_DEFAULT_REGION"):
        locate(None, None, KEYS)


def test_a_profile_gives_region_credentials_and_endpoint(environment: Path) -> None:
    # As for the AWS CLI, so that what works there works here.
    environment.write_text(
        "[profile one]\nregion = eu-central-1\naws_access_key_id = key\naws_secret_access_key = "
        "secret\n"
        "[profile two]\nregion = eu-central-1\naws_access_key_id = key\naws_secret_access_key = "
        "secret\n"
        "endpoint_url = http://localhost:4566\nca_bundle = bundle.pem\n"
    )
    one, two = locate(None, None, None, "one"), locate(None, None, None, "two")
    assert (one.region, one.credentials.current()) == ("eu-central-1", KEYS)
    assert one.main.url == "https://dynamodb.eu-central-1.amazonaws.com"
    assert (_urls(two), two.ca_file) == (["http://localhost:4566"] * 2, "bundle.pem")


def test_an_endpoint_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    # By service, as the SDKs have it.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://localhost:9000")
    place = Client.aws("eu-west-1").place
    assert _urls(place) == [
        "http://localhost:9000",
        "https://streams.dynamodb.eu-west-1.amazonaws.com",
    ]


def test_a_profile_that_is_not_there_is_named() -> None:
    with pytest.raises(NotConfigured, match="nobody"):
        locate(None, None, None, "nobody")


def test_a_broken_configuration_is_no_traceback_of_botocore(environment: Path) -> None:
    environment.write_text("[profile one\nregion")
    with pytest.raises(NotConfigured):
        locate(None, None, None)


def test_without_botocore_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    # The base install does not have it.
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    with pytest.raises(NotConfigured, match=r'pip install "sortkey\[aws\]"'):
        Client.aws("eu-west-1")


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://localhost",
        "http://",
        "http://localhost:port",
        "http://localhost:99999",
        "http://localhost/path",
        "http://localhost?region=x",
        "http://user:password@localhost",
        "http://local host",
        "http://localhost\r\nX: y",
        "http://" + "x" * 64 + ".example",
        "http://[::1",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    # Before the first request, and not as a host that does not answer.
    with pytest.raises(NotConfigured, match="endpoint"):
        locate(url, "us-east-1", KEYS)


@pytest.mark.parametrize("region", ["", "eu west", "eu/west", "x\r\n"])
def test_a_region_that_is_none_is_refused(region: str) -> None:
    # It would stand in a header and in a host name.
    with pytest.raises(NotConfigured):
        locate("https://db.example", region, KEYS)


def test_credentials_of_a_profile_are_renewed_by_botocore(
    connect: Connect, environment: Path, tmp_path: Path
) -> None:
    # A program that prints keys which end soon stands for roles, SSO and instances: botocore treats
    # all alike.
    script = tmp_path / "keys.py"
    script.write_text(
        "import datetime, json, pathlib\n"
        f"count = pathlib.Path({json.dumps(str(tmp_path / 'count'))})\n"
        "number = int(count.read_text()) + 1 if count.exists() else 1\n"
        "count.write_text(str(number))\n"
        "end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=5)\n"
        "print(json.dumps({'Version': 1, 'AccessKeyId': f'key{number}', 'SecretAccessKey': 's',\n"
        "    'SessionToken': f'token{number}', 'Expiration': end.isoformat()}))\n"
    )
    environment.write_text(f"[profile role]\ncredential_process = {sys.executable} {script}\n")
    now = [1_767_268_800.0]
    with scripted([DONE] * 3) as server:
        source = locate(server.url, "us-east-1", None, "role").credentials
        caller = connect(server.url, credentials=source, clock=lambda: now[0])
        for seconds in (0, 0, 1):
            now[0] += seconds
            caller.call()
    tokens = [request.header("x-amz-security-token") for request in server.requests]
    assert tokens[0] == tokens[1]
    assert int(tokens[2].removeprefix("token")) > int(tokens[0].removeprefix("token"))

    script.write_text("raise SystemExit('the identity provider is down')")
    now[0] += 1
    with pytest.raises(NotConfigured, match=r"cannot be renewed: .*identity provider is down"):
        caller.call()
