"""`sortkey up` with models of one's own: the real program, and pages as a browser is sent them."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError

import sortkey as library
from tests.cli.program import SHOP, refused, sortkey

NOTHING_ELSE = ("up", "--systems", "none", "--port", "0", "--dynamodb-port", "0")
SEARCHABLE = (
    SHOP.replace('"KEYS_ONLY")]', '"KEYS_ONLY")], stream="NEW_AND_OLD_IMAGES"')
    + '''
from sortkey import Searchable, Text, document


@document(Customer, "customers", id="{customerId}", fields={"name": Text()}, version=lambda customer: 1)
def found(customer: Customer) -> Searchable:
    """A customer by name."""
    return {"name": customer.name}


model.searchable(found)
'''
)
ADA = {
    name: {"S": value}
    for name, value in {
        "PK": "CUSTOMER#ada",
        "SK": "PROFILE",
        "EntityType": "Customer",
        "customerId": "ada",
        "name": "Ada L.",
    }.items()
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SEARCHABLE)
    return tmp_path


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """Where the console of a program answers that runs with the shop, and with nothing else."""
    with started(folder) as said:
        assert "REST" not in said  # models of one's own have none
        assert "jobengine" not in said
        yield f"{address_in(said)}/console"


def address_in(said: str, what: str = "console") -> str:
    return re.findall(rf"{what} +(http://[\w.:]+)", said)[0]


def client(said: str) -> Any:
    """boto3 with the credentials that it finds by itself."""
    return boto3.Session().client(
        "dynamodb", endpoint_url=address_in(said, "DynamoDB"), region_name="us-east-1"
    )


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[str]:
    """What the program says that runs with the shop and with nothing else, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", *NOTHING_ELSE, "--model", "shop:model", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = ""
        while not said.endswith("Ctrl-C stops it.\n"):
            line = process.stdout.readline()
            assert line, said  # it has ended
            said += line
        yield said
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_model_of_ones_own_is_in_the_console(folder: Path, address: str) -> None:
    # The first thing that everybody wants to see after the samples is their own.
    with library.open(folder / "data") as store:  # through the program, which has the folder
        store.backend.call("PutItem", {"TableName": "Shop", "Item": ADA})
    pages = {
        path: httpx.get(f"{address}/{path}").text
        for path in ("", "models/shop", "data?table=Shop", "search")
    }
    assert "Customers and their orders." in pages[""]
    assert "--model" in pages[""]  # how to add another
    assert "Order.of_customer" in pages["models/shop"]
    assert "CUSTOMER#ada" in pages["data?table=Shop"]
    assert "shop/customers" in pages["search"]
    assert "jobengine" not in "".join(pages.values())


@pytest.mark.slow
def test_with_a_password_the_endpoint_takes_requests_signed_with_its_own_keys_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The console's password would be worth nothing if the same data were open on the port beside
    # it.
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    keys = folder / "data" / "aws-credentials"
    with started(folder, "--password", "correct horse") as said:
        variable, path = re.findall(r"export (\w+)=(\S+)", said)[0]  # copied from what it says
        assert Path(path) == keys
        assert stat.S_IMODE(keys.stat().st_mode) == 0o600
        monkeypatch.setenv(variable, path)
        assert "Shop" in client(said).list_tables()["TableNames"]
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
        with pytest.raises(ClientError, match="UnrecognizedClientException"):
            client(said).list_tables()
        unsigned = {
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
            "Content-Type": "application/x-amz-json-1.0",
        }
        answer = httpx.post(address_in(said, "DynamoDB"), headers=unsigned, content=b"{}")
        assert "MissingAuthenticationTokenException" in answer.text
        with library.open(folder / "data") as store:  # who may read the folder needs no keys
            assert "Shop" in store.backend.call("ListTables", {})["TableNames"]
    secret = re.findall(r"aws_secret_access_key = (\S+)", keys.read_text())[0]
    assert secret not in said  # what a program prints stands in logs


@pytest.mark.slow
def test_without_a_password_the_endpoint_is_open_to_this_machine_and_to_no_web_page(
    folder: Path,
) -> None:
    arguments = (
        "--cors",
        "https://app.test",
        "--allow-host",
        "db.test",
        "--url",
        "https://console.test",
    )
    with started(folder, *arguments) as said:
        assert "export" not in said
        assert "console   https://console.test/console/" in said
        wire = address_in(said, "DynamoDB")
        assert get(wire) == get(wire, Origin="https://app.test") == get(wire, Host="db.test") == 200
        assert get(wire, Origin="https://evil.test") == get(wire, Host="evil.test") == 403
    with started(folder) as said:
        rest, wire = address_in(said), address_in(said, "DynamoDB")
        for path in (
            "/health",
            "/docs",
            "/console/",
            "/console/login",
            "/console/_nicegui_ws/socket.io/?transport=x",
        ):
            assert (
                get(rest + path, Host="evil.test")
                == get(rest + path, Origin="https://evil.test")
                == 403
            ), path
            assert get(rest + path, Origin=rest) != 403, path
        assert (
            get(wire, Origin="https://app.test")
            == get(wire, Host="db.test")
            == get(wire, Origin=rest)
            == 403
        )


def get(address: str, **headers: str) -> int:
    return httpx.get(address, headers=headers).status_code


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ["--systems", "shop:model"],
            "'shop:model' is not a system: add your own model with --model shop:model",
        ),
        (["--cors", "app.test"], "'app.test' is not an origin"),
        (["--allow-host", "app.test:80"], "'app.test:80' is not a host name"),
        (["--url", "app.test"], "'app.test' is not the address of a server"),
        (["--systems", "shops"], "unknown system 'shops': choose from applens, "),
        (["--model", "shop"], "or your own model as module:attribute (shop:model)"),
        (["--model", "shops:model"], "there is no module 'shops' in this folder"),
        (["--model", "shop:table"], "shop has no Model with the name 'table': use shop:model"),
        (["--model", "shops.py"], "there is no file shops.py"),
        (
            ["--model", "empty.py"],
            "empty.py has no Model with the name 'model': it has no Model at all",
        ),
        (["--model", "json.py"], "json.py has the name of another module: rename the file"),
        (
            ["--model", "shop.py", "--model", "named.py"],
            "named.py and shop.py are both named 'shop'",
        ),
        (
            ["--model", "shop.py", "--model", "tabled:model"],
            "tabled:model and shop.py both have a table 'Shop'",
        ),
    ],
)
def test_what_cannot_be_shown_is_reported_before_anything_is_made(
    folder: Path, line: list[str], message: str
) -> None:
    # Tables that were made for a mistake would stay.
    (folder / "empty.py").write_text("")
    (folder / "json.py").write_text("")
    (folder / "named.py").write_text('from sortkey import Model\nmodel = Model("shop")\n')
    (folder / "tabled.py").write_text(
        'from sortkey import Model, Table\nmodel = Model("other")\nmodel.add(Table("Shop", '
        'key=("id",)))\n'
    )
    assert message in refused(sortkey(*NOTHING_ELSE, *line, cwd=folder), 2)
    assert not (folder / "data").exists()


def test_a_model_can_be_named_by_its_file(folder: Path) -> None:
    # As the shell completes it; and from below this folder, or from elsewhere.
    (folder / "elsewhere").mkdir()
    for name, place in (
        ("shop.py", folder),
        ("../shop.py:model", folder / "elsewhere"),
        (folder / "shop.py", folder),
    ):
        done = sortkey("models", name, cwd=place)
        assert (done.returncode, done.stdout[:5]) == (0, "shop\n"), done
