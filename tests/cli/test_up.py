"""`sortkey up` with models of one's own: the real program, and pages as a browser is sent them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

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
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", *NOTHING_ELSE, "--model", "shop:model"],
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
        assert "REST" not in said  # models of one's own have none
        assert "jobengine" not in said
        yield re.findall(r"console +(\S+)/", said)[0]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_model_of_ones_own_is_in_the_console(folder: Path, address: str) -> None:
    # The first thing that everybody wants to see after the samples is their own.
    with library.open(folder / "data") as store:  # through the program, which has the folder
        store.backend.call("PutItem", {"TableName": "Shop", "Item": ADA})
    pages = {path: httpx.get(f"{address}/{path}").text for path in ("", "models/shop", "data?table=Shop", "search")}
    assert "Customers and their orders." in pages[""]
    assert "--model" in pages[""]  # how to add another
    assert "Order.of_customer" in pages["models/shop"]
    assert "CUSTOMER#ada" in pages["data?table=Shop"]
    assert "shop/customers" in pages["search"]
    assert "jobengine" not in "".join(pages.values())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            ["--systems", "shop:model"],
            "'shop:model' is no system: a model of your own is added with --model shop:model",
        ),
        (["--systems", "shops"], "there is no system 'shops': choose from applens, "),
        (["--model", "shop"], "or module:attribute of your own model, as shop:model"),
        (["--model", "shops:model"], "there is no module 'shops': it is looked for in this folder"),
        (["--model", "shop:table"], "shop has no Model with the name 'table'; there is shop:model"),
        (["--model", "shops.py"], "there is no file shops.py"),
        (["--model", "empty.py"], "empty.py has no Model with the name 'model'; it has no Model at all"),
        (["--model", "json.py"], "another module has the name of json.py: rename the file"),
        (["--model", "shop.py", "--model", "named.py"], "named.py and shop.py are both named 'shop'"),
        (["--model", "shop.py", "--model", "tabled:model"], "tabled:model and shop.py both have a table 'Shop'"),
    ],
)
def test_what_cannot_be_shown_is_told_before_anything_is_made(folder: Path, line: list[str], told: str) -> None:
    # Tables that were made for a mistake would stay.
    (folder / "empty.py").write_text("")
    (folder / "json.py").write_text("")
    (folder / "named.py").write_text('from sortkey import Model\nmodel = Model("shop")\n')
    (folder / "tabled.py").write_text(
        'from sortkey import Model, Table\nmodel = Model("other")\nmodel.add(Table("Shop", key=("id",)))\n'
    )
    assert told in refused(sortkey(*NOTHING_ELSE, *line, cwd=folder), 2)
    assert not (folder / "data").exists()


def test_a_model_can_be_named_by_its_file(folder: Path) -> None:
    # As the shell completes it; and from below this folder, or from elsewhere.
    (folder / "elsewhere").mkdir()
    for name, place in (("shop.py", folder), ("../shop.py:model", folder / "elsewhere"), (folder / "shop.py", folder)):
        done = sortkey("models", name, cwd=place)
        assert (done.returncode, done.stdout[:5]) == (0, "shop\n"), done
