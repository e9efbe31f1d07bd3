"""Tables of commands: which columns find room, and how wide they are."""

from __future__ import annotations

import pytest

from sortkey.cli.columns import by_use
from sortkey.commands.table_output import fitting, flat


@pytest.mark.parametrize(
    ("widths", "room", "whole", "chosen"),
    [
        ([10, 10, 10], 34, 1, {0: 10, 1: 10, 2: 10}),  # all of them, with two spaces between
        ([10, 10, 10], 33, 1, {0: 10, 1: 10}),  # what is short is not shortened
        ([10, 50, 10], 40, 1, {0: 10, 1: 16, 2: 10}),  # what is long gets what is left
        ([10, 50, 50], 30, 1, {0: 10, 1: 18}),  # below twelve characters nothing is said
        ([10, 50, 4], 16, 1, {0: 10, 2: 4}),  # a narrow one may still fit
        ([40, 40, 4], 50, 2, {0: 40, 2: 4}),  # a key is whole or not there
        ([90], 40, 1, {0: 40}),  # something is better than nothing
    ],
)
def test_columns_find_room_in_their_order(
    widths: list[int], room: int, whole: int, chosen: dict[int, int]
) -> None:
    assert fitting(widths, room, whole) == chosen
    assert sum(chosen.values()) + 2 * (len(chosen) - 1) <= room


def test_columns_that_tell_more_get_room_first_and_stand_in_their_places() -> None:
    # A log without its messages, for the sake of an id, is no log.
    log = [
        {"job_id": "J", "at": f"2026-11-0{n}T10:00:00Z", "log_id": f"L{n}", "message": f"m{n}"}
        for n in (1, 2)
    ]
    order = by_use(log, ["job_id", "at", "log_id", "message"], ["job_id", "at", "log_id"])
    assert order == [3, 1, 2, 0]
    assert fitting([16, 20, 30, 40], 64, 3, order) == {1: 20, 3: 40}
    assert fitting([16, 20, 30, 40], 86, 3, order) == {1: 20, 2: 30, 3: 32}


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), ("a\n\tb", "a b"), (True, "true"), ({"a": [1]}, '{"a": [1]}'), (1.5, "1.5")],
)
def test_a_value_is_one_line(value: object, text: str) -> None:
    # A tab or a newline in a value would be one column or one row more.
    assert flat(value) == text
