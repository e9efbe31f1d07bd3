"""`sortkey explain`: one access pattern, for given arguments, sizes and numbers."""

from __future__ import annotations

import json

import pytest

from sortkey.cli import main

STAGE_KEY = """\
One stage of a journey.
Stage.key: GetItem on TransformationSystem
  key condition  PK = 'JOURNEY#JRN-ABC123456789' AND SK = 'STAGE#07#mapping'
"""


def test_arguments_stand_in_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    # Texts of the command line become the numbers and instants that the pattern takes.
    arguments = ["journey_id=JRN-ABC123456789", "order=7", "stage_id=mapping"]
    assert main(["explain", "jobengine", "Stage.key", *arguments]) == 0
    assert capsys.readouterr().out.startswith(STAGE_KEY)


@pytest.mark.parametrize(
    "named", [["jobengine", "Stage.key"], ["jobengine:Stage.key"], ["Stage.key"]]
)
def test_a_pattern_is_named_as_in_query(
    capsys: pytest.CaptureFixture[str], named: list[str]
) -> None:
    # One habit is enough: model and pattern in one word, in two, or the pattern alone where only
    # one model has it.
    assert (
        main(["explain", *named, "journey_id=JRN-ABC123456789", "order=7", "stage_id=mapping"]) == 0
    )
    assert capsys.readouterr().out.startswith(STAGE_KEY)


def test_an_argument_that_may_be_left_out_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "jobengine", "Stage.in_order", "order=7"]) == 0
    assert "GSI1SK = '07'" in capsys.readouterr().out


def test_the_cost_is_that_of_the_given_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    # 22 × 2,000 bytes are 11 blocks of 4 KB; half a unit each, as nobody asked for a consistent
    # read.
    assert (
        main(["explain", "jobengine", "journey_details", "--items", "22", "--item-bytes", "2000"])
        == 0
    )
    assert "5.5 read units" in capsys.readouterr().out


def test_json_has_the_figures_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "jobengine", "Stage.of_journey", "--items", "100", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["operation"], output["table"], output["read_units"]) == (
        "Query",
        "TransformationSystem",
        12.5,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "Stage.key"], "unknown model 'nothing'"),
        (
            ["jobengine"],
            "jobengine is a model: add an access pattern, one of Journey.key,",
        ),
        (["latest_run", "user_id"], "'user_id' is not an argument: write name=value"),
        (["jobengine", "Stage.none"], "no access pattern 'Stage.none'; there are: Journey.key,"),
        (
            ["jobengine", "Stage.key", "colour=red"],
            "Stage.key has no argument 'colour': it takes journey_id, order, stage_id",
        ),
        (
            ["jobengine", "Journey.all", "colour=red"],
            "Journey.all has no argument 'colour': it takes none",
        ),
        (["jobengine", "Stage.key", "order=seven"], "order=seven: Input should be a valid integer"),
        (["jobengine", "Stage.key", "order=700"], "Stage.order cannot be 700"),
    ],
)
def test_what_cannot_be_explained_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["explain", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("wrong", [["order"], ["=7"], ["--items", "0"], ["--item-bytes", "many"]])
def test_arguments_of_no_form_are_refused(wrong: list[str]) -> None:
    assert main(["explain", "jobengine", "Stage.key", *wrong]) == 2
