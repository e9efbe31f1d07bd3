"""An array of JSON read element by element: whatever is in it, however it is written and wherever
it is cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sortkey_systems.jobengine.logs import json_array
from sortkey_systems.jobengine.logs.json_array import BrokenArray, elements
from tests.systems.jobengine.examples import LOG_FILE

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
TRICKY = st.text(alphabet='"\\[]{},: \n\u00e9')
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS | TRICKY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TRICKY, inner, max_size=4),
)
STYLES = st.sampled_from(
    [{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": "\t", "ensure_ascii": False}]
)


def cut(data: bytes, size: int) -> Iterator[bytes]:
    """In pieces, so that everything is cut somewhere."""
    return (data[at : at + size] for at in range(0, len(data), size))


def values(data: bytes, size: int = 7) -> list[Any]:
    return [json.loads(raw) for raw, _ in elements(cut(data, size))]


@given(st.lists(VALUES, max_size=6), STYLES, st.integers(1, 40))
@example(["\\", '"', "]", "a,b"], {}, 1)
@example([], {"indent": 2}, 1)
def test_every_array_comes_back_element_by_element(
    array: list[Any], style: dict[str, Any], size: int
) -> None:
    # A file may be written by anyone, and a chunk ends anywhere: in a number, in an escape, between
    # two brackets.
    data = json.dumps(array, **style).encode()
    assert [json.loads(raw) for raw, _ in elements(cut(data, size))] == array


@given(st.lists(VALUES, min_size=1, max_size=6), STYLES, st.data())
def test_reading_goes_on_behind_any_element(
    array: list[Any], style: dict[str, Any], data: st.DataObject
) -> None:
    # The next page of a long log begins there, without reading what is before.
    text = json.dumps(array, **style).encode()
    ends = [end for _, end in elements([text])]
    number = data.draw(st.integers(0, len(array) - 1))
    rest = [
        json.loads(raw) for raw, _ in elements(cut(text[ends[number] :], 5), after=ends[number])
    ]
    assert rest == array[number + 1 :]


@given(st.lists(VALUES, max_size=3), st.integers(0, 200), st.binary(max_size=3), st.integers(1, 9))
def test_what_is_damaged_is_an_error_or_another_array_but_never_half_of_one(
    array: list[Any], at: int, damage: bytes, size: int
) -> None:
    # A log that ends in the middle must not look like one that ends there.
    data = json.dumps(array).encode()
    at = min(at, len(data))
    damaged = data[:at] + damage + data[at + len(damage) :]
    try:
        expected = json.loads(damaged)
    except ValueError:
        with pytest.raises((BrokenArray, ValueError)):
            values(damaged, size)
        return
    if isinstance(expected, list):
        assert values(damaged, size) == expected
    else:
        with pytest.raises(BrokenArray):
            values(damaged, size)


@pytest.mark.parametrize(
    "data", [b"", b" ", b"{}", b"[", b"[1", b'["a', b"[1,", b"[1,]", b"[,1]", b"[1]x", b"[1 2]"]
)
def test_what_is_no_array_is_refused(data: bytes) -> None:
    # Each was cut off, or is something else.
    with pytest.raises((BrokenArray, ValueError)):
        values(data)


def test_JE_46_the_documents_own_log_file_is_read() -> None:
    # It is indented, which our own files are not.
    assert values(LOG_FILE.encode()) == json.loads(LOG_FILE)


def test_an_element_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    # A file that is one string would fill the memory.
    monkeypatch.setattr(json_array, "ELEMENT_BYTES_MAX", 1000)
    with pytest.raises(BrokenArray, match="1,000 bytes"):
        values(b'["' + b"x" * 5000 + b'"]')
    with pytest.raises(BrokenArray, match="1,000 bytes"):
        values(b"[[" + b"1," * 5000)


def test_one_element_is_in_memory_at_a_time() -> None:
    # The array has no end, and yet its beginning is read.
    def endless() -> Iterator[bytes]:
        yield b"["
        while True:
            yield b'{"level": "INFO", "message": "again"},'

    found = elements(endless())
    assert [json.loads(next(found)[0])["message"] for _ in range(1000)] == ["again"] * 1000
