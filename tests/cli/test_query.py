"""`sortkey query` as a program: what is found, page by page, and what it says when it cannot."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey.cli import main
from tests.cli.program import SHOP, refused, said, sortkey


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, and data of it: a customer and five orders."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.py").write_text(SHOP)
    (folder / "data").mkdir()
    orders = [
        {
            "customer_id": "ada",
            "day": f"2026-11-0{n}",
            "number": n,
            "total": n * 1.5,
            "state": "sent" if n == 4 else "open",
        }
        for n in range(1, 6)
    ]
    lines = "\n".join(json.dumps(each) for each in orders)
    said(
        sortkey(
            "put",
            "shop:model:Customer",
            "--ensure",
            cwd=folder,
            given='{"customer_id": "ada", "name": "Ada L."}',
        )
    )
    said(sortkey("put", "shop:model:Order", cwd=folder, given=lines))
    return folder


def test_a_pipe_gets_every_field_with_tabs_the_key_first(shop: Path) -> None:
    out = said(sortkey("query", "shop:model:Order.of_customer", "customer_id=ada", cwd=shop))
    head, first, *others = out.splitlines()
    assert head.split("\t") == ["customer_id", "day", "number", "state", "total"]
    assert first.split("\t") == ["ada", "2026-11-01", "1", "open", "1.5"]
    assert len(others) == 4


@pytest.fixture
def here(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The shop as the folder of this process, which is quicker than another process."""
    monkeypatch.chdir(shop)
    yield shop
    sys.modules.pop("shop", None)


def on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """As if the output of this process were a terminal of this width."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


def test_a_terminal_gets_what_fits_and_is_told_the_rest(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A table that is broken at the edge of the window cannot be read. The customer, asked for, is
    # the same everywhere.
    on_terminal(monkeypatch, 34)
    assert main(["query", "shop:model", "Order.of_customer", "customer_id=ada"]) == 0
    out, notes = capsys.readouterr()
    head, rule, first, *_ = re.sub(
        "\x1b\\[[0-9]*m", "", out
    ).splitlines()  # without what makes letters bold
    assert head.split() == ["day", "number", "state", "total"]
    assert first.split() == ["2026-11-01", "1", "open", "1.5"]
    assert max(map(len, [head, rule, first])) <= 34
    assert notes == "left out: customer_id (--all shows everything, --columns selects fields)\n"


def test_one_can_choose_the_fields(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["query", "shop:model", "newest", "customer_id=ada"]
    assert main([*line, "--columns", "total, day"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["total\tday", "7.5\t2026-11-05"]
    assert main([*line, "--columns", "colour"]) == 2
    assert "Order has no field colour: choose from customer_id, day," in capsys.readouterr().err


def test_all_fields_stand_below_each_other(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "shop:model", "newest", "customer_id=ada", "--all"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "-- 1",
        "customer_id  ada",
        "day          2026-11-05",
    ]


def test_pages_follow_each_other_by_cursor(shop: Path) -> None:
    # In programs that run one after the other: the cursor outlives the first.
    days: list[str] = []
    cursor: list[str] = []
    for _ in range(3):
        line = [
            "query",
            "shop:model:Order.of_customer",
            "customer_id=ada",
            "--limit",
            "2",
            "--json",
            *cursor,
        ]
        page = json.loads(said(sortkey(*line, cwd=shop)))
        days += [order["day"] for order in page["items"]]
        cursor = ["--cursor", page["cursor"]]
    assert days == [f"2026-11-0{n}" for n in range(1, 6)]
    assert page["cursor"] is None


def test_the_page_tells_the_next_cursor(shop: Path) -> None:
    # Not among the rows, which another program may read.
    done = sortkey(
        "query", "shop:model:Order.of_customer", "customer_id=ada", "--limit", "4", cwd=shop
    )
    assert (done.returncode, done.stdout.count("\n")) == (0, 5)
    assert done.stderr.startswith("more: --cursor ")


def test_it_reads_backwards_when_asked(shop: Path) -> None:
    line = [
        "query",
        "shop:model:Order.of_customer",
        "customer_id=ada",
        "--descending",
        "--json",
        "--limit",
        "1",
    ]
    assert json.loads(said(sortkey(*line, cwd=shop)))["items"][0]["day"] == "2026-11-05"


def test_one_item_by_its_key(shop: Path) -> None:
    # The number is typed by the parameter, as in `explain`.
    line = [
        "query",
        "shop:model:Order.key",
        "customer_id=ada",
        "day=2026-11-04",
        "number=4",
        "--json",
    ]
    (order,) = json.loads(said(sortkey(*line, cwd=shop)))["items"]
    assert order == {
        "customer_id": "ada",
        "day": "2026-11-04",
        "number": 4,
        "state": "sent",
        "total": 6.0,
    }


def test_a_model_and_its_pattern_can_be_two_words(shop: Path) -> None:
    line = [
        "query",
        "shop:model",
        "Order.key",
        "customer_id=ada",
        "day=2026-11-04",
        "number=4",
        "--json",
    ]
    assert json.loads(said(sortkey(*line, cwd=shop)))["items"][0]["number"] == 4


def test_a_key_that_is_not_there_is_no_error(shop: Path) -> None:
    done = sortkey("query", "shop:model:Customer.key", "customer_id=bob", cwd=shop)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "nothing found\n")


def test_an_index_of_keys_gives_whole_items(shop: Path) -> None:
    line = ["query", "shop:model:Order.by_state", "state=sent", "--json"]
    (order,) = json.loads(said(sortkey(*line, cwd=shop)))["items"]
    assert order["total"] == 6.0


def test_a_pattern_with_a_limit_of_its_own_keeps_it(shop: Path) -> None:
    found = json.loads(
        said(sortkey("query", "shop:model:newest", "customer_id=ada", "--json", cwd=shop))
    )
    assert [order["number"] for order in found["items"]] == [5, 4]
    assert "no pages" in refused(
        sortkey("query", "shop:model:newest", "customer_id=ada", "--cursor", "x", cwd=shop), 2
    )


def test_a_collection_is_filtered_by_kind(shop: Path) -> None:
    line = ["query", "shop:model:everything_of", "customer_id=ada"]
    items = json.loads(said(sortkey(*line, "--json", cwd=shop)))["items"]
    assert (len(items["Customer"]), len(items["Order"])) == (1, 5)
    out = said(sortkey(*line, cwd=shop))
    assert out.startswith("Customer")
    assert "\nOrder" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ["shop:model:Order.of_customer"],
            "Order.of_customer needs customer_id: add customer_id=…",
        ),
        (["shop:model:Order.none"], "no access pattern 'Order.none'; there are: Customer.key,"),
        (
            ["shop:model:Order.of_customer", "customer_id"],
            "'customer_id' is not an argument: write name=value",
        ),
        (
            ["shop:model:Order.of_customer", "colour=red", "customer_id=a"],
            "has no argument 'colour': it takes customer_id, day",
        ),
        (
            ["shop:model:Order.of_customer", "customerid=a"],
            "has no argument 'customerid': did you mean customer_id?",
        ),
        (["shop:model:Customer.key", "customer_id="], "customerId is empty"),
        (["no_such_pattern"], "no installed system has no_such_pattern"),
        (["latest_runs:"], "unknown model 'latest_runs'"),
        (
            ["shop:model:Order.of_customer", "customer_id=a", "--data", "nowhere"],
            "there is no folder 'nowhere'",
        ),
    ],
)
def test_a_wrong_line_is_reported_in_one(shop: Path, line: list[str], message: str) -> None:
    assert message in refused(sortkey("query", *line, cwd=shop), 2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            ["Stage.of_journey", "journey_id=JRN-ABC123456789"],
            "the table TransformationSystem does not exist",
        ),
        (
            ["shop:model:Order.of_customer", "customer_id=ada", "--cursor", "made-up"],
            "the cursor belongs to another query",
        ),
        (["latest_run", "user_id=1", "--data", "http://127.0.0.1:1"], "127.0.0.1:1"),
    ],
)
def test_what_cannot_be_read_is_reported_in_a_line(
    shop: Path, line: list[str], message: str
) -> None:
    # A name that only one of the shipped models has needs no model.
    assert message in refused(sortkey("query", *line, cwd=shop), 1)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("query jobengine:Stage.o", "Stage.of_journey"),
        ("query jobengine Stage.o", "Stage.of_journey"),
        ("explain jobengine:Stage.o", "Stage.of_journey"),
        ("query jobengine : Stage.o", "Stage.of_journey"),  # as bash takes the words apart
        ("query jobengine Stage.of_journey ", "journey_id="),
        ("query jobengine:Stage.of_journey jour", "journey_id="),
    ],
)
def test_the_shell_completes_patterns_and_their_arguments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: str, offered: str
) -> None:
    monkeypatch.setenv("_SORTKEY_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"sortkey {typed}")
    with pytest.raises(SystemExit):
        main([])
    assert offered in capsys.readouterr().out
