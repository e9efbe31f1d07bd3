"""The program as a user runs it, and a small shop to run it on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.cli.forking import forked

SHOP = '''
from typing import Annotated, Literal
from sortkey import GSI, Entity, KeyOnly, Model, Query, Range, Table, camel, index, key, query

model = Model("shop", "Customers and their orders.")
table = model.add(Table("Shop", key=("PK", "SK"), indexes=[GSI("ByState", "state", "day", projection="KEYS_ONLY")]))


class Customer(Entity, table=table, kind="Customer", names=camel):
    """Somebody who buys."""

    customer_id: str
    name: str

    @key("CUSTOMER#{customerId}", "PROFILE")
    def key(*, customer_id: str): ...


class Order(Entity, table=table, kind="Order", names=camel):
    """What somebody bought on a day."""

    customer_id: KeyOnly[str]
    day: str
    number: Annotated[int, Range(1, 999)]
    state: Literal["open", "sent"] = "open"
    total: float = 0
    note: str | None = None

    @key("CUSTOMER#{customerId}", "ORDER#{day}#{number:03d}")
    def key(*, customer_id: str, day: str, number: int): ...

    @query(key)
    def of_customer(*, customer_id: str, day: str | None = None):
        """The orders of a customer, by day."""

    @index("ByState", "{state}", "{day}")
    def by_state(*, state: str):
        """The orders in a state."""


@model.pattern
def newest(customer_id: str) -> Query[Order]:
    """The two newest orders of a customer."""
    return Order.of_customer(customer_id=customer_id).descending().limit(2)


@model.collection(Customer, Order)
def everything_of(*, customer_id: str):
    """A customer with the orders."""
'''


def sortkey(
    *arguments: str | Path, cwd: Path, given: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with `given` as its input."""
    line = [str(each) for each in arguments]
    code, out, err = forked().run(line, cwd, given, os.environ | environment)
    return subprocess.CompletedProcess(["sortkey", *line], code, out, err)


def said(done: subprocess.CompletedProcess[str]) -> str:
    """What a command printed, if all went well."""
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def refused(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line in which a command said why not."""
    assert done.returncode == code, done
    assert done.stderr.count("\n") == 1, done
    assert "Traceback" not in done.stderr
    return done.stderr
